#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/console.hpp"
#include "cli/option_names.hpp"
#include "keysieve/c_api.h"

namespace keysieve::cli {

namespace {

struct Entry {
  const char* name;
  const char* summary;
  std::unique_ptr<Command> (*make)();
};

constexpr std::array kEntries = {
    Entry{"select", "Select the k largest scores of every row of a file", make_select_command},
    Entry{"plan", "Show how a selection of some shape would run", make_plan_command},
    Entry{"models", "List the models whose shapes plan knows", make_models_command},
    Entry{"doctor", "Report what this machine offers and test every route on it", make_doctor_command},
    Entry{"audit", "Hunt for wrong answers and print the command that shows one", make_audit_command},
    Entry{"tune", "Measure where routes take over from each other on this GPU", make_tune_command},
    Entry{"bench", "Time selection against floors of the same run, or compare two such runs", make_bench_command},
    Entry{"kernels", "Time the kernels around selection against byte floors of the same run", make_kernels_command},
    Entry{"report", "Turn results of bench, audit and toolchains into a page and tables", make_report_command},
};

class PrintText final : public Command {
 public:
  explicit PrintText(std::string text) : text_(std::move(text)) {}
  void add_to(CLI::App&) override {}
  int run() override {
    write_stdout(text_);
    return kExitOk;
  }

 private:
  std::string text_;
};

// CLI11's own words do not name a command that it does not know.
void check_command_name(int argc, const char* const* argv) {
  std::string expected = "one of ";
  for (const Entry& entry : kEntries) expected += (&entry == kEntries.data() ? "" : ", ") + std::string(entry.name);
  if (argc < 2) throw UsageError("command: expected " + expected + ", found none (see keysieve --help)");
  const std::string_view name = argv[1];
  if (name.starts_with('-')) return;
  for (const Entry& entry : kEntries) {
    if (name == entry.name) return;
  }
  throw_usage("command", expected, name);
}

std::string version_text() { return std::string(keysieve_build_info()) + '\n'; }

}  // namespace

std::unique_ptr<Command> parse_arguments(int argc, const char* const* argv) {
  CLI::App app("Exact top-k selection over ragged rows of scores, turned into cache slots.", "keysieve");
  app.require_subcommand(1);
  app.footer("Exit codes: 0 good, 1 ran and found a fault, 2 bad input or usage.");
  app.set_version_flag("--version", version_text(), "Print the version and exit");
  std::vector<std::pair<CLI::App*, std::unique_ptr<Command>>> commands;
  for (const Entry& entry : kEntries) {
    CLI::App* const sub = app.add_subcommand(entry.name, entry.summary);
    commands.emplace_back(sub, entry.make());
    commands.back().second->add_to(*sub);
    sub->set_version_flag("--version", version_text(), "Print the version and exit");
  }

  check_command_name(argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    for (const auto& [sub, command] : commands) {
      if (sub->parsed()) return std::make_unique<PrintText>(sub->help("keysieve"));
    }
    return std::make_unique<PrintText>(app.help());
  } catch (const CLI::CallForVersion&) {
    return std::make_unique<PrintText>(version_text());
  } catch (const CLI::RequiredError& error) {
    std::string message = error.what();
    constexpr std::string_view kTail = " is required";
    if (message.ends_with(kTail)) {
      message.replace(message.size() - kTail.size(), kTail.size(), ": expected a value, found none");
    }
    throw UsageError(message + " (see keysieve --help)");
  } catch (const CLI::ParseError& error) {
    throw UsageError(std::string(error.what()) + " (see keysieve --help)");
  }
  for (auto& [sub, command] : commands) {
    if (sub->parsed()) return std::move(command);
  }
  throw UsageError("command: expected one, found none (see keysieve --help)");
}

}  // namespace keysieve::cli
