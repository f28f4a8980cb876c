// Horizontal bars that start at 1x and go left or right on a logarithmic axis: twice as fast and half as fast are bars
// of one length.
#pragma once

#include <string>
#include <vector>

#include "report/svg.hpp"

namespace keysieve::report {

struct Bar {
  std::string name = {};
  double ratio = 1;
  std::string value = {};  // printed at the end of the bar
  std::string title = {};
};

struct BarChart {
  std::string label = {};
  Attributes attributes = {};
  std::vector<Bar> bars = {};
};

std::string draw(const BarChart& chart);

}  // namespace keysieve::report
