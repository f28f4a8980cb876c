// Class C: lengths at and below 0, around k, past the width; k past the width; draft tokens.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "faults/fault_check.hpp"
#include "faults/guard_pages.hpp"
#include "keysieve/lengths.hpp"

namespace keysieve::test {
namespace {

// The table is laid so that the first entry of each line is the last word of a page and the rest of the line lies
// in an untouchable one: a read past the first entry ends the test.
TEST(Faults, R24_NegativeLengthsInPages) {
  constexpr std::int64_t kColumns = 131072 / 64;
  const std::size_t page = MappedMemory::page_bytes();
  ASSERT_EQ(kColumns * 4 % static_cast<std::int64_t>(page), 0) << "the layout below needs lines of whole pages";
  const std::size_t pages_per_line = static_cast<std::size_t>(kColumns) * 4 / page;
  for (const std::int64_t k : {512, 2048}) {
    SelectCase spec = fault_case("R24", 6, 131072, k, Pattern::kGauss);
    set_lengths(spec, {-4, -3, -2, -1, 0, 1});
    spec.mode = IndexMode::kPaged;
    spec.page_size = 64;
    CaseInputs inputs(spec);
    const MappedMemory memory(7 * pages_per_line * page);
    auto* table = reinterpret_cast<std::int32_t*>(memory.data() + page - 4);
    for (std::int64_t line = 0; line < 6; ++line) {
      table[line * kColumns] = static_cast<std::int32_t>(line + 3);
      inputs.set_page(line, 0, static_cast<std::int32_t>(line + 3));
      for (std::int64_t column = 1; column < kColumns; ++column) inputs.set_page(line, column, 0x7FFFFFFF);
      memory.forbid(static_cast<std::size_t>(line) * pages_per_line + 1, pages_per_line - 1);
    }
    expect_right(inputs);
    expect_right_with(inputs, [&](SelectArgs& args) { args.page_table = table; });
    EXPECT_EQ(selected(inputs, 5)[0], 8 * 64);
    EXPECT_EQ(selected(inputs, 5)[1], -1);

    set_lengths(spec, {std::numeric_limits<std::int32_t>::min(), -4, 1});
    expect_right(spec);
  }
}

TEST(Faults, R26_RequestShorterThanItsDrafts) {
  const std::int32_t requests[] = {2, 1, 4096};
  std::vector<std::int32_t> lengths(12);
  row_lengths(requests, 4, 1, lengths);
  EXPECT_EQ(lengths, (std::vector<std::int32_t>{0, 0, 1, 2, 0, 0, 0, 1, 4093, 4094, 4095, 4096}));
  SelectCase spec = fault_case("R26", 12, 4096, 512, Pattern::kGauss);
  spec.next_n = 4;
  set_lengths(spec, lengths);
  expect_right(spec);
  // The same without the clamp of the helper.
  set_lengths(spec, {-1, 0, 1, 2, -2, -1, 0, 1, 4093, 4094, 4095, 4096});
  expect_right(spec);
  spec.as_row_ends = true;
  expect_right(spec);
}

TEST(Faults, R28_OneMoreThanK) {
  for (const std::int64_t rows : {64, 256}) {
    for (const Pattern pattern : {Pattern::kGauss, Pattern::kUlpShuffled}) {
      SelectCase spec = fault_case("R28", rows, 8192, 1024, pattern);
      const std::int32_t cycle[] = {1023, 1024, 1025, 1026, 8192, 1025, 1025, 1025};
      std::vector<std::int32_t> lengths;
      for (std::int64_t row = 0; row < rows; ++row) lengths.push_back(cycle[row % 8]);
      set_lengths(spec, lengths);
      expect_right(spec);
    }
  }
}

TEST(Faults, R29_KPastTheWidth) {
  for (const IndexMode mode : {IndexMode::kRaw, IndexMode::kPaged}) {
    SelectCase spec = fault_case("R29", 5, 64, 2048, Pattern::kGauss);
    set_lengths(spec, {64, 63, 1, 0, -1});
    spec.mode = mode;
    expect_right(spec);
    spec.width = 1;
    set_lengths(spec, {1, 0, -1});
    expect_right(spec);
  }
}

// Columns past a row's bound hold larger values than any live one (the decoys of every case).
TEST(Faults, R32_CompressedLengthsOfDrafts) {
  const auto lengths_of = [](std::int32_t length) {
    std::vector<std::int32_t> lengths(3);
    row_lengths({&length, 1}, 3, 4, lengths);
    return lengths;
  };
  EXPECT_EQ(lengths_of(4097), (std::vector<std::int32_t>{1023, 1024, 1024}));
  EXPECT_EQ(lengths_of(3), (std::vector<std::int32_t>{0, 0, 0}));
  EXPECT_EQ(lengths_of(4), (std::vector<std::int32_t>{0, 0, 1}));
  for (const std::int32_t length : {4097, 3, 4}) {
    SelectCase spec = fault_case("R32", 3, 1100, 1024, Pattern::kGauss);
    spec.next_n = 3;
    set_lengths(spec, lengths_of(length));
    CaseInputs inputs(spec);
    for (std::int64_t row = 0; row < 3; ++row) {
      for (std::int64_t column = spec.lengths[static_cast<std::size_t>(row)]; column < 1100; ++column) {
        inputs.set_score(row, column, 1e30);
      }
    }
    expect_right(inputs);
  }
}

TEST(Faults, R33_EarlierDraftSeesALaterColumn) {
  for (const std::int64_t k : {1, 4}) {
    SelectCase spec = fault_case("R33", 2, 8, k, Pattern::kGauss);
    spec.next_n = 2;
    set_lengths(spec, {7, 8});
    CaseInputs inputs(spec);
    for (std::int64_t row = 0; row < 2; ++row) inputs.set_score(row, 7, 100.0);
    expect_right(inputs);
    const auto first = selected(inputs, 0), second = selected(inputs, 1);
    EXPECT_EQ(std::count(first.begin(), first.end(), 7), 0);
    EXPECT_EQ(std::count(second.begin(), second.end(), 7), 1);
  }
}

}  // namespace
}  // namespace keysieve::test
