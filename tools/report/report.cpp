#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>

#include "io/atomic_file.hpp"
#include "io/file_error.hpp"
#include "report/baseline.hpp"
#include "report/inputs.hpp"
#include "report/markdown.hpp"
#include "report/page.hpp"
#include "report/run.hpp"
#include "report/text.hpp"

namespace keysieve::report {
namespace {

// The rename at the end would take a result away for good.
void check_output(const std::string& output, const ReportOptions& options) {
  std::vector<std::string> used = options.inputs;
  if (!options.baseline.empty()) used.push_back(options.baseline);
  for (const std::string& input : used) {
    std::error_code not_there;
    if (std::filesystem::equivalent(output, input, not_there)) {
      io::throw_file_error(io::one_line(output), "an output of its own", "an input of the report");
    }
  }
}

io::AtomicFile open_output(const std::string& path, const std::string& content) {
  io::AtomicFile file(path);
  file.write(std::as_bytes(std::span(content)));
  file.sync();
  return file;
}

}  // namespace

ReportOutcome make_report(const ReportOptions& options) {
  std::vector<std::string> outputs;
  for (const std::string& output : {options.html, options.markdown}) {
    if (!output.empty()) outputs.push_back(output);
  }
  for (const std::string& output : outputs) check_output(output, options);
  const Inputs inputs = read_inputs(options.inputs);
  const std::vector<Run> runs = make_runs(inputs);
  std::optional<Baseline> baseline;
  if (!options.baseline.empty()) baseline = Baseline::read(options.baseline);
  const Baseline* const compared = baseline ? &*baseline : nullptr;

  // Both on the disk before either takes its name.
  std::vector<io::AtomicFile> files;
  if (!options.html.empty()) files.push_back(open_output(options.html, make_page(inputs, runs, compared)));
  if (!options.markdown.empty()) files.push_back(open_output(options.markdown, make_markdown(runs, compared)));
  if (files.size() == 2 && files[0].resolved_path() == files[1].resolved_path()) {
    io::throw_file_error(io::one_line(options.markdown), "another file than the page", "the same");
  }
  for (io::AtomicFile& file : files) file.commit();

  ReportOutcome outcome;
  std::size_t cells = 0, wrong = 0, failures = 0;
  for (const Run& run : runs) {
    for (const BenchFile* file : run.files) cells += file->cells.size();
    wrong += run.wrong.size();
    outcome.has_fault |= run.has_fault();
  }
  for (const TotalsFile& file : inputs.totals) failures += file.of_a_peer ? 0 : file.failures.size();
  outcome.has_fault |= failures > 0;
  outcome.summary = fmt::format("{} of {}, {} wrong{}", plural(static_cast<std::int64_t>(cells), "cell", "cells"),
                                plural(static_cast<std::int64_t>(options.inputs.size()), "file", "files"), wrong,
                                failures > 0 ? fmt::format(", {} failures", failures) : "");
  for (const std::string& output : outputs) outcome.summary += fmt::format("; wrote {}", output);
  return outcome;
}

}  // namespace keysieve::report
