#include "report/envelope.hpp"

#include <algorithm>
#include <cmath>

namespace keysieve::report {
namespace {

double noise_of(const Cell& cell) { return std::isnan(cell.noise) ? 0 : cell.noise; }

// One kernel under two names: what lies between the times is noise, however much it is.
bool is_same_launch(const Cell& a, const Cell& b) {
  return a.route_taken == b.route_taken && a.split == b.split && a.threads == b.threads;
}

}  // namespace

std::vector<EnvelopeCell> make_envelope(const Group& group, const std::string& distribution) {
  std::vector<EnvelopeCell> envelope;
  for (const auto& [place, contest] : group.places) {
    if (place.distribution != distribution) continue;
    const Cell* fastest = nullptr;
    for (const Cell* cell : contest.forced) {
      if (cell->counts() && (fastest == nullptr || cell->median_us < fastest->median_us)) fastest = cell;
    }
    if (fastest == nullptr) continue;
    EnvelopeCell entry{.shape = place.shape, .fastest = fastest};
    const Cell* const automatic = pick(contest.automatic, fastest->file);
    if (automatic != nullptr && automatic->counts()) {
      entry.automatic = automatic;
      if (automatic->median_us <= fastest->median_us || is_same_launch(*automatic, *fastest)) {
        entry.fastest = automatic;
      }
      entry.loss = automatic->median_us / entry.fastest->median_us - 1;
      entry.noise = std::max(kLeastNoise, noise_of(*automatic) + noise_of(*entry.fastest));
    }
    envelope.push_back(entry);
  }
  return envelope;
}

}  // namespace keysieve::report
