// On what the numbers were measured. Where files differ, each file's own value is shown.
#include <fmt/format.h>

#include <algorithm>

#include "report/html_table.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace keysieve::report {
namespace {

const std::string* find(const TextPairs& pairs, const std::string& key) {
  for (const auto& [name, value] : pairs) {
    if (name == key) return &value;
  }
  return nullptr;
}

// Keys of all files in order of appearance.
std::vector<std::string> keys_of(const Run& run) {
  std::vector<std::string> keys;
  for (const BenchFile* file : run.files) {
    for (const auto& [key, value] : file->fingerprint) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  return keys;
}

}  // namespace

std::string fingerprint_section(const Run& run) {
  HtmlTable machine({{"", false}, {"", false}}, {{"class", "pairs"}});
  for (const std::string& key : keys_of(run)) {
    const std::string* const first = find(run.files.front()->fingerprint, key);
    const bool is_shared = std::all_of(run.files.begin(), run.files.end(), [&](const BenchFile* file) {
      const std::string* const value = find(file->fingerprint, key);
      return first != nullptr && value != nullptr && *value == *first;
    });
    if (is_shared) {
      machine.add({{.text = key}, {.text = *first}});
      continue;
    }
    bool is_first_line = true;
    for (const BenchFile* file : run.files) {
      const std::string* const value = find(file->fingerprint, key);
      machine.add({{.text = is_first_line ? key : ""},
                   {.text = value == nullptr ? "not given" : *value, .second = file->name}});
      is_first_line = false;
    }
  }

  HtmlTable files({{"file", false}, {"cells"}, {"wrong"}, {"refused"}, {"failed"}, {"missing"}});
  for (const BenchFile* file : run.files) {
    const auto wrong = std::max<std::int64_t>(
        file->wrong_cells,
        std::count_if(file->cells.begin(), file->cells.end(), [](const Cell& c) { return c.is_wrong(); }));
    const auto number = [](std::size_t count) { return TableCell{.text = fmt::format("{}", count)}; };
    files.add({{.text = file->name},
               number(file->cells.size()),
               {.text = fmt::format("{}", wrong), .css = wrong > 0 ? "bad" : ""},
               number(file->refused.size()),
               number(file->failed.size()),
               number(file->missing.size())});
  }
  std::string html = machine.empty() ? "<p class=\"absent\">The files carry no fingerprint.</p>\n" : machine.html();
  html += files.html();
  if (!run.repeated.empty()) {
    html += fmt::format("<p>{} measured more than once in one file; the first is shown. The first of them: {}.</p>\n",
                        plural(static_cast<std::int64_t>(run.repeated.size()), "cell was", "cells were"),
                        escape_html(describe(*run.repeated.front())));
  }
  return html;
}

}  // namespace keysieve::report
