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

}  // namespace
}  // namespace keysieve::ffi

TVM_FFI_DLL_EXPORT_TYPED_FUNC(publish_plan, keysieve::ffi::publish_plan)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(publish_can_use, keysieve::ffi::publish_can_use)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(publish_workspace_bytes, keysieve::ffi::publish_workspace_bytes)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(publish, keysieve::ffi::publish)
