// Cells on the CPU: selection and floors by turns, so that a machine that slows down for a while slows all of them.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>
#include <thread>

#include "bench/cache_flush.hpp"
#include "bench/host_scores.hpp"
#include "bench/read_once.hpp"
#include "bench/row_checks.hpp"
#include "bench/runner.hpp"
#include "bench/slots.hpp"

namespace keysieve::bench {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kWorkspaceAlignment = 256;  // peers are promised it
constexpr double kUsableMemory = 0.5;

double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

Json system_cpu() {
  const std::string text = detail::read_text(
      [](char* buffer, std::size_t size, std::size_t* needed) { return keysieve_system_json(buffer, size, needed); });
  return Json::parse(text).value("cpu", Json::object());
}

class CpuRunner final : public Runner {
 public:
  CpuRunner(const Options& options, Backend backend) : options_(options), backend_(backend) {}

  Backend backend() const override { return backend_; }

  Json fingerprint() override {
    Json json = common_fingerprint(options_, "cpu");
    const Json cpu = system_cpu();
    json["cpu"] = cpu_model();
    json["threads"] = cpu.value("threads", static_cast<int>(std::thread::hardware_concurrency()));
    json["simd_target"] = cpu.contains("target") ? cpu["target"] : Json();
    return json;
  }

  std::int64_t usable_bytes() const override {
    const double bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    return static_cast<std::int64_t>(bytes * kUsableMemory);
  }

  std::string unmet_conditions(const Cell& cell) const override {
    if (cell.chain != Chain::kAlone) return "chain: on a CPU nothing is launched behind a kernel";
    if (cell.busy_sms != 0) return "busy_sms: a CPU has no SMs";
    if (cell.hint != Hint::kNone) return "hint: the CPU ignores it";
    if (cell.mode == Mode::kCold && !can_flush_caches()) return "mode: this build cannot empty the CPU's caches";
    return "";
  }

  void allocate(const Sizes& sizes) override {
    scores_.resize(static_cast<std::size_t>(sizes.score_bytes));
    outputs_.resize(static_cast<std::size_t>(sizes.output_bytes));
    workspace_.resize(static_cast<std::size_t>(sizes.workspace_bytes) + kWorkspaceAlignment);
  }

  // A call of nothing between two readings of the clock.
  double launch_us(Mode) override {
    std::vector<double> times;
    for (int i = 0; i < options_.samples; ++i) times.push_back(microseconds_since(Clock::now()));
    return summarise(std::move(times)).median_us;
  }

  void prepare(const Cell& cell, std::int64_t rows, std::int64_t most_k, int log2_samples) override {
    std::vector<std::int32_t> lengths(static_cast<std::size_t>(rows));
    for (std::int64_t row = 0; row < rows; ++row) {
      lengths[static_cast<std::size_t>(row)] = row_length(cell.lengths, row, cell.width);
    }
    const std::int64_t element_bytes = size_bytes(cell.dtype);
    const std::int64_t stride = row_stride(cell);
    const auto threads = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u));
    const auto read_scores = [this, stride, element_bytes](std::int64_t row, std::int64_t length) {
      const auto begin = scores_.begin() + row * stride * element_bytes;
      return std::vector<std::byte>(begin, begin + length * element_bytes);
    };
    checks_.reset(cell.dtype, std::move(lengths), most_k, read_scores);
    rows_ = {scores_.data(), checks_.lengths().data(), rows, cell.width, stride, cell.dtype};
    fill_host_scores(rows_, scores_.data(), cell.distribution, log2_samples, threads);
  }

  CellResult measure(const Cell& cell, Selector& selector) override {
    CellResult result;
    result.timer = TimerKind::kHost;
    const SelectArgs args = make_args(cell, selector);
    CellVerdict verdict(checks_, cell, selector.promises(), options_.check_rows);
    const auto read = [&](std::int64_t row) { return read_outputs(cell, row); };
    std::fill(outputs_.begin(), outputs_.end(), std::byte{0x5A});
    selector.run(args, nullptr);
    verdict.look(read);
    std::fill(outputs_.begin(), outputs_.end(), std::byte{0x5A});
    time(cell, selector, args, result);
    // The floor wrote over the outputs: one more call, of the same state of caches and threads as the timed ones.
    selector.run(args, nullptr);
    verdict.look(read);
    result.checked_rows = verdict.checked_rows();
    result.wrong_rows = verdict.wrong_rows();
    result.fault = verdict.first_fault();
    return result;
  }

  bool alive() override { return true; }
  void begin_step(const std::string&) override {}

 private:
  SelectArgs make_args(const Cell& cell, const Selector& selector) {
    const OutputLayout layout = output_layout(cell);
    SelectArgs args;
    args.scores = scores_.data();
    args.score_row_stride = rows_.stride;
    args.lengths = rows_.lengths;
    args.indices = outputs_.data();
    if (cell.output == IndexMode::kDual) args.raw_indices = outputs_.data() + layout.raw_offset;
    if (cell.values) args.values = outputs_.data() + layout.values_offset;
    if (cell.output == IndexMode::kOffset) {
      offsets_.clear();
      for (std::int64_t row = 0; row < cell.rows; ++row) offsets_.push_back(out_offset(row));
      args.out_offsets = offsets_.data();
    }
    if (needs_pages(cell)) {
      pages_ = make_page_table(cell.rows, page_columns(cell));
      args.page_table = pages_.data();
      args.page_table_rows = cell.rows;
      args.page_table_columns = page_columns(cell);
      args.page_size = kPageSize;
    }
    args.workspace_bytes = selector.workspace_bytes();
    args.workspace = args.workspace_bytes > 0 ? aligned_workspace(args.workspace_bytes) : nullptr;
    return args;
  }

  void* aligned_workspace(std::int64_t bytes) {
    const auto needed = static_cast<std::size_t>(bytes) + kWorkspaceAlignment;
    if (workspace_.size() < needed) workspace_.resize(needed);
    void* begin = workspace_.data();
    std::size_t room = workspace_.size();
    return std::align(kWorkspaceAlignment, static_cast<std::size_t>(bytes), begin, room);
  }

  // Of what the cell's calls read and write.
  void empty_caches(const Cell& cell) {
    flush_caches(scores_.data(), static_cast<std::size_t>(cell.rows * rows_.stride * size_bytes(cell.dtype)));
    flush_caches(outputs_.data(), static_cast<std::size_t>(output_layout(cell).total_bytes));
    flush_caches(workspace_.data(), workspace_.size());
  }

  RowOutputs read_outputs(const Cell& cell, std::int64_t row) const {
    const OutputLayout layout = output_layout(cell);
    const auto k = static_cast<std::size_t>(cell.k);
    const auto at = static_cast<std::size_t>(row) * k;
    const auto copy = [&](auto& target, std::int64_t offset, std::size_t element_bytes) {
      target.resize(k * element_bytes / sizeof(target[0]));
      std::memcpy(target.data(), outputs_.data() + offset + at * element_bytes, k * element_bytes);
    };
    RowOutputs outputs;
    copy(outputs.slots, 0, 4);
    if (cell.output == IndexMode::kDual) copy(outputs.raw, layout.raw_offset, 4);
    if (cell.values) copy(outputs.values, layout.values_offset, static_cast<std::size_t>(size_bytes(cell.dtype)));
    return outputs;
  }

  void time(const Cell& cell, Selector& selector, const SelectArgs& args, CellResult& result) {
    ScoreRows rows = rows_;
    rows.rows = cell.rows;
    const SelectPlan* plan = selector.plan();
    const int threads = plan != nullptr ? plan->threads : static_cast<int>(std::thread::hardware_concurrency());
    const std::int64_t words = output_words_per_row(cell);
    auto* const floor_outputs = reinterpret_cast<std::int32_t*>(outputs_.data());
    std::vector<double> first, read_floor, floor, second;
    const auto timed = [&](std::vector<double>& times, auto&& work) {
      if (cell.mode == Mode::kCold) empty_caches(cell);
      const Clock::time_point begin = Clock::now();
      work();
      times.push_back(microseconds_since(begin));
    };
    const auto select = [&] { selector.run(args, nullptr); };
    for (int i = 0; i < options_.samples; ++i) {
      timed(first, select);
      timed(read_floor, [&] { checksum_ ^= run_cpu_floor(rows, nullptr, 0, threads); });
      timed(second, select);
      timed(floor, [&] { checksum_ ^= run_cpu_floor(rows, floor_outputs, words, threads); });
    }
    result.first = summarise(std::move(first));
    result.second = summarise(std::move(second));
    result.read_floor = summarise(std::move(read_floor));
    result.floor = summarise(std::move(floor));
    result.run_host_us = result.first.median_us;  // the caller's thread does the work, or waits for it
  }

  const Options& options_;
  Backend backend_;
  std::vector<std::byte> scores_, outputs_, workspace_;
  std::vector<std::int32_t> offsets_, pages_;
  ScoreRows rows_;
  RowChecks checks_;
  std::atomic<std::uint32_t> checksum_{0};  // keeps the floors' loads alive
};

}  // namespace

std::unique_ptr<Runner> make_cpu_runner(const Options& options, Backend backend) {
  return std::make_unique<CpuRunner>(options, backend);
}

}  // namespace keysieve::bench
