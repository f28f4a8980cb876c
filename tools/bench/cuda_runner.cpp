// Cells on a GPU: compared with the host before and after timing, timed beside their floors.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "bench/busy_sms.hpp"
#include "bench/clocks.hpp"
#include "bench/cuda_fingerprint.hpp"
#include "bench/cuda_floors.hpp"
#include "bench/cuda_memory.hpp"
#include "bench/kernels.hpp"
#include "bench/row_checks.hpp"
#include "bench/runner.hpp"
#include "bench/stopwatch.hpp"
#include "bench/watchdog.hpp"
#include "cli/option_names.hpp"

namespace keysieve::bench {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kHangLimit{60};
static_assert(kHangLimit > 2 * BusySms::kLimit);
constexpr double kUsableMemory = 0.9;  // the rest is for the library, the timers and the driver
constexpr std::chrono::milliseconds kClockInterval{250};

std::string pci_bus_id() {
  char text[32] = "";
  check_cuda(cudaDeviceGetPCIBusId(text, sizeof text, 0), "cudaDeviceGetPCIBusId");
  return text;
}

cudaStream_t make_stream() {
  cudaStream_t stream = nullptr;
  check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  return stream;
}

class CudaRunner final : public Runner {
 public:
  explicit CudaRunner(const Options& options)
      : options_(options), stream_(make_stream()), clocks_(pci_bus_id()), watchdog_(kHangLimit) {
    check_cuda(cudaGetDeviceProperties(&device_, 0), "cudaGetDeviceProperties");
  }

  Backend backend() const override { return Backend::kCuda; }

  Json fingerprint() override {
    Json json = cuda_fingerprint(options_, device_);
    json.update({{"sm_clock_mhz", clocks_.sm_mhz()}, {"memory_clock_mhz", clocks_.memory_mhz()}});
    return json;
  }

  std::int64_t usable_bytes() const override {
    std::size_t free_bytes = 0, total_bytes = 0;
    check_cuda(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    return static_cast<std::int64_t>(static_cast<double>(free_bytes) * kUsableMemory) - 3 * kFlushBytes;
  }

  std::string unmet_conditions(const Cell& cell) const override {
    if (cell.busy_sms < device_.multiProcessorCount) return "";
    return "busy_sms: expected fewer than the " + std::to_string(device_.multiProcessorCount) + " SMs, got " +
           std::to_string(cell.busy_sms);
  }

  void allocate(const Sizes& sizes) override {
    stopwatch_.emplace(stream_, options_.samples, sizes.cold, options_.timer == TimerKind::kCupti);
    memory_.emplace(sizes, stream_);
    floors_.emplace(stream_, *stopwatch_, options_.samples, options_.timer);
    busy_.emplace();
  }

  double launch_us(Mode mode) override {
    return stopwatch_->prepare(enqueue_empty, mode, options_.timer)(options_.samples).median_us;
  }

  void prepare(const Cell& cell, std::int64_t rows, std::int64_t most_k, int log2_samples) override {
    std::vector<std::int32_t> lengths(static_cast<std::size_t>(rows));
    for (std::int64_t row = 0; row < rows; ++row) {
      lengths[static_cast<std::size_t>(row)] = row_length(cell.lengths, row, cell.width);
    }
    memory_->upload_lengths(lengths);
    const std::int64_t row_bytes = row_stride(cell) * size_bytes(cell.dtype);
    const std::int64_t element_bytes = size_bytes(cell.dtype);
    checks_.reset(cell.dtype, lengths, most_k, [this, row_bytes, element_bytes](auto row, auto length) {
      return memory_->read_scores(row * row_bytes, length * element_bytes);
    });
    rows_ = {memory_->scores(), memory_->lengths(), rows, cell.width, row_stride(cell), cell.dtype, nullptr, 0};
    fill_scores(rows_, memory_->scores(), cell.distribution, log2_samples, stream_);
    floors_->reset(rows_, lengths);
  }

  CellResult measure(const Cell& cell, Selector& selector) override {
    CellResult result;
    const bool is_keysieve = selector.plan() != nullptr;
    SelectArgs args = memory_->make_args(cell, selector.workspace_bytes());
    if (cell.hint == Hint::kExact) memory_->add_exact_hints(cell, args);
    args.dependent_launch = cell.chain == Chain::kDependent ? 1 : 0;
    CellVerdict verdict(checks_, cell, selector.promises(), options_.check_rows);
    const auto look = [&] { verdict.look([&](std::int64_t row) { return memory_->read_outputs(cell, row); }); };

    memory_->poison_outputs(cell, args);
    SelectArgs counting_args = args;
    if (is_keysieve) counting_args.row_counters = memory_->counters();
    selector.run(counting_args, stream_);
    look();
    check_cuda(cudaStreamSynchronize(stream_), "selection");
    if (is_keysieve) result.counters = memory_->read_counters(cell.rows);

    memory_->poison_outputs(cell, args);
    result.run_host_us = run_host_us(selector, args);
    time(cell, selector, args, result);
    look();  // what the timed calls left
    result.checked_rows = verdict.checked_rows();
    result.wrong_rows = verdict.wrong_rows();
    result.fault = verdict.first_fault();
    sample_clocks();
    return result;
  }

  bool alive() override {
    static_cast<void>(cudaGetLastError());
    return cudaDeviceSynchronize() == cudaSuccess;  // its faults stay until the process ends
  }

  void begin_step(const std::string& what) override { watchdog_.begin(what); }

 private:
  // Beside the stream that holds SMs, where the cell asks for one.
  Timing timed(const Cell& cell, const Stopwatch::Timed& work, int samples) {
    if (cell.busy_sms == 0) return work(samples);
    work(1);  // what a first launch still has to allocate could wait for the spinning kernel
    busy_->start(cell.busy_sms);
    Timing timing;
    try {
      timing = work(samples);
    } catch (...) {
      busy_->stop();
      throw;
    }
    if (!busy_->stop()) throw std::runtime_error("busy_sms: the SMs were let go before the timing ended");
    return timing;
  }

  void time(const Cell& cell, Selector& selector, const SelectArgs& args, CellResult& result) {
    const int samples = options_.samples;
    result.timer = selector.capturable() ? options_.timer : TimerKind::kEvents;
    ScoreRows rows = rows_;
    rows.rows = cell.rows;
    const bool chained = cell.chain != Chain::kAlone;
    const auto write = [&](cudaStream_t stream) { enqueue_rewrite(rows, memory_->scores(), stream); };
    const auto select = [&](cudaStream_t stream) {
      if (chained) write(stream);
      selector.run(args, stream);
    };
    const Stopwatch::Timed work = stopwatch_->prepare(select, cell.mode, result.timer);
    result.first = timed(cell, work, samples);
    if (chained) {
      result.writer_us = timed(cell, stopwatch_->prepare(write, cell.mode, result.timer), samples).median_us;
    }
    // Before the last timing, whose outputs are judged: the floors write into the same memory.
    const auto measure = [&](const Stopwatch::Timed& floor, int count) { return timed(cell, floor, count); };
    result.read_floor = floors_->floor(cell.rows, 0, nullptr, cell.mode, cell.busy_sms, measure);
    result.floor =
        floors_->floor(cell.rows, output_words_per_row(cell), memory_->outputs(), cell.mode, cell.busy_sms, measure);
    memory_->poison_outputs(cell, args);
    result.second = timed(cell, work, samples);
    if (!chained) return;
    for (Timing* timing : {&result.first, &result.second}) {
      timing->median_us -= *result.writer_us;
      timing->p10_us -= *result.writer_us;
      timing->p90_us -= *result.writer_us;
    }
  }

  double run_host_us(Selector& selector, const SelectArgs& args) {
    std::vector<double> times;
    for (int i = 0; i < kMinSamples; ++i) {
      const Clock::time_point begin = Clock::now();
      selector.run(args, stream_);
      times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    }
    check_cuda(cudaStreamSynchronize(stream_), "selection");
    return summarise(std::move(times)).median_us;
  }

  void sample_clocks() {
    if (Clock::now() - last_clock_sample_ < kClockInterval) return;
    clocks_.sample();
    last_clock_sample_ = Clock::now();
  }

  const Options& options_;
  cudaStream_t stream_;  // lives as long as the process
  cudaDeviceProp device_{};
  Clocks clocks_;
  Watchdog watchdog_;
  Clock::time_point last_clock_sample_;
  std::optional<Stopwatch> stopwatch_;
  std::optional<CudaMemory> memory_;
  std::optional<CudaFloors> floors_;
  std::optional<BusySms> busy_;
  ScoreRows rows_;
  RowChecks checks_;
};

}  // namespace

std::string cuda_problem() {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices > 0) return "";
  static_cast<void>(cudaGetLastError());
  int driver = 0;
  const bool no_driver = cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0;
  if (no_driver) return "no NVIDIA driver found";
  return error == cudaSuccess ? "the driver lists none" : cudaGetErrorString(error);
}

std::unique_ptr<Runner> make_cuda_runner(const Options& options) {
  if (const std::string problem = cuda_problem(); !problem.empty()) {
    throw cli::UsageError("--backend: expected a GPU for cuda, found none: " + problem);
  }
  check_cuda(cudaSetDevice(0), "cudaSetDevice");
  detail::throw_if_failed(detail::to_status(keysieve_prepare(KEYSIEVE_DEVICE_CUDA, 0)));
  return std::make_unique<CudaRunner>(options);
}

}  // namespace keysieve::bench
