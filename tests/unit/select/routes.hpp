// Running one case on the reference and on every CPU route.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cases/case_data.hpp"

namespace keysieve::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

struct RunSetup {
  Backend backend = Backend::kCpu;
  Route route = Route::kAuto;
  std::int32_t threads = 1;
};

inline constexpr RunSetup kReferenceSetup{Backend::kReference, Route::kAuto, kAuto};
inline constexpr std::array kCpuRoutes = {Route::kCpuRows, Route::kCpuChunks};
inline constexpr std::array kThreadCounts = {1, 2, 3, 7};
inline constexpr std::array<std::uint8_t, 3> kPoisons = {0x5A, 0x00, 0xFF};

// Every route with every thread count.
std::vector<RunSetup> cpu_setups();
// The same, 3 threads three times: together with the turns of check_case, every case meets every poison on both
// routes, and every thread count meets every poison somewhere.
std::vector<RunSetup> repeated_cpu_setups();
std::string describe(const RunSetup& setup);

SelectPlan plan_for(const cases::CaseInputs& inputs, const RunSetup& setup);

// Outputs and a workspace of the size that the setup's plan asks for.
cases::CaseResult result_for(const cases::CaseInputs& inputs, const RunSetup& setup, std::uint8_t poison);
// Plans, runs once into `result`; an empty string or what is wrong apart from the result itself.
std::string run_case(const cases::CaseInputs& inputs, const RunSetup& setup, cases::CaseResult& result);

// The whole check of one case, an empty string when right: the reference equals the oracle of tests/cases, and
// every setup equals the reference. One run per setup; the poisons take turns, starting with number `turn`.
std::string check_case(const cases::CaseInputs& inputs, const std::vector<RunSetup>& setups, std::size_t turn = 0);

// As check_case without the reference, whose full sort is too slow for long rows: against the oracle alone.
std::string check_case_by_oracle(const cases::CaseInputs& inputs, const std::vector<RunSetup>& setups,
                                 std::size_t turn = 0);

}  // namespace keysieve::test
