#include "report/page.hpp"

#include <fmt/format.h>

#include "report/sections.hpp"
#include "report/style.hpp"
#include "report/text.hpp"

namespace keysieve::report {
namespace {

struct Section {
  std::string id, title, body;
  std::string remedy;  // what would fill it; a section without body and remedy is left out silently
};

std::vector<Section> sections_of(const Run& run, const Baseline* baseline, std::size_t index) {
  const auto id = [&](const char* name) {
    return index == 0 ? std::string(name) : fmt::format("{}-{}", name, index + 1);
  };
  std::vector<Section> sections = {
      {id("fingerprint"), "Machine and files", fingerprint_section(run), ""},
      {id("floor"), "Ratio to the floor", floor_section(run), "keysieve bench with automatic routes gives it."},
      {id("speed"), "Speed", speed_section(run), "keysieve bench gives it."},
      {id("crossover"), "Crossover between routes", envelope_section(run),
       "keysieve bench with routes asked for beside auto (--routes auto,tile,sieve,split) gives it."},
      {id("robustness"), "Other scores", robustness_section(run),
       "keysieve bench with distributions beside normal (--distributions normal,constant,relu) gives it."},
      {id("peers"), "Peers", peers_section(run), "keysieve bench --peers LIB.so gives it."},
  };
  if (baseline != nullptr) {
    sections.push_back({id("baseline"), "Recorded times", baseline_section(run, *baseline),
                        "the baseline holds no shape of these cells: keysieve bench --grid baseline measures them."});
  }
  return sections;
}

std::string html_of(const Section& section) {
  if (!section.body.empty()) {
    return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", section.id, section.title, section.body);
  }
  if (section.remedy.empty()) return "";
  return fmt::format("<p class=\"absent\" id=\"{}\">{}: no data; {}</p>\n", section.id, section.title, section.remedy);
}

std::string subtitle_of(const Run& run) {
  std::size_t cells = 0;
  for (const BenchFile* file : run.files) cells += file->cells.size();
  std::string text = plural(static_cast<std::int64_t>(cells), "cell", "cells") + " in " +
                     plural(static_cast<std::int64_t>(run.files.size()), "file", "files");
  if (const BenchFile& first = *run.files.front(); !first.revision.empty() || !first.date.empty()) {
    if (!first.revision.empty()) text += fmt::format(", revision {}", first.revision.substr(0, 12));
    if (!first.date.empty()) text += fmt::format(", {}", first.date);
  }
  text += run.wrong.empty() ? "; every checked row is right" : fmt::format("; {} wrong", run.wrong.size());
  return text + ".";
}

std::string html_of(const Run& run, const Baseline* baseline, std::size_t index, bool has_totals) {
  const std::vector<Section> sections = sections_of(run, baseline, index);
  // A second machine of one report comes under a heading of the same rank as the page's own.
  std::string html = fmt::format("<h1>keysieve on {}</h1>\n<p class=\"sub\">{}</p>\n", escape_html(run.machine),
                                 escape_html(subtitle_of(run)));
  if (const std::string problems = problems_section(run); !problems.empty()) {
    html += "<section class=\"alarm\">\n<h2>Not right</h2>\n" + problems + "</section>\n";
  }
  html += "<nav>";
  for (const Section& section : sections) {
    if (!section.body.empty()) html += fmt::format("<a href=\"#{}\">{}</a>", section.id, section.title);
  }
  if (has_totals && index == 0) html += "<a href=\"#totals\">Audits and toolchains</a>";
  html += "</nav>\n";
  for (const Section& section : sections) html += html_of(section);
  return html;
}

}  // namespace

std::string make_page(const Inputs& inputs, const std::vector<Run>& runs, const Baseline* baseline) {
  const std::string title = runs.empty() ? "keysieve" : "keysieve on " + runs.front().machine;
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
      escape_html(title), kStyle);
  const std::string totals = totals_section(inputs);
  const std::string totals_html = totals.empty() ? "" : html_of(Section{"totals", "Audits and toolchains", totals, ""});
  if (runs.empty()) html += "<h1>keysieve</h1>\n";
  for (std::size_t i = 0; i < runs.size(); ++i) html += html_of(runs[i], baseline, i, !totals.empty());
  return html + totals_html + "</body>\n</html>\n";
}

}  // namespace keysieve::report
