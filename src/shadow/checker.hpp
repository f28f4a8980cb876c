// Shadow mode itself: draws calls, has rows of them copied, and checks the copies in a thread of its own.
//
// A call that is not drawn costs an atomic increment and a hash. A drawn one costs its copies; the check, which sorts
// whole rows, runs in the shadow's thread alone.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "keysieve/shadow.hpp"
#include "keysieve/status.hpp"
#include "shadow/copies.hpp"
#include "shadow/row_check.hpp"
#include "shadow/sampler.hpp"
#include "shadow/slot_queue.hpp"

namespace keysieve::shadow {

// The first fault found, in words.
struct FirstTexts {
  std::string wrong;    // "" as long as nothing was wrong
  std::string failure;  // why a copy or a check could not be made
};

class Checker {
 public:
  // `options` has passed check_options.
  Checker(const ShadowOptions& options, std::unique_ptr<Copies> copies);
  // Waits for copies that are on their way; leaves out checks that have not begun.
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  const ShadowOptions& options() const { return options_; }

  // The thread and the locks of the process that forked do not live on in its child.
  bool belongs_to_this_process() const;

  // Of a plan only the problem matters, neither route nor workspace: any implementation's outputs will do. What is
  // wrong with the arguments is noticed in calls that are drawn; the others look at nothing but the device.
  Status observe(const SelectPlan& plan, const SelectArgs& args, void* stream);

  // Whether all calls observed before are checked. timeout_ms < 0: without limit.
  bool wait(std::int64_t timeout_ms);

  ShadowReport report(FirstTexts* texts) const;

 private:
  Status copy_rows(const SelectProblem& problem, const SelectArgs& args, void* stream, std::int64_t call);
  void count(std::int64_t ShadowReport::*counter);
  void note_failure(const std::string& why);
  Status failed(Status status);

  void work();
  // Whether the slot is done with.
  bool serve(std::int64_t slot);
  void check(std::int64_t slot);
  void note_row(const CallCopy& copy, std::int64_t row, const RowFault& fault);

  const ShadowOptions options_;
  const pid_t process_;
  const Sampler sampler_;
  const std::unique_ptr<Copies> copies_;
  SlotQueue queue_;
  std::atomic<std::int64_t> calls_seen_{0};
  mutable std::mutex report_mutex_;
  ShadowReport report_;  // but for calls_seen
  FirstTexts texts_;
  std::thread worker_;
};

// Names the first option out of range.
Status check_options(const ShadowOptions& options);

std::string report_to_json(const Checker& checker);

}  // namespace keysieve::shadow
