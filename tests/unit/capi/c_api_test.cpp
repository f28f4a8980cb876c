// The C ABI as a C or foreign-language caller sees it.
#include "keysieve/c_api.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "keysieve/lengths.hpp"
#include "keysieve/models.hpp"
#include "keysieve/select.hpp"
#include "keysieve/version.hpp"

namespace {

struct Call {
  keysieve_select_problem problem;
  keysieve_select_plan plan{};
  keysieve_select_args args;
  std::vector<float> scores = {1, 5, 3, 5, 2, 9};
  std::vector<int32_t> indices = std::vector<int32_t>(3, 77);
  std::vector<char> workspace;

  Call() {
    keysieve_select_problem_init(&problem);
    keysieve_select_args_init(&args);
    plan.struct_size = sizeof plan;
    problem.rows = 1;
    problem.width = 6;
    problem.k = 3;
    args.scores = scores.data();
    args.indices = indices.data();
  }
  keysieve_status make() {
    const keysieve_status status = keysieve_select_make_plan(&problem, &plan);
    if (status == KEYSIEVE_OK) {
      workspace.resize(static_cast<size_t>(plan.workspace_bytes));
      args.workspace = workspace.data();
      args.workspace_bytes = plan.workspace_bytes;
    }
    return status;
  }
};

std::string last_error() { return keysieve_last_error(); }

TEST(CApi, SelectsThroughPlainStructs) {
  Call call;
  ASSERT_EQ(call.make(), KEYSIEVE_OK) << last_error();
  ASSERT_EQ(keysieve_select_run(&call.plan, &call.args, nullptr), KEYSIEVE_OK) << last_error();
  EXPECT_EQ(call.indices, (std::vector<int32_t>{1, 3, 5}));
}

TEST(CApi, ModelsSetTheShapesOfAProblem) {
  Call call;
  call.problem.order = KEYSIEVE_ORDER_ANY;
  ASSERT_EQ(keysieve_model_problem("v4.1-flash", 1, 1 << 20, 64, 2, &call.problem), KEYSIEVE_OK) << last_error();
  EXPECT_EQ(call.problem.rows, 128);
  EXPECT_EQ(call.problem.width, 1 << 20);
  EXPECT_EQ(call.problem.k, 512);
  EXPECT_EQ(call.problem.order, KEYSIEVE_ORDER_ANY);
  const keysieve_select_problem before = call.problem;
  EXPECT_EQ(keysieve_model_problem("v4.1-flash", 3, 1 << 20, 64, 2, &call.problem), KEYSIEVE_INVALID_ARGUMENT);
  EXPECT_EQ(last_error(), "part: expected 0..2 of model v4.1-flash, got 3");
  EXPECT_EQ(keysieve_model_problem("v4", 0, 5, 1, 1, &call.problem), KEYSIEVE_INVALID_ARGUMENT);
  EXPECT_NE(last_error().find("model: expected one of v3.2, glm-5"), std::string::npos);
  EXPECT_EQ(keysieve_model_problem(nullptr, 0, 5, 1, 1, &call.problem), KEYSIEVE_INVALID_ARGUMENT);
  EXPECT_EQ(keysieve_model_problem("v3.2", 0, 5, 1, 1, nullptr), KEYSIEVE_INVALID_ARGUMENT);
  EXPECT_EQ(std::memcmp(&before, &call.problem, sizeof before), 0);

  keysieve::SelectProblem problem;
  keysieve::set_model_step(problem, "v3.2", 0, 131072, 8);
  EXPECT_EQ(problem.rows, 8);
  EXPECT_EQ(problem.width, 131072);
  EXPECT_THROW(keysieve::set_model_step(problem, "v3.2", 0, 0, 8), keysieve::Error);
  EXPECT_NE(keysieve::model_presets_json().find("\"model\":\"v4-pro\""), std::string::npos);
}

TEST(CApi, VersionAgreesWithTheHeaders) {
  EXPECT_STREQ(keysieve_version(), KEYSIEVE_VERSION_STRING);
  EXPECT_EQ(keysieve_abi_version(), KEYSIEVE_ABI_VERSION);
  EXPECT_NE(std::string(keysieve_build_info()).find(KEYSIEVE_VERSION_STRING), std::string::npos);
}

TEST(CApi, OlderCallerWithAShorterStructGetsDefaults) {
  Call call;
  call.problem.check_nan = 12345;  // beyond the size that this caller claims to know
  call.problem.struct_size = offsetof(keysieve_select_problem, check_nan);
  ASSERT_EQ(call.make(), KEYSIEVE_OK) << last_error();
  EXPECT_EQ(call.plan.problem.check_nan, 0);
}

TEST(CApi, NewerCallerIsRefusedUnlessItsExtraFieldsAreZero) {
  Call call;
  struct Newer {
    keysieve_select_problem problem;
    int64_t extra;
  } newer{call.problem, 0};
  newer.problem.struct_size = sizeof newer;
  EXPECT_EQ(keysieve_select_make_plan(&newer.problem, &call.plan), KEYSIEVE_OK) << last_error();
  newer.extra = 1;
  EXPECT_EQ(keysieve_select_make_plan(&newer.problem, &call.plan), KEYSIEVE_INVALID_ARGUMENT);
  EXPECT_NE(last_error().find("struct_size"), std::string::npos);
}

TEST(CApi, UninitialisedStructSizeIsRefused) {
  Call call;
  call.problem.struct_size = 0;
  EXPECT_EQ(call.make(), KEYSIEVE_INVALID_ARGUMENT);
  EXPECT_NE(last_error().find("struct_size"), std::string::npos);
}

TEST(CApi, ChangedPlanIsRefusedBeforeAnythingIsWritten) {
  Call call;
  ASSERT_EQ(call.make(), KEYSIEVE_OK);
  call.plan.workspace_bytes = 0;
  call.args.workspace = nullptr;
  EXPECT_EQ(keysieve_select_run(&call.plan, &call.args, nullptr), KEYSIEVE_INVALID_ARGUMENT);
  EXPECT_NE(last_error().find("plan"), std::string::npos);
  EXPECT_EQ(call.indices, std::vector<int32_t>(3, 77));
}

TEST(CApi, ProfilePlanCannotRun) {
  Call call;
  ASSERT_EQ(keysieve_select_make_plan_for_profile(&call.problem, "h200", &call.plan), KEYSIEVE_OK) << last_error();
  EXPECT_EQ(keysieve_select_run(&call.plan, &call.args, nullptr), KEYSIEVE_UNSUPPORTED);
  EXPECT_EQ(keysieve_select_make_plan_for_profile(&call.problem, nullptr, &call.plan), KEYSIEVE_INVALID_ARGUMENT);
}

TEST(CApi, TextEntriesTellTheSizeTheyNeedAndNeverOverrun) {
  Call call;
  ASSERT_EQ(call.make(), KEYSIEVE_OK);
  size_t needed = 0;
  ASSERT_EQ(keysieve_select_plan_to_json(&call.plan, nullptr, 0, &needed), KEYSIEVE_OK);
  ASSERT_GT(needed, 10u);
  std::vector<char> buffer(needed + 1, 'x');
  ASSERT_EQ(keysieve_select_plan_to_json(&call.plan, buffer.data(), 5, nullptr), KEYSIEVE_OK);
  EXPECT_EQ(buffer[4], '\0');
  EXPECT_EQ(buffer[5], 'x');
  ASSERT_EQ(keysieve_select_plan_to_json(&call.plan, buffer.data(), needed, &needed), KEYSIEVE_OK);
  EXPECT_EQ(std::strlen(buffer.data()) + 1, needed);
  EXPECT_EQ(buffer[needed], 'x');
  EXPECT_EQ(keysieve_select_plan_to_json(&call.plan, nullptr, 5, nullptr), KEYSIEVE_INVALID_ARGUMENT);
}

TEST(CApi, SupportsIsEmptyOrOneConditionALine) {
  keysieve::SelectProblem problem;
  problem.rows = 1;
  problem.width = 6;
  problem.k = 3;
  EXPECT_EQ(keysieve::supports(problem), "");
  problem.k = 0;
  problem.rows = -1;
  const std::string text = keysieve::supports(problem);
  EXPECT_NE(text.find("rows:"), std::string::npos);
  EXPECT_NE(text.find("\nk:"), std::string::npos);
}

TEST(CApi, LastErrorBelongsToTheThread) {
  Call call;
  call.problem.k = 0;
  ASSERT_NE(call.make(), KEYSIEVE_OK);
  const std::string mine = last_error();
  EXPECT_NE(mine, "");
  std::string theirs = "unset";
  std::thread([&] { theirs = last_error(); }).join();
  EXPECT_EQ(theirs, "");
  EXPECT_EQ(last_error(), mine);
}

TEST(CApi, SystemJsonAndPrepare) {
  const std::string text = keysieve::detail::read_text(
      [](char* buffer, size_t size, size_t* needed) { return keysieve_system_json(buffer, size, needed); });
  EXPECT_NE(text.find("\"loaded\": true"), std::string::npos) << text;
  EXPECT_EQ(keysieve_prepare(KEYSIEVE_DEVICE_CPU, 0), KEYSIEVE_OK);
  EXPECT_EQ(keysieve_prepare(KEYSIEVE_DEVICE_CUDA, 63), KEYSIEVE_UNSUPPORTED);
  EXPECT_EQ(keysieve_prepare(99, 0), KEYSIEVE_INVALID_ARGUMENT);
  EXPECT_EQ(keysieve_prepare(KEYSIEVE_DEVICE_CPU, -1), KEYSIEVE_INVALID_ARGUMENT);
}

TEST(CApi, StatusNames) {
  EXPECT_STREQ(keysieve_status_name(KEYSIEVE_OK), "OK");
  EXPECT_STREQ(keysieve_status_name(KEYSIEVE_UNSUPPORTED), "UNSUPPORTED");
  EXPECT_STREQ(keysieve_status_name(1234), "UNKNOWN");
}

TEST(CApi, RowLengthsFollowDraftTokensAndCompression) {
  const std::vector<int32_t> requests = {4097, 3, 4};
  std::vector<int32_t> out(9);
  keysieve::row_lengths(requests, 3, 4, out);
  EXPECT_EQ(out, (std::vector<int32_t>{1023, 1024, 1024, 0, 0, 0, 0, 0, 1}));
  const std::vector<int32_t> extremes = {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
  std::vector<int32_t> wide(4);
  keysieve::row_lengths(extremes, 2, 1, wide);
  EXPECT_EQ(wide,
            (std::vector<int32_t>{0, 0, std::numeric_limits<int32_t>::max() - 1, std::numeric_limits<int32_t>::max()}));
  EXPECT_THROW(keysieve::row_lengths(requests, 0, 1, out), keysieve::Error);
  EXPECT_THROW(keysieve::row_lengths(requests, 2, 1, out), keysieve::Error);
  EXPECT_THROW(keysieve::row_lengths(requests, 3, 0, out), keysieve::Error);
}

}  // namespace
