// SVG, charts and tables: what they say of foreign text, and where the steps of the color scale lie.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/bar_chart.hpp"
#include "report/grid_chart.hpp"
#include "report/html_table.hpp"
#include "report/svg.hpp"

namespace keysieve::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ReportDrawing, RatioSteps) {
  EXPECT_EQ(ratio_fill(0.9), "h0");
  EXPECT_EQ(ratio_fill(1.1), "h0") << "\"to 1.1x\" includes it";
  EXPECT_EQ(ratio_fill(1.1001), "h1");
  EXPECT_EQ(ratio_fill(2), "h3");
  EXPECT_EQ(ratio_fill(5), "h5");
  EXPECT_EQ(ratio_fill(1000), "h6");
  EXPECT_THAT(ratio_legend("x"), HasSubstr("above 5x"));
}

TEST(ReportDrawing, EverythingIsEscaped) {
  const std::string evil = "<a href=\"&'";
  GridChart grid{.label = evil,
                 .attributes = {{"data-k", evil}},
                 .row_title = evil,
                 .column_title = evil,
                 .row_labels = {evil},
                 .column_labels = {evil}};
  grid.cells = {{.row = 0, .column = 0, .fill = evil, .lines = {evil, evil}, .title = evil, .dot = evil}};
  BarChart bars{.label = evil, .attributes = {{"data-k", evil}}};
  bars.bars = {{.name = evil, .ratio = 2, .value = evil, .title = evil}};
  HtmlTable table({{evil}}, {{"class", evil}});
  table.add({{.text = evil, .second = evil, .css = evil, .title = evil}}, evil);
  const std::string html = draw(grid) + draw(bars) + table.html() + legend(evil, {{evil, evil}});
  EXPECT_THAT(html, Not(HasSubstr("<a ")));
  EXPECT_THAT(html, Not(HasSubstr("\"&'")));
  EXPECT_THAT(html, HasSubstr("&lt;a href=&quot;&amp;&#39;"));
}

TEST(ReportDrawing, CellsThatWereNotMeasuredAreHoles) {
  GridChart grid{.row_labels = {"1", "2"}, .column_labels = {"8K", "16K"}};
  grid.cells = {{.row = 0, .column = 1, .fill = "h0", .lines = {"1.00"}}};
  const std::string svg = draw(grid);
  std::size_t holes = 0;
  for (std::size_t at = svg.find("\"hole\""); at != std::string::npos; at = svg.find("\"hole\"", at + 1)) ++holes;
  EXPECT_EQ(holes, 3u);
}

TEST(ReportDrawing, TableCellsOfNumbersAreRightAligned) {
  HtmlTable table({{"route", false}, {"us"}});
  EXPECT_TRUE(table.empty());
  table.add({{.text = "tile"}, {.text = "1.0", .css = "best"}});
  EXPECT_THAT(table.html(), HasSubstr("<tr><td>tile</td><td class=\"n best\">1.0</td></tr>"));
}

}  // namespace
}  // namespace keysieve::report
