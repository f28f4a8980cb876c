// The widths at which the planner changes its mind, asked of the planner itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace keysieve::bench {

// What a plan of some width looks like; none where there is no plan.
struct PlanShape {
  std::int32_t route = 0;
  std::int32_t split = 0;

  bool operator==(const PlanShape&) const = default;
};
using ShapeOfWidth = std::function<std::optional<PlanShape>(std::int64_t width)>;

// For each change in [1, most]: the last width before it, the first after it, and one more. Looks every `kStep` columns
// and closes in by halves, so that of several changes within one step at least one is found.
std::vector<std::int64_t> threshold_widths(const ShapeOfWidth& shape_of, std::int64_t most);

}  // namespace keysieve::bench
