#include "bench/thresholds.hpp"

#include <algorithm>

namespace keysieve::bench {
namespace {

constexpr std::int64_t kStep = 4096;

}  // namespace

std::vector<std::int64_t> threshold_widths(const ShapeOfWidth& shape_of, std::int64_t most) {
  std::vector<std::int64_t> widths;
  for (std::int64_t begin = 1; begin < most; begin += kStep) {
    std::int64_t low = begin, high = std::min(begin + kStep, most);
    const auto low_shape = shape_of(low);
    if (shape_of(high) == low_shape) continue;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (shape_of(middle) == low_shape ? low : high) = middle;
    }
    for (const std::int64_t width : {low, high, high + 1}) {
      if (width <= most) widths.push_back(width);
    }
  }
  return widths;
}

}  // namespace keysieve::bench
