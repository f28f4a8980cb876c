// The shared case table on every route of the CUDA engine, on the host.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "cases/case_table.hpp"
#include "cases/oracle.hpp"
#include "cuda/host_engine.hpp"

namespace keysieve::test {
namespace {

constexpr std::array<std::uint8_t, 3> kPoisons = {0x5A, 0x00, 0xFF};

// Small CTAs run fastest here and visit the most chunks a warp; the planner's own shape has its turn too.
std::vector<HostEngineSetup> setups(Route route, std::size_t turn) {
  const std::int32_t threads[] = {32, 64, 128, 256};
  const std::int32_t splits[] = {2, 3, 8, 16};
  HostEngineSetup setup;
  setup.route = route;
  setup.threads = threads[turn % 4];
  if (route == Route::kSplit || route == Route::kWide) {
    setup.split = splits[turn / 4 % 4];
    if (setup.split > 4) setup.threads = 32;
  }
  setup.order_seed = turn % 3 == 0 ? 0 : turn;
  return {setup};
}

void check_table(Route route) {
  std::size_t turn = 0;
  int run = 0;
  int refused_cases = 0;
  for (const cases::SelectCase& spec : cases::case_table()) {
    ++turn;
    const cases::CaseInputs inputs(spec);
    cases::CaseResult expected(inputs, 0, 0x33);
    cases::compute_expected(inputs, expected);
    for (const HostEngineSetup& setup : setups(route, turn)) {
      bool refused = false;
      const std::string fault = check_on_host_engine(inputs, expected, setup, kPoisons[turn % 3], refused);
      ASSERT_EQ(fault, "");
      run += refused ? 0 : 1;
      refused_cases += refused ? 1 : 0;
    }
  }
  std::printf("%d cases run, %d refused\n", run, refused_cases);
  EXPECT_GT(run, 0);
}

TEST(CudaRoutesOnHost, TableOnTrivial) { check_table(Route::kTrivial); }
TEST(CudaRoutesOnHost, TableOnTile) { check_table(Route::kTile); }
TEST(CudaRoutesOnHost, TableOnSieve) { check_table(Route::kSieve); }
TEST(CudaRoutesOnHost, TableOnSplit) { check_table(Route::kSplit); }
TEST(CudaRoutesOnHost, TableOnWide) { check_table(Route::kWide); }

}  // namespace
}  // namespace keysieve::test
