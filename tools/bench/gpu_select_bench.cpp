// CUDA selection over a grid of shapes, against floors measured in the same run: reading the live scores once, the
// same plus writing the indices, and an empty kernel. Every cell is compared with the host before and after it is
// timed. `gpu_select_bench --help` lists the flags; speed_table.py turns the report into a table.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "cell_runner.hpp"
#include "report.hpp"
#include "sample_positions.hpp"
#include "watchdog.hpp"

namespace keysieve::bench {
namespace {

constexpr std::chrono::seconds kHangLimit{30};
constexpr double kUsableMemory = 0.9;  // the rest is for the library, the timer and the driver

struct PlannedCell {
  Cell cell;
  SelectPlan plan;
};

// Cells that share their scores stand together.
std::vector<Cell> enumerate_cells(const Options& options) {
  std::vector<Cell> cells;
  for (const auto width : options.widths)
    for (const auto dtype : options.dtypes)
      for (const auto distribution : options.distributions)
        for (const auto rows : options.rows)
          for (const auto mode : options.modes)
            for (const auto k : options.k)
              for (const auto order : options.orders)
                for (const auto route : options.routes)
                  for (const auto split : options.splits)
                    for (const auto threads : options.threads)
                      cells.push_back({rows, width, k, dtype, distribution, order, route, split, threads, mode});
  return cells;
}

SelectProblem problem_of(const Cell& cell) {
  SelectProblem problem;
  problem.device_type = DeviceType::kCuda;
  problem.backend = Backend::kCuda;
  problem.route = cell.route;
  problem.threads = cell.threads;
  problem.split = cell.split;
  problem.rows = cell.rows;
  problem.width = cell.width;
  problem.k = cell.k;
  problem.score_type = cell.dtype;
  problem.order = cell.order;
  return problem;
}

std::int64_t score_bytes(const Cell& cell) {
  return cell.rows * row_stride(cell.width, cell.dtype) * size_bytes(cell.dtype);
}

std::vector<PlannedCell> plan_cells(const Options& options, Report& report, Sizes& sizes) {
  std::size_t free_bytes = 0, total_bytes = 0;
  check_cuda(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  const auto usable = static_cast<std::int64_t>(static_cast<double>(free_bytes) * kUsableMemory);
  std::vector<PlannedCell> planned;
  for (const Cell& cell : enumerate_cells(options)) {
    SelectPlan plan;
    if (const Status status = try_make_plan(problem_of(cell), plan); !status.ok()) {
      report.refused.push_back({cell, status.message()});
      continue;
    }
    const std::int64_t bytes = score_bytes(cell) + cell.rows * (cell.k * 4 + 12) + plan.workspace_bytes;
    if (bytes > usable) {
      report.refused.push_back(
          {cell, "needs " + std::to_string(bytes) + " bytes on the device, " + std::to_string(usable) + " are usable"});
      continue;
    }
    sizes.rows = std::max(sizes.rows, cell.rows);
    sizes.score_bytes = std::max(sizes.score_bytes, score_bytes(cell));
    sizes.index_bytes = std::max(sizes.index_bytes, cell.rows * cell.k * 4);
    sizes.workspace_bytes = std::max(sizes.workspace_bytes, plan.workspace_bytes);
    planned.push_back({cell, plan});
  }
  return planned;
}

// The scores of rows that are built against the sample follow the sample of the plan.
int log2_samples(const PlannedCell& planned) {
  if (!depends_on_sample(planned.cell.distribution) || planned.plan.sample_vectors <= 0) return kDefaultLog2Samples;
  return std::bit_width(static_cast<std::uint32_t>(planned.plan.sample_vectors)) - 1;
}

auto score_key(const PlannedCell& planned) {
  return std::tuple(planned.cell.width, planned.cell.dtype, planned.cell.distribution, log2_samples(planned));
}

class Bench {
 public:
  Bench(const Options& options, Report& report)
      : options_(options), report_(report), start_(std::chrono::steady_clock::now()) {}

  void measure(const std::vector<PlannedCell>& cells, const Sizes& sizes) {
    Watchdog watchdog(kHangLimit);
    std::size_t next = 0;
    try {
      cudaStream_t stream = nullptr;
      check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
      CellRunner runner(options_, sizes, stream);
      for (const Mode mode : options_.modes) report_.launch[mode] = runner.launch_floor(mode);
      for (; next < cells.size() && !out_of_time(); ++next) {
        const Cell& cell = cells[next].cell;
        watchdog.begin(describe(cell));
        const bool new_scores = next == 0 || score_key(cells[next - 1]) != score_key(cells[next]);
        if (new_scores) {
          runner.prepare_scores(most_rows(cells, next), cell.width, cell.dtype, cell.distribution,
                                log2_samples(cells[next]));
        }
        run_cell(runner, cells[next]);
        save_now_and_then();
      }
    } catch (const std::exception& error) {
      // A fault of the device is final for the process: what was measured before it is kept.
      report_.error = next < cells.size() ? describe(cells[next].cell) + ": " + error.what() : error.what();
    }
    const std::string reason = report_.error.empty() ? "time budget spent" : "an error came first";
    for (; next < cells.size(); ++next) report_.missing.push_back({cells[next].cell, reason});
  }

  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  void run_cell(CellRunner& runner, const PlannedCell& planned) {
    try {
      report_.results.push_back(runner.run(planned.cell, planned.plan));
    } catch (const std::exception& error) {
      // Whether the other cells can still run is for the device to say: its faults stay until the process ends.
      cudaGetLastError();
      if (cudaDeviceSynchronize() != cudaSuccess) throw;
      report_.failed.push_back({planned.cell, error.what()});
      return;
    }
    const CellResult& result = report_.results.back();
    if (result.wrong_rows > 0) {
      std::fprintf(stderr, "wrong: %s (%s taken): %d of %d rows; %s\n", describe(planned.cell).c_str(),
                   name_of(result.plan.route), result.wrong_rows, result.checked_rows, result.fault.c_str());
    }
    if (!result.counters_written) {
      std::fprintf(stderr, "counters not written: %s (%s taken)\n", describe(planned.cell).c_str(),
                   name_of(result.plan.route));
    }
  }

  // So that a hang or a kill does not cost what was measured before it.
  void save_now_and_then() {
    constexpr double kSeconds = 2;
    if (options_.output.empty() || seconds() - last_saved_s_ < kSeconds) return;
    write_report(report_, options_);
    last_saved_s_ = seconds();
  }

  bool out_of_time() const { return options_.time_budget_s > 0 && seconds() > options_.time_budget_s; }

  static std::int64_t most_rows(const std::vector<PlannedCell>& cells, std::size_t first) {
    std::int64_t rows = 0;
    for (std::size_t i = first; i < cells.size() && score_key(cells[i]) == score_key(cells[first]); ++i) {
      rows = std::max(rows, cells[i].cell.rows);
    }
    return rows;
  }

  const Options& options_;
  Report& report_;
  std::chrono::steady_clock::time_point start_;
  double last_saved_s_ = 0;
};

void print_unmeasured(const char* what, const std::vector<UnmeasuredCell>& cells) {
  constexpr std::size_t kPrinted = 5;
  for (std::size_t i = 0; i < cells.size() && i < kPrinted; ++i) {
    std::fprintf(stderr, "%s: %s: %s\n", what, describe(cells[i].cell).c_str(), cells[i].reason.c_str());
  }
  if (cells.size() > kPrinted) {
    std::fprintf(stderr, "%s: %zu more, all in the report\n", what, cells.size() - kPrinted);
  }
}

int run_bench(const Options& options, int argc, const char* const* argv) {
  int devices = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&devices); error != cudaSuccess || devices == 0) {
    int driver = 0;
    const bool no_driver = cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0;
    const char* reason = error == cudaSuccess ? "the driver lists none" : cudaGetErrorString(error);
    std::fprintf(stderr, "gpu_select_bench: no CUDA device: %s\n", no_driver ? "no NVIDIA driver found" : reason);
    return 2;
  }
  Report report;
  Bench bench(options, report);
  cudaDeviceProp device{};
  check_cuda(cudaSetDevice(0), "cudaSetDevice");
  check_cuda(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  report.fingerprint = make_fingerprint(options, device, argc, argv);
  detail::throw_if_failed(detail::to_status(keysieve_prepare(KEYSIEVE_DEVICE_CUDA, 0)));

  Sizes sizes;
  const std::vector<PlannedCell> cells = plan_cells(options, report, sizes);
  if (!cells.empty()) bench.measure(cells, sizes);
  write_report(report, options);
  print_unmeasured("refused", report.refused);
  print_unmeasured("failed", report.failed);
  print_unmeasured("missing", report.missing);
  if (cells.empty()) {
    std::fprintf(stderr, "gpu_select_bench: no cell of the grid can run\n");
    return 2;
  }
  std::size_t wrong = 0, without_counters = 0;
  for (const CellResult& result : report.results) {
    wrong += result.wrong_rows > 0;
    without_counters += !result.counters_written;
  }
  std::fprintf(stderr, "%zu cells measured, %zu wrong, %zu refused, %zu failed, %zu missing, %.1f s\n",
               report.results.size(), wrong, report.refused.size(), report.failed.size(), report.missing.size(),
               bench.seconds());
  if (!report.error.empty()) std::fprintf(stderr, "gpu_select_bench: %s\n", report.error.c_str());
  return wrong + without_counters + report.failed.size() > 0 || !report.error.empty() ? 1 : 0;
}

}  // namespace
}  // namespace keysieve::bench

int main(int argc, char** argv) {
  using namespace keysieve::bench;
  Options options;
  try {
    options = parse_options(std::span<const char* const>(argv + 1, static_cast<std::size_t>(argc - 1)));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_select_bench: %s\n%s", error.what(), usage().c_str());
    return 2;
  }
  if (options.help) {
    std::fputs(usage().c_str(), stdout);
    return 0;
  }
  try {
    return run_bench(options, argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_select_bench: %s\n", error.what());
    return 1;
  }
}
