#include "bench/session.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <span>

#include "bench/plan_cells.hpp"
#include "bench/result.hpp"
#include "bench/runner.hpp"
#include "bench/selector.hpp"
#include "cli/console.hpp"
#include "cli/option_names.hpp"

namespace keysieve::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPlanSamples = 21;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

double plan_host_us(const SelectProblem& problem) {
  std::vector<double> times;
  SelectPlan plan;
  for (int i = 0; i < kPlanSamples; ++i) {
    const Clock::time_point begin = Clock::now();
    static_cast<void>(try_make_plan(problem, plan));
    times.push_back(seconds_since(begin) * 1e6);
  }
  return summarise(std::move(times)).median_us;
}

class Session {
 public:
  Session(const Options& options, Runner& runner, const Peers& peers, Report& report)
      : options_(options), runner_(runner), peers_(peers), report_(report) {}

  void measure(std::span<const PlannedCell> cells) {
    std::size_t next = 0;
    try {
      for (const PlannedCell& planned : cells) {
        const Mode mode = planned.cell.mode;
        if (!report_.launch_us.contains(mode)) report_.launch_us[mode] = runner_.launch_us(mode);
      }
      for (; next < cells.size() && !out_of_time(); ++next) {
        runner_.begin_step(describe(cells[next].cell));
        if (next == 0 || !same_scores(cells[next - 1], cells[next])) prepare(cells.subspan(next));
        measure_cell(cells[next]);
        save_now_and_then();
      }
    } catch (const std::exception& error) {
      // A fault of the device is final for the process: what was measured before it is kept.
      report_.error = (next < cells.size() ? describe(cells[next].cell) + ": " : "") + error.what();
    }
    const std::string reason = report_.error.empty() ? "time budget spent" : "an error came first";
    const bool cell_is_listed = next < cells.size() && !report_.error.empty() && !report_.failed.empty() &&
                                describe(report_.failed.back().cell) == describe(cells[next].cell);
    if (cell_is_listed) ++next;
    for (; next < cells.size(); ++next) report_.missing.push_back({cells[next].cell, "", reason});
  }

  void save() {
    report_.fingerprint = runner_.fingerprint();
    write_report(report_, options_);
  }

  double seconds() const { return seconds_since(start_); }

 private:
  static bool same_scores(const PlannedCell& a, const PlannedCell& b) {
    return share_scores(a.cell, b.cell) && a.log2_samples() == b.log2_samples();
  }

  void prepare(std::span<const PlannedCell> cells) {
    std::int64_t rows = 0, most_k = 0;
    for (const PlannedCell& planned : cells) {
      if (!same_scores(cells.front(), planned)) break;
      rows = std::max(rows, planned.cell.rows);
      most_k = std::max(most_k, planned.cell.k);
    }
    runner_.prepare(cells.front().cell, rows, most_k, cells.front().log2_samples());
  }

  void measure_cell(const PlannedCell& planned) {
    const Cell& cell = planned.cell;
    const SelectProblem problem = problem_of(cell, runner_.backend());
    if (planned.plan) {
      measure_with(
          cell, kKeysieve, [&] { return make_keysieve_selector(*planned.plan); }, plan_host_us(problem));
    }
    for (const keysieve_peer* peer : peers_.all()) {
      try {
        measure_with(
            cell, peer->name, [&] { return make_peer_selector(*peer, problem); }, 0);
      } catch (const peer::PeerError& error) {
        if (error.status() != KEYSIEVE_UNSUPPORTED) throw;
        report_.refused.push_back({cell, peer->name, error.what()});
      }
    }
  }

  template <typename Make>
  void measure_with(const Cell& cell, const std::string& name, Make&& make, double plan_us) {
    try {
      const std::unique_ptr<Selector> selector = make();
      CellResult result = runner_.measure(cell, *selector);
      result.cell = cell;
      result.implementation = name;
      if (selector->plan() != nullptr) result.plan = *selector->plan();
      result.workspace_bytes = selector->workspace_bytes();
      result.launch_us = report_.launch_us.at(cell.mode);
      result.plan_host_us = plan_us;
      result.bytes = cell_bytes(cell);
      report_.results.push_back(std::move(result));
    } catch (const peer::PeerError& error) {
      if (error.status() == KEYSIEVE_UNSUPPORTED) throw;
      record_failure(cell, name, error.what());
      return;
    } catch (const std::exception& error) {
      record_failure(cell, name, error.what());
      return;
    }
    const CellResult& result = report_.results.back();
    if (!result.is_wrong()) return;
    const std::string fault = result.wrong_rows > 0 ? result.fault : "the row counters were not written";
    cli::print_error("wrong: " + name + " at " + describe(cell) + ": " + std::to_string(result.wrong_rows) + " of " +
                     std::to_string(result.checked_rows) + " rows; " + fault);
  }

  // Whether the other cells can still run is for the device to say.
  void record_failure(const Cell& cell, const std::string& name, const std::string& reason) {
    report_.failed.push_back({cell, name, reason});
    if (!runner_.alive()) throw std::runtime_error(name + ": " + reason);
  }

  // So that a hang or a kill does not cost what was measured before it.
  void save_now_and_then() {
    constexpr double kSeconds = 5;
    if (options_.output.empty() || seconds() - last_saved_s_ < kSeconds) return;
    save();
    last_saved_s_ = seconds();
  }

  bool out_of_time() const { return options_.time_budget_s > 0 && seconds() > options_.time_budget_s; }

  const Options& options_;
  Runner& runner_;
  const Peers& peers_;
  Report& report_;
  Clock::time_point start_ = Clock::now();
  double last_saved_s_ = 0;
};

void print_unmeasured(const char* what, const std::vector<UnmeasuredCell>& cells) {
  constexpr std::size_t kPrinted = 5;
  for (std::size_t i = 0; i < cells.size() && i < kPrinted; ++i) {
    const std::string who = cells[i].implementation.empty() ? "" : cells[i].implementation + " at ";
    cli::print_warning(std::string(what) + ": " + who + describe(cells[i].cell) + ": " + cells[i].reason);
  }
  if (cells.size() > kPrinted) {
    cli::print_warning(std::string(what) + ": " + std::to_string(cells.size() - kPrinted) + " more, all in the report");
  }
}

Backend chosen_backend(const Options& options) {
  if (options.backend != Backend::kAuto) return options.backend;
  if (!options.profile.empty()) return Backend::kCuda;
  return cuda_problem().empty() ? Backend::kCuda : Backend::kCpu;
}

std::vector<Cell> cells_of(const Options& options, Backend backend) {
  const std::vector<Cell> cells = enumerate_cells(options.grid, thresholds_of(backend, options.profile));
  return part_of(cells, options.part, options.parts);
}

int list_cells(const std::vector<Cell>& cells) {
  std::string text;
  for (const Cell& cell : cells) text += describe(cell) + "\n";
  cli::write_stdout(text + std::to_string(cells.size()) + " cells\n");
  return cli::kExitOk;
}

// Where the report goes to stdout, totals alone go to stderr.
void print_summary(const Report& report, const Options& options, double seconds) {
  std::size_t wrong = 0;
  for (const CellResult& result : report.results) wrong += result.is_wrong();
  const std::string totals =
      std::to_string(report.results.size()) + " measured, " + std::to_string(wrong) + " wrong, " +
      std::to_string(report.refused.size()) + " refused, " + std::to_string(report.failed.size()) + " failed, " +
      std::to_string(report.missing.size()) + " missing, " + std::to_string(static_cast<int>(seconds + 0.5)) + " s\n";
  if (options.output.empty()) {
    static_cast<void>(std::fwrite(totals.data(), 1, totals.size(), stderr));
  } else {
    cli::write_stdout(result_table(report) + totals);
  }
}

}  // namespace

int run_bench(const Options& given) {
  Options options = given;
  const Backend backend = chosen_backend(options);
  if (options.grid.empty()) options.grid = named_grid(backend == Backend::kCuda ? "full" : "cpu");
  apply_overrides(options);
  const Peers peers(options.peers);
  if (options.list && !options.profile.empty()) return list_cells(cells_of(options, backend));

  const std::unique_ptr<Runner> runner =
      backend == Backend::kCuda ? make_cuda_runner(options) : make_cpu_runner(options, backend);
  const std::vector<Cell> cells = cells_of(options, backend);
  if (options.list) return list_cells(cells);

  Report report;
  report.samples = options.samples;
  Sizes sizes;
  const std::vector<PlannedCell> planned = plan_cells(cells, *runner, !peers.all().empty(), report, sizes);
  Session session(options, *runner, peers, report);
  if (!planned.empty()) {
    runner->allocate(sizes);
    session.measure(planned);
  }
  session.save();
  print_unmeasured("refused", report.refused);
  print_unmeasured("failed", report.failed);
  print_unmeasured("missing", report.missing);
  print_summary(report, options, session.seconds());
  if (!report.error.empty()) cli::print_error(report.error);
  if (planned.empty()) {
    cli::print_error("grid: expected a cell that can run here, found none");
    return cli::kExitBadInput;
  }
  const bool wrong = std::any_of(report.results.begin(), report.results.end(),
                                 [](const CellResult& result) { return result.is_wrong(); });
  return wrong || !report.failed.empty() || !report.error.empty() ? cli::kExitFault : cli::kExitOk;
}

}  // namespace keysieve::bench
