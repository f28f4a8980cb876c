// Several threads at once: one plan and one set of inputs, a workspace and outputs each.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "cases/case_table.hpp"
#include "cases/compare.hpp"
#include "cases/oracle.hpp"
#include "select/routes.hpp"

namespace keysieve::test {
namespace {

using cases::CaseInputs;
using cases::CaseResult;
using cases::SelectCase;

constexpr int kThreads = 5;
constexpr int kRounds = kSanitized ? 4 : 25;

// Runs `work` on all threads at once, as nearly as a start flag can do it.
template <typename Work>
void on_all_threads(Work&& work) {
  std::atomic<int> waiting{kThreads};
  std::vector<std::thread> threads;
  for (int id = 0; id < kThreads; ++id) {
    threads.emplace_back([&, id] {
      --waiting;
      while (waiting.load() > 0) std::this_thread::yield();
      work(id);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

class Faults {
 public:
  void add(const std::string& fault) {
    if (fault.empty()) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (text_.empty()) text_ = fault;
  }
  const std::string& first() const { return text_; }

 private:
  std::mutex mutex_;
  std::string text_;
};

TEST(SelectConcurrency, OnePlanManyThreads) {
  SelectCase spec;
  spec.name = "concurrent";
  spec.rows = 6;
  spec.width = 9001;
  spec.k = 300;
  spec.mode = IndexMode::kDual;
  spec.length_kind = cases::LengthKind::kRagged;
  spec.pattern.kind = cases::Pattern::kFewValues;
  const CaseInputs inputs(spec);
  CaseResult expected(inputs, 0, 0);
  cases::compute_expected(inputs, expected);
  for (const RunSetup& setup : cpu_setups()) {
    const SelectPlan plan = plan_for(inputs, setup);
    Faults faults;
    on_all_threads([&](int id) {
      for (int round = 0; round < kRounds; ++round) {
        CaseResult got(inputs, plan.workspace_bytes, kPoisons[static_cast<std::size_t>(id + round) % 3]);
        faults.add(cases::run_plan(plan, inputs, got));
        faults.add(cases::compare(inputs, expected, got));
      }
    });
    EXPECT_EQ(faults.first(), "") << describe(setup);
  }
}

// Different problems, routes and thread counts beside each other, plans made on the way.
TEST(SelectConcurrency, ManyProblemsManyThreads) {
  Faults faults;
  on_all_threads([&](int id) {
    const std::vector<RunSetup> setups = {{Backend::kCpu, Route::kCpuRows, 1 + id % 3},
                                          {Backend::kCpu, Route::kCpuChunks, 2 + id % 2},
                                          {Backend::kCpu, Route::kAuto, kAuto}};
    for (int round = 0; round < 2 * kRounds; ++round) {
      faults.add(check_case(CaseInputs(cases::random_case(static_cast<std::uint64_t>(round * kThreads + id))), setups));
    }
  });
  EXPECT_EQ(faults.first(), "");
}

// The text of a failure belongs to the thread that failed.
TEST(SelectConcurrency, ErrorTextsStayApart) {
  std::atomic<int> wrong{0};
  on_all_threads([&](int id) {
    for (int round = 0; round < 200; ++round) {
      SelectProblem problem;
      problem.rows = -1 - id;
      problem.k = 1;
      SelectPlan plan;
      const Status status = try_make_plan(problem, plan);
      const std::string expected = "got " + std::to_string(-1 - id);
      if (status.ok() || status.message().find(expected) == std::string::npos) ++wrong;
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace keysieve::test
