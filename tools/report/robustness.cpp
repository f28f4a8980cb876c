#include "report/robustness.hpp"

namespace keysieve::report {

Robustness make_robustness(const Group& group) {
  Robustness robustness;
  for (const auto& [place, contest] : group.places) {
    if (place.distribution == kNormal || contest.automatic.empty()) continue;
    const Cell* const cell = contest.automatic.front();
    const auto normal_place = group.places.find(Place{kNormal, place.shape});
    const Cell* const normal =
        normal_place == group.places.end() ? nullptr : pick(normal_place->second.automatic, cell->file);
    if (normal == nullptr || !normal->counts()) {
      ++robustness.without_normal;
      continue;
    }
    robustness.cells.push_back({cell, normal, cell->counts() ? cell->median_us / normal->median_us : kNotGiven});
  }
  return robustness;
}

}  // namespace keysieve::report
