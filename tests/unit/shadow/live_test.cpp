// Shadow mode beside a running engine, on the CPU: copies, counts, threads, the C ABI's own rules.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <future>
#include <thread>

#include "shadow/shadow_calls.hpp"

namespace keysieve::test {
namespace {

// One row of six scores, and its right answer.
struct Call {
  SelectProblem problem;
  SelectArgs args;
  SelectPlan plan;
  std::vector<float> scores = {1, 5, 3, 5, 2, 9};
  std::vector<std::int32_t> indices = {1, 3, 5};

  Call() {
    problem.rows = 1;
    problem.width = 6;
    problem.k = 3;
    plan = make_plan(problem);
    args.scores = scores.data();
    args.indices = indices.data();
  }
};

TEST(ShadowLive, InputsAndOutputsMayBeOverwrittenAtOnce) {
  for (const bool right : {true, false}) {
    Shadow shadow(watch_all());
    Call call;
    if (!right) call.indices[0] = 0;
    shadow.observe(call.plan, call.args);
    call.scores.assign(6, 0.0f);
    call.indices.assign(3, right ? -1 : 1);
    shadow.wait();
    EXPECT_EQ(shadow.report().rows_wrong, right ? 0 : 1);
  }
}

TEST(ShadowLive, CountsAreThoseOfTheShare) {
  ShadowOptions options;
  options.share = 0.1;
  options.seed = 4;
  Shadow shadow(options);
  Call call;
  for (int i = 0; i < 5000; ++i) {
    shadow.observe(call.plan, call.args);
    shadow.wait();
  }
  const ShadowReport report = shadow.report();
  EXPECT_EQ(report.calls_seen, 5000);
  EXPECT_NEAR(static_cast<double>(report.calls_sampled), 500, 5 * std::sqrt(450));
  EXPECT_EQ(report.calls_checked, report.calls_sampled);
  EXPECT_EQ(report.first_wrong_call, -1);
}

// The callback holds the worker, so that the only slot stays busy for as long as the test likes.
TEST(ShadowLive, ABusyShadowSkipsAndTheCallbackRunsOnce) {
  struct Hold {
    std::promise<void> reached;
    std::promise<void> go_on;
    std::atomic<int> times{0};
    std::string text;
  } hold;
  ShadowOptions options = watch_all();
  options.slots = 1;
  options.user = &hold;
  options.on_wrong = [](void* user, const keysieve_shadow_report* report, const char* text) {
    auto* held = static_cast<Hold*>(user);
    ++held->times;
    held->text = std::to_string(report->rows_wrong) + ": " + text;
    held->reached.set_value();
    held->go_on.get_future().wait();
  };
  Shadow shadow(options);
  Call call;
  call.indices = {1, 3, 4};
  shadow.observe(call.plan, call.args);
  hold.reached.get_future().wait();
  for (int i = 0; i < 3; ++i) shadow.observe(call.plan, call.args);
  EXPECT_EQ(shadow.report().calls_skipped_busy, 3);
  EXPECT_FALSE(shadow.wait(1));
  hold.go_on.set_value();
  EXPECT_TRUE(shadow.wait());
  shadow.observe(call.plan, call.args);
  EXPECT_TRUE(shadow.wait());
  EXPECT_EQ(shadow.report().rows_wrong, 2);
  EXPECT_EQ(hold.times, 1);
  EXPECT_EQ(hold.text, "1: call 0, row 0 of 1 x 6, k 3, float32, mode raw: slot 2 of indices: expected 5, got 4");
}

TEST(ShadowLive, ManyThreadsObserveAtOnce) {
  constexpr int kThreads = 4, kCalls = 400;
  ShadowOptions options = watch_all();
  options.slot_bytes = 4096;
  Shadow shadow(options);
  std::vector<std::thread> threads;
  for (int id = 0; id < kThreads; ++id) {
    threads.emplace_back([&, id] {
      Call call;
      if (id == 0) call.indices[0] = 0;
      for (int i = 0; i < kCalls; ++i) {
        shadow.observe(call.plan, call.args);
        if (i % 7 == 0) (void)shadow.report();
        if (i % 50 == 0) (void)shadow.report_json();
        if (i % 20 == 0) shadow.wait(1000);
        call.scores[2] = static_cast<float>(i % 5);  // overwritten while the copy is checked
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(shadow.wait());
  const ShadowReport report = shadow.report();
  EXPECT_EQ(report.calls_seen, kThreads * kCalls);
  EXPECT_EQ(report.calls_checked + report.calls_skipped_busy, kThreads * kCalls);
  EXPECT_EQ(report.rows_checked, report.calls_checked);
  EXPECT_GT(report.rows_wrong, 0);
  EXPECT_LE(report.rows_wrong, kCalls);
}

TEST(ShadowLive, DestructionLeavesChecksOut) {
  Call call;
  for (int i = 0; i < 50; ++i) {
    Shadow shadow(watch_all());
    shadow.observe(call.plan, call.args);
  }
}

TEST(ShadowLive, RowsThatShareATable) {
  cases::SelectCase spec;
  spec.name = "shared table";
  spec.rows = 12;
  spec.width = 500;
  spec.k = 40;
  spec.mode = IndexMode::kDual;
  spec.table_padding = 3;
  for (const auto layout : {cases::TableLayout::kMapped, cases::TableLayout::kMappedOutside}) {
    spec.table_layout = layout;
    const cases::CaseInputs inputs(spec);
    cases::CaseResult result = right_answer(inputs);
    EXPECT_EQ(report_on(inputs, result).rows_wrong, 0);
    ShadowOptions options = watch_all();
    options.slot_bytes = 64;
    EXPECT_EQ(report_on(inputs, result, options).calls_too_large, 1);
  }
}

TEST(ShadowLive, FewerRowsWhereMoreDoNotFit) {
  cases::SelectCase spec;
  spec.name = "fit";
  spec.rows = 12;
  spec.width = 1000;
  spec.k = 40;
  const cases::CaseInputs inputs(spec);
  cases::CaseResult result = right_answer(inputs);
  ShadowOptions options = watch_all();
  options.slot_bytes = 10000;  // a row takes some 4400 bytes
  EXPECT_EQ(report_on(inputs, result, options).rows_checked, 2);
}

TEST(ShadowLive, EmptyCallsAreSeenAndNotSampled) {
  Shadow shadow(watch_all());
  Call call;
  call.problem.rows = 0;
  shadow.observe(make_plan(call.problem), SelectArgs{});
  EXPECT_EQ(shadow.report().calls_seen, 1);
  EXPECT_EQ(shadow.report().calls_sampled, 0);
}

TEST(ShadowLive, RefusalsNameTheArgument) {
  const auto refused = [](void (*change)(ShadowOptions&), const std::string& text) {
    ShadowOptions options;
    change(options);
    try {
      Shadow shadow(options);
      ADD_FAILURE() << "expected: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), text);
    }
  };
  refused([](ShadowOptions& o) { o.share = 1.5; }, "share: expected 0..1, got 1.500000");
  refused([](ShadowOptions& o) { o.share = std::nan(""); }, "share: expected 0..1, got nan");
  refused([](ShadowOptions& o) { o.slots = 0; }, "slots: expected 1..1024, got 0");
  refused([](ShadowOptions& o) { o.max_rows_per_call = 1025; }, "max_rows_per_call: expected 1..1024, got 1025");
  refused([](ShadowOptions& o) { o.slot_bytes = 63; }, "slot_bytes: expected 64..1099511627776, got 63");
  refused([](ShadowOptions& o) { o.device_ordinal = -1; }, "device_ordinal: expected at least 0, got -1");
  refused([](ShadowOptions& o) { o.reserved = 7; }, "reserved: expected 0, got 7");

  Shadow shadow(watch_all());
  Call call;
  call.args.indices = nullptr;
  EXPECT_EQ(shadow.try_observe(call.plan, call.args).message(), "indices: expected a pointer (the output), got null");
  EXPECT_EQ(keysieve_shadow_observe(nullptr, nullptr, nullptr, nullptr), KEYSIEVE_INVALID_ARGUMENT);
  EXPECT_EQ(keysieve_shadow_wait(nullptr, 0, nullptr), KEYSIEVE_INVALID_ARGUMENT);
  EXPECT_EQ(keysieve_shadow_create(nullptr, nullptr), KEYSIEVE_INVALID_ARGUMENT);
  EXPECT_EQ(keysieve_shadow_destroy(nullptr), KEYSIEVE_OK);
  keysieve_shadow_report report{};
  keysieve_shadow_options options;
  keysieve_shadow_options_init(&options);
  keysieve_shadow* handle = nullptr;
  ASSERT_EQ(keysieve_shadow_create(&options, &handle), KEYSIEVE_OK);
  EXPECT_EQ(keysieve_shadow_read_report(handle, &report), KEYSIEVE_INVALID_ARGUMENT);
  keysieve_shadow_report_init(&report);
  EXPECT_EQ(keysieve_shadow_read_report(handle, &report), KEYSIEVE_OK);
  EXPECT_EQ(keysieve_shadow_destroy(handle), KEYSIEVE_OK);
}

// A child has no worker and may have inherited a held lock: it must neither hang nor crash.
TEST(ShadowLive, AForkedChildIsRefused) {
  ShadowOptions options;
  options.share = 1.0;
  auto shadow = std::make_unique<Shadow>(options);
  Call call;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool refused = !shadow->try_observe(call.plan, call.args).ok();
    try {
      shadow->wait();
      refused = false;
    } catch (const Error&) {
    }
    shadow.reset();
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  shadow->observe(call.plan, call.args);
  shadow->wait();
  EXPECT_EQ(shadow->report().calls_checked, 1);
}

}  // namespace
}  // namespace keysieve::test
