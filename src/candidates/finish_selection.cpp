#include "candidates/finish_selection.hpp"

#include <algorithm>
#include <bit>

#include "candidates/row_checks.hpp"

namespace keysieve {
namespace {

struct SelectedShape {
  std::int64_t rows;
  std::int64_t k;
};

bool check_selected(Faults& faults, const keysieve_tensor& selected) {
  return check_int32_rows(faults, "selected", selected, {"rows", kAnySize}, {"k", kAnySize}) &&
         check_rows(faults, selected.shape[0]) && check_range(faults, "k", 1, kMostFinished, selected.shape[1]);
}

// Outputs of the shape of `selected`.
void check_outputs(Faults& faults, const SelectedShape& shape, const keysieve_tensor& out, const keysieve_tensor& raw,
                   const keysieve_tensor& counts) {
  check_int32_rows(faults, "out", out, {"rows", shape.rows}, {"k", shape.k});
  if (is_present(raw)) check_int32_rows(faults, "raw", raw, {"rows", shape.rows}, {"k", shape.k});
  check_row_numbers(faults, "counts", counts, shape.rows);
}

// Fields that all three calls have.
template <typename Args>
FinishSelectionParams common_params(const Args& args) {
  FinishSelectionParams params{};
  params.out = data_of<std::int32_t>(args.out);
  params.raw = data_of<std::int32_t>(args.raw);
  params.counts = data_of<std::int32_t>(args.counts);
  params.selected = data_of<const std::int32_t>(args.selected);
  params.error_word = args.call.error_word;
  params.out_row_stride = args.out.strides[0];
  params.raw_row_stride = args.raw.strides[0];
  params.selected_row_stride = args.selected.strides[0];
  params.rows = args.selected.shape[0];
  params.out_rows = args.out.shape[0];
  params.k = static_cast<std::int32_t>(args.selected.shape[1]);
  params.out_k = static_cast<std::int32_t>(args.out.shape[1]);
  return params;
}

}  // namespace

void FinalizeSelection::check(const Args& args, Faults& faults) {
  check_range(faults, "ratio", 1, INT32_MAX, args.ratio);
  if (!check_selected(faults, args.selected)) return;
  const std::int64_t rows = args.selected.shape[0];
  check_outputs(faults, {rows, args.selected.shape[1]}, args.out, args.raw, args.counts);
  const bool good_scores = check_scores(faults, args.scores, rows);
  check_lengths(faults, args.lengths, rows);
  const bool from_candidates = is_present(args.candidate_positions) || is_present(args.candidate_slots);
  if (!from_candidates) {
    check_table(faults, "token_table", args.token_table, args.row_to_table, args.lengths, rows);
    return;
  }
  if (is_present(args.token_table)) {
    faults.invalid("token_table: expected none beside candidate_positions and candidate_slots, got a tensor");
  }
  check_row_numbers(faults, "row_to_table", args.row_to_table, rows);
  if (!good_scores) return;
  const Dim width{"width", args.scores.shape[1]};
  TensorCheck(faults, "candidate_positions", args.candidate_positions)
      .required()
      .element({KEYSIEVE_ELEMENT_INT64})
      .shape({{"rows", rows}, width})
      .inner_stride_1();
  check_int32_rows(faults, "candidate_slots", args.candidate_slots, {"rows", rows}, width);
}

FinishSelectionParams FinalizeSelection::params(const Args& args) {
  Params params = common_params(args);
  params.lengths = data_of<const std::int32_t>(args.lengths);
  params.width = args.scores.shape[1];
  params.scores = score_rows(args.scores);
  params.table = slot_table(args.token_table, args.row_to_table, params.rows, 1, KEYSIEVE_AUTO, args.ratio);
  // With candidates, too, a row can be empty.
  params.table.row_to_line = data_of<const std::int32_t>(args.row_to_table);
  params.candidate_positions = data_of<const std::int64_t>(args.candidate_positions);
  params.candidate_slots = data_of<const std::int32_t>(args.candidate_slots);
  params.candidate_positions_row_stride = args.candidate_positions.strides[0];
  params.candidate_slots_row_stride = args.candidate_slots.strides[0];
  return params;
}

void FinishPaged::check(const Args& args, Faults& faults) {
  const bool good_size = check_block_size(faults, args.block_size);
  if (!check_selected(faults, args.selected)) return;
  const std::int64_t rows = args.selected.shape[0], k = args.selected.shape[1];
  if (check_int32_rows(faults, "out", args.out, {"rows or more", kAnySize}, {"k or more", kAnySize})) {
    const std::int64_t out_rows = args.out.shape[0], out_k = args.out.shape[1];
    check_range(faults, "rows of out", rows, kMostRows, out_rows);
    check_range(faults, "columns of out", k, INT32_MAX, out_k);
    if (is_present(args.raw)) {
      check_int32_rows(faults, "raw", args.raw, {"rows of out", out_rows}, {"columns of out", out_k});
    }
    check_row_numbers(faults, "counts", args.counts, out_rows);
  }
  const bool good_scores = check_scores(faults, args.scores, rows);
  check_lengths(faults, args.lengths, rows);
  if (is_present(args.blocks) && good_scores && good_size &&
      check_int32_rows(faults, "blocks", args.blocks, {"rows", rows}, {"kept", kAnySize}) &&
      args.blocks.shape[1] < (args.scores.shape[1] + args.block_size - 1) / args.block_size) {
    faults.invalid("blocks: expected a block for every " + std::to_string(args.block_size) + " columns of width=" +
                   std::to_string(args.scores.shape[1]) + ", got " + std::to_string(args.blocks.shape[1]));
  }
  check_table(faults, "page_table", args.page_table, args.row_to_table, args.lengths, rows);
  check_range(faults, "page_size", 1, INT32_MAX, args.page_size);
  check_num_pages(faults, args.num_pages);
}

FinishSelectionParams FinishPaged::params(const Args& args) {
  Params params = common_params(args);
  params.lengths = data_of<const std::int32_t>(args.lengths);
  params.width = args.scores.shape[1];
  params.scores = score_rows(args.scores);
  params.blocks = data_of<const std::int32_t>(args.blocks);
  params.blocks_row_stride = args.blocks.strides[0];
  params.block_shift = std::countr_zero(static_cast<std::uint32_t>(args.block_size));
  params.table = slot_table(args.page_table, args.row_to_table, params.rows, args.page_size, args.num_pages, 1);
  return params;
}

void FinishFlat::check(const Args& args, Faults& faults) {
  if (!check_selected(faults, args.selected)) return;
  const std::int64_t rows = args.selected.shape[0];
  check_outputs(faults, {rows, args.selected.shape[1]}, args.out, args.raw, args.counts);
  TensorCheck(faults, "slots", args.slots)
      .required()
      .element({KEYSIEVE_ELEMENT_INT32})
      .shape({{"keys", kAnySize}})
      .contiguous();
  if (is_present(args.raw)) TensorCheck(faults, "starts", args.starts).required();
  check_row_numbers(faults, "starts", args.starts, rows);
}

FinishSelectionParams FinishFlat::params(const Args& args) {
  Params params = common_params(args);
  params.width = args.slots.shape[0];
  params.flat_slots = data_of<const std::int32_t>(args.slots);
  params.starts = data_of<const std::int32_t>(args.starts);
  return params;
}

KernelCalls finish_selection_calls(const FinishSelectionParams& params) {
  KernelCalls calls;
  KernelCall& call = calls.add();
  call.kernel = OperationKernel::kFinishSelection;
  const SortShape shape = sort_shape(params.k);
  call.threads = shape.threads;
  call.blocks = params.out_rows;
  call.shared_bytes = 4 * shape.threads * shape.keys_per_thread;
  call.set_params(params);
  return calls;
}

}  // namespace keysieve
