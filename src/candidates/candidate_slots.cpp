#include "candidates/candidate_slots.hpp"

#include <bit>

#include "candidates/row_checks.hpp"

namespace keysieve {

void CandidateSlots::check(const Args& args, Faults& faults) {
  const bool good_size = check_block_size(faults, args.block_size);
  check_range(faults, "ratio", 1, INT32_MAX, args.ratio);
  if (!check_int32_rows(faults, "blocks", args.blocks, {"rows", kAnySize}, {"kept", kAnySize}) || !good_size) return;
  const std::int64_t rows = args.blocks.shape[0];
  check_rows(faults, rows);
  if (!check_range(faults, "kept", 0, INT32_MAX / args.block_size, args.blocks.shape[1])) return;
  const Dim columns{"kept*block_size", args.blocks.shape[1] * args.block_size};
  TensorCheck(faults, "positions", args.positions)
      .required()
      .element({KEYSIEVE_ELEMENT_INT64})
      .shape({{"rows", rows}, columns})
      .inner_stride_1();
  check_int32_rows(faults, "slots", args.slots, {"rows", rows}, columns);
  TensorCheck(faults, "counts", args.counts).required();
  check_row_numbers(faults, "counts", args.counts, rows);
  check_lengths(faults, args.lengths, rows);
  check_table(faults, "token_table", args.token_table, args.row_to_table, args.lengths, rows);
}

CandidateSlotsParams CandidateSlots::params(const Args& args) {
  Params params{};
  params.positions = data_of<std::int64_t>(args.positions);
  params.slots = data_of<std::int32_t>(args.slots);
  params.counts = data_of<std::int32_t>(args.counts);
  params.blocks = data_of<const std::int32_t>(args.blocks);
  params.lengths = data_of<const std::int32_t>(args.lengths);
  params.error_word = args.call.error_word;
  params.positions_row_stride = args.positions.strides[0];
  params.slots_row_stride = args.slots.strides[0];
  params.blocks_row_stride = args.blocks.strides[0];
  params.rows = args.blocks.shape[0];
  params.columns = args.positions.shape[1];
  params.table = slot_table(args.token_table, args.row_to_table, params.rows, 1, KEYSIEVE_AUTO, args.ratio);
  params.block_shift = std::countr_zero(static_cast<std::uint32_t>(args.block_size));
  const auto aligned_for_two = [&](const void* data, std::int64_t row_stride, std::uintptr_t bytes) {
    return reinterpret_cast<std::uintptr_t>(data) % (2 * bytes) == 0 && (params.rows == 1 || row_stride % 2 == 0);
  };
  params.pairs_fit = aligned_for_two(params.positions, params.positions_row_stride, 8) &&
                             aligned_for_two(params.slots, params.slots_row_stride, 4)
                         ? 1
                         : 0;
  return params;
}

KernelCalls CandidateSlots::calls(const Params& params) {
  KernelCalls calls;
  KernelCall& call = calls.add();
  call.kernel = OperationKernel::kCandidateSlots;
  call.threads = kThreads;
  // A piece a chunk of columns, and one that counts.
  const std::int64_t chunk = columns_of_chunk(params.pairs_fit != 0);
  call.blocks = blocks_for(params.rows * ((params.columns + chunk - 1) / chunk + 1), 1);
  call.shared_bytes = 128;
  call.set_params(params);
  return calls;
}

}  // namespace keysieve
