#include <tvm/ffi/function.h>

#include "keysieve/candidates.h"
#include "tensors.hpp"

namespace keysieve::ffi {
namespace {

using OptionalTensor = Optional<TensorView>;

void candidate_lengths(const TensorView& num_blocks, const TensorView& valid, const TensorView& lengths,
                       const OptionalTensor& error_word, std::int64_t kept_blocks, std::int32_t block_size,
                       std::int64_t backend, bool dependent_launch) {
  const Place place{num_blocks.device()};
  keysieve_candidate_lengths_args args;
  keysieve_candidate_lengths_args_init(&args);
  args.call = call_on(place, backend, error_word, dependent_launch);
  args.block_size = block_size;
  args.kept_blocks = kept_blocks;
  args.num_blocks = tensor_of("num_blocks", num_blocks, place);
  args.valid = tensor_of("valid", valid, place);
  args.lengths = tensor_of("lengths", lengths, place);
  check_status(keysieve_candidate_lengths(&args, stream_of(place)));
}

void block_max(const TensorView& out, const TensorView& scores, const TensorView& lengths,
               const OptionalTensor& error_word, std::int64_t kept_blocks, std::int32_t block_size,
               std::int64_t backend, bool dependent_launch) {
  const Place place{out.device()};
  keysieve_block_max_args args;
  keysieve_block_max_args_init(&args);
  args.call = call_on(place, backend, error_word, dependent_launch);
  args.block_size = block_size;
  args.kept_blocks = kept_blocks;
  args.out = tensor_of("out", out, place);
  args.scores = tensor_of("scores", scores, place);
  args.lengths = tensor_of("lengths", lengths, place);
  check_status(keysieve_block_max(&args, stream_of(place)));
}

void sort_blocks(const TensorView& blocks, const OptionalTensor& phys, const OptionalTensor& valid,
                 const OptionalTensor& counts, const TensorView& selected, const TensorView& lengths,
                 const OptionalTensor& page_table, const OptionalTensor& row_to_table, const OptionalTensor& error_word,
                 std::int64_t page_size, std::int64_t num_pages, std::int32_t block_size, std::int64_t backend,
                 bool dependent_launch) {
  const Place place{blocks.device()};
  keysieve_sort_blocks_args args;
  keysieve_sort_blocks_args_init(&args);
  args.call = call_on(place, backend, error_word, dependent_launch);
  args.block_size = block_size;
  args.page_size = page_size;
  args.num_pages = num_pages;
  args.blocks = tensor_of("blocks", blocks, place);
  args.phys = tensor_of("phys", phys, place);
  args.valid = tensor_of("valid", valid, place);
  args.counts = tensor_of("counts", counts, place);
  args.selected = tensor_of("selected", selected, place);
  args.lengths = tensor_of("lengths", lengths, place);
  args.page_table = tensor_of("page_table", page_table, place);
  args.row_to_table = tensor_of("row_to_table", row_to_table, place);
  check_status(keysieve_sort_blocks(&args, stream_of(place)));
}

void candidate_slots(const TensorView& positions, const TensorView& slots, const TensorView& counts,
                     const TensorView& blocks, const TensorView& lengths, const TensorView& token_table,
                     const OptionalTensor& row_to_table, const OptionalTensor& error_word, std::int64_t ratio,
                     std::int32_t block_size, std::int64_t backend, bool dependent_launch) {
  const Place place{positions.device()};
  keysieve_candidate_slots_args args;
  keysieve_candidate_slots_args_init(&args);
  args.call = call_on(place, backend, error_word, dependent_launch);
  args.block_size = block_size;
  args.ratio = ratio;
  args.positions = tensor_of("positions", positions, place);
  args.slots = tensor_of("slots", slots, place);
  args.counts = tensor_of("counts", counts, place);
  args.blocks = tensor_of("blocks", blocks, place);
  args.lengths = tensor_of("lengths", lengths, place);
  args.token_table = tensor_of("token_table", token_table, place);
  args.row_to_table = tensor_of("row_to_table", row_to_table, place);
  check_status(keysieve_candidate_slots(&args, stream_of(place)));
}

void filter_pages(const TensorView& out, const OptionalTensor& raw, const TensorView& selected,
                  const TensorView& scores, const TensorView& page_table, const OptionalTensor& row_to_table,
                  const OptionalTensor& error_word, std::int64_t page_size, std::int64_t num_pages,
                  std::int64_t backend, bool dependent_launch) {
  const Place place{out.device()};
  keysieve_filter_pages_args args;
  keysieve_filter_pages_args_init(&args);
  args.call = call_on(place, backend, error_word, dependent_launch);
  args.page_size = page_size;
  args.num_pages = num_pages;
  args.out = tensor_of("out", out, place);
  args.raw = tensor_of("raw", raw, place);
  args.selected = tensor_of("selected", selected, place);
  args.scores = tensor_of("scores", scores, place);
  args.page_table = tensor_of("page_table", page_table, place);
  args.row_to_table = tensor_of("row_to_table", row_to_table, place);
  check_status(keysieve_filter_pages(&args, stream_of(place)));
}

void finalize_selection(const TensorView& out, const OptionalTensor& raw, const OptionalTensor& counts,
                        const TensorView& selected, const TensorView& scores, const TensorView& lengths,
                        const OptionalTensor& token_table, const OptionalTensor& row_to_table,
                        const OptionalTensor& candidate_positions, const OptionalTensor& candidate_slots,
                        const OptionalTensor& error_word, std::int64_t ratio, std::int64_t backend,
                        bool dependent_launch) {
  const Place place{out.device()};
  keysieve_finalize_selection_args args;
  keysieve_finalize_selection_args_init(&args);
  args.call = call_on(place, backend, error_word, dependent_launch);
  args.ratio = ratio;
  args.out = tensor_of("out", out, place);
  args.raw = tensor_of("raw", raw, place);
  args.counts = tensor_of("counts", counts, place);
  args.selected = tensor_of("selected", selected, place);
  args.scores = tensor_of("scores", scores, place);
  args.lengths = tensor_of("lengths", lengths, place);
  args.token_table = tensor_of("token_table", token_table, place);
  args.row_to_table = tensor_of("row_to_table", row_to_table, place);
  args.candidate_positions = tensor_of("candidate_positions", candidate_positions, place);
  args.candidate_slots = tensor_of("candidate_slots", candidate_slots, place);
  check_status(keysieve_finalize_selection(&args, stream_of(place)));
}

void finish_paged(const TensorView& out, const OptionalTensor& raw, const OptionalTensor& counts,
                  const TensorView& selected, const TensorView& scores, const TensorView& lengths,
                  const OptionalTensor& blocks, const TensorView& page_table, const OptionalTensor& row_to_table,
                  const OptionalTensor& error_word, std::int64_t page_size, std::int64_t num_pages,
                  std::int32_t block_size, std::int64_t backend, bool dependent_launch) {
  const Place place{out.device()};
  keysieve_finish_paged_args args;
  keysieve_finish_paged_args_init(&args);
  args.call = call_on(place, backend, error_word, dependent_launch);
  args.block_size = block_size;
  args.page_size = page_size;
  args.num_pages = num_pages;
  args.out = tensor_of("out", out, place);
  args.raw = tensor_of("raw", raw, place);
  args.counts = tensor_of("counts", counts, place);
  args.selected = tensor_of("selected", selected, place);
  args.scores = tensor_of("scores", scores, place);
  args.lengths = tensor_of("lengths", lengths, place);
  args.blocks = tensor_of("blocks", blocks, place);
  args.page_table = tensor_of("page_table", page_table, place);
  args.row_to_table = tensor_of("row_to_table", row_to_table, place);
  check_status(keysieve_finish_paged(&args, stream_of(place)));
}

void finish_flat(const TensorView& out, const OptionalTensor& raw, const OptionalTensor& counts,
                 const TensorView& selected, const TensorView& slots, const OptionalTensor& starts,
                 const OptionalTensor& error_word, std::int64_t backend, bool dependent_launch) {
  const Place place{out.device()};
  keysieve_finish_flat_args args;
  keysieve_finish_flat_args_init(&args);
  args.call = call_on(place, backend, error_word, dependent_launch);
  args.out = tensor_of("out", out, place);
  args.raw = tensor_of("raw", raw, place);
  args.counts = tensor_of("counts", counts, place);
  args.selected = tensor_of("selected", selected, place);
  args.slots = tensor_of("slots", slots, place);
  args.starts = tensor_of("starts", starts, place);
  check_status(keysieve_finish_flat(&args, stream_of(place)));
}

}  // namespace
}  // namespace keysieve::ffi

TVM_FFI_DLL_EXPORT_TYPED_FUNC(candidate_lengths, keysieve::ffi::candidate_lengths)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(block_max, keysieve::ffi::block_max)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(sort_blocks, keysieve::ffi::sort_blocks)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(candidate_slots, keysieve::ffi::candidate_slots)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(filter_pages, keysieve::ffi::filter_pages)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(finalize_selection, keysieve::ffi::finalize_selection)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(finish_paged, keysieve::ffi::finish_paged)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(finish_flat, keysieve::ffi::finish_flat)
