// A device call that stays: its tensors keep their places while their contents change from run to run, eager or as a
// captured graph.
#pragma once

#include <memory>

#include "cases/compare.hpp"
#include "cases/oracle.hpp"
#include "device_case.hpp"

namespace keysieve::test {

// Inputs with the right answer.
struct Round {
  cases::CaseInputs inputs;
  cases::CaseResult expected;

  explicit Round(const cases::SelectCase& spec) : inputs(spec), expected(inputs, 0, 0) {
    cases::compute_expected(inputs, expected);
  }
};

class StandingCall {
 public:
  StandingCall(cudaStream_t stream, const Round& first, const SelectPlan& plan);

  DeviceCall& call() { return call_; }
  const SelectPlan& plan() const { return plan_; }

  // Contents of another round of the same shape, and poisoned outputs.
  void load(const Round& round, std::uint8_t poison);
  void enqueue();
  // Waits; empty when the outputs are those of the round that was loaded last.
  std::string compare(const std::string& what);

 private:
  SelectArgs host_args();

  cudaStream_t stream_;
  SelectPlan plan_;
  const Round* round_;
  std::unique_ptr<cases::CaseResult> got_;
  DeviceCall call_;
};

class CapturedCall : public StandingCall {
 public:
  CapturedCall(cudaStream_t stream, const Round& first, const SelectPlan& plan,
               cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal);
  ~CapturedCall();
  CapturedCall(const CapturedCall&) = delete;
  CapturedCall& operator=(const CapturedCall&) = delete;

  void launch();
  // load, launch, compare.
  std::string replay(const Round& round, std::uint8_t poison, const std::string& what);

 private:
  cudaStream_t stream_;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace keysieve::test
