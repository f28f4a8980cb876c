// Which row counts and widths make the axes of a chart of rows x width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "report/cell.hpp"

namespace keysieve::report {

struct Grid {
  std::vector<std::int64_t> rows, widths;  // ascending
  std::size_t off_axis = 0;                // shapes whose width is no column
  bool has(const Shape& shape) const;
};

// Widths measured for fewer than a third of the row counts (a route's threshold, one left and one right of it) would
// make columns of holes: they stay with the table of all cells.
Grid make_grid(const std::vector<Shape>& shapes);

// The values of k among the shapes, ascending, and the shapes of one k.
std::vector<std::int64_t> values_of_k(const std::vector<Shape>& shapes);
std::vector<Shape> with_k(const std::vector<Shape>& shapes, std::int64_t k);

}  // namespace keysieve::report
