#include <stdexcept>
#include <utility>

#include "audit/executor.hpp"
#include "device_case.hpp"

namespace keysieve::audit {
namespace {

using test::check;
using test::DeviceCall;

// A case on the device, with the host's copy of its outputs.
struct DeviceCase {
  const cases::CaseInputs& inputs;
  const PreparedCall& prepared;
  std::unique_ptr<cases::CaseResult> result;
  DeviceCall call;
  cudaStream_t stream;

  DeviceCase(const cases::CaseInputs& inputs_, const PreparedCall& prepared_, cudaStream_t stream_, std::uint8_t poison)
      : inputs(inputs_),
        prepared(prepared_),
        result(std::make_unique<cases::CaseResult>(inputs, 0, poison)),
        call(stream_, inputs.problem(), host_args(inputs)),
        stream(stream_) {
    call.reserve_workspace(prepared.workspace_bytes, prepared.aligned_workspace ? 0 : 1);
    call.fill_workspace(poison);
  }

  SelectArgs host_args(const cases::CaseInputs& of) {
    SelectArgs args = of.args();
    result->add_to(args);
    return args;
  }

  // Poisoned outputs for a run over `of`, which has the shape of the inputs.
  void reset(const cases::CaseInputs& of, std::uint8_t poison) {
    result = std::make_unique<cases::CaseResult>(of, 0, poison);
    call.upload_outputs(host_args(of));
  }

  std::string enqueue() { return prepared.run(call.args(), stream); }

  void collect(const cases::CaseInputs& of, std::size_t number, const Setup& setup, Answer& answer) {
    std::string fault = call.download_outputs(host_args(of), describe(of.spec()) + "\n  on " + describe(setup));
    if (fault.empty()) fault = result->gap_written();
    if (!fault.empty() && answer.fault.empty()) {
      answer.fault = std::move(fault);
      answer.fault_case = number;
    }
    answer.results.push_back({number, std::move(*result)});
  }
};

// The graph of one call.
class Graph {
 public:
  Graph(DeviceCase& device_case, const Implementation& implementation) : stream_(device_case.stream) {
    test::wait_for(stream_, "the uploads before a capture");
    const std::unique_lock<std::mutex> hold = implementation.hold_prepare();
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    const std::string fault = device_case.enqueue();
    const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
    if (fault.empty()) check(ended, "cudaStreamEndCapture");
    if (fault.empty()) {
      const cudaError_t made = cudaGraphInstantiate(&executable_, graph, 0);
      cudaGraphDestroy(graph);
      check(made, "cudaGraphInstantiate");
    } else {
      if (ended == cudaSuccess) cudaGraphDestroy(graph);
      cudaGetLastError();  // of a capture that the failed call may have broken
    }
    fault_ = fault.empty() ? "" : "in capture: " + fault;
  }
  ~Graph() {
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  const std::string& fault() const { return fault_; }
  void launch() { check(cudaGraphLaunch(executable_, stream_), "cudaGraphLaunch"); }

 private:
  cudaStream_t stream_;
  cudaGraphExec_t executable_ = nullptr;
  std::string fault_;
};

class CudaExecutor final : public Executor {
 public:
  explicit CudaExecutor(const Implementation& implementation) : implementation_(implementation) {}

  Answer run(std::span<const cases::CaseInputs* const> inputs, const Setup& setup, Manner manner,
             std::uint8_t poison) override {
    Answer answer;
    std::vector<PreparedCall> calls;
    const std::size_t num_calls = manner == Manner::kGraph ? std::min<std::size_t>(1, inputs.size()) : inputs.size();
    for (std::size_t i = 0; i < num_calls; ++i) {
      calls.push_back(implementation_.prepare(inputs[i]->problem(), setup));
      const PreparedCall& call = calls.back();
      answer.refusal = call.refusal;
      if (answer.refusal.empty() && manner == Manner::kGraph && !call.can_be_captured) {
        answer.refusal = "it does not promise to be capturable";
      }
      answer.fault = call.fault;
      answer.fault_case = i;
      if (!answer.refusal.empty() || !answer.fault.empty()) return answer;
    }
    answer.fault_case = 0;
    if (calls.empty()) return answer;
    answer.route = calls.front().route;
    switch (manner) {
      case Manner::kOnce:
        for (std::size_t i = 0; i < calls.size() && answer.fault.empty(); ++i) {
          DeviceCase device_case(*inputs[i], calls[i], stream(0), poison);
          device_case.reset(*inputs[i], poison);
          answer.fault = device_case.enqueue();
          answer.fault_case = i;
          if (answer.fault.empty()) device_case.collect(*inputs[i], i, setup, answer);
        }
        break;
      case Manner::kGraph:
        replay(calls.front(), inputs, setup, poison, answer);
        break;
      case Manner::kStreams:
        run_together(calls, inputs, setup, poison, answer);
        break;
    }
    settle_refusals(calls, answer);
    return answer;
  }

 private:
  cudaStream_t stream(std::size_t number) {
    while (streams_.size() <= number) streams_.push_back(std::make_unique<test::Stream>());
    return streams_[number]->get();
  }

  void replay(const PreparedCall& prepared, std::span<const cases::CaseInputs* const> inputs, const Setup& setup,
              std::uint8_t poison, Answer& answer) {
    DeviceCase device_case(*inputs[0], prepared, stream(0), poison);
    device_case.reset(*inputs[0], poison);
    Graph graph(device_case, implementation_);
    answer.fault = graph.fault();
    for (std::size_t i = 0; i < inputs.size() && answer.fault.empty(); ++i) {
      if (i > 0) device_case.call.upload_inputs(inputs[i]->args());
      device_case.reset(*inputs[i], poison);
      graph.launch();
      device_case.collect(*inputs[i], i, setup, answer);
    }
  }

  void run_together(const std::vector<PreparedCall>& calls, std::span<const cases::CaseInputs* const> inputs,
                    const Setup& setup, std::uint8_t poison, Answer& answer) {
    std::vector<std::unique_ptr<DeviceCase>> device_cases;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      device_cases.push_back(std::make_unique<DeviceCase>(*inputs[i], calls[i], stream(i), poison));
    }
    for (int repeat = 0; repeat < kStreamRepeats && answer.fault.empty(); ++repeat) {
      for (std::size_t i = 0; i < calls.size(); ++i) device_cases[i]->reset(*inputs[i], poison);
      for (std::size_t i = 0; i < calls.size() && answer.fault.empty(); ++i) {
        answer.fault = device_cases[i]->enqueue();
        answer.fault_case = i;
      }
      if (!answer.fault.empty()) return;
      for (std::size_t i = 0; i < calls.size(); ++i) device_cases[i]->collect(*inputs[i], i, setup, answer);
    }
  }

  const Implementation& implementation_;
  std::vector<std::unique_ptr<test::Stream>> streams_;
};

}  // namespace

std::unique_ptr<Executor> make_cuda_executor(const Implementation& implementation) {
  if (const std::string missing = cuda_missing(); !missing.empty()) throw std::runtime_error(missing);
  return std::make_unique<CudaExecutor>(implementation);
}

std::string cuda_missing() { return test::gpu_missing(); }

}  // namespace keysieve::audit
