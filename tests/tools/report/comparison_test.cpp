// Envelope, robustness, peers and baseline: which cell is held against which.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../file_helpers.hpp"
#include "report/baseline.hpp"
#include "report/envelope.hpp"
#include "report/peers.hpp"
#include "report/robustness.hpp"
#include "report_helpers.hpp"

namespace keysieve::report {
namespace {

class ReportComparison : public testing::Test {
 protected:
  const Group& group_of(std::vector<std::vector<Cell>> files) {
    inputs_ = make_inputs(std::move(files));
    runs_ = make_runs(inputs_);
    return runs_[0].groups[0];
  }

  EnvelopeCell envelope_of(std::vector<Cell> cells) {
    const std::vector<EnvelopeCell> envelope = make_envelope(group_of({std::move(cells)}), kNormal);
    EXPECT_EQ(envelope.size(), 1u);
    return envelope.empty() ? EnvelopeCell{} : envelope[0];
  }

 private:
  Inputs inputs_;
  std::vector<report::Run> runs_;
};

TEST_F(ReportComparison, EnvelopeTakesTheFastest) {
  const EnvelopeCell cell =
      envelope_of({make_cell(4, 8192, 12), make_forced(4, 8192, "tile", 12.01), make_forced(4, 8192, "sieve", 10)});
  EXPECT_EQ(cell.fastest->route_taken, "sieve");
  EXPECT_NEAR(cell.loss, 0.2, 1e-12);
  EXPECT_TRUE(cell.is_loss());
}

TEST_F(ReportComparison, EnvelopeLeavesOutWrongRoutes) {
  Cell wrong = make_forced(4, 8192, "sieve", 1);
  wrong.wrong_rows = 1;
  const EnvelopeCell cell = envelope_of({make_cell(4, 8192, 12), wrong, make_forced(4, 8192, "split", 13)});
  EXPECT_TRUE(cell.fastest->is_automatic());
  EXPECT_EQ(cell.loss, 0);
}

TEST_F(ReportComparison, EnvelopeKnowsNoise) {
  Cell automatic = make_cell(4, 8192, 10.5);
  automatic.noise = 0.03;
  Cell forced = make_forced(4, 8192, "sieve", 10);
  forced.noise = 0.03;
  EXPECT_FALSE(envelope_of({automatic, forced}).is_loss()) << "5 percent within 3 and 3";
  forced.noise = 0.01;
  EXPECT_TRUE(envelope_of({automatic, forced}).is_loss());
  automatic.median_us = 10.09;
  automatic.noise = forced.noise = 0;
  EXPECT_FALSE(envelope_of({automatic, forced}).is_loss()) << "a noise of nothing is luck";
}

TEST_F(ReportComparison, OneLaunchUnderTwoNamesLosesNothing) {
  EXPECT_EQ(envelope_of({make_cell(4, 8192, 12), make_forced(4, 8192, "tile", 10)}).loss, 0);
  Cell other_threads = make_forced(4, 8192, "tile", 10);
  other_threads.threads = 512;
  EXPECT_NEAR(envelope_of({make_cell(4, 8192, 12), other_threads}).loss, 0.2, 1e-12);
}

TEST_F(ReportComparison, EnvelopeNeedsForcedCells) {
  EXPECT_TRUE(make_envelope(group_of({{make_cell(4, 8192, 12)}}), kNormal).empty());
  const EnvelopeCell cell = envelope_of({make_forced(4, 8192, "tile", 10)});
  EXPECT_EQ(cell.automatic, nullptr);
  EXPECT_FALSE(cell.is_loss());
}

TEST_F(ReportComparison, RobustnessTakesNormalOfItsFile) {
  Cell relu = make_cell(4, 8192, 30);
  relu.distribution = "relu";
  Cell alone = make_cell(16, 8192, 30);
  alone.distribution = "relu";
  const Robustness robustness =
      make_robustness(group_of({{make_cell(4, 8192, 5)}, {make_cell(4, 8192, 20), relu, alone}}));
  ASSERT_EQ(robustness.cells.size(), 1u);
  EXPECT_EQ(robustness.cells[0].ratio, 1.5);
  EXPECT_EQ(robustness.without_normal, 1u);
}

TEST_F(ReportComparison, PeersCountWhereBothAreRight) {
  Cell wrong = make_peer(4, 8192, "fast", 1);
  wrong.wrong_rows = 1;
  const PeerTable table = make_peer_table(
      group_of({{make_cell(4, 8192, 10), wrong, make_peer(4, 8192, "slow", 20), make_cell(16, 8192, 10),
                 make_peer(16, 8192, "fast", 5), make_peer(16, 8192, "slow", 80), make_peer(64, 8192, "slow", 80)}}));
  EXPECT_THAT(table.names, testing::ElementsAre("fast", "slow"));
  ASSERT_EQ(table.lines.size(), 3u);
  EXPECT_EQ(table.lines[0].best_peer->implementation, "slow");
  EXPECT_EQ(table.lines[0].speed_up, 2);
  EXPECT_EQ(table.lines[1].speed_up, 0.5);
  EXPECT_EQ(table.lines[2].ours, nullptr);
  ASSERT_EQ(table.means.size(), 3u);
  EXPECT_EQ(table.means[0].cells, 1u);
  EXPECT_DOUBLE_EQ(table.means[1].speed_up, 4) << "2 and 8";
  EXPECT_EQ(table.means[2].name, kBestPeer);
  EXPECT_DOUBLE_EQ(table.means[2].speed_up, 1) << "2 and 0.5";
  EXPECT_EQ(table.means[2].faster, 1u);
}

TEST_F(ReportComparison, BaselineOfPlainCells) {
  io::TemporaryFolder folder;
  io::write_file(folder.file("b.csv"),
                 "best_impl,rows,width,k,mode,read_floor_us,best_us,best_deterministic_us\r\n"
                 "them,4,8192,512,warm,5,8,16\r\n\r\nthem,16,8192,512,warm,5,,\r\n");
  const Baseline baseline = Baseline::read(folder.file("b.csv"));
  Cell cell = make_cell(4, 8192, 20);  // twice its floor; theirs is 1.6 and 3.2 times
  EXPECT_DOUBLE_EQ(compare_with(baseline, cell).to_best, 1.25);
  EXPECT_DOUBLE_EQ(compare_with(baseline, cell).to_deterministic, 0.625);
  EXPECT_EQ(compare_with(baseline, cell).theirs->best_name, "them");
  cell.setup.order = "score";
  EXPECT_DOUBLE_EQ(compare_with(baseline, cell).to_best, 1.25);
  cell.read_floor_us = kNotGiven;
  EXPECT_TRUE(std::isnan(compare_with(baseline, cell).to_best));
  cell.ratio_to_read_floor = 3.2;
  EXPECT_DOUBLE_EQ(compare_with(baseline, cell).to_best, 2);
  for (const auto change : {+[](Cell& c) { c.setup.mode = "cold"; }, +[](Cell& c) { c.setup.lengths = "full"; },
                            +[](Cell& c) { c.setup.values = true; }, +[](Cell& c) { c.setup.capacity = 9000; },
                            +[](Cell& c) { c.distribution = "relu"; }, +[](Cell& c) { c.route_asked = "tile"; },
                            +[](Cell& c) { c.wrong_rows = 1; }, +[](Cell& c) { c.shape.rows = 16; }}) {
    Cell other = cell;
    change(other);
    EXPECT_TRUE(std::isnan(compare_with(baseline, other).to_best));
  }
}

}  // namespace
}  // namespace keysieve::report
