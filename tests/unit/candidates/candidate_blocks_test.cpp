// candidate_lengths, block_max, sort_blocks and candidate_slots: results worked out by hand, every BF16, what is
// refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "candidates/block_max.hpp"
#include "candidates/candidate_lengths.hpp"
#include "candidates/candidate_slots.hpp"
#include "candidates/sort_blocks.hpp"
#include "cases/operation/candidate_tensors.hpp"
#include "core/number_formats.hpp"
#include "cuda/operation_host.hpp"

namespace keysieve {
namespace {

using cases::at;
using cases::int32_rows;
using cases::row_numbers;
using cases::TensorStore;

template <typename Operation>
std::string faults_of(typename Operation::Args args) {
  Faults faults;
  check_operation<Operation>(args, faults);
  return faults.lines();
}

std::vector<std::int32_t> row_of(const keysieve_tensor& tensor, std::int64_t row) {
  std::vector<std::int32_t> values;
  for (std::int64_t column = 0; column < tensor.shape[1]; ++column) values.push_back(at(tensor, row, column));
  return values;
}

std::vector<std::int32_t> numbers(const keysieve_tensor& tensor) {
  const auto* data = static_cast<const std::int32_t*>(tensor.data);
  return {data, data + tensor.shape[0]};
}

using Values = std::vector<std::int32_t>;

keysieve_tensor lengths_of(TensorStore& store, const Values& lengths) {
  return row_numbers(store, static_cast<std::int64_t>(lengths.size()),
                     [&](std::int64_t row) { return lengths[static_cast<std::size_t>(row)]; });
}

TEST(CandidateLengths, ByHand) {
  TensorStore store;
  keysieve_candidate_lengths_args args;
  keysieve_candidate_lengths_args_init(&args);
  args.kept_blocks = 2;
  args.lengths = lengths_of(store, {-1, 0, 1, 8, 9, 16, 17, 27, INT32_MAX});
  args.num_blocks = store.make(KEYSIEVE_ELEMENT_INT32, {9});
  args.valid = store.make(KEYSIEVE_ELEMENT_INT32, {9});
  std::uint32_t errors = 0;
  args.call.error_word = &errors;
  ASSERT_EQ(keysieve_candidate_lengths(&args, nullptr), KEYSIEVE_OK);
  EXPECT_EQ(numbers(args.num_blocks), (Values{0, 0, 1, 1, 2, 2, 3, 4, 1 << 28}));
  // The newest block is among the kept two: one whole block and what the newest holds.
  EXPECT_EQ(numbers(args.valid), (Values{0, 0, 1, 8, 9, 16, 9, 11, 15}));
  EXPECT_EQ(errors, KEYSIEVE_ERROR_LENGTH_CLAMPED);

  auto bad = args;
  bad.block_size = 4;
  EXPECT_EQ(faults_of<CandidateLengths>(bad), "block_size: expected 8 or 16, got 4");
  bad = args;
  bad.kept_blocks = 0;
  EXPECT_EQ(faults_of<CandidateLengths>(bad), "kept_blocks: expected 1..2147483647, got 0");
  bad = args;
  bad.lengths.rank = 2;
  bad.lengths.shape[0] = 2, bad.lengths.shape[1] = 4;
  bad.lengths.strides[1] = KEYSIEVE_AUTO;
  EXPECT_EQ(faults_of<CandidateLengths>(bad), "lengths: expected rows=9 in all, got 8");
  bad = args;
  bad.lengths.element = KEYSIEVE_ELEMENT_INT64;
  EXPECT_EQ(faults_of<CandidateLengths>(bad), "lengths: expected int32, got int64");
}

TEST(BlockMax, ByHand) {
  TensorStore store;
  keysieve_block_max_args args;
  keysieve_block_max_args_init(&args);
  args.out = store.make(KEYSIEVE_ELEMENT_FLOAT32, {2, 4}, {}, 0, 0x5A);
  args.scores = store.make(KEYSIEVE_ELEMENT_FLOAT32, {2, 32});
  auto* scores = static_cast<float*>(args.scores.data);
  for (int i = 0; i < 64; ++i) scores[i] = static_cast<float>(-i);
  scores[3] = std::nanf("");
  for (int i = 8; i < 16; ++i) scores[i] = std::nanf("");
  args.lengths = lengths_of(store, {20, 8});
  args.kept_blocks = 1;
  ASSERT_EQ(keysieve_block_max(&args, nullptr), KEYSIEVE_OK);
  const auto* out = static_cast<const float*>(args.out.data);
  EXPECT_EQ(out[0], 0.0f);
  EXPECT_FALSE(std::signbit(out[0]));  // the score was -0
  EXPECT_EQ(out[1], -std::numeric_limits<float>::infinity());
  EXPECT_EQ(out[2], std::numeric_limits<float>::infinity());
  // Past the newest block, and the row that keeps its one block: untouched.
  for (int i = 3; i < 8; ++i) EXPECT_EQ(static_cast<const std::uint8_t*>(args.out.data)[4 * i], 0x5A) << i;

  auto bad = args;
  bad.scores.element = KEYSIEVE_ELEMENT_FLOAT16;
  EXPECT_EQ(faults_of<BlockMax>(bad), "scores: expected float32 or bfloat16, got float16");
  bad = args;
  bad.out.shape[0] = 3;
  EXPECT_EQ(faults_of<BlockMax>(bad), "out: expected [rows=2, blocks], got [3, 4]");
  bad = args;
  bad.kept_blocks = -1;
  EXPECT_EQ(faults_of<BlockMax>(bad), "kept_blocks: expected 0..2147483647, got -1");
}

// A block of one BF16 and nothing else, for each of them, on the CPU and in the kernel, aligned and not.
TEST(BlockMax, EveryBfloat16) {
  constexpr std::int64_t kBlocks = 65536;
  for (const std::size_t offset : {std::size_t{0}, std::size_t{2}}) {
    TensorStore store;
    keysieve_block_max_args args;
    keysieve_block_max_args_init(&args);
    args.out = store.make(KEYSIEVE_ELEMENT_FLOAT32, {1, kBlocks + 1});
    args.scores = store.make(KEYSIEVE_ELEMENT_BFLOAT16, {1, (kBlocks + 1) * 8}, {}, offset);
    auto* scores = static_cast<std::uint16_t*>(args.scores.data);
    for (std::int64_t i = 0; i < (kBlocks + 1) * 8; ++i) {
      // NaN and -inf around it, at each place in turn.
      const auto value = static_cast<std::uint16_t>(i / 8);
      scores[i] = i % 8 == (i / 8) % 8 ? value : i % 2 == 0 ? 0xFF80 : 0x7FC1;
    }
    args.lengths = lengths_of(store, {static_cast<std::int32_t>((kBlocks + 1) * 8)});
    for (const bool sources : {false, true}) {
      if (sources) {
        ASSERT_EQ(test::run_cuda_sources<BlockMax>(args, 0), "");
      } else {
        ASSERT_EQ(keysieve_block_max(&args, nullptr), KEYSIEVE_OK);
      }
      const auto* out = static_cast<const float*>(args.out.data);
      for (std::uint32_t value = 0; value < kBlocks; ++value) {
        float expected = float_of(value << 16);
        if (std::isnan(expected)) expected = -std::numeric_limits<float>::infinity();
        if (expected == 0) expected = 0;
        ASSERT_EQ(bits_of(out[value]), value == 0x8000 ? 0u : bits_of(expected)) << value;
      }
    }
  }
}

keysieve_sort_blocks_args sort_args(TensorStore& store) {
  keysieve_sort_blocks_args args;
  keysieve_sort_blocks_args_init(&args);
  args.page_size = 16;
  args.lengths = lengths_of(store, {83, 27});
  args.selected = int32_rows(store, 2, 5, 0, [](std::int64_t row, std::int64_t j) {
    constexpr std::int32_t kIds[] = {10, 3, 3, -1, 11};
    return row == 0 ? kIds[j] : 99;
  });
  args.blocks = args.selected;
  args.phys = int32_rows(store, 2, 5);
  args.valid = lengths_of(store, {0, 0});
  args.counts = lengths_of(store, {0, 0});
  args.page_table = int32_rows(store, 2, 6, 0, [](std::int64_t, std::int64_t page) { return 100 - page; });
  return args;
}

TEST(SortBlocks, ByHand) {
  TensorStore store;
  const keysieve_sort_blocks_args args = sort_args(store);
  ASSERT_EQ(keysieve_sort_blocks(&args, nullptr), KEYSIEVE_OK);
  constexpr std::int32_t kNone = INT32_MAX;
  // 83 positions are 11 blocks, 0 to 10, the last of 3; two blocks a page.
  EXPECT_EQ(row_of(args.blocks, 0), (Values{3, 10, kNone, kNone, kNone}));
  EXPECT_EQ(row_of(args.phys, 0), (Values{99 * 2 + 1, 95 * 2, kNone, kNone, kNone}));
  EXPECT_EQ(row_of(args.blocks, 1), (Values{0, 1, 2, 3, kNone}));
  EXPECT_EQ(row_of(args.phys, 1), (Values{200, 201, 198, 199, kNone}));
  EXPECT_EQ(numbers(args.counts), (Values{2, 4}));
  EXPECT_EQ(numbers(args.valid), (Values{8 + 3, 27}));
  // Its own output sorts to itself.
  std::uint32_t errors = 0;
  auto again = args;
  again.call.error_word = &errors;
  ASSERT_EQ(keysieve_sort_blocks(&again, nullptr), KEYSIEVE_OK);
  EXPECT_EQ(row_of(args.blocks, 0), (Values{3, 10, kNone, kNone, kNone}));
  EXPECT_EQ(errors, 0u);
}

TEST(SortBlocks, RefusesByName) {
  TensorStore store;
  const keysieve_sort_blocks_args good = sort_args(store);
  EXPECT_EQ(faults_of<SortBlocks>(good), "");
  auto args = good;
  args.page_size = 24;
  EXPECT_EQ(faults_of<SortBlocks>(args), "page_size: expected a power of two in 8..65536, got 24");
  args = good;
  args.phys.rank = 0;
  EXPECT_EQ(faults_of<SortBlocks>(args), "phys: expected a tensor where page_table is given, got none");
  args = good;
  args.page_table.shape[0] = 3;
  EXPECT_EQ(faults_of<SortBlocks>(args),
            "page_table: expected a line for each of rows=2 where there is no row_to_table, got 3");
  args = good;
  args.phys = args.selected;
  EXPECT_NE(faults_of<SortBlocks>(args).find("phys: expected memory of its own, overlaps selected"), std::string::npos);
  args = good;
  args.num_pages = -2;
  EXPECT_EQ(faults_of<SortBlocks>(args), "num_pages: expected 0..9223372036854775807, got -2");
  args = good;
  args.blocks = int32_rows(store, 2, 8193), args.selected = int32_rows(store, 2, 8193),
  args.phys = int32_rows(store, 2, 8193);
  EXPECT_EQ(faults_of<SortBlocks>(args), "kept: expected 1..8192, got 8193");
}

TEST(CandidateSlots, ByHand) {
  TensorStore store;
  keysieve_candidate_slots_args args;
  keysieve_candidate_slots_args_init(&args);
  args.ratio = 2;
  args.lengths = lengths_of(store, {26});
  args.blocks = int32_rows(store, 1, 3, 0, [](std::int64_t, std::int64_t j) { return j == 2 ? INT32_MAX : 1 + 2 * j; });
  args.positions = store.make(KEYSIEVE_ELEMENT_INT64, {1, 24});
  args.slots = int32_rows(store, 1, 24);
  args.counts = lengths_of(store, {0});
  args.token_table = int32_rows(store, 1, 52, 0, [](std::int64_t, std::int64_t j) { return 1000 + j; });
  ASSERT_EQ(keysieve_candidate_slots(&args, nullptr), KEYSIEVE_OK);
  const auto* positions = static_cast<const std::int64_t*>(args.positions.data);
  for (int c = 0; c < 24; ++c) {
    const int position = c < 8 ? 8 + c : c < 10 ? 24 + c - 8 : -1;
    EXPECT_EQ(positions[c], position) << c;
    EXPECT_EQ(at(args.slots, 0, c), position < 0 ? -1 : 500 + position) << c;
  }
  EXPECT_EQ(numbers(args.counts), (Values{10}));

  auto bad = args;
  bad.positions.shape[1] = 23;
  EXPECT_EQ(faults_of<CandidateSlots>(bad), "positions: expected [rows=1, kept*block_size=24], got [1, 23]");
  bad = args;
  bad.ratio = 0;
  EXPECT_EQ(faults_of<CandidateSlots>(bad), "ratio: expected 1..2147483647, got 0");
  bad = args;
  bad.counts.rank = 0;
  EXPECT_EQ(faults_of<CandidateSlots>(bad), "counts: expected a tensor, got none");
}

}  // namespace
}  // namespace keysieve
