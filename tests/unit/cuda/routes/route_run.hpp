// One case on one route of the CUDA engine on the host, with what a plain run leaves out: a hint, the row counters, a
// workspace of any alignment, a candidate buffer as small as may be.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuda/host_engine.hpp"

namespace keysieve::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

struct RouteRun {
  HostEngineSetup setup;
  const void* hint = nullptr;           // one score per row
  std::int32_t spare_candidates = -1;   // >= 1: room beyond what the layout needs, in place of the planner's
  std::int32_t sample_vectors = kAuto;  // in place of the planner's
  std::int64_t workspace_offset = 1;    // bytes past a 64-byte boundary
  std::uint8_t poison = 0x5A;
};

struct RowCount {
  std::int32_t second_reads;
  std::int32_t compactions;
};

struct RouteOutcome {
  bool refused = false;  // the route does not take the case
  std::string fault;     // empty, or the first difference
  std::vector<RowCount> rows;
  SelectPlan plan;
};

RouteOutcome run_route(const cases::CaseInputs& inputs, const cases::CaseResult& expected, const RouteRun& run);

// The same, the expected result being computed.
RouteOutcome run_route(const cases::CaseInputs& inputs, const RouteRun& run);

// A setup for each route; the CTAs are small, so that a warp makes many visits.
std::vector<HostEngineSetup> setups_of_all_routes(std::uint64_t turn);

}  // namespace keysieve::test
