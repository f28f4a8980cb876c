#include "report/markdown.hpp"

#include <fmt/format.h>

#include "report/peers.hpp"
#include "report/robustness.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace keysieve::report {
namespace {

// Headers that begin with '>' are of numbers.
std::string header(const std::vector<std::string>& names) {
  std::string line = "|", rule = "|";
  for (const std::string& name : names) {
    const bool is_number = name.starts_with('>');
    line += fmt::format(" {} |", escape_markdown(is_number ? name.substr(1) : name));
    rule += is_number ? "---:|" : "---|";
  }
  return line + "\n" + rule + "\n";
}

std::string line_of(const std::vector<std::string>& fields) {
  std::string line = "|";
  for (const std::string& field : fields) line += " " + escape_markdown(field) + " |";
  return line + "\n";
}

std::string note(const Cell& cell) {
  if (cell.is_wrong()) return fmt::format("WRONG {} of {} rows", cell.wrong_rows, cell.checked_rows);
  return cell.is_noisy() ? "noisy" : "";
}

std::string speed_table(const Group& group, const Baseline* baseline) {
  std::vector<std::string> names = {">rows",          ">width",    ">k",         "route",
                                    ">read floor us", ">floor us", ">median us", ">x floor"};
  if (baseline != nullptr) names.insert(names.end(), {">x best", ">x best deterministic"});
  names.insert(names.end(), {">noise", "note"});
  std::string text = header(names);
  for (const Cell* cell : automatic_cells(group, group.main_distribution())) {
    std::vector<std::string> fields = {fmt::format("{}", cell->shape.rows), fmt::format("{}", cell->shape.width),
                                       fmt::format("{}", cell->shape.k),    route_label(*cell),
                                       format_us(cell->read_floor_us),      format_us(cell->floor_us),
                                       format_us(cell->median_us),          format_ratio(ratio_to_floor(*cell))};
    if (baseline != nullptr) {
      const BaselineCell compared = compare_with(*baseline, *cell);
      fields.push_back(format_ratio(compared.to_best));
      fields.push_back(format_ratio(compared.to_deterministic));
    }
    fields.push_back(format_percent(cell->noise));
    fields.push_back(note(*cell));
    text += line_of(fields);
  }
  return text;
}

std::string baseline_text(const Group& group, const Baseline& baseline) {
  const BaselineComparison comparison = compare_with(baseline, group);
  if (comparison.cells.empty()) return "";
  std::string text = fmt::format("\nAgainst {}, our ratio to the read floor over theirs, geometric means:\n\n",
                                 escape_markdown(baseline.name()));
  text += header({">k", ">cells", ">x best", ">slower cells", ">x best deterministic", ">cells of those"});
  for (const BaselineMean& mean : comparison.means) {
    text += line_of({fmt::format("{}", mean.k), fmt::format("{}", mean.cells), format_ratio(mean.to_best),
                     fmt::format("{}", mean.slower), format_ratio(mean.to_deterministic),
                     fmt::format("{}", mean.deterministic_cells)});
  }
  text += comparison.slower.empty() ? "\nNo cell is slower than the best.\n" : "\nSlower than the best:\n\n";
  for (const BaselineCell& compared : comparison.slower) {
    text += fmt::format("- {}: {}x {}\n", escape_markdown(describe(compared.cell->shape)),
                        format_ratio(compared.to_best), escape_markdown(compared.theirs->best_name));
  }
  return text;
}

std::string robustness_table(const Group& group) {
  const Robustness robustness = make_robustness(group);
  if (robustness.cells.empty()) return "";
  std::string text = "\n" + header({"scores", ">rows", ">width", ">k", "route", ">median us", ">N(0,1) us", ">x N(0,1)",
                                    ">second reads", ">compactions", "note"});
  for (const RobustnessCell& entry : robustness.cells) {
    const Cell& cell = *entry.cell;
    text += line_of({cell.distribution, fmt::format("{}", cell.shape.rows), fmt::format("{}", cell.shape.width),
                     fmt::format("{}", cell.shape.k), route_label(cell), format_us(cell.median_us),
                     format_us(entry.normal->median_us), format_ratio(entry.ratio),
                     cell.max_second_reads >= 0 ? fmt::format("{:.0f}", cell.max_second_reads) : "-",
                     format_ratio(cell.mean_compactions), note(cell)});
  }
  return text;
}

std::string peers_table(const Group& group) {
  const PeerTable table = make_peer_table(group);
  if (table.empty()) return "";
  std::string text = "\n" + header({"peer", ">cells", ">speed-up, geometric mean", ">keysieve faster in"});
  for (const PeerMean& mean : table.means) {
    text += line_of(
        {mean.name, fmt::format("{}", mean.cells), format_ratio(mean.speed_up), fmt::format("{}", mean.faster)});
  }
  std::vector<std::string> names = {"scores", ">rows", ">width", ">k", ">keysieve us"};
  for (const std::string& name : table.names) names.push_back(">" + name + " us");
  names.push_back(">speed-up");
  text += "\n" + header(names);
  const auto time = [](const Cell* cell) {
    return cell == nullptr ? "-" : cell->is_wrong() ? "WRONG" : format_us(cell->median_us);
  };
  for (const PeerLine& line : table.lines) {
    std::vector<std::string> fields = {line.place.distribution, fmt::format("{}", line.place.shape.rows),
                                       fmt::format("{}", line.place.shape.width), fmt::format("{}", line.place.shape.k),
                                       time(line.ours)};
    for (const std::string& name : table.names) {
      const auto found = line.peers.find(name);
      fields.push_back(time(found == line.peers.end() ? nullptr : found->second));
    }
    fields.push_back(format_ratio(line.speed_up));
    text += line_of(fields);
  }
  return text;
}

std::string files_list(const Run& run) {
  std::string text;
  for (const BenchFile* file : run.files) {
    text += fmt::format("- {}: {}{} cells, {} refused, {} failed, {} missing\n", escape_markdown(file->name),
                        file->revision.empty() ? "" : fmt::format("revision {}, ", escape_markdown(file->revision)),
                        file->cells.size(), file->refused.size(), file->failed.size(), file->missing.size());
  }
  return text;
}

std::string problems_list(const Run& run) {
  std::string text;
  for (const std::string& error : run.errors) text += fmt::format("- {}\n", escape_markdown(error));
  for (const Cell* cell : run.wrong) {
    text += fmt::format("- {}: {} of {} rows wrong; {}\n", escape_markdown(describe(*cell)), cell->wrong_rows,
                        cell->checked_rows, escape_markdown(cell->fault));
  }
  for (const Cell* cell : run.not_answered) {
    text += fmt::format("- {}: no result; {}\n", escape_markdown(describe(*cell)), escape_markdown(cell->reason));
  }
  return text.empty() ? "" : "\n**Not right:**\n\n" + text;
}

}  // namespace

std::string make_markdown(const std::vector<Run>& runs, const Baseline* baseline) {
  std::string text;
  for (const Run& run : runs) {
    text += fmt::format("{}# keysieve on {}\n{}\n{}", text.empty() ? "" : "\n", escape_markdown(run.machine),
                        problems_list(run), files_list(run));
    for (const Group& group : run.groups) {
      const std::string distribution = group.main_distribution();
      text += fmt::format(
          "\n## {}{}\n\n", escape_markdown(describe(group.setup)),
          distribution.empty() || distribution == kNormal ? "" : ", " + escape_markdown(distribution) + " scores");
      if (!distribution.empty()) text += speed_table(group, baseline);
      if (baseline != nullptr) text += baseline_text(group, *baseline);
      text += robustness_table(group) + peers_table(group);
    }
  }
  return text;
}

}  // namespace keysieve::report
