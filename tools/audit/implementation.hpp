// Whose selection is audited: keysieve's own, a peer's, or in the tests one that is wrong on purpose.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "audit/trial.hpp"
#include "cases/select_case.hpp"
#include "keysieve/select.hpp"

namespace keysieve::audit {

// A problem made ready. Runs of one thread at a time.
struct PreparedCall {
  std::string refusal;  // the setup cannot serve the problem, which is no fault
  std::string fault;    // it should have, or its answer contradicts itself
  Route route = Route::kAuto;
  std::int64_t workspace_bytes = 0;
  bool aligned_workspace = false;  // to 256 bytes; else it may begin anywhere
  bool can_be_captured = true;
  // Empty, or why the call failed. On CUDA it only enqueues on the cudaStream_t.
  std::function<std::string(const SelectArgs& args, void* stream)> run;
  // Set by a run whose failure is a refusal too: some conditions show only in the tensors of a call.
  std::shared_ptr<std::string> refused_in_run;
};

// What an answer is held to.
struct Promises {
  bool exact = true;        // else only to distinct columns of the row, as many as it has slots for
  bool nan = true;          // rows that hold a NaN are judged
  bool repeatable = false;  // the same call gives the same slots again, even where the order of slots is free
};

class Implementation {
 public:
  virtual ~Implementation() = default;

  // The case as far as it can be asked of the setup, with the options by which its answer is judged.
  virtual cases::SelectCase adapt(cases::SelectCase spec, const Setup& setup) const {
    static_cast<void>(setup);
    return spec;
  }
  virtual Promises promises(const Setup& setup) const {
    static_cast<void>(setup);
    return {};
  }
  virtual PreparedCall prepare(const SelectProblem& problem, const Setup& setup) const = 0;

  // Held by a thread that captures, where prepare may synchronise the device, which ends every capture there is.
  virtual std::unique_lock<std::mutex> hold_prepare() const { return {}; }
};

std::unique_ptr<Implementation> make_keysieve();

// The problem as the setup asks for it.
SelectProblem with_setup(SelectProblem problem, const Setup& setup);

}  // namespace keysieve::audit
