// The guard ends a process whose step does not end, and leaves one alone that goes on.
#include "cli/hang_guard.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace keysieve::cli {
namespace {

using namespace std::chrono_literals;

// Threads and fork do not mix: the dying part runs in a process of its own.
class HangGuardDeathTest : public ::testing::Test {
 protected:
  HangGuardDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(HangGuardDeathTest, NamesTheStepThatHangs) {
  const auto hang = [] {
    HangGuard guard(50ms);
    guard.begin("a quick step");
    guard.begin("self-test of wide");
    std::this_thread::sleep_for(60s);
  };
  EXPECT_EXIT(hang(), ::testing::ExitedWithCode(1), "self-test of wide: expected an end within 0.05 s, found none");
}

TEST(HangGuard, EveryStepHasTheWholeTime) {
  HangGuard guard(2s);
  for (int step = 0; step < 5; ++step) {
    std::this_thread::sleep_for(600ms);
    guard.begin("another step");
  }
}

TEST(HangGuard, EndsAtOnceWhereNothingWasBegun) {
  const auto start = std::chrono::steady_clock::now();
  { const HangGuard guard(600s); }
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
}

}  // namespace
}  // namespace keysieve::cli
