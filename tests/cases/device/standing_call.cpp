#include "standing_call.hpp"

#include <stdexcept>

namespace keysieve::test {

SelectArgs StandingCall::host_args() {
  SelectArgs args = round_->inputs.args();
  got_->add_to(args);
  return args;
}

StandingCall::StandingCall(cudaStream_t stream, const Round& first, const SelectPlan& plan)
    : stream_(stream),
      plan_(plan),
      round_(&first),
      got_(std::make_unique<cases::CaseResult>(first.inputs, 0, std::uint8_t{0x5A})),
      call_(stream, first.inputs.problem(), host_args()) {
  call_.reserve_workspace(plan_.workspace_bytes);
  call_.fill_workspace(0xFF);
  call_.upload_outputs(host_args());
}

void StandingCall::load(const Round& round, std::uint8_t poison) {
  if (round_ != &round) call_.upload_inputs(round.inputs.args());
  round_ = &round;
  got_ = std::make_unique<cases::CaseResult>(round.inputs, 0, poison);
  call_.upload_outputs(host_args());
}

void StandingCall::enqueue() {
  if (const Status status = try_run(plan_, call_.args(), stream_); !status.ok()) {
    throw std::runtime_error("run failed: " + status.message());
  }
}

std::string StandingCall::compare(const std::string& what) {
  std::string fault = call_.download_outputs(host_args(), what);
  if (fault.empty()) fault = got_->gap_written();
  if (fault.empty()) fault = cases::compare(round_->inputs, round_->expected, *got_);
  return fault.empty() ? fault : what + ": " + fault;
}

CapturedCall::CapturedCall(cudaStream_t stream, const Round& first, const SelectPlan& plan, cudaStreamCaptureMode mode)
    : StandingCall(stream, first, plan), stream_(stream) {
  wait_for(stream, "the uploads before a capture");
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream, mode), "cudaStreamBeginCapture");
  std::string fault;
  try {
    enqueue();
  } catch (const std::exception& error) {
    fault = std::string("in capture: ") + error.what();
  }
  const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  if (!fault.empty()) throw std::runtime_error(fault);
  check(ended, "cudaStreamEndCapture");
  check(cudaGraphInstantiate(&executable_, graph, 0), "cudaGraphInstantiate");
  cudaGraphDestroy(graph);
}

CapturedCall::~CapturedCall() {
  if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
}

void CapturedCall::launch() { check(cudaGraphLaunch(executable_, stream_), "cudaGraphLaunch"); }

std::string CapturedCall::replay(const Round& round, std::uint8_t poison, const std::string& what) {
  load(round, poison);
  launch();
  return compare(what);
}

}  // namespace keysieve::test
