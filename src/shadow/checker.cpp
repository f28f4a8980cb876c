#include "shadow/checker.hpp"

#include <unistd.h>

#include <algorithm>
#include <exception>

#include "core/check_select.hpp"
#include "core/names.hpp"

namespace keysieve::shadow {
namespace {

using std::chrono::microseconds;

// How long the worker sleeps between looks at copies that have not landed: short at first, as a step of an engine takes
// some 10 ms, then long enough that a stuck stream costs no CPU.
constexpr microseconds kFirstSleep{100};
constexpr microseconds kLongestSleep{5000};

std::string text(std::int64_t value) { return std::to_string(value); }

Status out_of_range(const char* name, std::int64_t low, std::int64_t high, std::int64_t given) {
  return Status::invalid_argument(std::string(name) + ": expected " + text(low) + ".." + text(high) + ", got " +
                                  text(given));
}

std::string place(DeviceType type, std::int32_t ordinal) {
  const char* name = name_of(type);
  if (name == nullptr) return "device type " + text(static_cast<std::int32_t>(type));
  return type == DeviceType::kCuda ? std::string(name) + ":" + text(ordinal) : name;
}

}  // namespace

Status check_options(const ShadowOptions& options) {
  if (name_of(options.device_type) == nullptr) {
    return Status::invalid_argument("device_type: expected 0 (cpu) or 1 (cuda), got " +
                                    text(static_cast<std::int32_t>(options.device_type)));
  }
  if (options.device_ordinal < 0) {
    return Status::invalid_argument("device_ordinal: expected at least 0, got " + text(options.device_ordinal));
  }
  if (options.reserved != 0) return Status::invalid_argument("reserved: expected 0, got " + text(options.reserved));
  if (!(options.share >= 0.0 && options.share <= 1.0)) {
    return Status::invalid_argument("share: expected 0..1, got " + std::to_string(options.share));
  }
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;
  const struct {
    const char* name;
    std::int64_t value, low, high;
  } ranges[] = {
      {"max_rows_per_call", options.max_rows_per_call, 1, 1024},
      {"slots", options.slots, 1, 1024},
      {"slot_bytes", options.slot_bytes, 64, kMostBytes},
  };
  for (const auto& range : ranges) {
    if (range.value < range.low || range.value > range.high) {
      return out_of_range(range.name, range.low, range.high, range.value);
    }
  }
  return {};
}

Checker::Checker(const ShadowOptions& options, std::unique_ptr<Copies> copies)
    : options_(options),
      process_(getpid()),
      sampler_(options.share, options.seed),
      copies_(std::move(copies)),
      queue_(options.slots, options.max_rows_per_call),
      worker_([this] { work(); }) {}

Checker::~Checker() {
  queue_.stop();
  worker_.join();
  std::vector<std::int64_t> waiting;
  queue_.list_waiting(waiting);
  for (const std::int64_t slot : waiting) copies_->wait(slot);
}

bool Checker::belongs_to_this_process() const { return getpid() == process_; }

Status Checker::observe(const SelectPlan& plan, const SelectArgs& args, void* stream) {
  if (!belongs_to_this_process()) {
    return Status::unsupported("shadow: expected the process that made it, got a forked child; make one there");
  }
  const SelectProblem& problem = plan.problem;
  const bool cuda = options_.device_type == DeviceType::kCuda;
  if (problem.device_type != options_.device_type || (cuda && problem.device_ordinal != options_.device_ordinal)) {
    return Status::invalid_argument("plan: expected one for the shadow's device " +
                                    place(options_.device_type, options_.device_ordinal) + ", got one for " +
                                    place(problem.device_type, problem.device_ordinal));
  }
  const std::int64_t call = calls_seen_.fetch_add(1, std::memory_order_relaxed);
  if (problem.rows == 0 || !sampler_.draws(call)) return {};
  count(&ShadowReport::calls_sampled);
  if (const auto faults = problem_faults(problem); !faults.empty()) {
    return failed(Status::invalid_argument("plan: " + faults.front()));
  }
  SelectPlan without_workspace = plan;
  without_workspace.workspace_bytes = 0;
  SelectArgs resolved;
  if (Status status = resolve_args(without_workspace, args, resolved); !status.ok()) return failed(std::move(status));
  return copy_rows(problem, resolved, stream, call);
}

Status Checker::copy_rows(const SelectProblem& problem, const SelectArgs& args, void* stream, std::int64_t call) {
  bool capturing = false;
  if (Status status = copies_->is_capturing(stream, capturing); !status.ok()) return failed(std::move(status));
  if (capturing) {
    count(&ShadowReport::calls_skipped_capturing);
    return {};
  }
  const CopyLayout layout(problem, args);
  const std::int64_t picks =
      std::min({problem.rows, options_.max_rows_per_call, layout.rows_that_fit(options_.slot_bytes)});
  if (picks == 0) {
    count(&ShadowReport::calls_too_large);
    return {};
  }
  const std::optional<std::int64_t> free = queue_.acquire();
  if (!free) {
    count(&ShadowReport::calls_skipped_busy);
    return {};
  }
  Slot& slot = queue_.at(*free);
  slot.copy = {problem, args, call, picks};
  slot.pieces.clear();
  layout.add_table(slot.pieces);
  for (std::int64_t pick = 0; pick < picks; ++pick) {
    layout.add_row(sampler_.row(call, pick, picks, problem.rows), pick, slot.pieces);
  }
  const CopyStart start = copies_->start(*free, slot.pieces, stream);
  if (!start.status.ok()) note_failure(start.status.message());
  slot.check = start.status.ok();
  if (start.tracked) {
    queue_.submit(*free);
  } else {
    queue_.retire(*free);
  }
  return start.status;
}

bool Checker::wait(std::int64_t timeout_ms) {
  if (timeout_ms < 0) return queue_.wait_until_drained({});
  constexpr std::int64_t kLongest = std::int64_t{1} << 40;  // milliseconds; clocks overflow far above
  return queue_.wait_until_drained(std::chrono::milliseconds(std::min(timeout_ms, kLongest)));
}

ShadowReport Checker::report(FirstTexts* texts) const {
  const std::lock_guard lock(report_mutex_);
  ShadowReport report = report_;
  // Read last: no call is sampled that has not been seen.
  report.calls_seen = calls_seen_.load(std::memory_order_relaxed);
  if (texts != nullptr) *texts = texts_;
  return report;
}

void Checker::count(std::int64_t ShadowReport::*counter) {
  const std::lock_guard lock(report_mutex_);
  ++(report_.*counter);
}

void Checker::note_failure(const std::string& why) {
  const std::lock_guard lock(report_mutex_);
  if (report_.calls_failed++ == 0) texts_.failure = why;
}

Status Checker::failed(Status status) {
  note_failure(status.message());
  return status;
}

void Checker::work() {
  copies_->enter_thread();
  std::vector<std::int64_t> waiting;
  std::optional<microseconds> sleep;
  while (queue_.wait_for_work(sleep, waiting)) {
    bool any_served = false, any_left = false;
    for (const std::int64_t slot : waiting) {
      if (queue_.is_stopping()) break;  // checks that have not begun are left out
      // A stream that stands still must not hold up the copies of another.
      if (serve(slot)) {
        any_served = true;
      } else {
        any_left = true;
      }
    }
    if (!any_left) {
      sleep.reset();
    } else {
      sleep = any_served || !sleep ? kFirstSleep : std::min(*sleep * 2, kLongestSleep);
    }
  }
}

bool Checker::serve(std::int64_t slot) {
  switch (copies_->state(slot)) {
    case CopyState::kPending:
      return false;
    case CopyState::kFailed:
      if (queue_.at(slot).check) note_failure("the copies failed: the device reports an error");
      queue_.retire(slot);
      return true;
    case CopyState::kDone:
      break;
  }
  queue_.begin_check(slot);
  if (queue_.at(slot).check) {
    try {
      check(slot);
    } catch (const std::exception& error) {
      note_failure(std::string("the check failed: ") + error.what());
    }
  }
  queue_.release(slot);
  return true;
}

void Checker::check(std::int64_t slot) {
  const CallCopy& copy = queue_.at(slot).copy;
  const CopyLayout layout(copy.problem, copy.args);
  for (std::int64_t pick = 0; pick < copy.picks; ++pick) {
    const RowView view = layout.row_view(copies_->memory(slot), pick);
    note_row(copy, sampler_.row(copy.call, pick, copy.picks, copy.problem.rows), check_row(view));
  }
  count(&ShadowReport::calls_checked);
}

void Checker::note_row(const CallCopy& copy, std::int64_t row, const RowFault& fault) {
  ShadowReport first;
  std::string sentence;
  {
    const std::lock_guard lock(report_mutex_);
    ++report_.rows_checked;
    if (fault.output == ShadowOutput::kNone) return;
    if (report_.rows_wrong++ > 0) return;
    report_.first_wrong_output = fault.output;
    report_.first_wrong_call = copy.call;
    report_.first_wrong_row = row;
    report_.first_wrong_slot = fault.slot;
    report_.first_wrong_expected = fault.expected;
    report_.first_wrong_got = fault.got;
    texts_.wrong = "call " + text(copy.call) + ", row " + text(row) + " of " + text(copy.problem.rows) + " x " +
                   text(copy.problem.width) + ", k " + text(copy.problem.k) + ", " + name_of(copy.problem.score_type) +
                   ", mode " + name_of(copy.problem.mode) + ": " + fault.text;
    first = report_;
    sentence = texts_.wrong;
  }
  if (options_.on_wrong == nullptr) return;
  first.calls_seen = calls_seen_.load(std::memory_order_relaxed);
  const auto c_report = std::bit_cast<keysieve_shadow_report>(first);
  options_.on_wrong(options_.user, &c_report, sentence.c_str());
}

}  // namespace keysieve::shadow
