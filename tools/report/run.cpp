#include "report/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace keysieve::report {
namespace {

Group& group_of(Run& run, const Setup& setup) {
  const auto found =
      std::find_if(run.groups.begin(), run.groups.end(), [&](const Group& group) { return group.setup == setup; });
  return found != run.groups.end() ? *found : run.groups.emplace_back(Group{setup, {}});
}

void add_cells(Run& run, const BenchFile& file) {
  std::set<std::tuple<std::string, Place, std::string, std::string, std::string, std::string>> seen;
  std::int64_t wrong = 0;
  for (const Cell& cell : file.cells) {
    if (cell.is_wrong()) {
      run.wrong.push_back(&cell);
      ++wrong;
    }
    const Place place{cell.distribution, cell.shape};
    if (!seen.emplace(describe(cell.setup), place, cell.implementation, cell.route_asked, cell.split_asked,
                      cell.threads_asked)
             .second) {
      run.repeated.push_back(&cell);
      continue;
    }
    Contest& contest = group_of(run, cell.setup).places[place];
    (!cell.is_ours() ? contest.peers : cell.is_automatic() ? contest.automatic : contest.forced).push_back(&cell);
  }
  if (file.wrong_cells > wrong) {
    run.errors.push_back(fmt::format("{}: counts {} wrong cells and shows {}", file.name, file.wrong_cells, wrong));
  }
  if (!file.error.empty()) run.errors.push_back(fmt::format("{}: {}", file.name, file.error));
  // A forced route may refuse: that is an answer. The automatic choice has to serve every problem.
  for (const auto* unmeasured : {&file.refused, &file.failed}) {
    for (const Cell& cell : *unmeasured) {
      if (cell.is_automatic() || (cell.is_ours() && unmeasured == &file.failed)) run.not_answered.push_back(&cell);
    }
  }
}

}  // namespace

const Cell* pick(const std::vector<const Cell*>& cells, std::size_t file) {
  for (const Cell* cell : cells) {
    if (cell->file == file) return cell;
  }
  return cells.empty() ? nullptr : cells.front();
}

std::string Group::main_distribution() const {
  std::string first;
  for (const auto& [place, contest] : places) {
    if (contest.automatic.empty()) continue;
    if (place.distribution == kNormal) return kNormal;
    if (first.empty()) first = place.distribution;
  }
  return first;
}

bool Run::has_fault() const {
  return !errors.empty() || !not_answered.empty() ||
         std::any_of(wrong.begin(), wrong.end(), [](const Cell* cell) { return cell->is_ours(); });
}

std::vector<Run> make_runs(const Inputs& inputs) {
  std::vector<Run> runs;
  for (const BenchFile& file : inputs.benches) {
    auto run = std::find_if(runs.begin(), runs.end(), [&](const Run& other) { return other.machine == file.machine; });
    if (run == runs.end()) run = runs.insert(runs.end(), Run{.machine = file.machine});
    run->files.push_back(&file);
    add_cells(*run, file);
  }
  for (Run& run : runs) {
    std::stable_partition(run.wrong.begin(), run.wrong.end(), [](const Cell* cell) { return cell->is_ours(); });
  }
  return runs;
}

}  // namespace keysieve::report
