#include "audit/minimiser.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "audit/reductions.hpp"
#include "cases/case_text.hpp"

namespace keysieve::audit {
namespace {

class Search {
 public:
  Search(Checker& checker, const MinimiserLimits& limits, const Watch& watch)
      : checker_(checker), limits_(limits), watch_(watch), end_(std::chrono::steady_clock::now() + limits.time) {}

  // The difference; empty where the trial is right, refused or not a case at all.
  std::string difference_of(const Trial& trial) {
    const int tries = trial.manner == Manner::kOnce ? 1 : limits_.tries;
    for (int i = 0; i < tries && !is_over(); ++i) {
      ++checks_;
      watch_(trial, true);
      std::string difference = checker_.check(trial).difference;
      watch_(trial, false);
      if (!difference.empty()) return difference;
    }
    return {};
  }

  bool is_over() const { return checks_ >= limits_.checks || std::chrono::steady_clock::now() >= end_; }
  int checks() const { return checks_; }

 private:
  Checker& checker_;
  const MinimiserLimits& limits_;
  const Watch& watch_;
  std::chrono::steady_clock::time_point end_;
  int checks_ = 0;
};

bool can_be_built(const Trial& trial) {
  return std::all_of(trial.cases.begin(), trial.cases.end(),
                     [](const auto& spec) { return cases::case_fault(spec).empty(); });
}

// Whether anything was taken away.
bool reduce_once(const Reduction& reduction, Search& search, Minimised& best) {
  bool progress = false;
  for (std::size_t attempt = 0; !search.is_over();) {
    Trial candidate = best.trial;
    if (!reduction.apply(candidate, attempt)) break;
    std::string difference = can_be_built(candidate) ? search.difference_of(candidate) : std::string();
    if (difference.empty()) {
      ++attempt;
      continue;
    }
    best.trial = std::move(candidate);
    best.difference = std::move(difference);
    progress = true;
    attempt = 0;
  }
  return progress;
}

}  // namespace

Minimised minimise(Checker& checker, const Trial& trial, const MinimiserLimits& limits, const Watch& watch) {
  Search search(checker, limits, watch);
  Minimised best{trial, {}, 0};
  try {
    best.difference = search.difference_of(trial);
    while (!best.difference.empty() && !search.is_over()) {
      bool progress = false;
      for (const Reduction& reduction : reductions()) progress = reduce_once(reduction, search, best) || progress;
      if (!progress) break;
    }
  } catch (const std::exception&) {
    watch(trial, false);  // a device that is lost answers no more
  }
  best.checks = search.checks();
  return best;
}

}  // namespace keysieve::audit
