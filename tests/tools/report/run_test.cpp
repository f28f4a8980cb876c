#include "report/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/grid.hpp"
#include "report_helpers.hpp"

namespace keysieve::report {
namespace {

using testing::ElementsAre;

TEST(ReportRun, CellsOfOnePlaceMeetAcrossFiles) {
  const Inputs inputs =
      make_inputs({{make_cell(4, 8192, 12)}, {make_forced(4, 8192, "tile", 11), make_peer(4, 8192, "raft", 20)}});
  const std::vector<report::Run> runs = make_runs(inputs);
  ASSERT_EQ(runs.size(), 1u);
  ASSERT_EQ(runs[0].groups.size(), 1u);
  ASSERT_EQ(runs[0].groups[0].places.size(), 1u);
  const Contest& contest = runs[0].groups[0].places.begin()->second;
  EXPECT_EQ(contest.automatic.size(), 1u);
  EXPECT_EQ(contest.forced.size(), 1u);
  EXPECT_EQ(contest.peers.size(), 1u);
  EXPECT_FALSE(runs[0].has_fault());
}

TEST(ReportRun, EveryDifferenceOfSetupMakesAGroup) {
  std::vector<Cell> cells(9, make_cell(4, 8192, 12));
  cells[1].setup.mode = "cold";
  cells[2].setup.dtype = "float16";
  cells[3].setup.order = "score";
  cells[4].setup.values = true;
  cells[5].setup.busy_sms = 16;
  cells[6].setup.capacity = 9000;
  cells[7].setup.chain = "chained";
  cells[8].setup.hint = "exact";
  const Inputs inputs = make_inputs({cells});
  EXPECT_EQ(make_runs(inputs)[0].groups.size(), cells.size());
}

TEST(ReportRun, PickPrefersTheFile) {
  const Inputs inputs = make_inputs({{make_cell(4, 8192, 12)}, {make_cell(4, 8192, 24)}});
  const report::Run run = make_runs(inputs)[0];
  const std::vector<const Cell*>& cells = run.groups[0].places.begin()->second.automatic;
  EXPECT_EQ(pick(cells, 1)->median_us, 24);
  EXPECT_EQ(pick(cells, 0)->median_us, 12);
  EXPECT_EQ(pick(cells, 7)->median_us, 12);
  EXPECT_EQ(pick({}, 0), nullptr);
  EXPECT_TRUE(run.repeated.empty()) << "two files may measure the same";
}

TEST(ReportRun, RepeatedWithinOneFile) {
  const Inputs inputs = make_inputs({{make_cell(4, 8192, 12), make_cell(4, 8192, 24)}});
  const report::Run run = make_runs(inputs)[0];
  ASSERT_EQ(run.repeated.size(), 1u);
  EXPECT_EQ(run.repeated[0]->median_us, 24);
  EXPECT_EQ(run.groups[0].places.begin()->second.automatic.size(), 1u);
}

TEST(ReportRun, FaultsAreOursAlone) {
  Cell wrong = make_peer(4, 8192, "raft", 20);
  wrong.wrong_rows = 1;
  const Inputs theirs = make_inputs({{make_cell(4, 8192, 12), wrong}});
  EXPECT_FALSE(make_runs(theirs)[0].has_fault());
  EXPECT_EQ(make_runs(theirs)[0].wrong.size(), 1u);
  wrong.implementation = kKeysieve;
  wrong.route_asked = "tile";
  const Inputs ours = make_inputs({{make_cell(4, 8192, 12), wrong}});
  EXPECT_TRUE(make_runs(ours)[0].has_fault());
}

TEST(ReportRun, MachinesAreRunsOfTheirOwn) {
  Inputs inputs = make_inputs({{make_cell(4, 8192, 12)}, {make_cell(4, 8192, 13)}, {make_cell(4, 8192, 14)}});
  inputs.benches[1].machine = "another";
  const std::vector<report::Run> runs = make_runs(inputs);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].files.size(), 2u);
  EXPECT_EQ(runs[1].machine, "another");
}

TEST(ReportRun, MainDistribution) {
  Cell uniform = make_cell(4, 8192, 12);
  uniform.distribution = "constant";
  const Inputs only = make_inputs({{uniform}});
  EXPECT_EQ(make_runs(only)[0].groups[0].main_distribution(), "constant");
  const Inputs both = make_inputs({{uniform, make_cell(16, 8192, 12)}});
  EXPECT_EQ(make_runs(both)[0].groups[0].main_distribution(), kNormal);
  const Inputs none = make_inputs({{make_forced(4, 8192, "tile", 3)}});
  EXPECT_EQ(make_runs(none)[0].groups[0].main_distribution(), "");
}

TEST(ReportGrid, ThresholdsAreNoColumns) {
  std::vector<Shape> shapes;
  for (const std::int64_t rows : {1, 4, 16, 64}) {
    for (const std::int64_t width : {8192, 16384}) shapes.push_back({rows, width, 512});
  }
  shapes.push_back({4, 9001, 512});
  const Grid grid = make_grid(shapes);
  EXPECT_THAT(grid.rows, ElementsAre(1, 4, 16, 64));
  EXPECT_THAT(grid.widths, ElementsAre(8192, 16384));
  EXPECT_EQ(grid.off_axis, 1u);
  EXPECT_FALSE(grid.has({4, 9001, 512}));
}

TEST(ReportGrid, OneRowCountKeepsItsWidths) {
  const Grid grid = make_grid({{4, 8192, 512}, {4, 9001, 512}});
  EXPECT_THAT(grid.widths, ElementsAre(8192, 9001));
  EXPECT_EQ(grid.off_axis, 0u);
}

}  // namespace
}  // namespace keysieve::report
