// A process whose very first use of the library is inside stream capture.
// usage: cold_capture cold|prepared [ROUTE_NUMBER [WIDTH]]
// exit code: 0 right; 1 wrong; 2 usage; 3 refused by name (its text is printed) and right afterwards; 77 no device
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "keysieve/select.hpp"

namespace {

constexpr std::int64_t kRows = 5, kSlots = 300;

bool failed(cudaError_t error, const char* call) {
  if (error != cudaSuccess) std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
  return error != cudaSuccess;
}

struct Tensors {
  void* scores = nullptr;
  void* indices = nullptr;
  void* workspace = nullptr;
};

constexpr std::int64_t kWorkspaceBytes = 64 << 20;  // nothing may be asked of the library before the capture

keysieve::Status enqueue(const keysieve::SelectProblem& problem, const Tensors& tensors, cudaStream_t stream) {
  keysieve::SelectPlan plan;
  if (keysieve::Status status = keysieve::try_make_plan(problem, plan); !status.ok()) return status;
  if (plan.workspace_bytes > kWorkspaceBytes) {
    return keysieve::Status(keysieve::StatusCode::kInternal, "a workspace of more than 64 MiB");
  }
  keysieve::SelectArgs args;
  args.scores = tensors.scores;
  args.indices = tensors.indices;
  args.workspace = tensors.workspace;
  args.workspace_bytes = plan.workspace_bytes;
  return keysieve::try_run(plan, args, stream);
}

// Ascending scores: the last columns win.
bool is_right(const Tensors& tensors, std::int64_t width, cudaStream_t stream) {
  std::vector<std::int32_t> got(kRows * kSlots);
  if (failed(cudaMemcpyAsync(got.data(), tensors.indices, got.size() * 4, cudaMemcpyDeviceToHost, stream), "copy") ||
      failed(cudaStreamSynchronize(stream), "synchronize")) {
    return false;
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::int64_t expected = width - kSlots + static_cast<std::int64_t>(i % kSlots);
    if (got[i] == expected) continue;
    std::fprintf(stderr, "slot %zu: expected %lld, got %d\n", i, static_cast<long long>(expected), got[i]);
    return false;
  }
  return true;
}

int run_in_capture(bool prepared, std::int32_t route, std::int64_t width) {
  cudaStream_t stream = nullptr;
  Tensors tensors;
  std::vector<float> scores(static_cast<std::size_t>(kRows * width));
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = static_cast<float>(static_cast<std::int64_t>(i) % width);
  }
  if (failed(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream") ||
      failed(cudaMalloc(&tensors.scores, scores.size() * 4), "malloc") ||
      failed(cudaMalloc(&tensors.indices, kRows * kSlots * 4), "malloc") ||
      failed(cudaMalloc(&tensors.workspace, kWorkspaceBytes), "malloc") ||
      failed(cudaMemset(tensors.indices, 0x5A, kRows * kSlots * 4), "memset") ||
      failed(cudaMemset(tensors.workspace, 0xFF, kWorkspaceBytes), "memset") ||
      failed(cudaMemcpy(tensors.scores, scores.data(), scores.size() * 4, cudaMemcpyHostToDevice), "upload") ||
      failed(cudaDeviceSynchronize(), "synchronize")) {
    return 1;
  }
  keysieve::SelectProblem problem;
  problem.device_type = keysieve::DeviceType::kCuda;
  problem.route = static_cast<keysieve::Route>(route);
  problem.rows = kRows;
  problem.width = width;
  problem.k = kSlots;
  if (prepared && keysieve_prepare(KEYSIEVE_DEVICE_CUDA, 0) != KEYSIEVE_OK) {
    std::fprintf(stderr, "prepare: %s\n", keysieve_last_error());
    return 1;
  }
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  // Global mode: calls that are unsafe during capture fail, from any thread.
  if (failed(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin capture")) return 1;
  const keysieve::Status status = enqueue(problem, tensors, stream);
  const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  if (!status.ok()) {
    std::fprintf(stderr, "refused in capture: %s\n", status.message().c_str());
    if (prepared || status.message().empty()) return 1;
    cudaGetLastError();
    // Outside capture it must work, whatever the refusal left behind.
    if (const keysieve::Status eager = enqueue(problem, tensors, stream); !eager.ok()) {
      std::fprintf(stderr, "after the refusal: %s\n", eager.message().c_str());
      return 1;
    }
    return is_right(tensors, width, stream) ? 3 : 1;
  }
  if (failed(ended, "end capture") || failed(cudaGraphInstantiate(&executable, graph, 0), "instantiate")) return 1;
  for (int replay = 0; replay < 3; ++replay) {
    if (failed(cudaMemsetAsync(tensors.indices, 0x5A, kRows * kSlots * 4, stream), "poison") ||
        failed(cudaGraphLaunch(executable, stream), "replay") || !is_right(tensors, width, stream)) {
      return 1;
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool prepared = argc > 1 && std::strcmp(argv[1], "prepared") == 0;
  if (argc < 2 || argc > 4 || (!prepared && std::strcmp(argv[1], "cold") != 0)) {
    std::fprintf(stderr, "usage: cold_capture cold|prepared [ROUTE_NUMBER [WIDTH]]\n");
    return 2;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "no CUDA device\n");
    return 77;
  }
  return run_in_capture(prepared, argc > 2 ? std::atoi(argv[2]) : KEYSIEVE_ROUTE_AUTO,
                        argc > 3 ? std::atoll(argv[3]) : 12000);
}
