#include "core/slot.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace keysieve {
namespace {

constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();

TEST(Slot, PageLineMapsEveryPositionForAnyPageSize) {
  for (const std::int64_t page_size : {1, 2, 3, 7, 8, 64, 100}) {
    const std::int64_t columns = 5;
    std::vector<std::int32_t> pages = {9, 0, 1000, 4, 2};
    const PageLine line(pages.data(), 1, columns, columns, page_size, kAuto, 0);
    std::uint32_t errors = 0;
    for (std::int64_t i = 0; i < columns * page_size; ++i) {
      ASSERT_EQ(line.slot(i, errors), pages[static_cast<std::size_t>(i / page_size)] * page_size + i % page_size);
    }
    EXPECT_EQ(errors, 0u);
    EXPECT_EQ(line.slot(columns * page_size, errors), -1);
    EXPECT_EQ(errors, kErrorBadPage);
  }
}

TEST(Slot, BadPagesGiveMinusOne) {
  const std::vector<std::int32_t> pages = {-1, 10, 9};
  const PageLine line(pages.data(), 1, 3, 3, 4, 10, 0);
  std::uint32_t errors = 0;
  EXPECT_EQ(line.slot(8, errors), 36);
  EXPECT_EQ(errors, 0u);
  EXPECT_EQ(line.slot(0, errors), -1);
  EXPECT_EQ(errors, kErrorBadPage);
  errors = 0;
  EXPECT_EQ(line.slot(4, errors), -1) << "10 is not below num_pages";
  EXPECT_EQ(errors, kErrorBadPage);
}

TEST(Slot, LineOutsideTheTableNeverReadsIt) {
  for (const std::int64_t line_index : {-2, 1, 1000}) {
    const PageLine line(nullptr, 1, 3, 3, 4, kAuto, line_index);
    std::uint32_t errors = 0;
    EXPECT_EQ(line.slot(0, errors), -1);
    EXPECT_EQ(errors, kErrorBadPage);
  }
}

TEST(Slot, Int32ResultsAreNeverWrapped) {
  std::uint32_t errors = 0;
  EXPECT_EQ(narrow_slot<std::int32_t>(kMax, errors), kMax);
  EXPECT_EQ(errors, 0u);
  EXPECT_EQ(narrow_slot<std::int32_t>(std::int64_t{kMax} + 1, errors), -1);
  EXPECT_EQ(errors, kErrorIndexOverflow);
  errors = 0;
  EXPECT_EQ(narrow_slot<std::int64_t>(std::int64_t{kMax} + 1, errors), std::int64_t{kMax} + 1);
  EXPECT_EQ(errors, 0u);
}

}  // namespace
}  // namespace keysieve
