// Which calls and which rows are looked at: a hash of (seed, number), so that a run can be repeated and no pattern of
// the engine's calls (every layer in turn, say) meets the sample in step.
#pragma once

#include <cstdint>

namespace keysieve::shadow {

// A bijective scramble of 64 bits: every input bit reaches every output bit.
constexpr std::uint64_t scramble(std::uint64_t bits) {
  bits += 0x9E3779B97F4A7C15u;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
  return bits ^ (bits >> 31);
}

class Sampler {
 public:
  // share in [0, 1].
  Sampler(double share, std::uint64_t seed)
      : all_(share >= 1.0), limit_(all_ ? 0 : static_cast<std::uint64_t>(share * kTwoTo64)), seed_(scramble(seed)) {}

  bool draws(std::int64_t call) const { return all_ || hash(call) < limit_; }

  // Pick `pick` of `picks` rows of a call, picks <= rows: one of each stretch of rows, so that picks differ and need no
  // memory. Ascending in `pick`.
  std::int64_t row(std::int64_t call, std::int64_t pick, std::int64_t picks, std::int64_t rows) const {
    const std::int64_t begin = stretch(pick, picks, rows), end = stretch(pick + 1, picks, rows);
    const std::uint64_t drawn = scramble(hash(call) ^ scramble(static_cast<std::uint64_t>(pick) + 1));
    return begin + static_cast<std::int64_t>(drawn % static_cast<std::uint64_t>(end - begin));
  }

 private:
  static constexpr double kTwoTo64 = 18446744073709551616.0;

  // rows < 2^31 and picks <= 1024: no overflow.
  static std::int64_t stretch(std::int64_t pick, std::int64_t picks, std::int64_t rows) { return rows * pick / picks; }

  std::uint64_t hash(std::int64_t call) const { return scramble(seed_ ^ scramble(static_cast<std::uint64_t>(call))); }

  bool all_;
  std::uint64_t limit_;
  std::uint64_t seed_;
};

}  // namespace keysieve::shadow
