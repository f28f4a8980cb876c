#include "plan/cta_shape.hpp"

#include <algorithm>
#include <initializer_list>

#include "cuda/block/block_state.hpp"
#include "cuda/block/limits.hpp"

namespace keysieve {
namespace {

constexpr std::int64_t kSystemSharedBytes = 1024;  // what the driver keeps of every CTA's share

// Room for candidates beyond k. The sample of 512 vectors leaves about 1.7 k of a long row (2.5 k for k = 512), and a
// compaction costs about as much as the rest of the row's fixed work: it should be rare.
std::int64_t wanted_room(std::int64_t k) { return std::max<std::int64_t>(2048, k + k / 4 + 512); }
// A CTA of one warp takes both edges of a row, two chunks, before it first looks at the room.
constexpr std::int64_t kLeastRoom = kChunkColumns;

std::int64_t chosen_of(const SelectProblem& problem) { return std::clamp<std::int64_t>(problem.width, 1, problem.k); }

// Sorting pads the chosen ones to a power of two.
std::int64_t sorted_entries(std::int64_t k) { return power_of_two_at_least(static_cast<std::int32_t>(k)); }

// The row lies in registers; the buffer holds what has been chosen: positions in 32 bits, or entries to be sorted.
CtaShape tile_shape(const SelectProblem& problem, std::int32_t threads, std::int64_t budget_bytes) {
  CtaShape shape;
  shape.threads = threads;
  if (!tile_holds(problem.width, threads)) return shape;
  const std::int64_t k = chosen_of(problem);
  const std::int64_t capacity = problem.order == SlotOrder::kScore ? sorted_entries(k) : (k + 1) / 2;
  shape.candidate_capacity = static_cast<std::int32_t>(capacity);
  shape.shared_bytes = shared_bytes_of(Route::kTile, shape.candidate_capacity);
  shape.fits = shape.shared_bytes <= budget_bytes;
  return shape;
}

CtaShape shape_for(const SelectProblem& problem, Route route, std::int32_t threads, std::int64_t budget_bytes) {
  CtaShape shape;
  shape.threads = threads;
  if (route == Route::kTrivial) {
    shape.fits = true;
    return shape;
  }
  if (route == Route::kTile) return tile_shape(problem, threads, budget_bytes);
  const std::int64_t k = chosen_of(problem);
  const std::int64_t spare = threads / kWarpThreads * std::int64_t{kChunkColumns};

  const std::int64_t least = std::max<std::int64_t>({k + spare + kLeastRoom, kSampleEntries, sorted_entries(k)});
  // A buffer for the whole row never overflows; more would be of no use.
  const std::int64_t most = std::max(least, std::min(k + wanted_room(k), problem.width) + spare);
  const std::int64_t inbox_bytes = route == Route::kSplit ? inbox_entries(0) * 8 + kSelectBins * 4 : 0;
  const std::int64_t entry_bytes = route == Route::kSplit ? 16 : 8;  // the inbox has a place for every candidate
  const std::int64_t fixed_bytes = SharedLayout(0).bytes + inbox_bytes + 16;
  const std::int64_t affordable = (budget_bytes - fixed_bytes) / entry_bytes;
  const std::int64_t capacity = std::clamp(affordable, least, most);
  if (fixed_bytes + capacity * entry_bytes > budget_bytes) return shape;

  shape.candidate_capacity = static_cast<std::int32_t>(capacity);
  shape.shared_bytes = shared_bytes_of(route, shape.candidate_capacity);
  shape.sample_vectors = kMaxSamples;
  while (shape.sample_vectors > 2 * threads) shape.sample_vectors /= 2;
  shape.fits = true;
  return shape;
}

// Threads for 16 columns each, so many as a CTA may have; where several CTAs share an SM, what each thread does once a row
// adds up, and half as many are better. Measured: docs/algorithms/tile.md.
std::int32_t tile_threads(const SelectProblem& problem, const DeviceProfile& device) {
  const bool shared = problem.rows > 2 * device.num_sms;
  const std::int64_t columns = shared ? kMostTileThreadColumns : kTileThreadColumns;
  const std::int64_t threads = (problem.width + columns - 1) / columns;
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>((threads + kWarpThreads - 1) / kWarpThreads * kWarpThreads, 64, kMaxCtaThreads));
}

// Where two CTAs of 512 threads share an SM or about four of 256.
bool wants_small_sieve(const SelectProblem& problem, const DeviceProfile& device) {
  return problem.rows > 2 * device.num_sms && problem.width <= 32768;
}

}  // namespace

std::int32_t shared_bytes_of(Route route, std::int32_t candidate_capacity) {
  return (route == Route::kSplit ? SharedLayout::with_inbox(candidate_capacity) : SharedLayout(candidate_capacity)).bytes;
}

CtaShape choose_cta_shape(const SelectProblem& problem, Route route, const DeviceProfile& device) {
  const std::int64_t whole = device.shared_bytes_per_cta;
  const std::int64_t half = std::min(whole, device.shared_bytes_per_sm / 2 - kSystemSharedBytes);
  if (problem.threads != kAuto) {
    const CtaShape shape = shape_for(problem, route, problem.threads, half);
    return shape.fits ? shape : shape_for(problem, route, problem.threads, whole);
  }
  if (route == Route::kTrivial) return shape_for(problem, route, problem.width <= 512 ? 64 : 256, whole);
  if (route == Route::kTile) {
    const CtaShape shape = shape_for(problem, route, tile_threads(problem, device), half);
    return shape.fits ? shape : shape_for(problem, route, tile_threads(problem, device), whole);
  }
  // A CTA that has its SM to itself reads a long row faster with more threads; a cluster's barriers and short rows want
  // fewer. Otherwise two CTAs an SM, so that one selects while the other reads.
  if (route == Route::kSieve && problem.rows <= device.num_sms &&
      problem.width >= device.tuning.sieve_many_threads_columns) {
    const CtaShape shape = shape_for(problem, route, kMaxCtaThreads, whole);
    if (shape.fits) return shape;
  }
  if (route == Route::kSieve && wants_small_sieve(problem, device)) {
    const CtaShape shape = shape_for(problem, route, 256, half);
    if (shape.fits) return shape;
  }
  // The CTAs of a cluster have an SM each, nearly always.
  for (const std::int32_t threads : {512, 256, 128}) {
    const CtaShape shape = shape_for(problem, route, threads, route == Route::kSplit ? whole : half);
    if (shape.fits) return shape;
  }
  for (const std::int32_t threads : {512, 256, 128}) {
    const CtaShape shape = shape_for(problem, route, threads, whole);
    if (shape.fits) return shape;
  }
  return shape_for(problem, route, 64, whole);
}

}  // namespace keysieve
