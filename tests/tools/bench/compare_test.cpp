#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/compare.hpp"
#include "cli/option_names.hpp"

namespace keysieve::bench {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

Json cell(int rows, double ratio, double noise = 0.0, int wrong_rows = 0) {
  return {{"rows", rows},     {"width", 8192},
          {"capacity", 8192}, {"k", 512},
          {"mode", "warm"},   {"implementation", "keysieve"},
          {"median_us", 1.0}, {"ratio_to_floor", ratio},
          {"noise", noise},   {"wrong_rows", wrong_rows},
          {"fault", "row 0"}};
}

Json report(const std::vector<Json>& cells) {
  return {{"schema", "keysieve.bench/1"},
          {"fingerprint", {{"gpu", "G"}}},
          {"cells", cells},
          {"refused", Json::array()},
          {"failed", Json::array()}};
}

Change change_of(const Json& before, const Json& after) {
  const Comparison comparison = compare_reports(report({before}), report({after}), 0.03);
  EXPECT_EQ(comparison.cells.size(), 1u);
  return comparison.cells.at(0).change;
}

std::string refusal(const Json& before, const Json& after) {
  try {
    compare_reports(before, after, 0.03);
  } catch (const cli::UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(BenchCompare, ChangesBeyondTheThreshold) {
  EXPECT_EQ(change_of(cell(1, 2.0), cell(1, 2.05)), Change::kSame);
  EXPECT_EQ(change_of(cell(1, 2.0), cell(1, 2.07)), Change::kSlower);
  EXPECT_EQ(change_of(cell(1, 2.0), cell(1, 1.93)), Change::kFaster);
}

TEST(BenchCompare, CellsBehindAFaultOfTheRunAreLost) {
  Json after = report({cell(1, 2.0)});
  after["missing"] = {cell(2, 2.0)};
  // Out of time: nobody's loss.
  Comparison comparison = compare_reports(report({cell(1, 2.0), cell(2, 2.0)}), after, 0.03);
  EXPECT_EQ(comparison.cells.size(), 1u);
  EXPECT_EQ(comparison.only_before, 1u);
  after["error"] = "an illegal memory access was encountered";
  comparison = compare_reports(report({cell(1, 2.0), cell(2, 2.0)}), after, 0.03);
  ASSERT_EQ(comparison.cells.size(), 2u);
  EXPECT_EQ(comparison.cells.at(1).change, Change::kLost);
  EXPECT_EQ(comparison.only_before, 0u);
}

TEST(BenchCompare, NoiseOfBothRunsCounts) {
  EXPECT_EQ(change_of(cell(1, 2.0, 0.04), cell(1, 2.12, 0.03)), Change::kSame);
  EXPECT_EQ(change_of(cell(1, 2.0, 0.04), cell(1, 2.12, 0.01)), Change::kSlower);
}

TEST(BenchCompare, WrongRowsAreRegressions) {
  EXPECT_EQ(change_of(cell(1, 2.0), cell(1, 1.0, 0, 1)), Change::kWrong);
  EXPECT_EQ(change_of(cell(1, 2.0, 0, 1), cell(1, 2.0, 0, 1)), Change::kSame) << "wrong before";
  Comparison comparison = compare_reports(report({cell(1, 2.0)}), report({cell(1, 1.0, 0, 1)}), 0.03);
  EXPECT_TRUE(comparison.cells[0].is_regression());
  EXPECT_EQ(comparison.cells[0].note, "row 0");
}

TEST(BenchCompare, LostCellsAndOthers) {
  Json after = report({cell(1, 2.0), cell(3, 2.0), cell(4, 1.0)});
  Json refused = cell(2, 0);
  refused["reason"] = "no room";
  after["refused"].push_back(refused);
  const Comparison comparison = compare_reports(report({cell(1, 2.0), cell(2, 2.0), cell(7, 2.0)}), after, 0.03);
  ASSERT_EQ(comparison.cells.size(), 2u);
  EXPECT_EQ(comparison.cells[1].change, Change::kLost);
  EXPECT_TRUE(comparison.cells[1].is_regression());
  EXPECT_EQ(comparison.cells[1].note, "no room");
  EXPECT_EQ(comparison.only_before, 1u);
  EXPECT_EQ(comparison.only_after, 2u);
  EXPECT_TRUE(comparison.warnings.empty());
}

TEST(BenchCompare, OtherDevicesAreToldOf) {
  Json other = report({cell(1, 2.0)});
  other["fingerprint"]["gpu"] = "H";
  const Comparison comparison = compare_reports(report({cell(1, 2.0)}), other, 0.03);
  ASSERT_EQ(comparison.warnings.size(), 1u);
  EXPECT_THAT(comparison.warnings[0], HasSubstr("G and H"));
}

TEST(BenchCompare, RefusesWhatIsNoReport) {
  const Json good = report({cell(1, 2.0)});
  EXPECT_THAT(refusal(Json::array(), good), HasSubstr("BEFORE: expected a report of schema keysieve.bench/1"));
  EXPECT_THAT(refusal(good, {{"schema", "keysieve.gpu_bench/1"}}), HasSubstr("AFTER"));
  EXPECT_THAT(refusal(good, {{"schema", "keysieve.bench/1"}}), HasSubstr("an array as cells"));
  EXPECT_THAT(refusal(good, report({cell(2, 2.0)})), HasSubstr("that BEFORE has measured too"));
  EXPECT_THAT(refusal(good, report({cell(1, 2.0), cell(1, 2.0)})), HasSubstr("every cell once"));
  EXPECT_THAT(refusal(good, report({5})), HasSubstr("objects in cells"));
  Json broken = good;
  broken["cells"][0].erase("noise");
  EXPECT_THAT(refusal(good, broken), HasSubstr("AFTER: expected a number as noise"));
  broken = good;
  broken["cells"][0]["ratio_to_floor"] = "fast";
  EXPECT_THAT(refusal(broken, good), HasSubstr("BEFORE: expected a number as ratio_to_floor"));
}

}  // namespace
}  // namespace keysieve::bench
