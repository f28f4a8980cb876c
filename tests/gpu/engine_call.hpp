// Plans and runs on a device engine of the test's own: with another profile or other kernels than the library's.
#pragma once

#include <memory>
#include <string>

#include "cases/case_data.hpp"
#include "cuda/device_engine.hpp"
#include "gpu_support.hpp"

namespace keysieve::test {

// Never nullptr; throws std::runtime_error where the device cannot be prepared.
std::unique_ptr<cuda::DeviceEngine> engine_with(const cuda::KernelTable& kernels);

// As make_plan, for any profile: empty and a plan, or the unmet conditions.
std::string plan_on(const DeviceProfile& device, const SelectProblem& problem, SelectPlan& plan);

enum class Enqueued { kEagerly, kByGraph };

// Runs the plan three times, on outputs and workspaces poisoned differently. Empty when every result is right.
std::string check_plan(const cuda::DeviceEngine& engine, const SelectPlan& plan, const cases::CaseInputs& inputs,
                       const cases::CaseResult& expected, cudaStream_t stream, Enqueued how, const std::string& what);

}  // namespace keysieve::test
