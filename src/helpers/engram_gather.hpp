// Engram gather (kernels.h): rows of an FP8 table, as BF16.
#pragma once

#include "operation/operation.hpp"

namespace keysieve {

struct EngramGatherParams {
  std::uint16_t* out;
  const std::uint8_t* table;
  const std::uint8_t* scales;
  const void* ids;
  std::int64_t count;  // ids
  std::int64_t first_row;
  std::int64_t rows;
  std::int64_t table_row_stride;
  std::int64_t scales_row_stride;
  std::int32_t dim;
  std::int32_t dim_shift;
  std::int32_t block_shift;  // log2 of the columns that share a scale
  std::int32_t ids_are_64_bit;
  std::int32_t vectors_fit;  // 16 columns of `table` and of `out` begin at 16-byte addresses, and share a scale
};

struct EngramGather {
  using Args = keysieve_engram_gather_args;
  using Params = EngramGatherParams;
  static constexpr OperationId kId = OperationId::kEngramGather;
  static constexpr std::int64_t kMaxDim = 8192;

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("out", args.out, Access::kWrite);
    visit("table", args.table, Access::kRead);
    visit("scales", args.scales, Access::kRead);
    visit("ids", args.ids, Access::kRead);
  }
  static void check(const Args& args, Faults& faults);
  static bool is_empty(const Args& args) { return has_no_elements(args.out); }
  static Params params(const Args& args);
  static void reference(const Args& args);
  static KernelCalls calls(const Params& params);
};

}  // namespace keysieve
