// A grid of colored cells with their values printed inside: heat maps and the crossover envelope. Both axes are
// categories, which is how powers of two with thresholds between them read best.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "report/svg.hpp"

namespace keysieve::report {

struct ChartCell {
  std::size_t row = 0, column = 0;
  std::string fill = {};                // class of the rectangle; its text gets the class "on-" + fill
  std::vector<std::string> lines = {};  // one or two
  std::string title = {};
  std::string dot = {};  // class of a mark in the corner; none where empty
};

struct GridChart {
  std::string label = {};  // for screen readers
  Attributes attributes = {};
  std::string row_title = {}, column_title = {};
  std::vector<std::string> row_labels = {}, column_labels = {};
  std::vector<ChartCell> cells = {};
};

// In a container of its own that scrolls sideways.
std::string draw(const GridChart& chart);

// A row of swatches, each a class and what it stands for.
std::string legend(const std::string& title, const std::vector<std::pair<std::string, std::string>>& entries);

// The scale of every ratio in the report: pale is at the yardstick, dark is far above it. One hue, so that it reads
// the same to every eye; steps, so that a value can be told from the legend.
std::string ratio_fill(double ratio);
std::string ratio_legend(const std::string& title);

}  // namespace keysieve::report
