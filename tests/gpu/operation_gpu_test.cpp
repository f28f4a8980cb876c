// The kernels around selection on a device: every case leaves the bytes that the CPU backend leaves, launched plainly,
// behind a kernel in front, and from a captured graph.
#include <gtest/gtest.h>

#include "cases/operation/all_operations.hpp"
#include "cases/operation/operation_case.hpp"
#include "device_tensors.hpp"
#include "gpu_report.hpp"
#include "gpu_support.hpp"

namespace keysieve::test {
namespace {

using cases::OperationCase;
using cases::OperationRound;

enum class Launched { kPlainly, kDependent, kByGraph };
constexpr std::uint8_t kPoisons[] = {0x5A, 0x00, 0xFF};
constexpr Launched kWays[] = {Launched::kPlainly, Launched::kDependent, Launched::kByGraph};

// Twice, so that whatever a call leaves behind would show in the second.
template <typename Operation>
void replay_twice(const typename Operation::Args& args, DeviceTensors& tensors, cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  const Status status = run_operation<Operation>(args, stream);
  check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  ASSERT_TRUE(status.ok()) << status.message();
  check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  for (int turn = 0; turn < 2; ++turn) {
    tensors.upload();
    check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
  }
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  check(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
  check(cudaGraphDestroy(graph), "cudaGraphDestroy");
}

template <typename Operation>
void expect_same_bytes(const OperationCase<Operation>& each, Launched way, std::uint8_t poison, cudaStream_t stream) {
  OperationRound<Operation> expected(each, poison);
  expected.args().call.backend = KEYSIEVE_BACKEND_CPU;
  Status status = run_operation<Operation>(expected.args(), nullptr);
  ASSERT_TRUE(status.ok()) << status.message();

  OperationRound<Operation> got(each, poison);
  typename Operation::Args args = got.args();
  args.call.device_type = KEYSIEVE_DEVICE_CUDA;
  args.call.backend = KEYSIEVE_BACKEND_CUDA;
  args.call.dependent_launch = way == Launched::kDependent ? 1 : 0;
  DeviceTensors tensors(stream);
  Operation::tensors(args,
                     [&](const char* name, keysieve_tensor& tensor, Access) { tensors.move_to_device(name, tensor); });
  args.call.error_word = tensors.error_word(got.error_word());
  if (way == Launched::kByGraph) {
    ASSERT_NO_FATAL_FAILURE(replay_twice<Operation>(args, tensors, stream));
  } else {
    tensors.upload();
    status = run_operation<Operation>(args, stream);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  ASSERT_EQ(tensors.download(), "");
  ASSERT_EQ(got.difference(expected), "");
}

TEST(GpuOperations, SameBytesAsCpu) {
  const Stream stream;
  std::int64_t run = 0;
  cases::for_each_operation([&]<typename Operation>(const char* operation) {
    std::size_t number = 0;
    for (const OperationCase<Operation>& each : cases::operation_cases<Operation>()) {
      for (const Launched way : kWays) {
        SCOPED_TRACE(std::string(operation) + ": " + each.name + ", way " + std::to_string(static_cast<int>(way)));
        expect_same_bytes(each, way, kPoisons[number++ % 3], stream.get());
        ++run;
        if (testing::Test::HasFatalFailure()) break;
      }
    }
  });
  testing::Test::RecordProperty("calls", std::to_string(run));
}

// A table in pinned host memory, which the device reads at the host's address.
TEST(GpuOperations, EngramTableInHostMemory) {
  const Stream stream;
  for (const OperationCase<EngramGather>& each : cases::operation_cases<EngramGather>()) {
    SCOPED_TRACE(each.name);
    OperationRound<EngramGather> expected(each, 0x5A);
    ASSERT_TRUE(run_operation<EngramGather>(expected.args(), nullptr).ok());
    OperationRound<EngramGather> got(each, 0x5A);
    keysieve_engram_gather_args args = got.args();
    args.call.device_type = KEYSIEVE_DEVICE_CUDA;
    DeviceTensors tensors(stream.get());
    tensors.move_to_device("out", args.out);
    tensors.move_to_device("ids", args.ids);
    const auto pin = [](keysieve_tensor& tensor) {
      const auto bytes = static_cast<std::size_t>(extent_bytes(tensor));
      PooledMemory memory(PooledMemory::Kind::kPinned, bytes + 64);
      std::byte* at = memory.data() + reinterpret_cast<std::uintptr_t>(tensor.data) % 64;
      if (bytes > 0) std::memcpy(at, tensor.data, bytes);
      tensor.data = at;
      return memory;
    };
    const PooledMemory table = pin(args.table), scales = pin(args.scales);
    args.call.error_word = tensors.error_word(got.error_word());
    tensors.upload();
    const Status status = run_operation<EngramGather>(args, stream.get());
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_EQ(tensors.download(), "");
    ASSERT_EQ(got.difference(expected), "");
  }
}

}  // namespace
}  // namespace keysieve::test
