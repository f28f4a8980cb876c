#include "engine_call.hpp"

#include <stdexcept>

#include "cases/compare.hpp"
#include "core/check_select.hpp"
#include "device_case.hpp"
#include "launch/launch_list.hpp"
#include "plan/policy.hpp"

namespace keysieve::test {
namespace {

// One call captured by itself.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
  }

  Status capture(const cuda::DeviceEngine& engine, const LaunchList& launches, cudaStream_t stream) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    Status status = cuda::enqueue(engine, launches, stream);
    cudaGraph_t graph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
    if (!status.ok()) return status;
    check(ended, "cudaStreamEndCapture");
    check(cudaGraphInstantiate(&executable_, graph, 0), "cudaGraphInstantiate");
    cudaGraphDestroy(graph);
    return status;
  }

  void launch(cudaStream_t stream) { check(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch"); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace

std::unique_ptr<cuda::DeviceEngine> engine_with(const cuda::KernelTable& kernels) {
  auto engine = std::make_unique<cuda::DeviceEngine>();
  if (const Status status = cuda::make_device_engine(0, kernels, *engine); !status.ok()) {
    throw std::runtime_error("device 0 cannot be prepared: " + status.message());
  }
  return engine;
}

std::string plan_on(const DeviceProfile& device, const SelectProblem& problem, SelectPlan& plan) {
  std::string faults;
  for (const std::string& fault : cuda_route_faults(problem, device)) faults += fault + "\n";
  if (!faults.empty()) return faults;
  const RouteChoice choice = choose_cuda_route(problem, device);
  plan = {};
  plan.backend = Backend::kCuda;
  plan.route = choice.route;
  plan.reason = static_cast<std::int32_t>(choice.reason);
  plan.threads = choice.threads;
  plan.chunks_per_row = choice.chunks_per_row;
  plan.runnable = 1;
  plan.workspace_bytes = choice.workspace_bytes;
  plan.problem = problem;
  plan.shared_bytes = choice.shared_bytes;
  plan.candidate_capacity = choice.candidate_capacity;
  plan.sample_vectors = choice.sample_vectors;
  return {};
}

std::string check_plan(const cuda::DeviceEngine& engine, const SelectPlan& plan, const cases::CaseInputs& inputs,
                       const cases::CaseResult& expected, cudaStream_t stream, Enqueued how, const std::string& what) {
  cases::CaseResult shape(inputs, 0, 0);
  SelectArgs host = inputs.args();
  shape.add_to(host);
  DeviceCall call(stream, inputs.problem(), host);
  call.reserve_workspace(plan.workspace_bytes);
  SelectArgs resolved;
  if (const Status status = resolve_args(plan, call.args(), resolved); !status.ok()) {
    return what + ": " + status.message();
  }
  if (plan.problem.rows == 0) return {};
  const LaunchList launches = make_launches(plan, resolved);
  Graph graph;
  if (how == Enqueued::kByGraph) {
    wait_for(stream, "the uploads before a capture");
    if (const Status status = graph.capture(engine, launches, stream); !status.ok()) {
      return what + ": in capture: " + status.message();
    }
  }
  for (const std::uint8_t poison : kGpuPoisons) {
    cases::CaseResult got(inputs, 0, poison);
    SelectArgs outputs = inputs.args();
    got.add_to(outputs);
    call.upload_outputs(outputs);
    call.fill_workspace(poison);
    if (how == Enqueued::kByGraph) {
      graph.launch(stream);
    } else if (const Status status = cuda::enqueue(engine, launches, stream); !status.ok()) {
      return what + ": " + status.message();
    }
    std::string fault = call.download_outputs(outputs, what);
    if (fault.empty()) fault = got.gap_written();
    if (fault.empty()) fault = cases::compare(inputs, expected, got);
    if (!fault.empty()) return what + ": " + fault;
  }
  return {};
}

}  // namespace keysieve::test
