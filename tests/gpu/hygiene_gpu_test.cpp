// What the engine does where it does not find the device it was tuned on: no clusters, little shared memory, kernels
// from elsewhere, kernels that cannot be made ready. All of it on the device that is here, with a profile or a table
// that was changed before.
#include <gtest/gtest.h>

#include <cstdlib>

#include "cases/case_table.hpp"
#include "cases/oracle.hpp"
#include "device_case.hpp"
#include "engine_call.hpp"
#include "gpu_report.hpp"
#include "greedy_kernel.hpp"
#include "loaded_kernels.hpp"
#include "plan/policy.hpp"
#include "standing_call.hpp"

namespace keysieve::test {
namespace {

using cases::Pattern;
using cases::SelectCase;
using cuda::DeviceEngine;

constexpr Route kRoutes[] = {Route::kTrivial, Route::kTile, Route::kSieve, Route::kSplit, Route::kWide};
constexpr Enqueued kBothWays[] = {Enqueued::kEagerly, Enqueued::kByGraph};

SelectCase full_case(const char* name, std::int64_t rows, std::int64_t width, std::int64_t k, Pattern pattern) {
  SelectCase spec;
  spec.name = name;
  spec.rows = rows;
  spec.width = width;
  spec.k = k;
  spec.pattern.kind = pattern;
  spec.length_kind = cases::LengthKind::kFull;
  return spec;
}

std::string text_of(const DeviceProfile& device) {
  return std::to_string(device.num_sms) + " SMs, " + std::to_string(device.shared_bytes_per_cta) +
         " bytes of shared memory, clusters " + std::to_string(device.resident_clusters_of_8) + "/" +
         std::to_string(device.resident_clusters_of_16);
}

// The route that the policy takes on the engine's profile, eager and captured, and every route that can be forced
// there. Counts the plans that ran.
void expect_right_everywhere(const DeviceEngine& engine, const Round& round, cudaStream_t stream, Tally& tally) {
  for (const GpuSetup& setup : gpu_setups()) {
    SelectPlan plan;
    const std::string refusal = plan_on(engine.profile, on_gpu(round.inputs.problem(), setup), plan);
    const std::string what =
        describe(round.inputs.spec()) + "\n  on " + describe(setup) + ", " + text_of(engine.profile);
    if (setup.route == Route::kAuto) {
      ASSERT_EQ(refusal, "") << what;
    }
    if (!refusal.empty()) {
      tally.refused(setup.route);
      continue;
    }
    tally.ran(setup.route);
    ASSERT_LE(plan.shared_bytes, engine.profile.shared_bytes_per_cta) << what;
    for (const Enqueued how : kBothWays) {
      ASSERT_EQ(check_plan(engine, plan, round.inputs, round.expected, stream, how, what), "");
    }
  }
}

TEST(GpuFaults, R69_ZeroClusterCapacity) {
  const auto engine = engine_with(cuda::built_in_kernels());
  const bool has_clusters = engine->profile.resident_clusters_of_8 > 0;
  const Stream stream;
  Tally tally;
  for (const std::int32_t largest : {8, 1}) {
    if (largest == 8 && !has_clusters) continue;
    engine->profile.resident_clusters_of_16 = 0;
    if (largest == 1) engine->profile.resident_clusters_of_8 = 0;
    for (const Pattern pattern : {Pattern::kGauss, Pattern::kUlpShuffled, Pattern::kConstant}) {
      const Round round(full_case("R69", 4, 65536, 512, pattern));
      SelectPlan plan;
      ASSERT_EQ(plan_on(engine->profile, on_gpu(round.inputs.problem(), {}), plan), "");
      EXPECT_EQ(plan.route, largest == 8 ? Route::kSplit : Route::kWide);
      if (largest == 8) {
        EXPECT_EQ(plan.chunks_per_row, 8);
      }
      const SelectProblem too_large = on_gpu(round.inputs.problem(), {Route::kSplit, largest * 2});
      EXPECT_NE(plan_on(engine->profile, too_large, plan), "");
      expect_right_everywhere(*engine, round, stream.get(), tally);
      if (HasFatalFailure()) return;
    }
  }
  report(tally);
}

constexpr std::int64_t kLittleSharedBytes = 101376;

// The device, with what a CTA has on one of compute capability 8.9 or 12.0.
void take_away_shared_memory(DeviceProfile& device, std::int32_t sms, bool clusters) {
  device.num_sms = sms;
  device.shared_bytes_per_cta = kLittleSharedBytes;
  device.shared_bytes_per_sm = kLittleSharedBytes + 1024;
  if (clusters) return;
  device.resident_clusters_of_8 = 0;
  device.resident_clusters_of_16 = 0;
}

TEST(GpuFaults, R74_LowSharedMemoryDevices) {
  const auto engine = engine_with(cuda::built_in_kernels());
  const DeviceProfile whole = engine->profile;
  const Stream stream;
  Tally tally;
  for (const std::int64_t width : {779424, 779425, 384000, 400000, 1048576}) {
    const Round round(full_case("R74", 1, width, 512, Pattern::kGauss));
    for (const std::int32_t sms : {92, 48}) {
      for (const bool clusters : {true, false}) {
        engine->profile = whole;
        take_away_shared_memory(engine->profile, sms, clusters);
        expect_right_everywhere(*engine, round, stream.get(), tally);
        if (HasFatalFailure()) return;
      }
    }
  }
  report(tally);
  EXPECT_GT(tally.runs(Route::kSieve), 0);
  EXPECT_GT(tally.runs(Route::kWide), 0);
}

// Slots in index order are the deterministic mode; check_plan compares slot by slot, three times.
TEST(GpuFaults, R97_DeterministicModeInLittleSharedMemory) {
  const auto engine = engine_with(cuda::built_in_kernels());
  const DeviceProfile whole = engine->profile;
  const Stream stream;
  Tally tally;
  for (const std::int64_t width : {24000, 24280, 24520, 262144}) {
    for (const std::int64_t rows : {1, 100}) {
      const Round round(full_case("R97", rows, width, 512, Pattern::kGauss));
      ASSERT_EQ(round.inputs.problem().order, SlotOrder::kIndex);
      for (const bool clusters : {true, false}) {
        engine->profile = whole;
        take_away_shared_memory(engine->profile, 92, clusters);
        expect_right_everywhere(*engine, round, stream.get(), tally);
        if (HasFatalFailure()) return;
      }
    }
  }
  report(tally);
}

// A part of the shared table on every setup, eagerly; `every`: of so many cases one.
void expect_table_right(const DeviceEngine& engine, std::int64_t every, Tally& tally) {
  const std::vector<SelectCase> table = cases::case_table();
  const std::int64_t step = every * environment_number("KEYSIEVE_GPU_TABLE_STEP", 1);
  expect_no_faults(in_parallel((std::ssize(table) + step - 1) / step,
                               [&](std::int64_t number, cudaStream_t stream, Tally& own) -> std::string {
                                 const Round round(table[static_cast<std::size_t>(number * step)]);
                                 for (const GpuSetup& setup : gpu_setups()) {
                                   SelectPlan plan;
                                   if (!plan_on(engine.profile, on_gpu(round.inputs.problem(), setup), plan).empty()) {
                                     own.refused(setup.route);
                                     continue;
                                   }
                                   own.ran(setup.route);
                                   const std::string what = describe(round.inputs.spec()) + "\n  on " + describe(setup);
                                   const std::string fault = check_plan(engine, plan, round.inputs, round.expected,
                                                                        stream, Enqueued::kEagerly, what);
                                   if (!fault.empty()) return fault;
                                 }
                                 return {};
                               },
                               tally));
  report(tally);
}

TEST(ReplacedKernels, LoadedFromElsewhere) {
  const LoadedKernels& loaded = loaded_kernels();
  ASSERT_EQ(loaded.fault, "");
  std::printf("kernels of %s\n", loaded.source.c_str());
  const cuda::KernelTable own = cuda::built_in_kernels();
  for (int id = 0; id < kNumKernels; ++id) {
    for (int type = 0; type < cuda::kNumScoreTypes; ++type) {
      const auto kernel = static_cast<KernelId>(id);
      const auto score = static_cast<ScoreType>(type);
      EXPECT_NE(loaded.table.at(kernel, score), own.at(kernel, score)) << name_of(kernel);
    }
  }
  const auto engine = engine_with(loaded.table);
  for (const Route route : kRoutes) {
    const char* reason = why_unavailable(engine->profile, route);
    EXPECT_EQ(reason, nullptr) << reason;
  }
  Tally tally;
  expect_table_right(*engine, 5, tally);
  for (const Route route : gpu_routes()) EXPECT_GT(tally.runs(route), 0) << name_of_route(route);
}

// The profile comes from the kernels: the same ones, loaded twice, are worth the same.
TEST(ReplacedKernels, SameProfileAsTheBuiltInOnes) {
  if (std::getenv("KEYSIEVE_GPU_KERNELS") != nullptr) GTEST_SKIP() << "kernels of another compiler";
  const auto built_in = engine_with(cuda::built_in_kernels()), loaded = engine_with(loaded_kernels().table);
  EXPECT_EQ(text_of(loaded->profile), text_of(built_in->profile));
}

// Each kernel's handle replaced by one that cannot be made ready.
struct Bad {
  const char* name;
  const void* (*handle)();
  const char* reason;
};

class KernelThatCannotBeMadeReady : public testing::TestWithParam<Bad> {};

Route route_with(KernelId id) {
  constexpr Route kOf[kNumKernels] = {Route::kTrivial, Route::kTile, Route::kTile, Route::kTile,  Route::kSieve,
                                      Route::kSplit,   Route::kWide, Route::kWide, Route::kSieve, Route::kSplit};
  return kOf[static_cast<int>(id)];
}

TEST_P(KernelThatCannotBeMadeReady, CostsItsRouteOnly) {
  const Stream stream;
  const Round short_rows(full_case("short", 5, 300, 512, Pattern::kGauss));
  const Round tiles(full_case("tiles", 200, 4096, 512, Pattern::kGauss));
  const Round many(full_case("many", 140, 20000, 512, Pattern::kGauss));
  const Round few(full_case("few", 2, 100000, 512, Pattern::kGauss));
  for (int id = 0; id < kNumKernels; ++id) {
    const auto kernel = static_cast<KernelId>(id);
    SCOPED_TRACE(name_of(kernel));
    const auto score = static_cast<ScoreType>(id % cuda::kNumScoreTypes);  // one type costs the route for all
    cuda::KernelTable table = cuda::built_in_kernels();
    table.at(kernel, score) = GetParam().handle();
    const auto engine = engine_with(table);
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "left behind for the caller's next call";
    for (const Route route : kRoutes) {
      const char* reason = why_unavailable(engine->profile, route);
      EXPECT_EQ(reason != nullptr, route == route_with(kernel)) << name_of_route(route);
      if (reason == nullptr) continue;
      EXPECT_NE(std::string(reason).find(std::string("kernel ") + name_of(kernel)), std::string::npos) << reason;
      EXPECT_NE(std::string(reason).find(GetParam().reason), std::string::npos) << reason;
      SelectPlan plan;
      const std::string refusal = plan_on(engine->profile, on_gpu(short_rows.inputs.problem(), {route}), plan);
      EXPECT_NE(refusal.find(reason), std::string::npos) << refusal;
    }
    Tally tally;
    for (const Round* round : {&short_rows, &tiles, &many, &few}) {
      expect_right_everywhere(*engine, *round, stream.get(), tally);
      if (HasFatalFailure()) return;
    }
    EXPECT_EQ(tally.runs(route_with(kernel)), 0);
  }
}

TEST_P(KernelThatCannotBeMadeReady, WithoutAnyRouteTheDeviceIsRefused) {
  cuda::KernelTable table = cuda::built_in_kernels();
  for (auto& handles : table.handles) handles.fill(GetParam().handle());
  DeviceEngine engine;
  const Status status = cuda::make_device_engine(0, table, engine);
  EXPECT_EQ(status.code(), StatusCode::kDeviceError);
  EXPECT_NE(status.message().find(GetParam().reason), std::string::npos) << status.message();
}

INSTANTIATE_TEST_SUITE_P(Kinds, KernelThatCannotBeMadeReady,
                         testing::Values(Bad{"missing", [] { return static_cast<const void*>(nullptr); }, "is missing"},
                                         Bad{"greedy", greedy_kernel, "bytes of shared memory"}),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace keysieve::test
