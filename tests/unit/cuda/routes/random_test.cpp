// Any case at all on every route, threads in shuffled orders.
#include <gtest/gtest.h>

#include <cstdio>

#include "cases/case_table.hpp"
#include "cases/oracle.hpp"
#include "cuda/routes/route_run.hpp"

namespace keysieve::test {
namespace {

// `part` of four, so that they can run side by side.
void check_seeds(std::uint64_t part) {
  constexpr std::uint64_t kSeeds = kSanitized ? 60 : 600;
  int run_cases = 0;
  for (std::uint64_t seed = part; seed < kSeeds; seed += 4) {
    const cases::CaseInputs inputs(cases::random_case(seed + 5000));
    cases::CaseResult expected(inputs, 0, 0x33);
    cases::compute_expected(inputs, expected);
    for (const HostEngineSetup& setup : setups_of_all_routes(seed)) {
      RouteRun run;
      run.setup = setup;
      run.workspace_offset = static_cast<std::int64_t>(seed % 17);
      run.poison = static_cast<std::uint8_t>(seed * 85);
      const RouteOutcome outcome = run_route(inputs, expected, run);
      ASSERT_EQ(outcome.fault, "") << "seed " << seed + 5000;
      run_cases += outcome.refused ? 0 : 1;
    }
  }
  std::printf("%d cases run\n", run_cases);
  EXPECT_GT(run_cases, kSanitized ? 30 : 400);
}

TEST(CudaRandomOnHost, Seeds0) { check_seeds(0); }
TEST(CudaRandomOnHost, Seeds1) { check_seeds(1); }
TEST(CudaRandomOnHost, Seeds2) { check_seeds(2); }
TEST(CudaRandomOnHost, Seeds3) { check_seeds(3); }

}  // namespace
}  // namespace keysieve::test
