// Verdicts on results: right ones of every kind pass, every kind of fault is found.
#include <gtest/gtest.h>

#include <random>

#include "shadow/shadow_calls.hpp"

namespace keysieve::test {
namespace {

using cases::CaseInputs;
using cases::CaseResult;
using cases::SelectCase;

SelectCase small_case(const char* name) {
  SelectCase spec;
  spec.name = name;
  spec.rows = 3;
  spec.width = 200;
  spec.k = 16;
  spec.pattern.kind = cases::Pattern::kFewValues;
  return spec;
}

constexpr std::int64_t kTableSlotBytes = 32 << 20;  // any case of table(), whole

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kStep = 6;  // slow there, and the checks run in one thread anyway
#else
constexpr std::size_t kStep = 1;
#endif

// The table's cases that a reference sorts in no time.
std::vector<SelectCase> table() {
  std::vector<SelectCase> specs;
  std::size_t seen = 0;
  for (const SelectCase& spec : cases::case_table()) {
    if (spec.rows == 0 || spec.rows > 1024 || spec.rows * spec.width > 150000) continue;
    if (seen++ % kStep == 0) specs.push_back(spec);
  }
  return specs;
}

// In one shadow, by two implementations: the oracle and the CPU backend, each in its own order of slots.
TEST(ShadowVerdict, RightResultsOfTheTableAreNotReported) {
  Shadow shadow(watch_all(kTableSlotBytes));
  std::int64_t rows = 0, calls = 0;
  const auto observe = [&](const SelectPlan& plan, const CaseInputs& inputs, CaseResult& result) {
    shadow.observe(plan, args_of(inputs, result));
    shadow.wait();
    rows += inputs.spec().rows;
    ++calls;
    ASSERT_EQ(shadow.report().rows_wrong, 0) << inputs.spec().name << "\n" << shadow.report_json();
  };
  for (const SelectCase& spec : table()) {
    const CaseInputs inputs(spec);
    SelectProblem problem = inputs.problem();
    CaseResult oracle = right_answer(inputs);
    observe(make_plan(problem), inputs, oracle);
    problem.backend = Backend::kCpu;
    const SelectPlan plan = make_plan(problem);
    CaseResult result(inputs, plan.workspace_bytes, 0x5A);
    ASSERT_EQ(cases::run_plan(plan, inputs, result), "");
    observe(plan, inputs, result);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(calls, static_cast<std::int64_t>(400 / kStep));
  EXPECT_EQ(shadow.report().rows_checked, rows);
  EXPECT_EQ(shadow.report().calls_checked, calls);
}

// A change of a right result, small enough that it may leave it right.
class Mutation {
 public:
  explicit Mutation(std::uint32_t seed) : random_(seed) {}

  void apply(const SelectCase& spec, CaseResult& result) {
    const std::int64_t row = below(spec.rows), slot = below(spec.k), other = below(spec.k);
    const bool dual = spec.mode == IndexMode::kDual;
    switch (below(7)) {
      case 0:
        return result.set_index(row, slot, result.index(row, slot) + 1);
      case 1:  // nothing but the order
        return swap_slots(spec, result, row, slot, other);
      case 2:  // chosen twice
        return copy_slot(spec, result, row, slot, other);
      case 3:
        return spec.want_values ? result.set_value(row, slot, result.value(row, slot) ^ 1u)
                                : result.set_index(row, slot, -1);
      case 4:
        return spec.want_counts ? result.set_count(row, result.count(row) - 1)
                                : result.set_index(row, slot, below(std::max<std::int64_t>(spec.width, 1)));
      case 5:
        return dual ? result.set_raw_index(row, slot, result.raw_index(row, slot) ^ 1)
                    : result.set_index(row, slot, below(std::max<std::int64_t>(spec.width, 1)));
      default:  // another column, maybe one of the same score
        return result.set_index(row, slot, below(std::max<std::int64_t>(spec.width, 1)));
    }
  }

 private:
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
  }

  static void copy_slot(const SelectCase& spec, CaseResult& result, std::int64_t row, std::int64_t from,
                        std::int64_t to) {
    result.set_index(row, to, result.index(row, from));
    if (spec.mode == IndexMode::kDual) result.set_raw_index(row, to, result.raw_index(row, from));
    if (spec.want_values) result.set_value(row, to, result.value(row, from));
  }

  static void swap_slots(const SelectCase& spec, CaseResult& result, std::int64_t row, std::int64_t a, std::int64_t b) {
    const std::int64_t index = result.index(row, b);
    const std::int64_t raw = spec.mode == IndexMode::kDual ? result.raw_index(row, b) : 0;
    const std::uint32_t value = spec.want_values ? result.value(row, b) : 0;
    copy_slot(spec, result, row, a, b);
    result.set_index(row, a, index);
    if (spec.mode == IndexMode::kDual) result.set_raw_index(row, a, raw);
    if (spec.want_values) result.set_value(row, a, value);
  }

  std::mt19937_64 random_;
};

// Whatever the tests' own comparison calls wrong must be found, and nothing else.
TEST(ShadowVerdict, AgreesWithTheTestsOnChangedResults) {
  Shadow shadow(watch_all(kTableSlotBytes));
  int wrong = 0, right = 0;
  std::uint32_t seed = 1;
  for (SelectCase spec : table()) {
    if (spec.k > 4096) continue;
    for (const Ties ties : {spec.ties, Ties::kAny}) {
      // The comparison needs positions, which pages and results past int32 do not show.
      const bool hidden = spec.mode == IndexMode::kPaged || spec.offset_kind == cases::OffsetKind::kOverflow;
      if (ties == Ties::kAny && hidden) continue;
      spec.ties = ties;
      const CaseInputs inputs(spec);
      const SelectPlan plan = make_plan(inputs.problem());
      const CaseResult expected = right_answer(inputs);
      CaseResult changed = right_answer(inputs);
      Mutation(seed++).apply(spec, changed);
      const std::string fault = cases::compare(inputs, expected, changed);
      const std::int64_t before = shadow.report().rows_wrong;
      shadow.observe(plan, args_of(inputs, changed));
      shadow.wait();
      const bool found = shadow.report().rows_wrong > before;
      ASSERT_EQ(found, !fault.empty()) << spec.name << ", seed " << seed - 1 << ": " << fault;
      ++(found ? wrong : right);
    }
  }
  EXPECT_GT(wrong, static_cast<int>(300 / kStep));
  EXPECT_GT(right, static_cast<int>(60 / kStep));
}

TEST(ShadowVerdict, WrongIndexIsNamed) {
  SelectCase spec = small_case("wrong index");
  spec.want_values = false;
  const CaseInputs inputs(spec);
  CaseResult result = right_answer(inputs);
  const std::int64_t right = result.index(1, 5);
  result.set_index(1, 5, right + 1);
  std::string json;
  const ShadowReport report = report_on(inputs, result, watch_all(), &json);
  EXPECT_EQ(report.rows_checked, 3);
  EXPECT_EQ(report.rows_wrong, 1);
  EXPECT_EQ(report.first_wrong_output, ShadowOutput::kIndices);
  EXPECT_EQ(report.first_wrong_call, 0);
  EXPECT_EQ(report.first_wrong_row, 1);
  EXPECT_EQ(report.first_wrong_slot, 5);
  EXPECT_EQ(report.first_wrong_expected, right);
  EXPECT_EQ(report.first_wrong_got, right + 1);
  EXPECT_NE(json.find("call 0, row 1 of 3 x 200, k 16, float32, mode raw: slot 5 of indices: expected"),
            std::string::npos)
      << json;
}

TEST(ShadowVerdict, AnotherColumnOfTheSameScoreIsWrongUnlessTiesAreFree) {
  for (const Ties ties : {Ties::kSmallest, Ties::kLargest, Ties::kAny}) {
    for (const SlotOrder order : {SlotOrder::kIndex, SlotOrder::kScore, SlotOrder::kAny}) {
      SelectCase spec = small_case("ties");
      spec.pattern.kind = cases::Pattern::kConstant;
      spec.ties = ties;
      spec.order = order;
      const CaseInputs inputs(spec);
      CaseResult result = right_answer(inputs);
      // The chosen columns are 0..15 or 184..199; shift them by one, the order stays.
      const std::int64_t shift = ties == Ties::kLargest ? -1 : 1;
      for (std::int64_t slot = 0; slot < spec.k; ++slot) result.set_index(2, slot, result.index(2, slot) + shift);
      EXPECT_EQ(report_on(inputs, result).rows_wrong, ties == Ties::kAny ? 0 : 1);
      result.set_index(2, 0, result.index(2, 1));  // twice
      EXPECT_EQ(report_on(inputs, result).rows_wrong, 1);
    }
  }
}

TEST(ShadowVerdict, CountValueAndRawIndexAreCompared) {
  SelectCase spec = small_case("outputs");
  spec.mode = IndexMode::kDual;
  const CaseInputs inputs(spec);
  {
    CaseResult result = right_answer(inputs);
    result.set_count(0, 15);
    const ShadowReport report = report_on(inputs, result);
    EXPECT_EQ(report.first_wrong_output, ShadowOutput::kCounts);
    EXPECT_EQ(report.first_wrong_expected, 16);
    EXPECT_EQ(report.first_wrong_got, 15);
  }
  {
    CaseResult result = right_answer(inputs);
    result.set_value(0, 3, result.value(0, 3) ^ 1u);
    EXPECT_EQ(report_on(inputs, result).first_wrong_output, ShadowOutput::kValues);
  }
  {
    CaseResult result = right_answer(inputs);
    result.set_raw_index(0, 3, result.raw_index(0, 3) ^ 64);
    EXPECT_EQ(report_on(inputs, result).first_wrong_output, ShadowOutput::kRawIndices);
  }
}

// Free ties in mode paged, where slots do not show positions.
TEST(ShadowVerdict, FreeTiesBehindPages) {
  SelectCase spec = small_case("paged ties");
  spec.mode = IndexMode::kPaged;
  spec.page_fill = cases::PageFill::kIdentity;
  spec.pattern.kind = cases::Pattern::kConstant;
  spec.ties = Ties::kAny;
  spec.page_size = 8;
  const CaseInputs inputs(spec);
  CaseResult result = right_answer(inputs);
  const std::int64_t first = result.index(0, 0), last = result.index(0, 15);
  EXPECT_EQ(report_on(inputs, result).rows_wrong, 0);
  result.set_index(0, 15, last + 8);  // of the next page, the same score
  EXPECT_EQ(report_on(inputs, result).rows_wrong, 0);
  result.set_index(0, 15, first);  // twice
  EXPECT_EQ(report_on(inputs, result).rows_wrong, 1);
  result.set_index(0, 15, 1 << 20);  // of no column
  EXPECT_EQ(report_on(inputs, result).rows_wrong, 1);
}

}  // namespace
}  // namespace keysieve::test
