#include "report/text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace keysieve::report {
namespace {

TEST(ReportText, HtmlOfForeignTextStartsNoMarkup) {
  EXPECT_EQ(escape_html("<b a=\"1\" c='2'>&amp;"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;");
  EXPECT_EQ(escape_html(std::string("a\0b\nc\x7f", 6)), "a b c ");
  EXPECT_EQ(escape_html("\xc3\xa9"), "\xc3\xa9");
}

TEST(ReportText, MarkdownOfForeignTextStaysInItsCell) {
  EXPECT_EQ(escape_markdown("a|b\nc`d`<e>"), "a\\|b c\\`d\\`\\<e\\>");
  EXPECT_EQ(escape_markdown("cub_batched_topk 3.5"), "cub_batched_topk 3.5");
}

TEST(ReportText, TimesKeepFourDigitsOrSo) {
  EXPECT_EQ(format_us(1.234), "1.23");
  EXPECT_EQ(format_us(99.99), "99.99");
  EXPECT_EQ(format_us(99.999), "100.0");
  EXPECT_EQ(format_us(999.96), "1000");
  EXPECT_EQ(format_us(-0.25), "-0.25");
  EXPECT_EQ(format_us(kNotGiven), "-");
  EXPECT_EQ(format_ratio(9.996), "10.0");
  EXPECT_EQ(format_ratio(123.4), "123");
  EXPECT_EQ(format_percent(0.0301), "3.0%");
}

TEST(ReportText, ColumnsAreShortOnlyWhereExact) {
  EXPECT_EQ(format_columns(131072), "128K");
  EXPECT_EQ(format_columns(131073), "131073");
  EXPECT_EQ(format_columns(20480), "20K");
  EXPECT_EQ(format_columns(2048), "2048");
  EXPECT_EQ(format_columns(2097152), "2M");
}

TEST(ReportText, BytesByTheirUnit) {
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(62914560), "60 MiB");
  EXPECT_EQ(format_bytes(150109880320.0), "139.8 GiB");
}

TEST(ReportText, GeometricMean) {
  EXPECT_DOUBLE_EQ(geometric_mean(std::vector<double>{0.5, 2, 8}), 2);
  EXPECT_TRUE(std::isnan(geometric_mean({})));
}

}  // namespace
}  // namespace keysieve::report
