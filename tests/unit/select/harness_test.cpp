// The harness can fail: every kind of fault that it is there to find is planted once and found.
#include <gtest/gtest.h>

#include <cstring>

#include "cases/case_data.hpp"
#include "cases/compare.hpp"
#include "cases/guarded_buffer.hpp"
#include "cases/oracle.hpp"
#include "cases/windows.hpp"

namespace keysieve::test {
namespace {

using namespace cases;  // NOLINT: the file is about that namespace

SelectCase dual_case() {
  SelectCase spec;
  spec.name = "planted";
  spec.rows = 3;
  spec.width = 40;
  spec.k = 6;
  spec.mode = IndexMode::kDual;
  spec.page_size = 8;
  spec.output_padding = 2;
  spec.length_kind = LengthKind::kExplicit;
  spec.lengths = {40, 4, 0};
  return spec;
}

CaseResult expected_of(const CaseInputs& inputs) {
  CaseResult result(inputs, 0, 0x5A);
  compute_expected(inputs, result);
  return result;
}

TEST(Harness, EqualResultsAreEqual) {
  const CaseInputs inputs(dual_case());
  EXPECT_EQ(compare(inputs, expected_of(inputs), expected_of(inputs)), "");
}

TEST(Harness, FindsEveryWrongOutput) {
  const CaseInputs inputs(dual_case());
  const CaseResult expected = expected_of(inputs);
  const auto fault_of = [&](auto&& plant) {
    CaseResult got = expected_of(inputs);
    plant(got);
    return compare(inputs, expected, got);
  };
  EXPECT_NE(fault_of([](CaseResult& r) { r.set_index(0, 5, r.index(0, 5) + 1); }), "");
  EXPECT_NE(fault_of([](CaseResult& r) { r.set_raw_index(1, 0, 1); }), "");
  EXPECT_NE(fault_of([](CaseResult& r) { r.set_value(0, 2, r.value(0, 2) ^ 1u); }), "");
  EXPECT_NE(fault_of([](CaseResult& r) { r.set_value(2, 0, 0); }), "");
  EXPECT_NE(fault_of([](CaseResult& r) { r.set_index(1, 4, 0); }), "");
  EXPECT_NE(fault_of([](CaseResult& r) { r.set_count(1, 5); }), "");
  EXPECT_NE(fault_of([](CaseResult& r) { r.or_error_word(kErrorBadPage); }), "");
  EXPECT_NE(fault_of([](CaseResult& r) { r.set_index(2, 5, 0x5A5A5A5A); }), "");
}

TEST(Harness, TheFirstDifferenceIsNamed) {
  const CaseInputs inputs(dual_case());
  CaseResult got = expected_of(inputs);
  got.set_raw_index(1, 3, 39);
  const std::string fault = compare(inputs, expected_of(inputs), got);
  EXPECT_NE(fault.find("planted, row 1, slot 3"), std::string::npos) << fault;
  EXPECT_NE(fault.find("raw 39"), std::string::npos) << fault;
}

TEST(Harness, AnyOrderAcceptsASwapAndNothingElse) {
  SelectCase spec = dual_case();
  spec.order = SlotOrder::kAny;
  const CaseInputs inputs(spec);
  const CaseResult expected = expected_of(inputs);
  const auto swap = [](CaseResult& r, std::int64_t row, std::int64_t a, std::int64_t b) {
    const std::int64_t index = r.index(row, a), raw = r.raw_index(row, a);
    const std::uint32_t value = r.value(row, a);
    r.set_index(row, a, r.index(row, b));
    r.set_raw_index(row, a, r.raw_index(row, b));
    r.set_value(row, a, r.value(row, b));
    r.set_index(row, b, index);
    r.set_raw_index(row, b, raw);
    r.set_value(row, b, value);
  };
  CaseResult swapped = expected_of(inputs);
  swap(swapped, 0, 0, 4);
  EXPECT_EQ(compare(inputs, expected, swapped), "");
  CaseResult padding_first = expected_of(inputs);
  swap(padding_first, 1, 0, 5);
  EXPECT_NE(compare(inputs, expected, padding_first), "") << "padding among the filled slots";
  CaseResult twice = expected_of(inputs);
  twice.set_raw_index(0, 1, twice.raw_index(0, 0));
  twice.set_index(0, 1, twice.index(0, 0));
  twice.set_value(0, 1, twice.value(0, 0));
  EXPECT_NE(compare(inputs, expected, twice), "") << "one position twice";
}

TEST(Harness, AnyTiesAcceptAnotherEqualScoreAndNothingElse) {
  SelectCase spec = dual_case();
  spec.ties = Ties::kAny;
  spec.pattern.kind = Pattern::kConstant;
  spec.page_fill = PageFill::kIdentity;
  CaseInputs inputs(spec);
  inputs.set_score(0, 17, 9.0);
  const CaseResult expected = expected_of(inputs);
  const auto take_last_instead = [&](std::int64_t position) {
    CaseResult got = expected_of(inputs);
    for (std::int64_t slot = 0; slot < 6; ++slot) {
      if (slot == 5) {
        got.set_raw_index(0, slot, position);
        got.set_index(0, slot, position);
        got.set_value(0, slot, position < 40 ? inputs.score(0, position) : 0);
      }
    }
    return compare(inputs, expected, got);
  };
  EXPECT_EQ(take_last_instead(17), "");
  EXPECT_NE(take_last_instead(20), "") << "the best score left out";
  EXPECT_NE(take_last_instead(0), "") << "one position twice";
  EXPECT_NE(take_last_instead(41), "") << "outside the row";
  CaseResult wrong_slot = expected_of(inputs);
  wrong_slot.set_index(0, 0, 33);
  EXPECT_NE(compare(inputs, expected, wrong_slot), "") << "slot and position differ";
}

#if !defined(__SANITIZE_ADDRESS__)  // there the plant itself stops the test
TEST(Harness, CanariesFindAByteOnEitherSide) {
  GuardedBuffer buffer(13, 3);
  EXPECT_EQ(buffer.damaged(), "");
  volatile std::byte* data = buffer.data();
  data[13] = std::byte{0};
  EXPECT_EQ(buffer.damaged(), "canary damaged 0 bytes after the buffer");
  data[13] = std::byte{0xC3};
  EXPECT_EQ(buffer.damaged(), "");
  data[-1] = std::byte{1};
  EXPECT_EQ(buffer.damaged(), "canary damaged 1 bytes before the buffer");
}
#endif

TEST(Harness, GapsAreFound) {
  const CaseInputs inputs(dual_case());
  CaseResult result(inputs, 0, 0x5A);
  EXPECT_EQ(result.gap_written(), "");
  result.set_index(0, 6, -1);  // slot k: between the rows
  EXPECT_EQ(result.gap_written(), "indices: written between rows 0 and 1");
}

TEST(Harness, ChangedInputsAreFound) {
  CaseInputs inputs(dual_case());
  const std::uint64_t before = inputs.checksum();
  inputs.set_score(2, 39, inputs.score(2, 39) ^ 1u);
  EXPECT_NE(inputs.checksum(), before);
}

TEST(Harness, DecoysFillEverythingOutsideTheWindows) {
  SelectCase spec = dual_case();
  spec.row_padding = 3;
  spec.start_kind = StartKind::kExplicit;
  spec.starts = {0, 7, 40};
  const CaseInputs inputs(spec);
  const auto is_decoy = [&](std::int64_t row, std::int64_t column) {
    const std::int64_t rank = score_rank(spec.score_type, NanPolicy::kHighest, inputs.score(row, column));
    return rank >= score_rank(spec.score_type, NanPolicy::kHighest, bits_of_type(spec.score_type, 1e30));
  };
  for (std::int64_t row = 0; row < 3; ++row) {
    const Window window = window_of(inputs, row);
    for (std::int64_t column = 0; column < (row < 2 ? 43 : 40); ++column) {
      const bool live = column >= window.start && column < window.start + window.n;
      EXPECT_EQ(is_decoy(row, column), !live) << row << ", " << column;
    }
  }
}

}  // namespace
}  // namespace keysieve::test
