#include "tune/measured.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/names.hpp"

namespace keysieve::tune {

std::vector<Point> points_of(std::span<const Measured> measured) {
  std::map<std::pair<Shape, std::string>, std::map<Way, double>> table;
  for (const Measured& each : measured) {
    const auto [place, added] = table[{each.shape, each.variant}].emplace(each.way, each.median_us);
    if (!added) place->second = std::min(place->second, each.median_us);
  }
  std::vector<Point> points;
  for (const auto& [key, ways] : table) {
    Point point{key.first, key.second, {}};
    for (const auto& [way, us] : ways) point.candidates.push_back({way, us});
    std::stable_sort(point.candidates.begin(), point.candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.us < b.us; });
    points.push_back(std::move(point));
  }
  return points;
}

std::string describe(const Way& way) {
  std::string text = keysieve::name_of(way.route);
  if (way.route == Route::kSplit || way.route == Route::kWide) text += " " + std::to_string(way.split);
  return text + ", " + std::to_string(way.threads) + " threads";
}

}  // namespace keysieve::tune
