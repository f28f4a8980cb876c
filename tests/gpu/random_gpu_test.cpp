// Random cases without end: KEYSIEVE_GPU_RANDOM_CASES of them from KEYSIEVE_GPU_SEED on. Each on AUTO and on one
// setup that its seed draws.
#include <gtest/gtest.h>

#include <cstdio>

#include "cases/case_table.hpp"
#include "cases/oracle.hpp"
#include "device_case.hpp"
#include "gpu_report.hpp"

namespace keysieve::test {
namespace {

GpuSetup drawn_setup(std::uint64_t seed, const SelectProblem& problem) {
  constexpr std::int32_t kThreadCounts[] = {kAuto, kAuto, kAuto, 64, 128, 192, 256, 512, 1024};
  const auto draw = [seed](std::uint32_t salt, std::size_t count) {
    return cases::hash32(static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), salt) % count;
  };
  // Without AUTO, and from a drawn place on the first that takes the case.
  const std::size_t count = gpu_setups().size() - 1, first = draw(101, count);
  for (std::size_t i = 0; i < count; ++i) {
    GpuSetup setup = gpu_setups()[1 + (first + i) % count];
    setup.threads = kThreadCounts[draw(102, std::size(kThreadCounts))];
    if (!plan_on_gpu(problem, setup).refused) return setup;
    setup.threads = kAuto;
    if (!plan_on_gpu(problem, setup).refused) return setup;
  }
  return {};
}

TEST(RandomCasesOnGpu, EqualTheOracle) {
  const std::int64_t count = environment_number("KEYSIEVE_GPU_RANDOM_CASES", 2000);
  const std::int64_t seed = environment_number("KEYSIEVE_GPU_SEED", 20261129);
  std::printf("%lld random cases from seed %lld\n", static_cast<long long>(count), static_cast<long long>(seed));
  RecordProperty("cases", std::to_string(count));
  RecordProperty("seed", std::to_string(seed));
  Tally tally;
  expect_no_faults(in_parallel(
      count,
      [&](std::int64_t number, cudaStream_t stream, Tally& own) {
        const auto case_seed = static_cast<std::uint64_t>(seed + number);
        const cases::CaseInputs inputs(cases::random_case(case_seed));
        cases::CaseResult expected(inputs, 0, 0x33);
        cases::compute_expected(inputs, expected);
        return check_on_gpu(stream, inputs, expected, {{}, drawn_setup(case_seed, inputs.problem())},
                            static_cast<std::size_t>(number), own);
      },
      tally));
  report(tally);
  if (count < 500) return;  // too few for every route to be drawn
  for (const Route route : gpu_routes()) {
    EXPECT_GT(tally.runs(route), 0) << name_of_route(route) << " was never drawn";
  }
}

}  // namespace
}  // namespace keysieve::test
