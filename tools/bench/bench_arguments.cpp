// Flags of `keysieve bench` and `keysieve bench compare`.
#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "bench/compare.hpp"
#include "bench/options.hpp"
#include "bench/session.hpp"
#include "cli/command.hpp"
#include "cli/option_names.hpp"
#include "io/atomic_file.hpp"

#include <CLI/CLI.hpp>

namespace keysieve::bench {

void apply_overrides(Options& options) {
  for (GridBlock& block : options.grid) {
    for (const auto& [axis, text] : options.overrides) {
      axis->set(block, std::string("--") + axis->name, split_list(text));
    }
  }
}

namespace {

TimerKind parse_timer(std::string_view text) {
  for (const TimerKind timer : {TimerKind::kGraph, TimerKind::kEvents, TimerKind::kCupti}) {
    if (text == name_of(timer)) return timer;
  }
  cli::throw_usage("--timer", "one of graph, events, cupti", text);
}

double parse_number(std::string_view flag, const std::string& text, double low, double high) {
  std::size_t used = 0;
  double value = NAN;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
  }
  // Written so that NaN fails too.
  if (used != text.size() || !(value >= low && value <= high)) {
    cli::throw_usage(flag, "a number from " + std::to_string(low) + " to " + std::to_string(high), text);
  }
  return value;
}

class BenchCommand final : public cli::Command {
 public:
  void add_to(CLI::App& app) override {
    app.add_option("--grid", grid_, grid_names() + ", or a .toml file (full on a GPU, else cpu)")->type_name("GRID");
    for (const Axis& axis : axes()) {
      app.add_option(std::string("--") + axis.name, axis_texts_[axis.name], axis.help)->type_name("LIST");
    }
    app.add_flag("--full-length", full_length_, "As --lengths full");
    app.add_option("--backend", backend_, "cuda|cpu|reference (cuda where there is a GPU, else cpu)")
        ->type_name("NAME");
    app.add_option("--peers", peers_, "Libraries of <keysieve/peer.h>, benched in the same cells")->type_name("LIST");
    app.add_option("--timer", timer_, "graph|events|cupti, on a GPU (graph)")->type_name("NAME");
    app.add_option("--samples", samples_, "Timed samples a number, 20 or more (21)")->type_name("N");
    app.add_option("--check-rows", check_rows_, "Rows of a cell that are compared with the host (8)")->type_name("N");
    app.add_option("--time-budget", time_budget_, "Starts no cell after that; those left out are listed (none)")
        ->type_name("SECONDS");
    app.add_option("--part", part_, "Only the I-th of N parts of the grid (1/1)")->type_name("I/N");
    app.add_option("--revision", options_.revision, "Revision of the build, for the report (the build's own)")
        ->type_name("TEXT");
    app.add_flag("--list", options_.list, "Print the cells and end");
    app.add_option("--profile", options_.profile, "With --list: the cells that such a GPU would get (h200, a100)")
        ->type_name("NAME");
    app.add_option("-o,--out", options_.output, "The report, JSON (stdout)")->type_name("FILE");
    add_compare(app);
  }

  int run() override {
    if (compare_ != nullptr && compare_->parsed()) {
      compare_options_.threshold = parse_number("--threshold", threshold_, 0, 10);
      return run_compare(compare_options_);
    }
    parse();
    return run_bench(options_);
  }

 private:
  void add_compare(CLI::App& app) {
    compare_ = app.add_subcommand("compare", "Compare two reports: exit code 1 where the second is slower or wrong");
    compare_->add_option("BEFORE", compare_options_.before, "Report, JSON")->required()->type_name("");
    compare_->add_option("AFTER", compare_options_.after, "Report, JSON")->required()->type_name("");
    compare_->add_option("--threshold", threshold_, "Least relative change of the ratio to the floor (0.05)")
        ->type_name("SHARE");
    compare_->add_flag("--json", compare_options_.json, "Print a JSON object instead of text");
  }

  void parse() {
    if (!backend_.empty()) options_.backend = cli::parse_backend("--backend", backend_);
    parse_grid();
    options_.timer = parse_timer(timer_);
    options_.samples = static_cast<int>(cli::parse_integer("--samples", samples_, kMinSamples, 10000));
    options_.check_rows = static_cast<int>(cli::parse_integer("--check-rows", check_rows_, 1, 1 << 20));
    options_.time_budget_s = parse_number("--time-budget", time_budget_, 0, 1e6);
    if (!peers_.empty()) options_.peers = split_list(peers_);
    parse_part();
    if (!options_.profile.empty() && !options_.list) {
      cli::throw_usage("--profile", "to be used with --list", options_.profile);
    }
    // A folder that cannot be written is better met before the run than after it.
    if (!options_.output.empty()) io::AtomicFile probe(options_.output);
  }

  void parse_grid() {
    if (!grid_.empty()) {
      options_.grid = named_grid(grid_);
      if (options_.grid.empty()) options_.grid = read_grid(grid_);
    }
    for (const Axis& axis : axes()) {
      std::string& text = axis_texts_[axis.name];
      if (full_length_ && std::string_view(axis.name) == "lengths" && text.empty()) text = "full";
      if (!text.empty()) options_.overrides.emplace_back(&axis, text);
    }
  }

  void parse_part() {
    const std::size_t slash = part_.find('/');
    if (slash == std::string::npos) cli::throw_usage("--part", "I/N", part_);
    options_.parts = cli::parse_integer("--part", part_.substr(slash + 1), 1, 10000);
    options_.part = cli::parse_integer("--part", part_.substr(0, slash), 1, options_.parts);
  }

  Options options_;
  CompareOptions compare_options_;
  CLI::App* compare_ = nullptr;
  std::map<std::string, std::string> axis_texts_;
  std::string grid_, backend_, peers_, timer_ = "graph", samples_ = "21", check_rows_ = "8", time_budget_ = "0";
  std::string part_ = "1/1", threshold_ = "0.05";
  bool full_length_ = false;
};

}  // namespace
}  // namespace keysieve::bench

namespace keysieve::cli {

std::unique_ptr<Command> make_bench_command() { return std::make_unique<bench::BenchCommand>(); }

}  // namespace keysieve::cli
