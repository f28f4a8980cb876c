#include "audit/hang_guard.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace keysieve::test {
namespace {

using std::chrono::milliseconds;

TEST(HangGuard, NamesTheTrialThatDoesNotComeBack) {
  audit::Trial quick, stuck;
  stuck.setup.threads = 17;
  std::atomic<int> seen{0};
  audit::HangGuard guard(2, milliseconds(40), [&](const audit::Trial& trial) { seen = trial.setup.threads; });
  guard.begin(0, quick);
  guard.end(0);
  guard.begin(1, stuck);
  for (int i = 0; i < 500 && seen == 0; ++i) std::this_thread::sleep_for(milliseconds(10));
  guard.end(1);
  EXPECT_EQ(seen, 17);
}

TEST(HangGuard, LeavesRunsAloneThatEnd) {
  audit::Trial trial;
  std::atomic<int> seen{0};
  {
    audit::HangGuard guard(1, std::chrono::seconds(60), [&](const audit::Trial&) { ++seen; });
    for (int i = 0; i < 20; ++i) {
      guard.begin(0, trial);
      guard.end(0);
    }
  }
  EXPECT_EQ(seen, 0);
}

}  // namespace
}  // namespace keysieve::test
