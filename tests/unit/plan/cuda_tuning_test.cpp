// No tuning changes a result: whatever the values, the planner decides for a route and a shape that the device takes,
// with the workspace for it, and one arena serves every smaller size.
#include "plan/cuda_tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "plan/policy.hpp"

namespace keysieve {
namespace {

constexpr std::int64_t kRows[] = {0, 1, 4, 8, 33, 66, 132, 264, 265, 1024, 2000, 100000};
constexpr std::int64_t kWidths[] = {0, 1, 511, 4096, 16385, 65536, 131072, 1 << 20, 1 << 22, 0x7FFFFFFF};
constexpr std::int64_t kKs[] = {1, 512, 2048, 8192};

// Log-uniform in the field's range, its ends included often.
std::int64_t random_value(const TuningField& field, std::mt19937& random) {
  const auto draw = std::uniform_int_distribution<int>(0, 7)(random);
  if (draw == 0) return field.low;
  if (draw == 1) return field.high;
  const double low = std::log(static_cast<double>(std::max<std::int64_t>(field.low, 1)));
  const double high = std::log(static_cast<double>(field.high));
  const auto value = static_cast<std::int64_t>(std::exp(std::uniform_real_distribution<double>(low, high)(random)));
  return std::clamp(value, field.low, field.high);
}

CudaTuning random_tuning(std::mt19937& random) {
  CudaTuning tuning;
  do {
    for (const TuningField& field : kTuningFields) tuning.*field.value = random_value(field, random);
  } while (!tuning_fault(tuning).empty());
  return tuning;
}

std::string text_of(const CudaTuning& tuning) {
  std::string text;
  for (const TuningField& field : kTuningFields) {
    text += std::string(field.name) + "=" + std::to_string(tuning.*field.value) + " ";
  }
  return text;
}

SelectProblem problem(std::int64_t rows, std::int64_t width, std::int64_t k) {
  SelectProblem result;
  result.device_type = DeviceType::kCuda;
  result.rows = rows;
  result.width = width;
  result.k = k;
  return result;
}

// The device takes the choice when it is asked for by name, in the same shape and with no more workspace.
void expect_sound(const SelectProblem& request, const DeviceProfile& device) {
  ASSERT_TRUE(cuda_route_faults(request, device).empty()) << cuda_route_faults(request, device)[0];
  const RouteChoice choice = choose_cuda_route(request, device);
  SelectProblem named = request;
  named.route = choice.route;
  if (choice.route == Route::kSplit || choice.route == Route::kWide) named.split = choice.chunks_per_row;
  ASSERT_TRUE(cuda_route_faults(named, device).empty()) << cuda_route_faults(named, device)[0];
  const RouteChoice same = choose_cuda_route(named, device);
  EXPECT_EQ(same.chunks_per_row, choice.chunks_per_row);
  EXPECT_EQ(same.threads, choice.threads);
  EXPECT_EQ(same.shared_bytes, choice.shared_bytes);
  EXPECT_LE(same.workspace_bytes, choice.workspace_bytes);
  EXPECT_LE(choice.shared_bytes, device.shared_bytes_per_cta);
  EXPECT_EQ(choice.route, choose_cuda_route(request, device).route) << "the same problem, another plan";
}

void expect_monotone(const DeviceProfile& device, std::int32_t threads) {
  const auto bytes = [&](std::int64_t rows, std::int64_t width, std::int64_t k) {
    SelectProblem request = problem(rows, width, k);
    request.threads = threads;
    return cuda_route_faults(request, device).empty() ? choose_cuda_route(request, device).workspace_bytes : 0;
  };
  for (std::size_t r = 0; r + 1 < std::size(kRows); ++r) {
    for (std::size_t w = 0; w + 1 < std::size(kWidths); ++w) {
      for (std::size_t k = 0; k + 1 < std::size(kKs); ++k) {
        const std::int64_t here = bytes(kRows[r], kWidths[w], kKs[k]);
        ASSERT_LE(here, bytes(kRows[r + 1], kWidths[w], kKs[k]));
        ASSERT_LE(here, bytes(kRows[r], kWidths[w + 1], kKs[k]));
        ASSERT_LE(here, bytes(kRows[r], kWidths[w], kKs[k + 1]));
      }
    }
  }
}

TEST(CudaTuning, DefaultsAndBuiltInsAreSound) {
  EXPECT_EQ(tuning_fault({}), "");
  for (const DeviceProfile& device : device_profiles()) EXPECT_EQ(tuning_fault(device.tuning), "") << device.name;
}

TEST(CudaTuning, FieldsCoverTheStruct) {
  EXPECT_EQ(sizeof(CudaTuning), kTuningFields.size() * sizeof(std::int64_t));
  std::set<std::string_view> names;
  CudaTuning tuning;
  for (const TuningField& field : kTuningFields) {
    names.insert(field.name);
    tuning.*field.value = -7;
  }
  EXPECT_EQ(names.size(), kTuningFields.size());
  for (const TuningField& field : kTuningFields) EXPECT_EQ(tuning.*field.value, -7);
}

TEST(CudaTuning, FaultsNameTheValue) {
  for (const TuningField& field : kTuningFields) {
    for (const std::int64_t bad : {field.low - 1, field.high + 1}) {
      CudaTuning tuning;
      tuning.*field.value = bad;
      EXPECT_TRUE(tuning_fault(tuning).starts_with(field.name)) << tuning_fault(tuning);
    }
  }
}

TEST(CudaTuning, NoneBreaksAPlan) {
  std::mt19937 random(20261130);
  for (int round = 0; round < 150; ++round) {
    const CudaTuning tuning = random_tuning(random);
    SCOPED_TRACE(text_of(tuning));
    for (DeviceProfile device : device_profiles()) {
      device.tuning = tuning;
      for (const std::int64_t rows : kRows) {
        for (const std::int64_t width : kWidths) {
          for (const std::int64_t k : kKs) expect_sound(problem(rows, width, k), device);
        }
      }
      for (const std::int32_t threads : {kAuto, 1024}) expect_monotone(device, threads);
    }
    if (HasFailure()) return;
  }
}

// Were a tuning of no effect, the test above would hold for nothing.
TEST(CudaTuning, EachFieldMovesSomePlan) {
  for (const TuningField& field : kTuningFields) {
    bool moved = false;
    for (const std::int64_t value : {field.low, field.high}) {
      DeviceProfile device = *find_device_profile("h200");
      device.tuning = {};
      for (const std::int64_t rows : kRows) {
        for (const std::int64_t width : kWidths) {
          const SelectProblem request = problem(rows, width, 512);
          device.tuning.*field.value = CudaTuning{}.*field.value;
          const RouteChoice before = choose_cuda_route(request, device);
          device.tuning.*field.value = value;
          const RouteChoice after = choose_cuda_route(request, device);
          moved = moved || before.route != after.route || before.chunks_per_row != after.chunks_per_row ||
                  before.threads != after.threads;
        }
      }
    }
    EXPECT_TRUE(moved) << field.name;
  }
}

}  // namespace
}  // namespace keysieve
