#include "core/row_geometry.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace keysieve {
namespace {

constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();

struct Window {
  std::int64_t start, length;
  std::uint32_t errors;
};

Window window(std::int64_t width, std::int32_t start, std::int32_t length) {
  SelectProblem problem;
  problem.rows = 1;
  problem.width = width;
  SelectArgs args;
  args.length_request_stride = args.length_row_stride = 1;
  args.row_starts = &start;
  args.lengths = &length;
  const RowGeometry geometry = row_geometry(problem, args, 0);
  return {geometry.start, geometry.length, geometry.error_bits};
}

void expect_window(const Window& got, std::int64_t length, std::uint32_t errors) {
  EXPECT_EQ(got.length, length);
  EXPECT_EQ(got.errors, errors);
}

TEST(RowGeometry, ClampsInsideTheBuffer) {
  expect_window(window(100, 0, 100), 100, 0);
  expect_window(window(100, 0, 101), 100, kErrorLengthClamped);
  expect_window(window(100, 40, 60), 60, 0);
  expect_window(window(100, 40, 61), 60, kErrorLengthClamped);
  expect_window(window(100, 100, 0), 0, 0);
  expect_window(window(100, 100, 1), 0, kErrorLengthClamped);
}

TEST(RowGeometry, NegativeLengthIsAnEmptyRow) {
  expect_window(window(100, 0, -1), 0, kErrorLengthClamped);
  expect_window(window(100, 0, kMin), 0, kErrorLengthClamped);
}

TEST(RowGeometry, StartOutsideIsAnEmptyRow) {
  expect_window(window(100, -1, 50), 0, kErrorStartOutside);
  expect_window(window(100, 101, 50), 0, kErrorStartOutside);
  expect_window(window(100, kMin, kMax), 0, kErrorStartOutside);
}

TEST(RowGeometry, NothingWrapsAtTheLargestWidth) {
  expect_window(window(kMax, kMax, kMax), 0, kErrorLengthClamped);
  expect_window(window(kMax, kMax - 1, kMax), 1, kErrorLengthClamped);
}

TEST(RowGeometry, EndsAreLengthsFromTheStart) {
  SelectProblem problem;
  problem.rows = 3;
  problem.width = 100;
  const std::int32_t starts[] = {10, 10, -5}, ends[] = {30, 5, kMin};
  SelectArgs args;
  args.row_starts = starts;
  args.row_ends = ends;
  EXPECT_EQ(row_geometry(problem, args, 0).length, 20);
  EXPECT_EQ(row_geometry(problem, args, 1).length, 0);
  EXPECT_EQ(row_geometry(problem, args, 1).error_bits, kErrorLengthClamped);
  EXPECT_EQ(row_geometry(problem, args, 2).error_bits, kErrorStartOutside);
}

TEST(RowGeometry, LengthsOfRequestsAndDraftTokensWithStrides) {
  SelectProblem problem;
  problem.rows = 4;
  problem.width = 100;
  const std::int32_t lengths[] = {1, 2, -7, -7, 3, 4, -7, -7};  // two requests, a gap of two behind each
  SelectArgs args;
  args.next_n = 2;
  args.lengths = lengths;
  args.length_request_stride = 4;
  args.length_row_stride = 1;
  for (std::int64_t row = 0; row < 4; ++row) EXPECT_EQ(row_geometry(problem, args, row).length, row + 1);
}

TEST(RowGeometry, TableLinePerRowPerRequestOrMapped) {
  SelectProblem problem;
  problem.rows = 4;
  problem.width = 10;
  SelectArgs args;
  args.next_n = 2;
  args.page_table_rows = 4;
  EXPECT_EQ(row_geometry(problem, args, 3).table_line, 3);
  args.page_table_rows = 2;
  EXPECT_EQ(row_geometry(problem, args, 3).table_line, 1);
  const std::int32_t map[] = {7, -1, -2, 0};
  args.row_to_table = map;
  EXPECT_EQ(row_geometry(problem, args, 0).table_line, 7);
  EXPECT_EQ(row_geometry(problem, args, 1).length, 0) << "-1 is an empty row";
  EXPECT_EQ(row_geometry(problem, args, 2).length, 10) << "any other line outside the table is a bad page";
}

}  // namespace
}  // namespace keysieve
