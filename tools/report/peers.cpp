#include "report/peers.hpp"

#include <set>

#include "report/text.hpp"

namespace keysieve::report {
namespace {

double speed_up_of(const Cell* ours, const Cell* peer) {
  if (ours == nullptr || peer == nullptr || !ours->counts() || !peer->counts()) return kNotGiven;
  return peer->median_us / ours->median_us;
}

PeerMean make_mean(std::string name, const std::vector<double>& speed_ups) {
  PeerMean mean{.name = std::move(name), .speed_up = geometric_mean(speed_ups), .cells = speed_ups.size()};
  for (const double speed_up : speed_ups) mean.faster += speed_up > 1;
  return mean;
}

}  // namespace

PeerTable make_peer_table(const Group& group, std::int64_t k) {
  PeerTable table;
  std::map<std::string, std::vector<double>> of_name;
  std::vector<double> of_best;
  for (const auto& [place, contest] : group.places) {
    if (contest.peers.empty() || (k != 0 && place.shape.k != k)) continue;
    PeerLine line{.place = place, .ours = pick(contest.automatic, contest.peers.front()->file)};
    for (const Cell* peer : contest.peers) {
      if (!line.peers.emplace(peer->implementation, peer).second) continue;
      if (peer->counts() && (line.best_peer == nullptr || peer->median_us < line.best_peer->median_us)) {
        line.best_peer = peer;
      }
      std::vector<double>& speed_ups = of_name[peer->implementation];
      if (const double speed_up = speed_up_of(line.ours, peer); speed_up > 0) speed_ups.push_back(speed_up);
    }
    line.speed_up = speed_up_of(line.ours, line.best_peer);
    if (line.speed_up > 0) of_best.push_back(line.speed_up);
    table.lines.push_back(std::move(line));
  }
  for (const auto& [name, speed_ups] : of_name) {
    table.names.push_back(name);
    table.means.push_back(make_mean(name, speed_ups));
  }
  if (table.names.size() > 1) table.means.push_back(make_mean(kBestPeer, of_best));
  return table;
}

}  // namespace keysieve::report
