#include "audit/audit.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "audit/checker.hpp"
#include "audit/hang_guard.hpp"

namespace keysieve::audit {
namespace {

using Clock = std::chrono::steady_clock;

// The order of the families' turns: every family once, then shares by weight.
std::vector<std::size_t> cycle_of(const std::vector<Family>& families) {
  std::vector<std::size_t> cycle;
  int most = 0;
  for (const Family& family : families) most = std::max(most, family.weight);
  for (int turn = 0; turn < most; ++turn) {
    for (std::size_t i = 0; i < families.size(); ++i) {
      if (turn < families[i].weight) cycle.push_back(i);
    }
  }
  return cycle;
}

bool is_too_large(const Bundle& bundle, std::int64_t max_scores) {
  return std::any_of(bundle.cases.begin(), bundle.cases.end(), [max_scores](const cases::SelectCase& spec) {
    return spec.rows * (spec.width + spec.row_padding) > max_scores || spec.rows * spec.k > max_scores;
  });
}

class Hunt {
 public:
  Hunt(const Request& request, const Implementation& implementation, const std::function<void(const Outcome&)>& on_hang)
      : request_(request),
        implementation_(implementation),
        on_hang_(on_hang),
        cycle_(cycle_of(request.families)),
        guard_(static_cast<std::size_t>(request.workers) + 1, std::chrono::seconds(request.hang_seconds),
               [this](const Trial& trial) { end_by_hang(trial); }) {
    for (const Family& family : request_.families) {
      outcome_.families.emplace_back();
      outcome_.families.back().name = family.name;
    }
    outcome_.families_may_refuse = !request.selection.peers.empty();
    context_.seed = request.seed;
    context_.cpu_share = request.selection.cuda ? (request.selection.cpu ? 50 : 0) : 80;
    const bool has_device = request.selection.cuda;
    context_.cuda_plan = [has_device](const SelectProblem& problem, SelectPlan& plan) {
      return plan_on_cuda(has_device, problem, plan);
    };
  }

  Outcome run(const std::function<void(const Outcome&)>& progress) {
    std::vector<std::thread> threads;
    const auto workers = static_cast<std::size_t>(request_.workers);
    std::size_t running = workers;
    for (std::size_t worker = 0; worker < workers; ++worker) {
      threads.emplace_back([this, worker, &running] {
        work(worker);
        const std::lock_guard lock(mutex_);
        --running;
        changed_.notify_all();
      });
    }
    {
      std::unique_lock lock(mutex_);
      while (!changed_.wait_for(lock, std::chrono::milliseconds(500), [&running] { return running == 0; })) {
        progress(snapshot());
      }
    }
    for (std::thread& thread : threads) thread.join();
    minimise_failures();
    return snapshot();
  }

 private:
  // With the mutex held, or alone.
  Outcome snapshot() const {
    Outcome copy = outcome_;
    copy.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    return copy;
  }

  // A lost device outranks the wrong answer that another worker found: nothing can be minimised any more.
  void stop(const std::string& reason) {
    if (outcome_.stopped.empty() || reason == "lost") outcome_.stopped = reason;
  }

  // The number of the next turn; false when there is none.
  bool take_turn(std::uint64_t& turn) {
    const std::lock_guard lock(mutex_);
    // Every family is to judge something, but a family whose cases nobody takes must not keep us forever, and neither
    // must a goal that the selected routes can hardly reach.
    constexpr std::int64_t kMostIdleTurns = 5000, kMostExtraTurns = 500;
    const bool has_goal = request_.forced_cases > 0 || request_.dispatch_cases > 0;
    const char* reason = "";
    if (has_goal && outcome_.num_forced() >= request_.forced_cases &&
        outcome_.num_dispatch() >= request_.dispatch_cases) {
      reason = "cases";
    } else if (request_.seconds > 0 && Clock::now() - begin_ >= std::chrono::duration<double>(request_.seconds)) {
      reason = "seconds";
    } else if (idle_turns_ >= kMostIdleTurns) {
      reason = "exhausted";
    }
    const bool is_over = *reason != 0;
    if (is_over && (outcome_.idle_families().empty() || ++extra_turns_ > kMostExtraTurns)) stop(reason);
    if (!outcome_.stopped.empty()) return false;
    turn = next_++;
    return true;
  }

  void work(std::size_t worker) {
    Checker checker(implementation_);
    std::uint64_t turn = 0;
    while (take_turn(turn)) {
      const std::uint64_t round = turn / cycle_.size(), place = turn % cycle_.size();
      const std::size_t family = cycle_[place];
      const auto before = std::count(cycle_.begin(), cycle_.begin() + static_cast<std::ptrdiff_t>(place), family);
      const std::uint64_t number =
          round * static_cast<std::uint64_t>(request_.families[family].weight) + static_cast<std::uint64_t>(before);
      run_bundle(worker, checker, family, number);
    }
  }

  void run_bundle(std::size_t worker, Checker& checker, std::size_t family, std::uint64_t number) {
    const Bundle bundle = request_.families[family].make(context_, number);
    if (is_too_large(bundle, request_.max_scores)) {
      const std::lock_guard lock(mutex_);
      ++outcome_.families[family].skipped;
      ++idle_turns_;
      return;
    }
    std::vector<cases::SelectCase> specs;
    std::unique_ptr<JudgedCases> judged;  // of the specs
    bool judged_some = false;
    std::size_t turn = static_cast<std::size_t>(number);
    for (const Setup& setup : draw_setups(request_.selection, mixed(request_.seed, number, 5 + family))) {
      std::vector<cases::SelectCase> adapted;
      for (const cases::SelectCase& spec : bundle.cases) adapted.push_back(implementation_.adapt(spec, setup));
      if (judged == nullptr || adapted != specs) {
        specs = std::move(adapted);
        judged = std::make_unique<JudgedCases>(judged_cases(specs));
      }
      judged_some =
          run_setup(worker, checker, family, number, {specs, setup, bundle.manner}, *judged, turn++) || judged_some;
      const std::lock_guard lock(mutex_);
      if (outcome_.stopped == "failure" || outcome_.stopped == "lost") break;
    }
    const std::lock_guard lock(mutex_);
    ++outcome_.families[family].bundles;
    idle_turns_ = judged_some ? 0 : idle_turns_ + 1;
  }

  // Whether anything was judged.
  bool run_setup(std::size_t worker, Checker& checker, std::size_t family, std::uint64_t number, Trial trial,
                 const JudgedCases& judged, std::size_t turn) {
    Verdict verdict;
    bool lost = false;
    JudgedView view = view_of(judged);
    guard_.begin(worker, trial);
    try {
      verdict = checker.check(view, trial.setup, trial.manner, turn);
      // Drawn threads and splits do not fit every case; the route may.
      while (!verdict.refusal.empty() && relax(trial.setup)) {
        verdict = checker.check(view, trial.setup, trial.manner, turn);
      }
      if (!verdict.refusal.empty() && trial.manner == Manner::kStreams && keep_served(trial, view)) {
        verdict = checker.check(view, trial.setup, trial.manner, turn);
      }
    } catch (const std::exception& error) {
      verdict = Verdict{};  // a refusal of the attempt before would hide the failure
      verdict.difference = error.what();
      lost = true;
    }
    guard_.end(worker);
    count(family, number, trial, verdict, lost);
    return verdict.refusal.empty();
  }

  static bool relax(Setup& setup) {
    std::int32_t& value = setup.threads != kAuto ? setup.threads : setup.split;
    if (value == kAuto) return false;
    value = kAuto;
    return true;
  }

  // Leaves the cases that the setup takes; false where fewer than two are left to run at the same time.
  bool keep_served(Trial& trial, JudgedView& view) const {
    std::vector<cases::SelectCase> kept;
    JudgedView kept_view;
    for (std::size_t i = 0; i < view.size(); ++i) {
      if (!implementation_.prepare(view[i]->inputs.problem(), trial.setup).refusal.empty()) continue;
      kept.push_back(trial.cases[i]);
      kept_view.push_back(view[i]);
    }
    if (kept.size() < 2) return false;
    trial.cases = std::move(kept);
    view = std::move(kept_view);
    return true;
  }

  void count(std::size_t family, std::uint64_t number, const Trial& trial, const Verdict& verdict, bool lost) {
    const std::lock_guard lock(mutex_);
    FamilyCount& counts = outcome_.families[family];
    if (!verdict.refusal.empty()) {
      ++counts.refused;
      return;
    }
    const bool forced = is_forced(trial.setup);
    auto& by_route = forced ? counts.forced : counts.dispatch;
    by_route[forced ? label_of(trial.setup) : name_of(verdict.route)] += std::ssize(trial.cases);
    if (verdict.difference.empty()) return;
    ++counts.failed;
    counts.wrong_rows += verdict.wrong_rows;
    if (outcome_.failures.size() < kMostFailures) {
      outcome_.failures.push_back({counts.name, number, trial, verdict.difference, false, lost, false, {}});
    }
    if (lost) stop("lost");
    if (!request_.keep_going) stop("failure");
  }

  void minimise_failures() {
    const std::size_t guarded = static_cast<std::size_t>(request_.workers);
    for (Failure& failure : outcome_.failures) {
      if (outcome_.stopped == "lost") return;  // nothing can be asked any more
      Checker checker(implementation_);
      failure.smallest = minimise(checker, failure.trial, request_.limits, [&](const Trial& trial, bool begins) {
        begins ? guard_.begin(guarded, trial) : guard_.end(guarded);
      });
      failure.minimised = true;
    }
  }

  // On the guard's thread.
  void end_by_hang(const Trial& trial) {
    {
      // A worker that hangs does not hold it.
      const std::lock_guard lock(mutex_);
      Outcome outcome = snapshot();
      outcome.stopped = "hang";
      Failure failure{"",   0,    trial, "no answer for " + std::to_string(request_.hang_seconds) + " s",
                      true, true, false, {}};
      outcome.failures.insert(outcome.failures.begin(), std::move(failure));
      on_hang_(outcome);
    }
    ::_exit(1);  // destructors would wait for the one that hangs
  }

  const Request& request_;
  const Implementation& implementation_;
  const std::function<void(const Outcome&)>& on_hang_;
  std::vector<std::size_t> cycle_;
  SourceContext context_;
  Clock::time_point begin_ = Clock::now();
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_ = 0;
  std::int64_t idle_turns_ = 0;   // one after the other
  std::int64_t extra_turns_ = 0;  // for families that have judged nothing yet
  Outcome outcome_;
  HangGuard guard_;
};

template <typename Map>
std::int64_t sum_of(const Map& map) {
  std::int64_t sum = 0;
  for (const auto& [key, value] : map) sum += value;
  return sum;
}

template <typename Value>
std::int64_t total(const std::vector<FamilyCount>& families, Value value) {
  std::int64_t sum = 0;
  for (const FamilyCount& family : families) sum += value(family);
  return sum;
}

}  // namespace

std::int64_t FamilyCount::num_forced() const { return sum_of(forced); }
std::int64_t FamilyCount::num_dispatch() const { return sum_of(dispatch); }

std::int64_t Outcome::num_forced() const {
  return total(families, [](const FamilyCount& family) { return family.num_forced(); });
}
std::int64_t Outcome::num_dispatch() const {
  return total(families, [](const FamilyCount& family) { return family.num_dispatch(); });
}
std::int64_t Outcome::num_failed() const {
  const auto hangs = std::count_if(failures.begin(), failures.end(), [](const Failure& f) { return f.hang; });
  return hangs + total(families, [](const FamilyCount& family) { return family.failed; });
}
std::int64_t Outcome::num_wrong_rows() const {
  return total(families, [](const FamilyCount& family) { return family.wrong_rows; });
}

std::vector<std::string> Outcome::idle_families() const {
  std::vector<std::string> names;
  for (const FamilyCount& family : families) {
    const bool may_be_idle = families_may_refuse && family.refused > 0 && num_forced() + num_dispatch() > 0;
    if (family.num_cases() == 0 && !may_be_idle) names.push_back(family.name);
  }
  return names;
}

bool Outcome::is_clean() const {
  return num_failed() == 0 && idle_families().empty() && (stopped == "cases" || stopped == "seconds");
}

Outcome run_audit(const Request& request, const Implementation& implementation,
                  const std::function<void(const Outcome&)>& progress,
                  const std::function<void(const Outcome&)>& on_hang) {
  return Hunt(request, implementation, on_hang).run(progress);
}

}  // namespace keysieve::audit
