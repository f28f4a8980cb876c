#include "report/grid.hpp"

#include <algorithm>
#include <map>

namespace keysieve::report {

bool Grid::has(const Shape& shape) const {
  return std::binary_search(rows.begin(), rows.end(), shape.rows) &&
         std::binary_search(widths.begin(), widths.end(), shape.width);
}

Grid make_grid(const std::vector<Shape>& shapes) {
  std::set<std::int64_t> all_rows;
  std::map<std::int64_t, std::set<std::int64_t>> rows_of_width;
  for (const Shape& shape : shapes) {
    all_rows.insert(shape.rows);
    rows_of_width[shape.width].insert(shape.rows);
  }
  Grid grid;
  std::set<std::int64_t> kept_rows;
  for (const auto& [width, rows] : rows_of_width) {
    if (rows.size() * 3 < all_rows.size()) continue;
    grid.widths.push_back(width);
    kept_rows.insert(rows.begin(), rows.end());
  }
  grid.rows.assign(kept_rows.begin(), kept_rows.end());
  grid.off_axis = static_cast<std::size_t>(
      std::count_if(shapes.begin(), shapes.end(), [&](const Shape& shape) { return !grid.has(shape); }));
  return grid;
}

std::vector<std::int64_t> values_of_k(const std::vector<Shape>& shapes) {
  std::set<std::int64_t> values;
  for (const Shape& shape : shapes) values.insert(shape.k);
  return {values.begin(), values.end()};
}

std::vector<Shape> with_k(const std::vector<Shape>& shapes, std::int64_t k) {
  std::vector<Shape> kept;
  std::copy_if(shapes.begin(), shapes.end(), std::back_inserter(kept),
               [&](const Shape& shape) { return shape.k == k; });
  return kept;
}

}  // namespace keysieve::report
