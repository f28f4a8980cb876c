// The CUDA engine on the host: the same plans, launches and kernel sources, run as fibers (tests/simt).
#pragma once

#include <cstdint>
#include <string>

#include "cases/case_data.hpp"
#include "keysieve/types.hpp"
#include "launch/launch_list.hpp"
#include "plan/device_profile.hpp"

namespace keysieve::test {

struct HostEngineSetup {
  Route route = Route::kAuto;
  std::int32_t threads = kAuto;
  std::int32_t split = kAuto;
  const char* profile = "h200";
  std::uint64_t order_seed = 0;  // 0: threads run in their natural order
};

std::string describe(const HostEngineSetup& setup);

// The problem of a case as the setup asks for it.
SelectProblem problem_for(const cases::CaseInputs& inputs, const HostEngineSetup& setup);

// Empty, or the first fault: a refused plan, a broken rule of the block model, a launch that wrote astray.
// The launches of a call, one after the other.
std::string run_launches_on_host(const LaunchList& list, std::uint64_t order_seed);

std::string run_on_host_engine(const SelectPlan& plan, const SelectArgs& args, std::uint64_t order_seed);

// Empty, or the first difference from the expected result. `refused`: the route does not take the case.
std::string check_on_host_engine(const cases::CaseInputs& inputs, const cases::CaseResult& expected,
                                 const HostEngineSetup& setup, std::uint8_t poison, bool& refused);

}  // namespace keysieve::test
