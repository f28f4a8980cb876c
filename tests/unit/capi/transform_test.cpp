// The index transform alone: against the transform fused into selection, and against the oracle's rules.
#include "keysieve/transform.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <vector>

namespace keysieve {
namespace {

constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();

template <typename Index>
TransformArgs args_for(const std::vector<Index>& positions, std::vector<Index>& out, std::int64_t rows) {
  TransformArgs args;
  args.index_type = sizeof(Index) == 4 ? IndexType::kInt32 : IndexType::kInt64;
  args.rows = rows;
  args.k = static_cast<std::int64_t>(positions.size()) / rows;
  args.positions = positions.data();
  args.out = out.data();
  return args;
}

TEST(Transform, PagedMatchesTheFormula) {
  const std::vector<std::int32_t> positions = {0, 1, 2, 5, -1, 3}, table = {7, 3, 0, 9};
  std::vector<std::int32_t> out(6);
  TransformArgs args = args_for(positions, out, 2);
  args.page_table = table.data();
  args.page_table_rows = 2;
  args.page_table_columns = 2;
  args.page_size = 3;
  transform(args);
  EXPECT_EQ(out, (std::vector<std::int32_t>{21, 22, 23, 29, -1, 27}));
}

TEST(Transform, OffsetAddsAndFlagsOverflow) {
  const std::vector<std::int32_t> positions = {0, kMax, -1, 4}, offsets = {1, -4};
  std::vector<std::int32_t> out(4);
  std::uint32_t errors = 0x80000000u;
  TransformArgs args = args_for(positions, out, 2);
  args.mode = IndexMode::kOffset;
  args.out_offsets = offsets.data();
  args.error_word = &errors;
  transform(args);
  EXPECT_EQ(out, (std::vector<std::int32_t>{1, -1, -1, 0}));
  EXPECT_EQ(errors, 0x80000000u | kErrorIndexOverflow) << "OR-ed, never cleared";

  const std::vector<std::int64_t> wide_positions(positions.begin(), positions.end());
  std::vector<std::int64_t> wide(4);
  args = args_for(wide_positions, wide, 2);
  args.mode = IndexMode::kOffset;
  args.out_offsets = offsets.data();
  transform(args);
  EXPECT_EQ(wide, (std::vector<std::int64_t>{1, std::int64_t{kMax} + 1, -1, 0}));
}

TEST(Transform, BadPagesAndLinesStayInTheirSlots) {
  const std::vector<std::int32_t> positions = {0, 2, 4, 0, 2, 4, 0, 2, 4}, table = {-1, 5, 6, 7}, map = {1, -1, 9};
  std::vector<std::int32_t> out(9);
  std::uint32_t errors = 0;
  TransformArgs args = args_for(positions, out, 3);
  args.page_table = table.data();
  args.page_table_rows = 2;
  args.page_table_columns = 2;
  args.page_size = 2;
  args.num_pages = 7;
  args.row_to_table = map.data();
  args.error_word = &errors;
  transform(args);
  // Row 0 uses line 1 = {6, 7}: 7 is no page, column 2 is past the table. Row 1 is empty, row 2 has no line.
  EXPECT_EQ(out, (std::vector<std::int32_t>{12, -1, -1, -1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(errors, kErrorBadPage);
}

TEST(Transform, InPlaceAndStridedLeaveTheGapsAlone) {
  std::vector<std::int32_t> buffer = {0, 1, 99, 2, -1, 99};
  const std::vector<std::int32_t> table = {4, 5};
  TransformArgs args;
  args.rows = 2;
  args.k = 2;
  args.positions = args.out = buffer.data();
  args.positions_row_stride = args.out_row_stride = 3;
  args.page_table = table.data();
  args.page_table_rows = 2;
  args.page_table_columns = 1;
  args.page_size = 10;
  transform(args);
  EXPECT_EQ(buffer, (std::vector<std::int32_t>{40, 41, 99, 52, -1, 99}));
}

TEST(Transform, WrongCallsAreRefusedByName) {
  const std::vector<std::int32_t> positions = {0, 1}, table = {4};
  std::vector<std::int32_t> out(2, 77);
  const auto refused = [&](auto&& spoil, const char* message) {
    TransformArgs args = args_for(positions, out, 1);
    args.page_table = table.data();
    args.page_table_rows = args.page_table_columns = 1;
    args.page_size = 10;
    spoil(args);
    const Status status = try_transform(args);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find(message), std::string::npos) << status.message();
    EXPECT_EQ(out, std::vector<std::int32_t>(2, 77));
  };
  refused([](TransformArgs& a) { a.mode = IndexMode::kRaw; }, "mode:");
  refused([](TransformArgs& a) { a.k = 0; }, "k:");
  refused([](TransformArgs& a) { a.rows = -1; }, "rows:");
  refused([](TransformArgs& a) { a.positions = nullptr; }, "positions:");
  refused([](TransformArgs& a) { a.out = nullptr; }, "out:");
  refused([](TransformArgs& a) { a.page_size = 0; }, "page_size:");
  refused([](TransformArgs& a) { a.page_table_rows = 2; }, "page_table:");
  refused([](TransformArgs& a) { a.mode = IndexMode::kOffset; }, "out_offsets:");
  refused([](TransformArgs& a) { a.out_row_stride = 1; }, "out_row_stride:");
  refused([&](TransformArgs& a) { a.out = const_cast<std::int32_t*>(positions.data()) + 1; }, "out:");
}

}  // namespace
}  // namespace keysieve
