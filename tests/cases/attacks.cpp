#include "cases/attacks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cpu/sample_runs.hpp"
#include "cuda/block/sample_positions.hpp"

namespace keysieve::cases {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

enum class Seen : std::uint8_t { kNot, kFirst, kOther };  // kFirst: the first live column of a sampled vector or run

void mark(std::vector<Seen>& seen, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    seen[static_cast<std::size_t>(i)] = i == begin ? Seen::kFirst : Seen::kOther;
  }
}

void mark_cpu_sample(std::vector<Seen>& seen) {
  const std::int64_t n = std::ssize(seen), columns = cpu::sample_columns(n);
  if (n < columns) return;  // taken whole
  const std::int64_t num_runs = columns / cpu::kSampleRunColumns;
  for (std::int64_t run = 0; run < num_runs; ++run) {
    const std::int64_t begin = cpu::sample_run_begin(run, num_runs, n, n / num_runs);
    mark(seen, begin, begin + cpu::kSampleRunColumns);
  }
}

std::vector<Seen> sampled_columns(const SelectCase& spec, std::int64_t n, const void* scores) {
  std::vector<Seen> seen(static_cast<std::size_t>(n), Seen::kNot);
  if (spec.attack_samples == 0) {
    mark_cpu_sample(seen);
    return seen;
  }
  const std::int64_t element = size_bytes(spec.score_type), columns = 16 / element;
  const auto lead = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(scores) % 16) / element;
  const auto num_vectors = static_cast<std::int32_t>((n + lead + columns - 1) / columns);
  int log2_samples = 0;
  while ((std::int64_t{2} << log2_samples) <= spec.attack_samples && log2_samples < 15) ++log2_samples;
  for (std::int32_t sample = 0; sample < (1 << log2_samples); ++sample) {
    const std::int64_t vector_begin = sample_vector(sample, num_vectors, log2_samples) * columns - lead;
    mark(seen, std::max<std::int64_t>(vector_begin, 0), std::min(vector_begin + columns, n));
  }
  return seen;
}

double score_against_sample(AttackKind kind, std::int64_t i, Seen seen) {
  const bool is_seen = seen != Seen::kNot;
  const auto column = static_cast<double>(i);
  switch (kind) {
    case AttackKind::kPeaksSeen:
      return is_seen ? 100.0 + static_cast<double>(i % 7) : -static_cast<double>(i % 1000);
    case AttackKind::kOnePeakPerVector:
      return seen == Seen::kFirst ? 100.0 + column / 64 : -static_cast<double>(i % 3000);
    case AttackKind::kLowSeenAscending:
      return is_seen ? -1000.0 : column / 64;
    case AttackKind::kLowSeenDescending:
      return is_seen ? -1000.0 : 30000.0 - column;
    case AttackKind::kNanSeen:
      return is_seen ? (i % 2 == 0 ? std::nan("") : -kInfinite) : 1.0;
    default:  // kPeaksHidden
      return is_seen ? static_cast<double>(i % 50) : (i % 97 == 0 ? 1000.0 : 0.0);
  }
}

// NaN of every sign and payload; never an infinity.
std::uint32_t nan_bits(ScoreType type, std::uint32_t hash) {
  const std::uint32_t infinity = bits_of_type(type, kInfinite);
  const std::uint32_t sign = type == ScoreType::kFloat32 ? 0x80000000u : 0x8000u;
  const std::uint32_t payload = (sign - 1) & ~infinity;
  return infinity | std::max(hash & payload, 1u) | ((hash >> 31) != 0 ? sign : 0u);
}

}  // namespace

void fill_attack(const SelectCase& spec, std::int64_t row, std::int64_t n, void* scores) {
  const ScoreType type = spec.score_type;
  const std::uint32_t r = spec.pattern.first_row + static_cast<std::uint32_t>(row);
  const std::uint32_t middle = bits_of_type(type, 0.5);
  const auto exception = n > 0 ? static_cast<std::int64_t>(hash32(r, 0, 5) % static_cast<std::uint64_t>(n)) : 0;
  // So that about k / 2 of the columns are unlike the flood.
  const auto rare = static_cast<std::uint32_t>(std::max<std::int64_t>(2 * n / std::max<std::int64_t>(spec.k, 1), 2));
  const bool by_sample = spec.attack <= AttackKind::kPeaksHidden;
  const std::vector<Seen> seen = by_sample ? sampled_columns(spec, n, scores) : std::vector<Seen>();
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint32_t hash = hash32(r, static_cast<std::uint32_t>(i), 11);
    const bool is_rare = hash32(r, static_cast<std::uint32_t>(i), 12) % rare == 0;
    std::uint32_t bits = middle;
    switch (spec.attack) {
      case AttackKind::kUlpsAtCutoff:
        bits = middle - 1 + hash % 3u;
        break;
      case AttackKind::kOneException:
        if (i == exception) bits = r % 2 == 0 ? middle + 1 : middle - 1;
        break;
      case AttackKind::kNanFlood:
        bits = is_rare ? bits_of_type(type, unit(r, static_cast<std::uint32_t>(i)) - 0.5) : nan_bits(type, hash);
        break;
      case AttackKind::kInfinityFlood:
        bits = bits_of_type(type, hash % 2u == 0 ? kInfinite : -kInfinite);
        if (hash % 1000u == 0) bits = middle;
        break;
      case AttackKind::kZeroFlood:
        bits = bits_of_type(type, is_rare ? 0.25 * (hash % 2u == 0 ? 1 : -1) : (hash % 2u == 0 ? 0.0 : -0.0));
        break;
      default:
        bits = bits_of_type(type, score_against_sample(spec.attack, i, seen[static_cast<std::size_t>(i)]));
        break;
    }
    store_bits(type, scores, i, bits);
  }
}

}  // namespace keysieve::cases
