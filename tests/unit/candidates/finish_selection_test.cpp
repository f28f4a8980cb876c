// filter_pages, finalize_selection, finish_paged and finish_flat: results worked out by hand, what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "candidates/filter_pages.hpp"
#include "candidates/finish_selection.hpp"
#include "cases/operation/candidate_tensors.hpp"

namespace keysieve {
namespace {

using cases::at;
using cases::int32_rows;
using cases::row_numbers;
using cases::TensorStore;
using Values = std::vector<std::int32_t>;

template <typename Operation>
std::string faults_of(typename Operation::Args args) {
  Faults faults;
  check_operation<Operation>(args, faults);
  return faults.lines();
}

Values row_of(const keysieve_tensor& tensor, std::int64_t row) {
  Values values;
  for (std::int64_t column = 0; column < tensor.shape[1]; ++column) values.push_back(at(tensor, row, column));
  return values;
}

keysieve_tensor one_row(TensorStore& store, const Values& values) {
  return int32_rows(store, 1, static_cast<std::int64_t>(values.size()), 0,
                    [&](std::int64_t, std::int64_t j) { return values[static_cast<std::size_t>(j)]; });
}

// 16 columns, all good but 2 (-inf), 5 (NaN); 7 is +inf.
keysieve_tensor scores_of(TensorStore& store) {
  const keysieve_tensor tensor = store.make(KEYSIEVE_ELEMENT_FLOAT32, {1, 16});
  auto* scores = static_cast<float*>(tensor.data);
  for (int i = 0; i < 16; ++i) scores[i] = static_cast<float>(i - 8);
  scores[2] = -std::numeric_limits<float>::infinity();
  scores[5] = std::nanf("");
  scores[7] = std::numeric_limits<float>::infinity();
  return tensor;
}

TEST(FilterPages, ByHand) {
  TensorStore store;
  keysieve_filter_pages_args args;
  keysieve_filter_pages_args_init(&args);
  args.page_size = 5;
  args.scores = scores_of(store);
  args.selected = one_row(store, {9, 2, -1, 7, 5, 16, 11, 0});
  args.page_table = one_row(store, {40, 20, -1, 10});
  args.out = one_row(store, Values(8));
  args.raw = one_row(store, Values(8));
  std::uint32_t errors = 0;
  args.call.error_word = &errors;
  ASSERT_EQ(keysieve_filter_pages(&args, nullptr), KEYSIEVE_OK);
  EXPECT_EQ(row_of(args.out, 0), (Values{104, -1, -1, 102, -1, -1, -1, 200}));
  EXPECT_EQ(row_of(args.raw, 0), (Values{9, -1, -1, 7, -1, -1, 11, 0}));
  EXPECT_EQ(errors, KEYSIEVE_ERROR_BAD_PAGE | KEYSIEVE_ERROR_BAD_ID);

  auto bad = args;
  bad.page_size = 0;
  EXPECT_EQ(faults_of<FilterPages>(bad), "page_size: expected 1..2147483647, got 0");
  bad = args;
  bad.scores.element = KEYSIEVE_ELEMENT_INT32;
  EXPECT_EQ(faults_of<FilterPages>(bad), "scores: expected float32 or bfloat16 or float16, got int32");
  bad = args;
  bad.out.shape[1] = 7;
  EXPECT_EQ(faults_of<FilterPages>(bad), "out: expected [rows=1, k=8], got [1, 7]");
}

keysieve_finalize_selection_args finalize_args(TensorStore& store) {
  keysieve_finalize_selection_args args;
  keysieve_finalize_selection_args_init(&args);
  args.scores = scores_of(store);
  args.lengths = row_numbers(store, 1, [](std::int64_t) { return 12; });
  args.selected = one_row(store, {9, 2, -1, 7, 12, 5, 0});
  args.out = one_row(store, Values(7));
  args.raw = one_row(store, Values(7));
  args.counts = row_numbers(store, 1, [](std::int64_t) { return 0; });
  return args;
}

TEST(FinalizeSelection, TokensByHand) {
  TensorStore store;
  keysieve_finalize_selection_args args = finalize_args(store);
  args.ratio = 2;
  args.token_table = int32_rows(store, 1, 32, 0, [](std::int64_t, std::int64_t j) { return 100 + j; });
  ASSERT_EQ(keysieve_finalize_selection(&args, nullptr), KEYSIEVE_OK);
  EXPECT_EQ(row_of(args.out, 0), (Values{50, 57, 59, -1, -1, -1, -1}));
  EXPECT_EQ(row_of(args.raw, 0), (Values{0, 7, 9, -1, -1, -1, -1}));
  EXPECT_EQ(*static_cast<std::int32_t*>(args.counts.data), 3);
}

TEST(FinalizeSelection, CandidatesByHand) {
  TensorStore store;
  keysieve_finalize_selection_args args = finalize_args(store);
  args.candidate_positions = store.make(KEYSIEVE_ELEMENT_INT64, {1, 16});
  for (int i = 0; i < 16; ++i) static_cast<std::int64_t*>(args.candidate_positions.data)[i] = i == 9 ? -1 : 1000 + i;
  args.candidate_slots = int32_rows(store, 1, 16, 0, [](std::int64_t, std::int64_t j) { return 500 - j; });
  ASSERT_EQ(keysieve_finalize_selection(&args, nullptr), KEYSIEVE_OK);
  EXPECT_EQ(row_of(args.out, 0), (Values{500, 493, -1, -1, -1, -1, -1}));
  EXPECT_EQ(row_of(args.raw, 0), (Values{1000, 1007, -1, -1, -1, -1, -1}));

  auto bad = args;
  bad.candidate_slots.rank = 0;
  EXPECT_EQ(faults_of<FinalizeSelection>(bad), "candidate_slots: expected a tensor, got none");
  bad = args;
  bad.token_table = bad.candidate_slots;
  EXPECT_EQ(faults_of<FinalizeSelection>(bad),
            "token_table: expected none beside candidate_positions and candidate_slots, got a tensor");
  bad = args;
  bad.candidate_positions.rank = bad.candidate_slots.rank = 0;
  EXPECT_EQ(faults_of<FinalizeSelection>(bad), "token_table: expected a tensor, got none");
}

TEST(FinishPaged, BlocksByHand) {
  TensorStore store;
  keysieve_finish_paged_args args;
  keysieve_finish_paged_args_init(&args);
  args.page_size = 32;
  args.scores = scores_of(store);
  args.lengths = row_numbers(store, 1, [](std::int64_t) { return 16; });
  args.selected = one_row(store, {1, 9, 7, 15});
  args.blocks = one_row(store, {9, 4});  // columns 0..7 are positions 72..79, columns 8..15 are 32..39
  args.page_table = one_row(store, {5, 6, 8});
  args.out = int32_rows(store, 2, 6);
  args.raw = int32_rows(store, 2, 6);
  args.counts = row_numbers(store, 2, [](std::int64_t) { return 9; });
  ASSERT_EQ(keysieve_finish_paged(&args, nullptr), KEYSIEVE_OK);
  EXPECT_EQ(row_of(args.raw, 0), (Values{33, 39, 73, 79, -1, -1}));
  EXPECT_EQ(row_of(args.out, 0), (Values{6 * 32 + 1, 6 * 32 + 7, 8 * 32 + 9, 8 * 32 + 15, -1, -1}));
  EXPECT_EQ(row_of(args.out, 1), Values(6, -1));
  EXPECT_EQ(row_of(args.raw, 1), Values(6, -1));
  EXPECT_EQ(static_cast<std::int32_t*>(args.counts.data)[0], 4);
  EXPECT_EQ(static_cast<std::int32_t*>(args.counts.data)[1], 0);

  auto bad = args;
  bad.out.shape[1] = 3;
  bad.raw.shape[1] = 3;
  EXPECT_EQ(faults_of<FinishPaged>(bad), "columns of out: expected 4..2147483647, got 3");
  bad = args;
  bad.blocks.shape[1] = 1;
  EXPECT_EQ(faults_of<FinishPaged>(bad), "blocks: expected a block for every 8 columns of width=16, got 1");
}

TEST(FinishFlat, ByHand) {
  TensorStore store;
  keysieve_finish_flat_args args;
  keysieve_finish_flat_args_init(&args);
  args.selected = one_row(store, {7, INT32_MAX, 4, -1, 4, 10});
  args.slots = row_numbers(store, 10, [](std::int64_t i) { return 70 + i; });
  args.starts = row_numbers(store, 1, [](std::int64_t) { return 4; });
  args.out = one_row(store, Values(6));
  args.raw = one_row(store, Values(6));
  std::uint32_t errors = 0;
  args.call.error_word = &errors;
  ASSERT_EQ(keysieve_finish_flat(&args, nullptr), KEYSIEVE_OK);
  EXPECT_EQ(row_of(args.out, 0), (Values{74, 74, 77, -1, -1, -1}));
  EXPECT_EQ(row_of(args.raw, 0), (Values{0, 0, 3, -1, -1, -1}));
  EXPECT_EQ(errors, KEYSIEVE_ERROR_BAD_ID);

  auto bad = args;
  bad.starts.rank = 0;
  EXPECT_EQ(faults_of<FinishFlat>(bad), "starts: expected a tensor, got none");
  bad = args;
  bad.selected.shape[1] = bad.out.shape[1] = bad.raw.shape[1] = 0;
  EXPECT_EQ(faults_of<FinishFlat>(bad), "k: expected 1..8192, got 0");
}

}  // namespace
}  // namespace keysieve
