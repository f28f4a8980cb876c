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
CtaShape tile_shape(const SelectProblem& problem, std::int32_t split, std::int32_t threads, std::int64_t budget_bytes) {
  CtaShape shape;
  shape.threads = threads;
  if (split < 1 || !tile_holds(problem.width, threads, split)) return shape;
  const std::int64_t k = chosen_of(problem);
  const std::int64_t capacity = problem.order == SlotOrder::kScore ? sorted_entries(k) : (k + 1) / 2;
  shape.candidate_capacity = static_cast<std::int32_t>(capacity);
  shape.shared_bytes = shared_bytes_of(Route::kTile, split, shape.candidate_capacity);
  shape.fits = shape.shared_bytes <= budget_bytes;
  return shape;
}

CtaShape shape_for(const SelectProblem& problem, Route route, std::int32_t split, std::int32_t threads,
                   std::int64_t budget_bytes) {
  CtaShape shape;
  shape.threads = threads;
  if (route == Route::kTrivial) {
    shape.fits = true;
    return shape;
  }
  if (route == Route::kTile) return tile_shape(problem, split, threads, budget_bytes);
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
  shape.shared_bytes = shared_bytes_of(route, split, shape.candidate_capacity);
  shape.sample_vectors = kMaxSamples;
  while (shape.sample_vectors > 2 * threads) shape.sample_vectors /= 2;
  shape.fits = true;
  return shape;
}

// 16 columns a thread; where several CTAs share an SM, what each thread does once a row adds up, and half as many
// threads are better. Measured: docs/algorithms/tile.md.
std::int32_t tile_threads(const SelectProblem& problem, std::int32_t split, const DeviceProfile& device) {
  const bool alone = problem.rows <= device.num_sms;
  const std::int32_t least = alone && split == 1 ? 256 : 128;
  const std::int32_t most = split > 1 || alone ? kMaxCtaThreads : 512;
  const bool crowded = problem.rows > 2 * device.num_sms;
  const std::int64_t columns = crowded ? kMostTileThreadColumns : kTileThreadColumns;
  const std::int64_t ctas = std::max<std::int64_t>(split, 1);
  const std::int64_t wanted =
      std::clamp<std::int64_t>((problem.width + columns * ctas - 1) / (columns * ctas), least, most);
  const std::int32_t threads = static_cast<std::int32_t>((wanted + kWarpThreads - 1) / kWarpThreads * kWarpThreads);
  return tile_holds(problem.width, threads, split) ? threads : kMaxCtaThreads;
}

// Where two CTAs of 512 threads share an SM or about four of 256.
bool wants_small_sieve(const SelectProblem& problem, const DeviceProfile& device) {
  return problem.rows > 2 * device.num_sms && problem.width <= 32768;
}

}  // namespace

std::int32_t shared_bytes_of(Route route, std::int32_t split, std::int32_t candidate_capacity) {
  if (route == Route::kSplit) return SharedLayout::with_inbox(candidate_capacity).bytes;
  const bool in_cluster = route == Route::kTile && split > 1;
  return SharedLayout(candidate_capacity, in_cluster ? static_cast<std::int32_t>(sizeof(ClusterMemory)) : 0).bytes;
}

CtaShape choose_cta_shape(const SelectProblem& problem, Route route, std::int32_t split, const DeviceProfile& device) {
  const std::int64_t whole = device.shared_bytes_per_cta;
  const std::int64_t half = std::min(whole, device.shared_bytes_per_sm / 2 - kSystemSharedBytes);
  if (problem.threads != kAuto) {
    const CtaShape shape = shape_for(problem, route, split, problem.threads, half);
    return shape.fits ? shape : shape_for(problem, route, split, problem.threads, whole);
  }
  if (route == Route::kTrivial) return shape_for(problem, route, split, problem.width <= 512 ? 64 : 256, whole);
  if (route == Route::kTile) {
    const std::int32_t threads = tile_threads(problem, split, device);
    const CtaShape shape = shape_for(problem, route, split, threads, half);
    return shape.fits ? shape : shape_for(problem, route, split, threads, whole);
  }
  // A CTA that has its SM to itself reads a long row faster with more threads; a cluster's barriers and short rows want
  // fewer. Otherwise two CTAs an SM, so that one selects while the other reads.
  if (route == Route::kSieve && problem.rows <= device.num_sms &&
      problem.width >= device.tuning.sieve_many_threads_columns) {
    const CtaShape shape = shape_for(problem, route, split, kMaxCtaThreads, whole);
    if (shape.fits) return shape;
  }
  if (route == Route::kSieve && wants_small_sieve(problem, device)) {
    const CtaShape shape = shape_for(problem, route, split, 256, half);
    if (shape.fits) return shape;
  }
  // The CTAs of a cluster have an SM each, nearly always.
  for (const std::int32_t threads : {512, 256, 128}) {
    const CtaShape shape = shape_for(problem, route, split, threads, route == Route::kSplit ? whole : half);
    if (shape.fits) return shape;
  }
  for (const std::int32_t threads : {512, 256, 128}) {
    const CtaShape shape = shape_for(problem, route, split, threads, whole);
    if (shape.fits) return shape;
  }
  return shape_for(problem, route, split, 64, whole);
}

}  // namespace keysieve
