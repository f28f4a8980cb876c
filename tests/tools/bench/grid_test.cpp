#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "../file_helpers.hpp"
#include "bench/grid.hpp"
#include "bench/plan_cells.hpp"
#include "bench/thresholds.hpp"
#include "cli/option_names.hpp"

namespace keysieve::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Thresholds kNoThresholds = [](const Cell&, std::int64_t) { return std::vector<std::int64_t>(); };

std::vector<Cell> cells_of(const Grid& grid) { return enumerate_cells(grid, kNoThresholds); }

void set(GridBlock& block, std::string_view name, const std::string& list) {
  const auto axis = std::find_if(axes().begin(), axes().end(), [&](const Axis& a) { return name == a.name; });
  ASSERT_NE(axis, axes().end()) << name;
  axis->set(block, "--" + std::string(name), split_list(list));
}

template <typename Call>
std::string complaint(Call&& call) {
  try {
    call();
  } catch (const cli::UsageError& error) {
    return error.what();
  }
  return "accepted";
}

GridBlock small_block() {
  GridBlock block;
  block.rows = {1, 64};
  block.widths = {1000, 2000};
  block.k = {8};
  return block;
}

TEST(BenchGrid, NamedGrids) {
  EXPECT_EQ(cells_of(named_grid("baseline")).size(), 180u);
  EXPECT_EQ(cells_of(named_grid("smoke")).size(), 6u);
  EXPECT_GT(cells_of(named_grid("full")).size(), 600u);
  EXPECT_THAT(named_grid("none"), IsEmpty());
  const std::vector<Cell> full = cells_of(named_grid("full"));
  for (const Cell& cell : cells_of(named_grid("baseline"))) {
    ASSERT_NE(std::find(full.begin(), full.end(), cell), full.end()) << describe(cell);
  }
}

TEST(BenchGrid, CellsThatShareScoresStandTogetherWidestFirst) {
  GridBlock block = small_block();
  set(block, "distributions", "normal,relu");
  set(block, "modes", "warm,cold");
  const std::vector<Cell> cells = cells_of({block, block});
  EXPECT_EQ(cells.size(), 16u) << "every cell once";
  EXPECT_EQ(cells.front().width, 2000);
  int groups = 1;
  for (std::size_t i = 1; i < cells.size(); ++i) groups += !share_scores(cells[i - 1], cells[i]);
  EXPECT_EQ(groups, 4);
}

TEST(BenchGrid, PartsAddUpToTheWhole) {
  const std::vector<Cell> cells = cells_of(named_grid("full"));
  std::vector<Cell> sum;
  for (std::int64_t part = 1; part <= 4; ++part) {
    const std::vector<Cell> some = part_of(cells, part, 4);
    EXPECT_GT(some.size(), cells.size() / 8);
    sum.insert(sum.end(), some.begin(), some.end());
  }
  EXPECT_EQ(sum.size(), cells.size());
  EXPECT_EQ(std::set<Cell>(sum.begin(), sum.end()), std::set<Cell>(cells.begin(), cells.end()));
  EXPECT_EQ(part_of(cells, 1, 1), cells);
}

TEST(BenchGrid, AxesTakeTheirWordsOnly) {
  GridBlock block = small_block();
  set(block, "lengths", "full,live 17,skewed");
  EXPECT_EQ(block.lengths[1], (Lengths{LengthKind::kLive, 17}));
  set(block, "routes", "auto,split");
  set(block, "splits", "auto,8");
  EXPECT_THAT(block.splits, ElementsAre(kAuto, 8));
  set(block, "distributions", "all");
  EXPECT_EQ(block.distributions.size(), kDistributionNames.size());

  const auto refusal = [&](std::string_view name, const std::string& list) {
    return complaint([&] { set(block, name, list); });
  };
  EXPECT_THAT(refusal("rows", "1,,2"), HasSubstr("--rows"));
  EXPECT_THAT(refusal("rows", "0"), HasSubstr("found '0'"));
  EXPECT_THAT(refusal("k", "12x"), HasSubstr("found '12x'"));
  EXPECT_THAT(refusal("routes", "fast"), HasSubstr("--routes: expected one of auto"));
  EXPECT_THAT(refusal("distributions", "normal,odd"), HasSubstr("found 'odd'"));
  EXPECT_THAT(refusal("lengths", "live x"), HasSubstr("found 'x'"));
  EXPECT_THAT(refusal("modes", "tepid"), HasSubstr("one of warm, cold"));
  EXPECT_THAT(refusal("values", "yes"), HasSubstr("true, false"));
}

TEST(BenchGrid, CapacityHoldsTheRows) {
  GridBlock block = small_block();
  set(block, "capacity", "width,4096");
  const std::vector<Cell> cells = cells_of({block});
  EXPECT_EQ(cells.size(), 8u);
  EXPECT_EQ(std::count_if(cells.begin(), cells.end(), [](const Cell& cell) { return cell.capacity == 4096; }), 4);
  set(block, "capacity", "1500");
  EXPECT_THAT(complaint([&] { cells_of({block}); }), HasSubstr("--capacity: expected at least the width, 2000"));
}

TEST(BenchThresholds, LieOnBothSidesOfAChange) {
  const auto shape = [](std::int64_t width) -> std::optional<PlanShape> {
    if (width > 90000) return std::nullopt;
    return PlanShape{width <= 512 ? 1 : width <= 16384 ? 2 : 3, 1};
  };
  EXPECT_THAT(threshold_widths(shape, 131072), ElementsAre(512, 513, 514, 16384, 16385, 16386, 90000, 90001, 90002));
  EXPECT_THAT(threshold_widths(shape, 513), ElementsAre(512, 513));
  EXPECT_THAT(threshold_widths([](std::int64_t) { return std::optional(PlanShape{1, 1}); }, 100000), IsEmpty());
}

TEST(BenchThresholds, AreThoseOfThePlanner) {
  Cell shape;
  shape.rows = 16;
  shape.k = 1024;
  const std::vector<std::int64_t> widths = thresholds_of(Backend::kCuda, "h200")(shape, 262144);
  ASSERT_GE(widths.size(), 6u);
  const auto plan_of = [&](std::int64_t width) {
    Cell cell = shape;
    cell.width = cell.capacity = width;
    const SelectPlan plan = make_plan_for_profile(problem_of(cell, Backend::kCuda), "h200");
    return std::pair(plan.route, plan.chunks_per_row);
  };
  EXPECT_EQ(widths[0], 1024) << "the last width at which every column is chosen";
  for (std::size_t i = 0; i + 2 < widths.size(); i += 3) {
    EXPECT_EQ(widths[i + 1], widths[i] + 1);
    EXPECT_EQ(widths[i + 2], widths[i] + 2);
    EXPECT_NE(plan_of(widths[i]), plan_of(widths[i + 1]));
  }
}

class BenchGridFile : public testing::Test {
 protected:
  Grid read(const std::string& text) {
    const std::string path = folder_.file("grid.toml");
    io::write_file(path, text);
    return read_grid(path);
  }
  std::string refusal(const std::string& text) {
    return complaint([&] { read(text); });
  }

 private:
  io::TemporaryFolder folder_;  // the tests of this file run side by side, each as a process
};

TEST_F(BenchGridFile, OneTableOrMany) {
  const Grid one = read("rows = [1, 4]\nwidths = 8192\nk = [512]\ndtypes = ['float16']\nvalues = true\n");
  ASSERT_EQ(one.size(), 1u);
  EXPECT_THAT(one[0].rows, ElementsAre(1, 4));
  EXPECT_THAT(one[0].dtypes, ElementsAre(ScoreType::kFloat16));
  EXPECT_EQ(cells_of(one).size(), 2u);

  const Grid two = read("[[grid]]\nrows=1\nwidths=[64,32]\nk=8\n[[grid]]\nrows=2\nwidths=64\nk=8\nthresholds=true\n");
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(cells_of(two).size(), 3u);
  EXPECT_FALSE(two[0].thresholds);
  EXPECT_TRUE(two[1].thresholds);
}

TEST_F(BenchGridFile, RefusesWhatItCannotRead) {
  EXPECT_THAT(refusal("rows = [1\n"), HasSubstr("/grid.toml:"));
  EXPECT_THAT(refusal("rows = 1\nwidths = 2\n"), HasSubstr("k: expected a value"));
  EXPECT_THAT(refusal("rows = 1\nwidths = 2\nk = 1\nspeed = 3\n"), HasSubstr("speed: expected the name of an axis"));
  EXPECT_THAT(refusal("rows = 1.5\nwidths = 2\nk = 1\n"), HasSubstr("rows: expected a whole number"));
  EXPECT_THAT(refusal("rows = []\nwidths = 2\nk = 1\n"), HasSubstr("at least one value"));
  EXPECT_THAT(refusal("rows = 1\n[[grid]]\nrows = 1\nwidths = 1\nk = 1\n"), HasSubstr("nothing beside the tables"));
  EXPECT_THAT(refusal("rows = 'many'\nwidths = 2\nk = 1\n"), HasSubstr("found 'many'"));
  EXPECT_THAT(complaint([] { read_grid("/no/such/grid.toml"); }), HasSubstr("full, baseline, smoke, cpu"));
}

}  // namespace
}  // namespace keysieve::bench
