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

}  // namespace
}  // namespace keysieve::test
