#include <algorithm>

#include "core/names.hpp"
#include "cpu/workspace_layout.hpp"
#include "plan/policy.hpp"

namespace keysieve {
namespace {

// Below this many columns a piece costs more to hand out and merge than to read (about 10 us of reading).
constexpr std::int64_t kMinChunkColumns = 32768;

}  // namespace

std::vector<std::string> cpu_route_faults(const SelectProblem& problem) {
  const Route route = problem.route;
  if (route == Route::kAuto || route == Route::kCpuRows || route == Route::kCpuChunks) return {};
  return {std::string("route: the cpu backend has cpu_rows and cpu_chunks, got ") + name_of(route)};
}

RouteChoice choose_cpu_route(const SelectProblem& problem, std::int32_t default_threads) {
  RouteChoice choice;
  choice.threads = problem.threads == kAuto ? default_threads : problem.threads;

  if (problem.route != Route::kAuto) {
    choice.route = problem.route;
    choice.reason = Reason::kForced;
  } else if (choice.threads == 1) {
    choice.route = Route::kCpuRows;
    choice.reason = Reason::kCpuOneThread;
  } else if (problem.rows >= choice.threads) {
    choice.route = Route::kCpuRows;
    choice.reason = Reason::kCpuEnoughRows;
  } else if (problem.width < 2 * kMinChunkColumns) {
    choice.route = Route::kCpuRows;
    choice.reason = Reason::kCpuRowsTooShortToShare;
  } else {
    choice.route = Route::kCpuChunks;
    choice.reason = Reason::kCpuFewWideRows;
  }

  if (choice.route == Route::kCpuChunks) {
    // A forced route splits even a short row, so that tests reach the merge with small inputs.
    const std::int64_t most =
        problem.route == Route::kAuto ? std::max<std::int64_t>(problem.width / kMinChunkColumns, 1) : choice.threads;
    choice.chunks_per_row =
        static_cast<std::int32_t>(std::min({std::int64_t{choice.threads}, most, cpu::kMaxChunksPerRow}));
  }
  // The bytes follow the thread count and not min(threads, rows): one arena then serves every row count.
  // Likewise the larger of both routes, since the choice between them depends on the rows.
  const std::int64_t merge_chunks = problem.route == Route::kCpuRows ? 1 : choice.threads;
  choice.workspace_bytes = cpu::workspace_layout(problem, choice.threads, merge_chunks).total_bytes;
  return choice;
}

}  // namespace keysieve
