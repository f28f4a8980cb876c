// Candidates of each row one by one: positions and slots (candidates.h).
#pragma once

#include "candidates/slot_table.hpp"
#include "keysieve/candidates.h"
#include "operation/operation.hpp"

namespace keysieve {

struct CandidateSlotsParams {
  std::int64_t* positions;
  std::int32_t* slots;
  std::int32_t* counts;
  const std::int32_t* blocks;
  const std::int32_t* lengths;
  std::uint32_t* error_word;
  std::int64_t positions_row_stride;
  std::int64_t slots_row_stride;
  std::int64_t blocks_row_stride;
  std::int64_t rows;
  std::int64_t columns;
  SlotTable table;
  std::int32_t block_shift;
  std::int32_t pairs_fit;  // two columns of `positions` begin at 16-byte addresses, of `slots` at 8-byte ones
};

struct CandidateSlots {
  using Args = keysieve_candidate_slots_args;
  using Params = CandidateSlotsParams;
  static constexpr OperationId kId = OperationId::kCandidateSlots;
  static constexpr std::int32_t kThreads = 256;
  static constexpr std::int32_t kPiecesAtOnce = 4;  // pairs of columns, or columns, that a thread has under way
  static KEYSIEVE_HOST_DEVICE constexpr std::int64_t columns_of_chunk(bool pairs) {
    return std::int64_t{kThreads} * kPiecesAtOnce * (pairs ? 2 : 1);
  }

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("positions", args.positions, Access::kWrite);
    visit("slots", args.slots, Access::kWrite);
    visit("counts", args.counts, Access::kWrite);
    visit("blocks", args.blocks, Access::kRead);
    visit("lengths", args.lengths, Access::kRead);
    visit("token_table", args.token_table, Access::kRead);
    visit("row_to_table", args.row_to_table, Access::kRead);
  }
  static void check(const Args& args, Faults& faults);
  static bool is_empty(const Args& args) { return has_no_elements(args.counts); }
  static Params params(const Args& args);
  static void reference(const Args& args);
  static KernelCalls calls(const Params& params);
};

}  // namespace keysieve
