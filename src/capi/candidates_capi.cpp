#include "keysieve/candidates.h"

#include "candidates/block_max.hpp"
#include "candidates/candidate_lengths.hpp"
#include "candidates/candidate_slots.hpp"
#include "candidates/filter_pages.hpp"
#include "candidates/finish_selection.hpp"
#include "candidates/sort_blocks.hpp"
#include "capi/run_operation.hpp"

namespace capi = keysieve::capi;

namespace {

constexpr std::int32_t kDefaultBlockSize = 8;

}  // namespace

extern "C" {

void keysieve_candidate_lengths_args_init(keysieve_candidate_lengths_args* args) {
  if (args == nullptr) return;
  capi::init_args(args);
  args->block_size = kDefaultBlockSize;
}
keysieve_status keysieve_candidate_lengths_can_use(const keysieve_candidate_lengths_args* args, char* buffer,
                                                   size_t size, size_t* needed) {
  return capi::can_use<keysieve::CandidateLengths>(args, buffer, size, needed);
}
keysieve_status keysieve_candidate_lengths(const keysieve_candidate_lengths_args* args, void* stream) {
  return capi::run<keysieve::CandidateLengths>(args, stream);
}

void keysieve_block_max_args_init(keysieve_block_max_args* args) {
  if (args == nullptr) return;
  capi::init_args(args);
  args->block_size = kDefaultBlockSize;
}
keysieve_status keysieve_block_max_can_use(const keysieve_block_max_args* args, char* buffer, size_t size,
                                           size_t* needed) {
  return capi::can_use<keysieve::BlockMax>(args, buffer, size, needed);
}
keysieve_status keysieve_block_max(const keysieve_block_max_args* args, void* stream) {
  return capi::run<keysieve::BlockMax>(args, stream);
}

void keysieve_sort_blocks_args_init(keysieve_sort_blocks_args* args) {
  if (args == nullptr) return;
  capi::init_args(args);
  args->block_size = kDefaultBlockSize;
  args->num_pages = KEYSIEVE_AUTO;
}
keysieve_status keysieve_sort_blocks_can_use(const keysieve_sort_blocks_args* args, char* buffer, size_t size,
                                             size_t* needed) {
  return capi::can_use<keysieve::SortBlocks>(args, buffer, size, needed);
}
keysieve_status keysieve_sort_blocks(const keysieve_sort_blocks_args* args, void* stream) {
  return capi::run<keysieve::SortBlocks>(args, stream);
}

void keysieve_candidate_slots_args_init(keysieve_candidate_slots_args* args) {
  if (args == nullptr) return;
  capi::init_args(args);
  args->block_size = kDefaultBlockSize;
  args->ratio = 1;
}
keysieve_status keysieve_candidate_slots_can_use(const keysieve_candidate_slots_args* args, char* buffer, size_t size,
                                                 size_t* needed) {
  return capi::can_use<keysieve::CandidateSlots>(args, buffer, size, needed);
}
keysieve_status keysieve_candidate_slots(const keysieve_candidate_slots_args* args, void* stream) {
  return capi::run<keysieve::CandidateSlots>(args, stream);
}

void keysieve_filter_pages_args_init(keysieve_filter_pages_args* args) {
  if (args == nullptr) return;
  capi::init_args(args);
  args->num_pages = KEYSIEVE_AUTO;
}
keysieve_status keysieve_filter_pages_can_use(const keysieve_filter_pages_args* args, char* buffer, size_t size,
                                              size_t* needed) {
  return capi::can_use<keysieve::FilterPages>(args, buffer, size, needed);
}
keysieve_status keysieve_filter_pages(const keysieve_filter_pages_args* args, void* stream) {
  return capi::run<keysieve::FilterPages>(args, stream);
}

void keysieve_finalize_selection_args_init(keysieve_finalize_selection_args* args) {
  if (args == nullptr) return;
  capi::init_args(args);
  args->ratio = 1;
}
keysieve_status keysieve_finalize_selection_can_use(const keysieve_finalize_selection_args* args, char* buffer,
                                                    size_t size, size_t* needed) {
  return capi::can_use<keysieve::FinalizeSelection>(args, buffer, size, needed);
}
keysieve_status keysieve_finalize_selection(const keysieve_finalize_selection_args* args, void* stream) {
  return capi::run<keysieve::FinalizeSelection>(args, stream);
}

void keysieve_finish_paged_args_init(keysieve_finish_paged_args* args) {
  if (args == nullptr) return;
  capi::init_args(args);
  args->block_size = kDefaultBlockSize;
  args->num_pages = KEYSIEVE_AUTO;
}
keysieve_status keysieve_finish_paged_can_use(const keysieve_finish_paged_args* args, char* buffer, size_t size,
                                              size_t* needed) {
  return capi::can_use<keysieve::FinishPaged>(args, buffer, size, needed);
}
keysieve_status keysieve_finish_paged(const keysieve_finish_paged_args* args, void* stream) {
  return capi::run<keysieve::FinishPaged>(args, stream);
}

void keysieve_finish_flat_args_init(keysieve_finish_flat_args* args) { capi::init_args(args); }
keysieve_status keysieve_finish_flat_can_use(const keysieve_finish_flat_args* args, char* buffer, size_t size,
                                             size_t* needed) {
  return capi::can_use<keysieve::FinishFlat>(args, buffer, size, needed);
}
keysieve_status keysieve_finish_flat(const keysieve_finish_flat_args* args, void* stream) {
  return capi::run<keysieve::FinishFlat>(args, stream);
}

}  // extern "C"
