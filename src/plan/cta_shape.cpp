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
// On chip CTAs share the SM much: room for what the sample leaves, 1.4 to 1.9 k and hardly ever 2 k + 256, or for rows
// that are taken whole; and for the bitmap of order index behind it.
std::int64_t wanted_tile_room(std::int64_t k, std::int64_t width) { return std::max(k, k * 3 / 4 + 512) + width / 64; }
// A CTA of one warp takes both edges of a row, two chunks, before it first looks at the room.
constexpr std::int64_t kLeastRoom = kChunkColumns;

CtaShape shape_for(const SelectProblem& problem, Route route, std::int32_t threads, std::int64_t budget_bytes) {
  CtaShape shape;
  shape.threads = threads;
  if (route == Route::kTrivial) {
    shape.fits = true;
    return shape;
  }
  const auto score_bytes = static_cast<std::int32_t>(size_bytes(problem.score_type));
  const bool tile = route == Route::kTile;
  const std::int64_t k = std::clamp<std::int64_t>(problem.width, 1, problem.k);
  const std::int64_t spare = threads / kWarpThreads * std::int64_t{kChunkColumns};
  const std::int64_t vectors = tile ? tile_vectors(problem.width, score_bytes) : 0;

  // Sorting pads the chosen ones to a power of two. The tile makes room before chunks are taken.
  const std::int64_t least = std::max<std::int64_t>(
      {k + spare + kLeastRoom - 2 * vectors, kSampleEntries, power_of_two_at_least(static_cast<std::int32_t>(k))});
  // A buffer for the whole row never overflows; more would be of no use.
  const std::int64_t room = tile ? wanted_tile_room(k, problem.width) : wanted_room(k);
  const std::int64_t most = std::max(least, std::min(k + room, problem.width) + (tile ? 0 : spare));
  const std::int64_t inbox_bytes = route == Route::kSplit ? inbox_entries(0) * 8 + kSelectBins * 4 : 0;
  const std::int64_t entry_bytes = route == Route::kSplit ? 16 : 8;  // the inbox has a place for every candidate
  const std::int64_t fixed_bytes = SharedLayout(0, 0).bytes + vectors * 16 + inbox_bytes + 16;
  const std::int64_t affordable = (budget_bytes - fixed_bytes) / entry_bytes;
  const std::int64_t capacity = std::clamp(affordable, least, most);
  if (fixed_bytes + capacity * entry_bytes > budget_bytes) return shape;

  shape.candidate_capacity = static_cast<std::int32_t>(capacity);
  shape.shared_bytes = shared_bytes_of(problem, route, shape.candidate_capacity);
  // On chip an observation a thread, but for small CTAs: twice as many gain less than they cost.
  const std::int32_t most_samples = tile && threads >= 256 ? threads : 2 * threads;
  shape.sample_vectors = kMaxSamples;
  while (shape.sample_vectors > most_samples) shape.sample_vectors /= 2;
  shape.fits = true;
  return shape;
}

// A row alone on its SM is done sooner with more threads, if there is work for them. Where several CTAs share one, what
// each thread does once a row adds up, and fewer are better. Measured: docs/algorithms/tile.md.
std::int32_t tile_threads(const SelectProblem& problem, const DeviceProfile& device) {
  constexpr std::int64_t kKib = 1024;
  const std::int64_t bytes = problem.width * size_bytes(problem.score_type);
  if (bytes <= kKib) return 64;
  if (bytes <= 4 * kKib) return 128;
  if (bytes > 32 * kKib) return 512;
  if (problem.rows <= device.num_sms) return problem.k > 512 ? 512 : 256;
  if (problem.rows <= 2 * device.num_sms) return problem.k > 1024 ? 512 : 256;
  return bytes <= 16 * kKib && problem.k <= 1024 ? 128 : 256;
}

// The same for route sieve, where two CTAs of 512 threads share an SM or about four of 256.
bool wants_small_sieve(const SelectProblem& problem, const DeviceProfile& device) {
  return problem.rows > 2 * device.num_sms && problem.width <= 32768;
}

}  // namespace

std::int32_t shared_bytes_of(const SelectProblem& problem, Route route, std::int32_t candidate_capacity) {
  if (route == Route::kSplit) return SharedLayout::with_inbox(candidate_capacity).bytes;
  const auto score_bytes = static_cast<std::int32_t>(size_bytes(problem.score_type));
  const std::int64_t vectors = route == Route::kTile ? tile_vectors(problem.width, score_bytes) : 0;
  return SharedLayout(candidate_capacity, static_cast<std::int32_t>(vectors)).bytes;
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
