// keysieve beside other implementations in the same cells of the same run.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "report/run.hpp"

namespace keysieve::report {

struct PeerLine {
  Place place = {};
  const Cell* ours = nullptr;  // null where keysieve has no automatic cell there
  std::map<std::string, const Cell*> peers = {};
  const Cell* best_peer = nullptr;  // the fastest that answers right
  double speed_up = kNotGiven;      // its time over ours
};

// Over the cells in which both count.
struct PeerMean {
  std::string name = {};
  double speed_up = kNotGiven;
  std::size_t cells = 0;
  std::size_t faster = 0;  // cells in which keysieve is the faster one
};

struct PeerTable {
  std::vector<std::string> names;  // in order of name
  std::vector<PeerLine> lines;
  std::vector<PeerMean> means;  // by name; then against the best peer of each cell
  bool empty() const { return lines.empty(); }
};

inline constexpr const char* kBestPeer = "best peer";

// With k = 0 of all k.
PeerTable make_peer_table(const Group& group, std::int64_t k = 0);

}  // namespace keysieve::report
