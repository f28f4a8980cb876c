// Cases of publishing, in the form that the judges of operations take.
#pragma once

#include "cases/operation/operation_case.hpp"
#include "keysieve/publish.h"

namespace keysieve::cases {

// A call of publishing as its tensors. The problem is the one of the reference: device, backend and route are the
// judge's.
struct PublishedTensors {
  keysieve_call call;
  keysieve_publish_problem problem;
  std::int32_t next_n;
  std::int64_t page_size;
  std::int64_t num_pages;
  keysieve_tensor scores, lengths, page_table, row_to_table;
  keysieve_tensor indices, raw_indices, values, counts;
  keysieve_tensor blocks, physical_blocks, block_counts, valid_lengths;
};

struct Publishing {
  using Args = PublishedTensors;

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("scores", args.scores, Access::kRead);
    visit("lengths", args.lengths, Access::kRead);
    visit("page_table", args.page_table, Access::kRead);
    visit("row_to_table", args.row_to_table, Access::kRead);
    visit("indices", args.indices, Access::kWrite);
    visit("raw_indices", args.raw_indices, Access::kWrite);
    visit("values", args.values, Access::kWrite);
    visit("counts", args.counts, Access::kWrite);
    visit("blocks", args.blocks, Access::kWrite);
    visit("physical_blocks", args.physical_blocks, Access::kWrite);
    visit("block_counts", args.block_counts, Access::kWrite);
    visit("valid_lengths", args.valid_lengths, Access::kWrite);
  }
};

// The arguments of the C ABI; strides are resolved. The workspace is still to be given.
keysieve_publish_args publish_args_of(const PublishedTensors& tensors);

template <>
std::vector<OperationCase<Publishing>> operation_cases<Publishing>();

}  // namespace keysieve::cases
