// Publishing on a device: every case on every route that can publish leaves the reference's bytes, eagerly and from a
// captured graph.
#include <gtest/gtest.h>

#include "cases/operation/publish_cases.hpp"
#include "device_tensors.hpp"
#include "gpu_support.hpp"

namespace keysieve::test {
namespace {

using cases::GuardedBuffer;
using cases::OperationCase;
using cases::OperationRound;
using cases::PublishedTensors;
using cases::Publishing;

keysieve_publish_plan plan_of(const PublishedTensors& tensors, std::int32_t device_type, Backend backend, Route route) {
  keysieve_publish_problem problem = tensors.problem;
  problem.select.device_type = device_type;
  problem.select.backend = static_cast<std::int32_t>(backend);
  problem.select.route = static_cast<std::int32_t>(route);
  keysieve_publish_plan plan;
  keysieve_publish_plan_init(&plan);
  EXPECT_EQ(keysieve_publish_make_plan(&problem, &plan), KEYSIEVE_OK) << keysieve_last_error();
  return plan;
}

keysieve_publish_args args_of(const PublishedTensors& tensors, void* workspace, std::int64_t bytes) {
  keysieve_publish_args args = publish_args_of(tensors);
  args.workspace = workspace;
  args.workspace_bytes = bytes;
  return args;
}

void run_reference(OperationRound<Publishing>& round) {
  const keysieve_publish_plan plan = plan_of(round.args(), KEYSIEVE_DEVICE_CPU, Backend::kReference, Route::kAuto);
  GuardedBuffer workspace(static_cast<std::size_t>(plan.workspace_bytes));
  const keysieve_publish_args args = args_of(round.args(), workspace.data(), plan.workspace_bytes);
  ASSERT_EQ(keysieve_publish_run(&plan, &args, nullptr), KEYSIEVE_OK) << keysieve_last_error();
}

// Runs `enqueue` once, or captured and replayed twice.
template <typename Enqueue>
void launch(bool by_graph, DeviceTensors& tensors, cudaStream_t stream, const Enqueue& enqueue) {
  if (!by_graph) {
    tensors.upload();
    ASSERT_EQ(enqueue(), KEYSIEVE_OK) << keysieve_last_error();
    return;
  }
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  const keysieve_status status = enqueue();
  check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  ASSERT_EQ(status, KEYSIEVE_OK) << keysieve_last_error();
  check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  for (int turn = 0; turn < 2; ++turn) {
    tensors.upload();
    check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
  }
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  check(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
  check(cudaGraphDestroy(graph), "cudaGraphDestroy");
}

void expect_like_reference(const OperationCase<Publishing>& each, Route route, bool by_graph, std::uint8_t poison,
                           cudaStream_t stream) {
  OperationRound<Publishing> expected(each, poison), got(each, poison);
  ASSERT_NO_FATAL_FAILURE(run_reference(expected));
  PublishedTensors on_device = got.args();
  const keysieve_publish_plan plan = plan_of(on_device, KEYSIEVE_DEVICE_CUDA, Backend::kCuda, route);
  DeviceTensors tensors(stream);
  Publishing::tensors(on_device,
                      [&](const char* name, keysieve_tensor& tensor, Access) { tensors.move_to_device(name, tensor); });
  on_device.call.error_word = tensors.error_word(got.error_word());
  on_device.call.dependent_launch = by_graph ? 0 : 1;
  GuardedBuffer scratch(static_cast<std::size_t>(plan.workspace_bytes), 1);
  scratch.fill(poison);
  keysieve_tensor workspace{};
  workspace.data = scratch.data();
  workspace.element = KEYSIEVE_ELEMENT_BYTE;
  workspace.rank = 1;
  workspace.shape[0] = plan.workspace_bytes;
  workspace.strides[0] = 1;
  tensors.move_to_device("workspace", workspace);
  const keysieve_publish_args args = args_of(on_device, workspace.data, plan.workspace_bytes);
  ASSERT_NO_FATAL_FAILURE(
      launch(by_graph, tensors, stream, [&] { return keysieve_publish_run(&plan, &args, stream); }));
  ASSERT_EQ(tensors.download(), "");
  ASSERT_EQ(got.difference(expected), "");
}

TEST(GpuPublish, SameBytesAsReference) {
  const Stream stream;
  std::size_t number = 0;
  for (const OperationCase<Publishing>& each : cases::operation_cases<Publishing>()) {
    for (const Route route : {Route::kAuto, Route::kSieve, Route::kSplit}) {
      for (const bool by_graph : {false, true}) {
        SCOPED_TRACE(each.name + ", " + name_of_route(route) + (by_graph ? ", by graph" : ""));
        constexpr std::uint8_t kPoisons[] = {0x5A, 0x00, 0xFF};
        ASSERT_NO_FATAL_FAILURE(expect_like_reference(each, route, by_graph, kPoisons[number++ % 3], stream.get()));
      }
    }
  }
  testing::Test::RecordProperty("calls", std::to_string(number));
}

// A call of block top-k over keys that are the first columns of a case's scores.
struct BlockTopk {
  keysieve_block_topk_plan plan;
  keysieve_block_topk_args args;
};

BlockTopk block_topk_of(const PublishedTensors& tensors, std::int32_t device_type, Backend backend) {
  BlockTopk made;
  keysieve_block_topk_problem problem;
  keysieve_block_topk_problem_init(&problem);
  problem.blocks = tensors.problem.blocks;
  problem.keep_neg_inf = tensors.problem.keep_neg_inf;
  problem.physical = tensors.problem.physical;
  problem.device_type = device_type;
  problem.backend = static_cast<std::int32_t>(backend);
  problem.rows = tensors.problem.select.rows;
  problem.key_columns = (tensors.problem.select.width + 7) / 8;
  keysieve_block_topk_plan_init(&made.plan);
  EXPECT_EQ(keysieve_block_topk_make_plan(&problem, &made.plan), KEYSIEVE_OK) << keysieve_last_error();
  const keysieve_publish_args published = publish_args_of(tensors);
  keysieve_block_topk_args& args = made.args;
  keysieve_block_topk_args_init(&args);
  args.next_n = published.select.next_n;
  args.keys = static_cast<const float*>(tensors.scores.data);
  args.keys_row_stride = tensors.scores.strides[0];
  args.lengths = published.select.lengths;
  args.page_table = published.select.page_table;
  args.page_table_rows = published.select.page_table_rows;
  args.page_table_columns = published.select.page_table_columns;
  args.page_table_row_stride = published.select.page_table_row_stride;
  args.page_size = published.select.page_size;
  args.num_pages = published.select.num_pages;
  args.row_to_table = published.select.row_to_table;
  args.blocks = published.blocks;
  args.blocks_row_stride = published.blocks_row_stride;
  args.physical_blocks = published.physical_blocks;
  args.block_counts = published.block_counts;
  args.valid_lengths = published.valid_lengths;
  args.error_word = published.select.error_word;
  return made;
}

void expect_block_topk_like_reference(const OperationCase<Publishing>& each, bool by_graph, std::uint8_t poison,
                                      cudaStream_t stream) {
  OperationRound<Publishing> expected(each, poison), got(each, poison);
  BlockTopk reference = block_topk_of(expected.args(), KEYSIEVE_DEVICE_CPU, Backend::kReference);
  GuardedBuffer reference_scratch(static_cast<std::size_t>(reference.plan.workspace_bytes));
  reference.args.workspace = reference_scratch.data();
  reference.args.workspace_bytes = reference.plan.workspace_bytes;
  ASSERT_EQ(keysieve_block_topk_run(&reference.plan, &reference.args, nullptr), KEYSIEVE_OK) << keysieve_last_error();

  PublishedTensors on_device = got.args();
  DeviceTensors tensors(stream);
  Publishing::tensors(on_device,
                      [&](const char* name, keysieve_tensor& tensor, Access) { tensors.move_to_device(name, tensor); });
  on_device.call.error_word = tensors.error_word(got.error_word());
  BlockTopk call = block_topk_of(on_device, KEYSIEVE_DEVICE_CUDA, Backend::kCuda);
  call.args.dependent_launch = by_graph ? 0 : 1;
  PooledMemory workspace(PooledMemory::Kind::kDevice, static_cast<std::size_t>(call.plan.workspace_bytes) + 1);
  check(cudaMemsetAsync(workspace.data(), poison, static_cast<std::size_t>(call.plan.workspace_bytes), stream),
        "cudaMemsetAsync");
  call.args.workspace = workspace.data();
  call.args.workspace_bytes = call.plan.workspace_bytes;
  ASSERT_NO_FATAL_FAILURE(
      launch(by_graph, tensors, stream, [&] { return keysieve_block_topk_run(&call.plan, &call.args, stream); }));
  ASSERT_EQ(tensors.download(), "");
  ASSERT_EQ(got.difference(expected), "");
}

TEST(GpuPublish, BlockTopkSameBytesAsReference) {
  const Stream stream;
  std::size_t number = 0;
  for (const OperationCase<Publishing>& each : cases::operation_cases<Publishing>()) {
    if (each.args.problem.select.score_type != KEYSIEVE_FLOAT32) continue;
    for (const bool by_graph : {false, true}) {
      SCOPED_TRACE(each.name + (by_graph ? ", by graph" : ""));
      constexpr std::uint8_t kPoisons[] = {0x5A, 0x00, 0xFF};
      ASSERT_NO_FATAL_FAILURE(expect_block_topk_like_reference(each, by_graph, kPoisons[number++ % 3], stream.get()));
    }
  }
  EXPECT_GT(number, 0u);
}

}  // namespace
}  // namespace keysieve::test
