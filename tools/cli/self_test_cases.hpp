// The self-test's cases: shapes, options and scores that are the same on every machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "keysieve/types.hpp"

namespace keysieve::cli {

// The tensors that a case points into.
struct TestTensors {
  std::vector<std::byte> scores;
  std::vector<std::int32_t> lengths;
  std::vector<std::int32_t> row_starts;
  std::vector<std::int32_t> out_offsets;
  std::vector<std::int32_t> page_table;
  std::vector<std::byte> hint;
};

struct TestCase {
  SelectProblem problem;  // backend and route are the caller's to set
  SelectArgs args;        // points into `tensors`
  std::string name;
  std::shared_ptr<TestTensors> tensors;
};

enum class TestPattern { kRandom, kEqual, kFewValues, kNan, kInfinities, kZeros, kAscending };
inline constexpr int kNumTestPatterns = 7;

enum class TestHint { kExact, kLow, kHigh, kNan };
inline constexpr int kNumTestHints = 4;

// Small rows, every mode, order, type and policy among some forty of them: `number` counts from 0 to
// kNumOptionCases - 1.
inline constexpr int kNumOptionCases = kNumTestPatterns * 3 * 2;
TestCase option_case(int number);

// A plain problem (raw, int32, slots by index) over full and nearly full rows. `seed` changes scores and lengths and
// nothing else, so cases that differ in it alone fit one graph.
TestCase large_case(TestPattern pattern, ScoreType type, std::int64_t rows, std::int64_t width, std::int64_t k,
                    std::uint64_t seed = 0);

// Adds a hint to every row: the right k-th score, as the reference has it, or one that misleads.
void add_hint(TestCase& test, TestHint hint);

}  // namespace keysieve::cli
