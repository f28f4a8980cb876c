#include <CLI/CLI.hpp>
#include <string>

#include "cli/command.hpp"
#include "cli/console.hpp"
#include "cli/option_names.hpp"
#include "report/report.hpp"

namespace keysieve::cli {
namespace {

class ReportCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    app.add_option("results", options.inputs, "Results of bench, audit or toolchains")
        ->required()
        ->type_name("RESULT.json");
    app.add_option("-o,--output", options.html, "Write the page here")->type_name("OUT.html");
    app.add_option("--markdown", options.markdown, "Write the tables here")->type_name("OUT.md");
    app.add_option("--baseline", options.baseline,
                   "Compare with recorded times: rows, width, k, mode, read_floor_us, best_us, best_impl, "
                   "best_deterministic_us")
        ->type_name("CSV");
  }

  int run() override {
    if (options.html.empty() && options.markdown.empty()) {
      throw UsageError("-o: expected an output (-o OUT.html, --markdown OUT.md or both), found none");
    }
    const report::ReportOutcome outcome = report::make_report(options);
    write_stdout(outcome.summary + '\n');
    return outcome.has_fault ? kExitFault : kExitOk;
  }

 private:
  report::ReportOptions options;
};

}  // namespace

std::unique_ptr<Command> make_report_command() { return std::make_unique<ReportCommand>(); }

}  // namespace keysieve::cli
