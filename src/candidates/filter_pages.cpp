#include "candidates/filter_pages.hpp"

#include "candidates/row_checks.hpp"

namespace keysieve {

void FilterPages::check(const Args& args, Faults& faults) {
  if (!check_int32_rows(faults, "selected", args.selected, {"rows", kAnySize}, {"k", kAnySize})) return;
  const std::int64_t rows = args.selected.shape[0], k = args.selected.shape[1];
  check_rows(faults, rows);
  check_range(faults, "k", 1, INT32_MAX, k);
  check_int32_rows(faults, "out", args.out, {"rows", rows}, {"k", k});
  if (is_present(args.raw)) check_int32_rows(faults, "raw", args.raw, {"rows", rows}, {"k", k});
  check_scores(faults, args.scores, rows);
  check_table(faults, "page_table", args.page_table, args.row_to_table, {}, rows);
  check_range(faults, "page_size", 1, INT32_MAX, args.page_size);
  check_num_pages(faults, args.num_pages);
}

FilterPagesParams FilterPages::params(const Args& args) {
  Params params{};
  params.out = data_of<std::int32_t>(args.out);
  params.raw = data_of<std::int32_t>(args.raw);
  params.selected = data_of<const std::int32_t>(args.selected);
  params.error_word = args.call.error_word;
  params.scores = score_rows(args.scores);
  params.width = args.scores.shape[1];
  params.out_row_stride = args.out.strides[0];
  params.raw_row_stride = args.raw.strides[0];
  params.selected_row_stride = args.selected.strides[0];
  params.rows = args.selected.shape[0];
  params.k = args.selected.shape[1];
  params.table = slot_table(args.page_table, args.row_to_table, params.rows, args.page_size, args.num_pages, 1);
  return params;
}

KernelCalls FilterPages::calls(const Params& params) {
  KernelCalls calls;
  KernelCall& call = calls.add();
  call.kernel = OperationKernel::kFilterPages;
  call.threads = kThreads;
  call.blocks = blocks_for(params.rows * ((params.k + kSlotsOfChunk - 1) / kSlotsOfChunk), 1);
  call.set_params(params);
  return calls;
}

}  // namespace keysieve
