#include "kernels/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "bench/cuda_fingerprint.hpp"
#include "kernels/byte_floor.hpp"
#include "kernels/cell.hpp"

namespace keysieve::kernel_bench {
namespace {

using bench::GraphTimer;
using bench::Mode;
using bench::Timing;

std::vector<KernelCell> cells_of(const std::vector<std::string>& names) {
  std::vector<KernelCell> cells = all_cells();
  for (const std::string& name : names) {
    if (std::none_of(cells.begin(), cells.end(), [&](const KernelCell& cell) { return cell.kernel == name; })) {
      throw std::runtime_error("--kernels: expected names of kernels (see --list), got " + name);
    }
  }
  if (!names.empty()) {
    std::erase_if(cells, [&](const KernelCell& cell) {
      return std::find(names.begin(), names.end(), cell.kernel) == names.end();
    });
  }
  return cells;
}

Timing floor_of(const KernelCell& cell, GraphTimer& timer, Arena& arena, int samples) {
  constexpr int kProbeSamples = 5;
  const void* from = arena.allocate(cell.read_bytes);
  void* to = arena.allocate(cell.write_bytes);
  auto* sink = static_cast<std::uint32_t*>(arena.allocate(4));
  bench::TimedWork best;
  double best_us = 0;
  for (int shape = 0; shape < kByteFloorShapes; ++shape) {
    bench::TimedWork work = timer.prepare(
        [&, shape](cudaStream_t stream) {
          enqueue_byte_floor(from, cell.read_bytes, to, cell.write_bytes, shape, sink, stream);
        },
        Mode::kWarm);
    const double us = timer.time(work, kProbeSamples).median_us;
    if (best_us == 0 || us < best_us) {
      best_us = us;
      best = work;
    }
  }
  return timer.time(best, samples);
}

nlohmann::ordered_json measure_cell(const KernelCell& cell, GraphTimer& timer, cudaStream_t stream, int samples,
                                    double launch_us) {
  Arena arena(stream);
  const Work work = cell.make(arena);
  bench::check_cuda(cudaStreamSynchronize(stream), "inputs of a cell");
  const bench::TimedWork run = timer.prepare(work.run, Mode::kWarm);
  const Timing first = timer.time(run), floor = floor_of(cell, timer, arena, samples);
  nlohmann::ordered_json json{{"kernel", cell.kernel},
                              {"size", cell.size},
                              {"median_us", first.median_us},
                              {"p10_us", first.p10_us},
                              {"p90_us", first.p90_us},
                              {"read_bytes", cell.read_bytes},
                              {"write_bytes", cell.write_bytes},
                              {"floor_us", floor.median_us},
                              {"ratio_to_floor", first.median_us / floor.median_us},
                              {"over_launch_us", first.median_us - launch_us}};
  if (work.baseline) {
    const Timing baseline = timer.time(timer.prepare(work.baseline, Mode::kWarm));
    json["baseline"] = cell.baseline;
    json["baseline_us"] = baseline.median_us;
    json["ratio_to_baseline"] = first.median_us / baseline.median_us;
    json["over_baseline_us"] = first.median_us - baseline.median_us;
  }
  json["second_median_us"] = timer.time(run).median_us;
  return json;
}

}  // namespace

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const KernelCell& cell : cells_of(names)) text += fmt::format("{:<24}{}\n", cell.kernel, cell.size);
  return text;
}

Measured measure(const std::vector<std::string>& names, int samples, const bench::Options& options) {
  Measured measured;
  cudaDeviceProp properties{};
  bench::check_cuda(cudaGetDeviceProperties(&properties, 0), "kernels: expected a GPU");
  measured.fingerprint = bench::cuda_fingerprint(options, properties);
  cudaStream_t stream = nullptr;
  bench::check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  {
    GraphTimer timer(stream, samples, false);
    measured.launch_us = timer.time(timer.prepare(enqueue_empty_kernel, Mode::kWarm)).median_us;
    for (const KernelCell& cell : cells_of(names)) {
      try {
        const auto json = measure_cell(cell, timer, stream, samples, measured.launch_us);
        fmt::print(stderr, "{:<24}{:<56}{:9.2f} us  floor {:9.2f}  ratio {:5.2f}{}\n", cell.kernel, cell.size,
                   json["median_us"].get<double>(), json["floor_us"].get<double>(),
                   json["ratio_to_floor"].get<double>(),
                   json.contains("baseline_us")
                       ? fmt::format("  {} {:.2f} us", cell.baseline, json["baseline_us"].get<double>())
                       : "");
        measured.cells.push_back(json);
      } catch (const std::exception& error) {
        fmt::print(stderr, "{:<24}{:<56}{}\n", cell.kernel, cell.size, error.what());
        measured.failed.push_back({{"kernel", cell.kernel}, {"size", cell.size}, {"reason", error.what()}});
      }
    }
  }
  cudaStreamDestroy(stream);
  return measured;
}

}  // namespace keysieve::kernel_bench
