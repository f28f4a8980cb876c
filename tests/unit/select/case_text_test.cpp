// The text of a case is the case: what is written comes back, and what cannot be built is refused by name.
#include "cases/case_text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "cases/attacks.hpp"
#include "cases/case_table.hpp"
#include "cases/hints.hpp"
#include "cases/oracle.hpp"
#include "cases/windows.hpp"
#include "cpu/sample_runs.hpp"

namespace keysieve::test {
namespace {

using cases::case_fault;
using cases::parse_case;
using cases::SelectCase;
using cases::to_text;

void expect_round_trip(const SelectCase& spec) {
  SelectCase unnamed = spec;
  unnamed.name.clear();
  ASSERT_EQ(case_fault(spec), "") << describe(spec);
  ASSERT_TRUE(parse_case(to_text(spec)) == unnamed) << describe(spec);
  ASSERT_TRUE(parse_case(describe(spec)) == spec) << describe(spec);
}

TEST(CaseText, TheTableComesBack) {
  for (const SelectCase& spec : cases::case_table()) expect_round_trip(spec);
}

TEST(CaseText, RandomCasesComeBack) {
  for (std::uint64_t seed = 0; seed < 5000; ++seed) expect_round_trip(cases::random_case(seed));
}

// Every field away from its default; a field that the text forgets makes the two differ.
TEST(CaseText, EveryFieldComesBack) {
  SelectCase spec;
  spec.name = "a: name = with, all of it";
  spec.rows = 4;
  spec.width = 77;
  spec.k = 9;
  spec.row_padding = 3;
  spec.misalignment = 5;
  spec.pattern = {cases::Pattern::kPlateau, 12, std::numeric_limits<std::uint32_t>::max()};
  spec.attack = cases::AttackKind::kZeroFlood;
  spec.attack_samples = 64;
  spec.score_type = ScoreType::kFloat16;
  spec.length_kind = cases::LengthKind::kExplicit;
  spec.lengths = {std::numeric_limits<std::int32_t>::min(), 7, 7, std::numeric_limits<std::int32_t>::max()};
  spec.as_row_ends = true;
  spec.length_spacing = 2;
  spec.start_kind = cases::StartKind::kExplicit;
  spec.starts = {0, -1, 77, 3};
  spec.next_n = 2;
  spec.index_type = IndexType::kInt64;
  spec.mode = IndexMode::kDual;
  spec.offset_kind = cases::OffsetKind::kSmall;
  spec.page_size = 16;
  spec.table_layout = cases::TableLayout::kMappedOutside;
  spec.page_fill = cases::PageFill::kOverflow;
  spec.num_pages_known = true;
  spec.narrow_table = true;
  spec.table_padding = 2;
  spec.order = SlotOrder::kScore;
  spec.ties = Ties::kAny;
  spec.nan_policy = NanPolicy::kHighest;
  spec.mask_neg_inf = true;
  spec.check_nan = true;
  spec.hint = cases::HintKind::kMixed;
  spec.want_values = false;
  spec.want_counts = false;
  spec.want_error_word = false;
  spec.output_padding = 8;
  expect_round_trip(spec);
  EXPECT_EQ(to_text(spec),
            "rows=4 width=77 k=9 pattern=plateau parameter=12 first_row=4294967295 attack=zero_flood "
            "attack_samples=64 score_type=float16 row_padding=3 misalignment=5 length_kind=explicit "
            "lengths=-2147483648,7*2,2147483647 as_row_ends=1 length_spacing=2 start_kind=explicit starts=0,-1,77,3 "
            "next_n=2 index_type=int64 mode=dual offset_kind=small page_size=16 table_layout=mapped_outside "
            "page_fill=overflow num_pages_known=1 narrow_table=1 table_padding=2 order=score ties=any "
            "nan_policy=highest mask_neg_inf=1 check_nan=1 hint=mixed values=0 counts=0 error_word=0 output_padding=8");
}

std::string refusal_of(const std::string& text) {
  try {
    parse_case(text);
  } catch (const cases::CaseTextError& error) {
    return error.what();
  }
  return "taken";
}

TEST(CaseText, RefusesWhatIsNoCase) {
  const std::string good = "rows=2 width=10 k=3 pattern=gauss";
  EXPECT_EQ(refusal_of(good), "taken");
  EXPECT_EQ(refusal_of("width=10 k=3 pattern=gauss"), "rows: expected a value, found ''");
  EXPECT_EQ(refusal_of(good + " colour=red"), "case: expected a field of a case, found 'colour'");
  EXPECT_EQ(refusal_of(good + " rows=3"), "rows: expected one value, found '3'");
  EXPECT_EQ(refusal_of(good + " twelve"), "case: expected FIELD=VALUE, found 'twelve'");
  EXPECT_EQ(refusal_of(good + " ties=most"), "ties: expected one of smallest, largest, any, found 'most'");
  EXPECT_EQ(refusal_of(good + " values=2"), "values: expected a whole number from 0 to 1, found '2'");
  EXPECT_EQ(refusal_of("rows=2 width=10 k=0 pattern=gauss"), "k: expected 1 to 2147483647, found 0");
  EXPECT_EQ(refusal_of(good + " next_n=3"), "rows: expected a multiple of next_n, found 2");
  EXPECT_EQ(refusal_of(good + " length_kind=explicit lengths=1"), "lengths: expected 2 entries, found 1");
  EXPECT_EQ(refusal_of(good + " lengths=1,2"), "lengths: expected 0 entries, found 2");
  EXPECT_EQ(refusal_of(good + " length_kind=explicit lengths=1*x"),
            "lengths: expected a whole number from 1 to 16777216, found 'x'");
  EXPECT_EQ(refusal_of(good + " mode=paged ties=any"),
            "ties: expected a mode that shows positions, found any with mode paged");
  EXPECT_EQ(refusal_of("rows=2147483647 width=2147483647 k=3 pattern=gauss"),
            "width: expected at most 2^36 scores in all rows, found 2147483647");
}

// So many that no two samples meet in a vector.
constexpr std::int64_t kAttackedColumns = 30000;

SelectCase attacked(cases::AttackKind attack, ScoreType type) {
  SelectCase spec;
  spec.name = "attacked";
  spec.rows = 2;
  spec.width = kAttackedColumns;
  spec.k = 64;
  spec.misalignment = 3;
  spec.attack = attack;
  spec.score_type = type;
  return spec;
}

// What the names promise.
TEST(Attacks, PutTheBestWhereTheyShould) {
  for (const ScoreType type : {ScoreType::kFloat32, ScoreType::kBFloat16, ScoreType::kFloat16}) {
    const auto rank = [type](double value) {
      return cases::score_rank(type, NanPolicy::kLowest, cases::bits_of_type(type, value));
    };
    const auto count_above = [&](cases::AttackKind attack, double bound) {
      const cases::CaseInputs inputs(attacked(attack, type));
      std::int64_t count = 0;
      for (std::int64_t i = 0; i < kAttackedColumns; ++i) {
        count += cases::score_rank(type, NanPolicy::kLowest, inputs.score(0, i)) > rank(bound) ? 1 : 0;
      }
      return count;
    };
    EXPECT_EQ(count_above(cases::AttackKind::kOnePeakPerVector, 50), 512);
    // All columns of a vector, but for those cut off at the ends of the row.
    const std::int64_t columns = 16 / size_bytes(type);
    EXPECT_GT(count_above(cases::AttackKind::kPeaksSeen, 50), 512 * columns - 2 * columns);
    EXPECT_LE(count_above(cases::AttackKind::kPeaksSeen, 50), 512 * columns);
    EXPECT_LT(count_above(cases::AttackKind::kPeaksHidden, 500), kAttackedColumns / 97);
    EXPECT_GT(count_above(cases::AttackKind::kPeaksHidden, 500), kAttackedColumns / 97 / 2);
    const std::int64_t infinite = count_above(cases::AttackKind::kInfinityFlood, 60000);
    EXPECT_GT(infinite, kAttackedColumns / 3);
    EXPECT_EQ(infinite, count_above(cases::AttackKind::kInfinityFlood, 2));
    EXPECT_EQ(count_above(cases::AttackKind::kOneException, 0.5), 1);
    const std::int64_t rare = count_above(cases::AttackKind::kZeroFlood, 0.0);
    EXPECT_GT(rare, 3);
    EXPECT_LT(rare, 64);
  }
}

// Against the CPU's own positions: one peak a run, and the last run ends at the newest column.
TEST(Attacks, KnowTheSampleOfTheCpu) {
  SelectCase spec = attacked(cases::AttackKind::kOnePeakPerVector, ScoreType::kFloat32);
  spec.attack_samples = 0;
  const cases::CaseInputs inputs(spec);
  const std::int64_t runs = cpu::sample_columns(kAttackedColumns) / cpu::kSampleRunColumns;
  ASSERT_EQ(runs, kAttackedColumns / 16 / 64 * 2);
  std::vector<std::int64_t> peaks;
  for (std::int64_t i = 0; i < kAttackedColumns; ++i) {
    const std::uint32_t bits = inputs.score(0, i);
    if (std::bit_cast<float>(bits) >= 100) peaks.push_back(i);
  }
  ASSERT_EQ(std::ssize(peaks), runs);
  EXPECT_EQ(peaks.back(), kAttackedColumns - cpu::kSampleRunColumns);
  for (std::int64_t run = 0; run < runs; ++run) {
    const std::int64_t part = kAttackedColumns / runs;
    EXPECT_EQ(peaks[static_cast<std::size_t>(run)], cpu::sample_run_begin(run, runs, kAttackedColumns, part));
    EXPECT_GE(peaks[static_cast<std::size_t>(run)], run * part);
  }
}

TEST(Hints, TheExactOneIsTheWorstOfTheChosen) {
  SelectCase spec;
  spec.rows = 3;
  spec.width = 500;
  spec.k = 7;
  spec.hint = cases::HintKind::kExact;
  const cases::CaseInputs inputs(spec);
  const SelectArgs args = inputs.args();
  ASSERT_NE(args.hint, nullptr);
  for (std::int64_t row = 0; row < 3; ++row) {
    const std::uint32_t bits = cases::load_bits(spec.score_type, args.hint, row);
    std::int64_t above = 0, equal = 0;
    for (std::int64_t i = 0; i < 500; ++i) {
      const std::int64_t rank = cases::score_rank(spec.score_type, spec.nan_policy, inputs.score(row, i));
      const std::int64_t hint = cases::score_rank(spec.score_type, spec.nan_policy, bits);
      above += rank > hint ? 1 : 0;
      equal += rank == hint ? 1 : 0;
    }
    EXPECT_LT(above, 7);
    EXPECT_GE(above + equal, 7);
  }
}

}  // namespace
}  // namespace keysieve::test
