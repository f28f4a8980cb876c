// publish: a selection and the block table of the same rows. A plan crosses into Python as its bytes.
#include <tvm/ffi/function.h>

#include "errors.hpp"
#include "keysieve/publish.h"
#include "plan_bytes.hpp"
#include "select_call.hpp"
#include "text_result.hpp"

namespace keysieve::ffi {
namespace {

using ::tvm::ffi::Bytes;
using ::tvm::ffi::String;

keysieve_publish_problem publish_problem(const Bytes& select, std::int64_t blocks, bool physical, bool keep_neg_inf) {
  keysieve_publish_problem problem;
  keysieve_publish_problem_init(&problem);
  problem.blocks = blocks;
  problem.physical = physical ? 1 : 0;
  problem.keep_neg_inf = keep_neg_inf ? 1 : 0;
  problem.select = problem_from_bytes(select);
  return problem;
}

Bytes publish_plan(const Bytes& select, std::int64_t blocks, bool physical, bool keep_neg_inf) {
  const keysieve_publish_problem problem = publish_problem(select, blocks, physical, keep_neg_inf);
  keysieve_publish_plan plan;
  keysieve_publish_plan_init(&plan);
  check_status(keysieve_publish_make_plan(&problem, &plan));
  return to_bytes(plan);
}

String publish_can_use(const Bytes& select, std::int64_t blocks, bool physical, bool keep_neg_inf) {
  const keysieve_publish_problem problem = publish_problem(select, blocks, physical, keep_neg_inf);
  return whole_text([&problem](char* buffer, std::size_t size, std::size_t* needed) {
    return keysieve_publish_can_use(&problem, buffer, size, needed);
  });
}

std::int64_t publish_workspace_bytes(const Bytes& plan) { return publish_plan_from_bytes(plan).workspace_bytes; }

std::int32_t* block_table(const char* name, const TensorView& table, const Place& place, std::int64_t rows,
                          std::int64_t blocks, std::int64_t& row_stride) {
  expect_tensor(name, table, Element::kInt32, place, {{"rows", rows}, {"blocks", blocks}});
  row_stride = row_stride_of(name, table);
  return static_cast<std::int32_t*>(data_of(table));
}

void publish(const TensorView& indices, const Optional<TensorView>& raw_indices, const Optional<TensorView>& values,
             const Optional<TensorView>& counts, const TensorView& blocks, const Optional<TensorView>& physical,
             const TensorView& block_counts, const TensorView& valid_lengths, const TensorView& scores,
             const Optional<TensorView>& lengths, const Optional<TensorView>& page_table,
             const Optional<TensorView>& row_to_table, const Optional<TensorView>& error_word,
             const Optional<TensorView>& workspace, const Bytes& plan_bytes, std::int64_t page_size,
             std::int64_t num_pages, bool dependent_launch) {
  const keysieve_publish_plan plan = publish_plan_from_bytes(plan_bytes);
  const SelectCall call =
      select_call(indices, raw_indices, values, counts, scores, lengths, {}, {}, {}, page_table, row_to_table,
                  error_word, workspace, {}, {}, to_bytes(plan.select), page_size, num_pages, dependent_launch);
  const Place place = place_of(plan.select.problem);
  const std::int64_t rows = plan.problem.select.rows;
  keysieve_publish_args args;
  keysieve_publish_args_init(&args);
  args.select = call.args;
  args.workspace = call.args.workspace;
  args.workspace_bytes = call.args.workspace_bytes;
  args.blocks = block_table("blocks_out", blocks, place, rows, plan.problem.blocks, args.blocks_row_stride);
  if (physical.has_value()) {
    args.physical_blocks = block_table("physical_blocks_out", *physical, place, rows, plan.problem.blocks,
                                       args.physical_blocks_row_stride);
  }
  args.block_counts = per_row("block_counts_out", block_counts, place, rows);
  args.valid_lengths = per_row("valid_lengths_out", valid_lengths, place, rows);
  check_select_status(keysieve_publish_run(&plan, &args, call.stream));
}

keysieve_block_topk_problem block_topk_problem(const TensorView& keys, std::int64_t blocks, bool physical,
                                               bool keep_neg_inf, std::int64_t backend) {
  keysieve_block_topk_problem problem;
  keysieve_block_topk_problem_init(&problem);
  const DLDevice device = keys.device();
  problem.device_type = device.device_type == kDLCUDA ? KEYSIEVE_DEVICE_CUDA : KEYSIEVE_DEVICE_CPU;
  problem.device_ordinal = device.device_type == kDLCUDA ? device.device_id : 0;
  expect_tensor("keys", keys, Element::kFloat32, Place{device}, {{"rows", kAnySize}, {"blocks", kAnySize}});
  problem.rows = keys.size(0);
  problem.key_columns = keys.size(1);
  problem.blocks = blocks;
  problem.physical = physical ? 1 : 0;
  problem.keep_neg_inf = keep_neg_inf ? 1 : 0;
  problem.backend = static_cast<std::int32_t>(backend);
  return problem;
}

keysieve_block_topk_plan block_topk_plan(const keysieve_block_topk_problem& problem) {
  keysieve_block_topk_plan plan;
  keysieve_block_topk_plan_init(&plan);
  check_status(keysieve_block_topk_make_plan(&problem, &plan));
  return plan;
}

std::int64_t block_topk_workspace_bytes(const TensorView& keys, std::int64_t blocks, bool physical, bool keep_neg_inf,
                                        std::int64_t backend) {
  return block_topk_plan(block_topk_problem(keys, blocks, physical, keep_neg_inf, backend)).workspace_bytes;
}

void block_topk(const TensorView& blocks, const Optional<TensorView>& physical, const TensorView& block_counts,
                const TensorView& valid_lengths, const TensorView& keys, const TensorView& lengths,
                const Optional<TensorView>& page_table, const Optional<TensorView>& row_to_table,
                const Optional<TensorView>& error_word, const Optional<TensorView>& workspace, bool keep_neg_inf,
                std::int64_t backend, std::int64_t page_size, std::int64_t num_pages, std::int64_t next_n,
                bool dependent_launch) {
  const Place place{keys.device()};
  expect_tensor("blocks_out", blocks, Element::kInt32, place, {{"rows", kAnySize}, {"blocks", kAnySize}});
  const keysieve_block_topk_plan plan =
      block_topk_plan(block_topk_problem(keys, blocks.size(1), physical.has_value(), keep_neg_inf, backend));
  const std::int64_t rows = plan.problem.rows, kept = plan.problem.blocks;
  keysieve_block_topk_args args;
  keysieve_block_topk_args_init(&args);
  args.next_n = static_cast<std::int32_t>(next_n);
  args.keys = static_cast<const float*>(data_of(keys));
  args.keys_row_stride = row_stride_of("keys", keys);
  args.lengths = per_row("lengths", Optional<TensorView>(lengths), place, rows);
  args.row_to_table = per_row("row_to_table", row_to_table, place, rows);
  args.page_size = page_size;
  args.num_pages = num_pages;
  set_page_table(page_table, place, args);
  args.blocks = block_table("blocks_out", blocks, place, rows, kept, args.blocks_row_stride);
  if (physical.has_value()) {
    args.physical_blocks =
        block_table("physical_blocks_out", *physical, place, rows, kept, args.physical_blocks_row_stride);
  }
  args.block_counts = per_row("block_counts_out", Optional<TensorView>(block_counts), place, rows);
  args.valid_lengths = per_row("valid_lengths_out", Optional<TensorView>(valid_lengths), place, rows);
  args.error_word = error_word_of(error_word, place);
  args.dependent_launch = dependent_launch ? 1 : 0;
  if (workspace.has_value()) {
    expect_tensor("workspace", *workspace, Element::kByte, place, {{"bytes", kAnySize}});
    args.workspace = data_of(*workspace);
    args.workspace_bytes = (*workspace).size(0);
  }
  check_status(keysieve_block_topk_run(&plan, &args, stream_of(place)));
}

}  // namespace
}  // namespace keysieve::ffi

TVM_FFI_DLL_EXPORT_TYPED_FUNC(publish_plan, keysieve::ffi::publish_plan)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(publish_can_use, keysieve::ffi::publish_can_use)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(publish_workspace_bytes, keysieve::ffi::publish_workspace_bytes)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(publish, keysieve::ffi::publish)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(block_topk_workspace_bytes, keysieve::ffi::block_topk_workspace_bytes)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(block_topk, keysieve::ffi::block_topk)
