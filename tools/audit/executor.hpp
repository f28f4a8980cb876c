// Carries cases to an implementation and the answers back: in host memory, or on a device.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "audit/implementation.hpp"
#include "audit/trial.hpp"
#include "cases/case_data.hpp"

namespace keysieve::audit {

struct Answer {
  std::string refusal;  // no call was made
  std::string fault;    // wrong apart from the results: a failed call, a changed input, a damaged canary
  std::size_t fault_case = 0;
  Route route = Route::kAuto;  // that was taken

  struct Result {
    std::size_t number;  // of the case
    cases::CaseResult result;
  };
  std::vector<Result> results;
};

// Makes an answer a refusal where some call refused when it ran.
inline void settle_refusals(const std::vector<PreparedCall>& calls, Answer& answer) {
  for (const PreparedCall& call : calls) {
    if (call.refused_in_run == nullptr || call.refused_in_run->empty()) continue;
    const std::string refusal = *call.refused_in_run;
    answer = Answer{};
    answer.refusal = refusal;
    return;
  }
}

// For one thread at a time; every worker has its own.
class Executor {
 public:
  virtual ~Executor() = default;

  virtual Answer run(std::span<const cases::CaseInputs* const> inputs, const Setup& setup, Manner manner,
                     std::uint8_t poison) = 0;
};

// The implementation has to outlive the executor.
std::unique_ptr<Executor> make_host_executor(const Implementation& implementation);

// Tensors on the device. Throws std::runtime_error where there is none.
std::unique_ptr<Executor> make_cuda_executor(const Implementation& implementation);
// Empty, or why nothing can run on a device here.
std::string cuda_missing();

// Calls of a streams trial that one case makes.
inline constexpr int kStreamRepeats = 3;

}  // namespace keysieve::audit
