#include "cli/self_test_cases.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "cli/option_names.hpp"
#include "cli/selection.hpp"
#include "keysieve/select.hpp"

namespace keysieve::cli {

namespace {

constexpr std::int64_t kOptionRows = 5;
constexpr std::int64_t kOptionWidth = 700;
constexpr std::int64_t kPageSize = 16;
constexpr std::int64_t kPages = (kOptionWidth + kPageSize - 1) / kPageSize;
constexpr ScoreType kTypes[] = {ScoreType::kFloat32, ScoreType::kBFloat16, ScoreType::kFloat16};
constexpr const char* kPatternNames[] = {"random", "equal", "few values", "NaN", "infinities", "zeros", "ascending"};
constexpr const char* kHintNames[] = {"exact", "low", "high", "NaN"};

// xorshift64*: the same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(0x9e3779b97f4a7c15ULL ^ (seed << 7)) {}

  std::uint32_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<std::uint32_t>((state_ * 0x2545f4914f6cdd1dULL) >> 32);
  }

 private:
  std::uint64_t state_;
};

std::uint32_t sign_of(ScoreType type) { return type == ScoreType::kFloat32 ? 0x80000000u : 0x8000u; }

std::uint32_t infinity_of(ScoreType type) {
  return type == ScoreType::kFloat32 ? 0x7f800000u : type == ScoreType::kBFloat16 ? 0x7f80u : 0x7c00u;
}

// Bits in the middle of the type's range with a random sign, so that every type gets finite, distinct scores.
std::uint32_t score_bits(TestPattern pattern, std::int64_t column, ScoreType type, Random& random) {
  const std::uint32_t sign = sign_of(type);
  const std::uint32_t infinity = infinity_of(type);
  const std::uint32_t draw = random.next();
  const std::uint32_t finite = draw % infinity;
  switch (pattern) {
    case TestPattern::kRandom:
      return finite | (draw & 0x80000000u ? sign : 0);
    case TestPattern::kEqual:
      return infinity / 2;
    case TestPattern::kFewValues:
      return infinity / 2 + draw % 3;
    case TestPattern::kNan:
      return draw % 4 != 0 ? finite : (draw % 8 == 0 ? sign : 0u) | infinity | (1u + draw % 7);
    case TestPattern::kInfinities:
      return draw % 3 == 0 ? infinity | sign : draw % 5 == 0 ? infinity : finite;
    case TestPattern::kZeros:
      return draw % 2 == 0 ? 0u : sign;
    case TestPattern::kAscending:
      return infinity / 2 + static_cast<std::uint32_t>(column % (infinity / 4));
  }
  return 0;
}

std::vector<std::byte> make_scores(TestPattern pattern, ScoreType type, std::int64_t rows, std::int64_t width,
                                   std::uint64_t seed) {
  Random random(seed);
  const auto element = static_cast<std::size_t>(size_bytes(type));
  std::vector<std::byte> scores(static_cast<std::size_t>(rows * width) * element);
  for (std::size_t i = 0; i < scores.size() / element; ++i) {
    const std::uint32_t bits = score_bits(pattern, static_cast<std::int64_t>(i) % width, type, random);
    std::memcpy(scores.data() + i * element, &bits, element);  // the low bytes: little-endian
  }
  return scores;
}

void fill_option_tensors(TestTensors& tensors) {
  tensors.lengths = {kOptionWidth, 3, 0, -7, 100000};
  tensors.row_starts = {0, 17, kOptionWidth, 5, kOptionWidth - 50};
  tensors.out_offsets = {0, 1000, -5, 7, std::numeric_limits<std::int32_t>::max() - 10};
  for (std::int64_t i = 0; i < kOptionRows * kPages; ++i) {
    tensors.page_table.push_back(static_cast<std::int32_t>((i * 37) % (kOptionRows * kPages)));
  }
  tensors.page_table[3] = -1;  // a bad page is an ordinary input
}

}  // namespace

TestCase option_case(int number) {
  const auto pattern = static_cast<TestPattern>(number / 6);
  const ScoreType type = kTypes[number / 2 % 3];
  TestCase test;
  test.tensors = std::make_shared<TestTensors>();
  TestTensors& tensors = *test.tensors;
  fill_option_tensors(tensors);
  tensors.scores = make_scores(pattern, type, kOptionRows, kOptionWidth, 0);

  // Options turn over with the number, each at its own pace, so that few cases meet many pairs.
  SelectProblem& problem = test.problem;
  problem.rows = kOptionRows;
  problem.width = kOptionWidth;
  constexpr std::int64_t kSlots[] = {64, 1, 300, 900};
  problem.k = kSlots[number % 4];
  problem.score_type = type;
  problem.mode = static_cast<IndexMode>(number % 4);
  problem.order = number % 3 == 0 ? SlotOrder::kIndex : number % 3 == 1 ? SlotOrder::kScore : SlotOrder::kAny;
  problem.ties = number % 5 == 4 ? Ties::kLargest : Ties::kSmallest;
  problem.nan_policy = number % 7 == 3 ? NanPolicy::kHighest : NanPolicy::kLowest;
  problem.mask_neg_inf = number % 6 == 5 ? 1 : 0;
  problem.index_type = number % 2 == 0 ? IndexType::kInt32 : IndexType::kInt64;
  SelectArgs& args = test.args;
  args.scores = tensors.scores.data();
  if (number % 5 != 0) args.lengths = tensors.lengths.data();
  if (number % 3 != 0) args.row_starts = tensors.row_starts.data();
  if (problem.mode == IndexMode::kOffset) args.out_offsets = tensors.out_offsets.data();
  if (problem.mode == IndexMode::kPaged || problem.mode == IndexMode::kDual) {
    args.page_table = tensors.page_table.data();
    args.page_table_rows = kOptionRows;
    args.page_table_columns = kPages;
    args.page_size = kPageSize;
  }
  test.name = std::string(kPatternNames[static_cast<int>(pattern)]) + ", " + name_of(type) + ", k " +
              std::to_string(problem.k) + ", mode " + name_of(problem.mode) + ", order " + name_of(problem.order);
  return test;
}

TestCase large_case(TestPattern pattern, ScoreType type, std::int64_t rows, std::int64_t width, std::int64_t k,
                    std::uint64_t seed) {
  TestCase test;
  test.tensors = std::make_shared<TestTensors>();
  test.tensors->scores = make_scores(pattern, type, rows, width, seed);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t cut = (row * 7919 + static_cast<std::int64_t>(seed) * 131) % (width / 4 + 1);
    test.tensors->lengths.push_back(static_cast<std::int32_t>(width - cut));
  }
  test.problem.rows = rows;
  test.problem.width = width;
  test.problem.k = k;
  test.problem.score_type = type;
  test.args.scores = test.tensors->scores.data();
  test.args.lengths = test.tensors->lengths.data();
  test.name = std::string(kPatternNames[static_cast<int>(pattern)]) + ", " + name_of(type) + ", " +
              std::to_string(rows) + " x " + std::to_string(width) + ", k " + std::to_string(k);
  return test;
}

void add_hint(TestCase& test, TestHint hint) {
  const SelectProblem& problem = test.problem;
  const auto element = static_cast<std::size_t>(size_bytes(problem.score_type));
  const std::uint32_t infinity = infinity_of(problem.score_type);
  const std::uint32_t bits = hint == TestHint::kLow    ? infinity | sign_of(problem.score_type)
                             : hint == TestHint::kHigh ? infinity
                                                       : infinity | 1u;
  std::vector<std::byte>& hints = test.tensors->hint;
  hints.resize(static_cast<std::size_t>(problem.rows) * element);
  for (std::size_t at = 0; at < hints.size(); at += element) std::memcpy(hints.data() + at, &bits, element);
  if (hint == TestHint::kExact) {
    SelectProblem reference = problem;
    reference.backend = Backend::kReference;
    reference.route = Route::kAuto;
    reference.order = SlotOrder::kScore;
    Outputs outputs;
    outputs.prepare(reference, true, std::byte{0});
    Runner().run(make_plan(reference), test.args, outputs);
    for (std::int64_t row = 0; row < problem.rows; ++row) {
      const std::int64_t last = std::max(outputs.counts[static_cast<std::size_t>(row)], 1) - 1;
      const auto at = static_cast<std::size_t>(row * problem.k + last) * element;
      std::memcpy(hints.data() + static_cast<std::size_t>(row) * element, outputs.values.data() + at, element);
    }
  }
  test.args.hint = hints.data();
  test.name += std::string(", hint ") + kHintNames[static_cast<int>(hint)];
}

}  // namespace keysieve::cli
