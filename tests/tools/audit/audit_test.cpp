// The audit can fail: faults of every kind are planted, found, made small, and shown again by the command that it
// prints.
#include "audit/audit.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "audit/audit_arguments.hpp"
#include "audit/audit_report.hpp"
#include "audit/checker.hpp"
#include "cases/case_text.hpp"
#include "wrong_implementation.hpp"

namespace keysieve::test {
namespace {

using audit::AuditPlan;
using audit::Failure;
using audit::Manner;
using audit::Outcome;
using audit::Request;
using audit::Trial;

// Words of a command as a shell would take them: quotes and spaces, as the audit writes them.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i] == '\'') {
      quoted = !quoted;
    } else if (!quoted && command[i] == '\\') {
      words.back() += command[++i];
    } else if (!quoted && command[i] == ' ') {
      words.emplace_back();
    } else {
      words.back() += command[i];
    }
  }
  return words;
}

AuditPlan parse(const std::string& command) {
  std::vector<std::string> words = words_of(command);
  EXPECT_EQ(words.at(0) + " " + words.at(1), "keysieve audit");
  words.erase(words.begin(), words.begin() + 2);
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  CLI::App app;
  audit::AuditArguments arguments;
  arguments.add_to(app);
  app.parse(words);
  return arguments.parse();
}

Request request_for(const std::vector<std::string>& families, std::int64_t forced) {
  Request request;
  request.selection.cpu = true;
  for (audit::Family& family : audit::all_families()) {
    for (const std::string& name : families) {
      if (family.name == name) request.families.push_back(family);
    }
  }
  EXPECT_EQ(request.families.size(), families.size());
  request.forced_cases = forced;
  request.dispatch_cases = 0;
  request.max_scores = 200000;
  request.workers = 2;
  request.hang_seconds = 300;
  return request;
}

Outcome hunt(const Request& request, const audit::Implementation& implementation) {
  return audit::run_audit(
      request, implementation, [](const Outcome&) {}, [](const Outcome&) {});
}

std::int64_t scores_of(const Trial& trial) {
  std::int64_t scores = 0;
  for (const auto& spec : trial.cases) scores += spec.rows * spec.width;
  return scores;
}

// The smallest failing trial. Its command, parsed again, is wrong with the fault and right without.
Trial found_trial(Wrong wrong, const std::vector<std::string>& families) {
  const WrongImplementation implementation(wrong);
  const Request request = request_for(families, 3000);
  const Outcome outcome = hunt(request, implementation);
  EXPECT_FALSE(outcome.is_clean());
  EXPECT_EQ(outcome.stopped, "failure");
  if (outcome.failures.empty()) return {{cases::SelectCase()}, {}, Manner::kOnce};
  const Failure& failure = outcome.failures.front();
  EXPECT_TRUE(failure.minimised);
  EXPECT_NE(failure.smallest.difference, "");
  EXPECT_LE(scores_of(failure.best()), scores_of(failure.trial));
  const std::string command = audit::command_of(failure.best(), "");
  EXPECT_NE(audit::summary_of(request, outcome).find(command), std::string::npos);
  const AuditPlan plan = parse(command);
  EXPECT_EQ(plan.trials.size(), 1u);
  audit::Checker wrong_checker(implementation), right_checker(*plan.implementation);
  bool failed = false;
  for (int attempt = 0; attempt < 20 && !failed; ++attempt) {
    failed = !wrong_checker.check(plan.trials.front()).difference.empty();
  }
  EXPECT_TRUE(failed) << command;
  EXPECT_EQ(right_checker.check(plan.trials.front()).difference, "") << command;
  return plan.trials.front();
}

TEST(Audit, FindsNothingWhereNothingIsWrong) {
  const WrongImplementation implementation(Wrong::kNot);
  const Outcome outcome =
      hunt(request_for({"table", "random", "faults", "adversarial", "graph", "streams"}, 300), implementation);
  EXPECT_TRUE(outcome.is_clean());
  EXPECT_EQ(outcome.stopped, "cases");
  EXPECT_GE(outcome.num_forced(), 300);
  EXPECT_EQ(outcome.num_failed(), 0);
}

TEST(Audit, FindsADroppedCandidate) {
  const Trial trial = found_trial(Wrong::kDropsTheLast, {"table", "random"});
  EXPECT_EQ(trial.cases[0].rows, 1);
  EXPECT_EQ(trial.cases[0].width, 2);
  EXPECT_EQ(trial.cases[0].k, 1);
  EXPECT_EQ(trial.cases[0].score_type, ScoreType::kFloat32);
}

TEST(Audit, FindsTiesToTheLargerIndex) {
  const Trial trial = found_trial(Wrong::kTiesToTheLarger, {"table", "random"});
  EXPECT_EQ(trial.cases[0].rows, 1);
  EXPECT_EQ(trial.cases[0].width, 2);
  EXPECT_EQ(trial.cases[0].k, 1);
}

TEST(Audit, FindsSwappedRows) {
  const Trial trial = found_trial(Wrong::kSwapsRows, {"table", "random"});
  EXPECT_EQ(trial.cases[0].rows, 2);
  EXPECT_LE(trial.cases[0].width, 8);
}

TEST(Audit, FindsAWritePastTheSlots) {
  const Trial trial = found_trial(Wrong::kWritesPastK, {"table", "random"});
  EXPECT_EQ(trial.cases[0].rows, 2);
  EXPECT_EQ(trial.cases[0].k, 1);
  EXPECT_GT(trial.cases[0].output_padding, 0);
}

TEST(Audit, FindsWhatNeedsARouteAndAWidth) {
  const Trial trial = found_trial(Wrong::kOnlyWideOnChunks, {"table", "adversarial"});
  EXPECT_EQ(trial.setup.route, Route::kCpuChunks);
  EXPECT_EQ(trial.cases[0].rows, 1);
  EXPECT_EQ(trial.cases[0].width, 4097);
}

TEST(Audit, FindsStateOfAReusedPlan) {
  const Trial trial = found_trial(Wrong::kOnlyOnReuse, {"graph", "random"});
  EXPECT_EQ(trial.manner, Manner::kGraph);
  EXPECT_EQ(trial.cases.size(), 2u);
  EXPECT_EQ(trial.cases[0].rows, 1);
}

TEST(Audit, FindsCallsThatDisturbEachOther) {
  const Trial trial = found_trial(Wrong::kOnlyTogether, {"streams"});
  EXPECT_EQ(trial.manner, Manner::kStreams);
  EXPECT_EQ(trial.cases.size(), 2u);
}

TEST(Audit, KeepsGoingAndCounts) {
  const WrongImplementation implementation(Wrong::kOnlyWideOnChunks);
  Request request = request_for({"table", "adversarial"}, 600);
  request.keep_going = true;
  request.limits.checks = 5;
  const Outcome outcome = hunt(request, implementation);
  EXPECT_EQ(outcome.stopped, "cases");
  EXPECT_GE(outcome.num_forced(), 600);
  EXPECT_GT(outcome.num_failed(), static_cast<std::int64_t>(audit::kMostFailures));
  EXPECT_EQ(outcome.failures.size(), audit::kMostFailures);
  EXPECT_GE(outcome.num_wrong_rows(), outcome.num_failed());
  EXPECT_FALSE(outcome.is_clean());
}

// Workers that find nothing left to do when they start.
TEST(Audit, EndsHoweverQuicklyItIsDone) {
  const WrongImplementation implementation(Wrong::kNot);
  Request request = request_for({"faults"}, 1);
  request.families[0].make = [](const audit::SourceContext&, std::uint64_t) {
    cases::SelectCase spec;
    spec.width = 9;
    return audit::Bundle{{spec}, Manner::kOnce};
  };
  request.workers = 8;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(hunt(request, implementation).is_clean());
}

// The same number is the same case, whatever ran before it.
TEST(Audit, CasesAreNumbered) {
  const audit::SourceContext context{
      5, [](const SelectProblem& problem, SelectPlan& plan) { return audit::plan_on_cuda(false, problem, plan); }};
  const audit::SourceContext other{6, context.cuda_plan};
  for (const audit::Family& family : audit::all_families()) {
    bool differs = false;
    for (std::uint64_t number = 0; number < 50; ++number) {
      const audit::Bundle bundle = family.make(context, number);
      ASSERT_FALSE(bundle.cases.empty()) << family.name;
      EXPECT_TRUE(bundle.cases == family.make(context, number).cases) << family.name << " " << number;
      differs = differs || bundle.cases != family.make(other, number).cases;
      for (const auto& spec : bundle.cases) EXPECT_EQ(cases::case_fault(spec), "") << describe(spec);
    }
    EXPECT_EQ(differs, family.name != "table" && family.name != "faults" && family.name != "toolchain");
  }
}

// A plan of the engine is attacked with its own sample and at its own thresholds.
TEST(Audit, AdversariesAimAtThePlan) {
  const audit::SourceContext context{
      5, [](const SelectProblem& problem, SelectPlan& plan) { return audit::plan_on_cuda(false, problem, plan); }};
  std::vector<int> attacks(16), hints(16);
  int other_samples = 0, cpu_samples = 0;
  for (std::uint64_t number = 0; number < 600; ++number) {
    const cases::SelectCase spec = audit::adversarial_bundle(context, number).cases.front();
    ++attacks[static_cast<std::size_t>(spec.attack)];
    ++hints[static_cast<std::size_t>(spec.hint)];
    other_samples += spec.attack_samples != 512 && spec.attack_samples != 0 ? 1 : 0;
    cpu_samples += spec.attack_samples == 0 ? 1 : 0;
  }
  for (std::size_t i = 0; i <= static_cast<std::size_t>(cases::AttackKind::kZeroFlood); ++i) EXPECT_GT(attacks[i], 10);
  for (std::size_t i = 0; i <= static_cast<std::size_t>(cases::HintKind::kMixed); ++i) EXPECT_GT(hints[i], 3);
  EXPECT_EQ(other_samples, 0) << "every automatic shape of a route that samples takes 512";
  EXPECT_GT(cpu_samples, 100);
}

// A family whose cases nobody takes is not clean, and neither is a goal that cannot be reached.
TEST(Audit, AFamilyWithoutACaseIsNotClean) {
  const WrongImplementation implementation(Wrong::kNot);
  Request request = request_for({"random", "faults"}, 50);
  request.families[1].make = [](const audit::SourceContext&, std::uint64_t) {
    cases::SelectCase spec;
    spec.rows = 1000;
    spec.width = 1000;
    return audit::Bundle{{spec}, Manner::kOnce};
  };
  const Outcome outcome = hunt(request, implementation);
  EXPECT_EQ(outcome.stopped, "cases");
  EXPECT_EQ(outcome.num_failed(), 0);
  EXPECT_EQ(outcome.idle_families(), std::vector<std::string>{"faults"});
  EXPECT_FALSE(outcome.is_clean());
  request.families.erase(request.families.begin());
  EXPECT_EQ(hunt(request, implementation).stopped, "exhausted");
}

}  // namespace
}  // namespace keysieve::test
