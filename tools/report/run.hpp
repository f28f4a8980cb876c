// The cells of one machine, grouped so that what may be compared stands together.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <vector>

#include "report/inputs.hpp"

namespace keysieve::report {

struct Place {
  std::string distribution;
  Shape shape;
  auto operator<=>(const Place&) const = default;
};

// Who was measured on the same scores, each list in order of appearance.
struct Contest {
  std::vector<const Cell*> automatic;  // keysieve's own choice
  std::vector<const Cell*> forced;     // keysieve with a route, split or threads asked for
  std::vector<const Cell*> peers;
};

// The cell of `file` where there is one, else the first; null for none. Runs of one machine on another day, or of
// another machine of its kind, differ by more than the noise, so cells are held against those of their own file.
const Cell* pick(const std::vector<const Cell*>& cells, std::size_t file);

struct Group {
  Setup setup;
  std::map<Place, Contest> places;

  // N(0,1) where it was measured, else the first distribution by name.
  std::string main_distribution() const;
};

struct Run {
  std::string machine = {};
  std::vector<const BenchFile*> files = {};
  std::vector<Group> groups = {};              // in order of appearance
  std::vector<const Cell*> repeated = {};      // asked for more than once in one file; the first is shown
  std::vector<const Cell*> wrong = {};         // ours first
  std::vector<const Cell*> not_answered = {};  // automatic cells of ours that were refused or failed
  std::vector<std::string> errors = {};        // of files; counts that contradict the cells are among them

  // Something of keysieve's is not right. A peer's wrong answer is shown, and is the peer's.
  bool has_fault() const;
};

// Files of one machine are parts of one run. The runs point into `inputs`.
std::vector<Run> make_runs(const Inputs& inputs);

}  // namespace keysieve::report
