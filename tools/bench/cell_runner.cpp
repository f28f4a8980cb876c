#include "cell_runner.hpp"

#include <algorithm>
#include <stdexcept>

#include "judge.hpp"

namespace keysieve::bench {
namespace {

constexpr std::int64_t kVectorBytes = 16;
constexpr int kProbeSamples = 5;

}  // namespace

std::int64_t row_stride(std::int64_t width, ScoreType type) {
  const std::int64_t elements = kVectorBytes / size_bytes(type);
  return (width + elements - 1) / elements * elements;
}

std::string describe(const Cell& cell) {
  std::string text = std::to_string(cell.rows) + " x " + std::to_string(cell.width) + " k=" + std::to_string(cell.k) +
                     " " + name_of(cell.dtype) + " " + name_of(cell.distribution) + " order " + name_of(cell.order) +
                     " route " + name_of(cell.route);
  if (cell.split != kAuto) text += " split " + std::to_string(cell.split);
  if (cell.threads != kAuto) text += " threads " + std::to_string(cell.threads);
  return text + " " + name_of(cell.mode);
}

CellRunner::CellRunner(const Options& options, const Sizes& sizes, cudaStream_t stream)
    : options_(options),
      stream_(stream),
      timer_(stream, options.samples,
             std::find(options.modes.begin(), options.modes.end(), Mode::kCold) != options.modes.end()),
      scores_(sizes.score_bytes),
      indices_(sizes.index_bytes),
      lengths_(sizes.rows * 4),
      counters_(sizes.rows * 8),
      workspace_(sizes.workspace_bytes),
      sink_(4),
      index_bytes_(sizes.index_bytes),
      workspace_bytes_(sizes.workspace_bytes) {}

Timing CellRunner::launch_floor(Mode mode) { return timer_.time(timer_.prepare(enqueue_empty, mode)); }

void CellRunner::prepare_scores(std::int64_t rows, std::int64_t width, ScoreType type, Distribution distribution,
                                int log2_samples) {
  host_lengths_.resize(static_cast<std::size_t>(rows));
  for (std::size_t row = 0; row < host_lengths_.size(); ++row) {
    host_lengths_[row] = row_length(options_, static_cast<std::int64_t>(row), width);
  }
  check_cuda(
      cudaMemcpyAsync(lengths_.get(), host_lengths_.data(), host_lengths_.size() * 4, cudaMemcpyHostToDevice, stream_),
      "copy of lengths");
  prepared_ = {scores_.get(), lengths_.as<std::int32_t>(), rows, width, row_stride(width, type), type};
  fill_scores(prepared_, scores_.get(), distribution, log2_samples, stream_);
  check_cuda(cudaStreamSynchronize(stream_), "fill of scores");
  floors_.clear();
  best_.clear();
  check_floor_kernels(prepared_);
}

ScoreRows CellRunner::score_rows(std::int64_t rows) const {
  ScoreRows result = prepared_;
  result.rows = rows;
  return result;
}

std::uint32_t CellRunner::read_sink() {
  std::uint32_t value = 0;
  check_cuda(cudaMemcpyAsync(&value, sink_.get(), 4, cudaMemcpyDeviceToHost, stream_), "copy of the checksum");
  check_cuda(cudaMemsetAsync(sink_.get(), 0, 4, stream_), "reset of the checksum");
  check_cuda(cudaStreamSynchronize(stream_), "checksum of the scores");
  return value;
}

// A floor that left out a part of the scores would flatter nobody but mislead everybody.
void CellRunner::check_floor_kernels(const ScoreRows& rows) {
  check_cuda(cudaMemsetAsync(sink_.get(), 0, 4, stream_), "reset of the checksum");
  enqueue_plain_checksum(rows, sink_.as<std::uint32_t>(), stream_);
  const std::uint32_t expected = read_sink();
  for (int shape = 0; shape < kFloorShapes; ++shape) {
    enqueue_floor_checksum(rows, shape, sink_.as<std::uint32_t>(), stream_);
    if (const std::uint32_t got = read_sink(); got != expected) {
      throw std::runtime_error("read floor, shape " + std::to_string(shape) + ": checksum of the live scores is " +
                               std::to_string(got) + ", expected " + std::to_string(expected));
    }
  }
}

CellRunner::Floor CellRunner::measure_floor(const ScoreRows& rows, Mode mode, std::int64_t k) {
  std::int32_t* indices = k > 0 ? indices_.as<std::int32_t>() : nullptr;
  std::optional<TimedWork> best;
  Floor floor;
  double best_us = 0;
  for (int shape = 0; shape < kFloorShapes; ++shape) {
    TimedWork work = timer_.prepare(
        [&](cudaStream_t stream) { enqueue_read_floor(rows, shape, indices, k, sink_.as<std::uint32_t>(), stream); },
        mode);
    const double us = timer_.time(work, kProbeSamples).median_us;
    if (!best || us < best_us) {
      best = std::move(work);
      best_us = us;
      floor.shape = shape;
    }
  }
  floor.timing = timer_.time(*best);
  return floor;
}

const CellRunner::Floor& CellRunner::cached_read_floor(const ScoreRows& rows, Mode mode) {
  const auto key = std::pair(rows.rows, mode);
  auto found = floors_.find(key);
  if (found == floors_.end()) found = floors_.emplace(key, measure_floor(rows, mode, 0)).first;
  return found->second;
}

// Left-over results of the cell before could pass for those of a kernel that writes nothing.
void CellRunner::poison_outputs(const Cell& cell, const SelectPlan& plan) {
  check_cuda(cudaMemsetAsync(indices_.get(), 0x5A, static_cast<std::size_t>(cell.rows * cell.k * 4), stream_),
             "poison of the indices");
  check_cuda(cudaMemsetAsync(counters_.get(), 0xFF, static_cast<std::size_t>(cell.rows * 8), stream_),
             "poison of the counters");
  if (plan.workspace_bytes > 0) {
    check_cuda(cudaMemsetAsync(workspace_.get(), 0xFF, static_cast<std::size_t>(plan.workspace_bytes), stream_),
               "poison of the workspace");
  }
}

const std::vector<std::int32_t>& CellRunner::best_of_row(std::int64_t row, std::int64_t k) {
  const auto key = std::pair(row, k);
  if (const auto found = best_.find(key); found != best_.end()) return found->second;
  const std::int64_t length = host_lengths_[static_cast<std::size_t>(row)];
  const std::int64_t element_bytes = size_bytes(prepared_.type);
  std::vector<std::byte> scores(static_cast<std::size_t>(length * element_bytes));
  const std::byte* source = scores_.as<std::byte>() + row * prepared_.stride * element_bytes;
  check_cuda(cudaMemcpyAsync(scores.data(), source, scores.size(), cudaMemcpyDeviceToHost, stream_), "copy of scores");
  check_cuda(cudaStreamSynchronize(stream_), "copy of scores");
  return best_.emplace(key, best_columns(scores.data(), prepared_.type, length, k)).first->second;
}

std::vector<std::int64_t> CellRunner::rows_to_check(std::int64_t rows) const {
  const std::int64_t count = std::min<std::int64_t>(options_.check_rows, rows);
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < count; ++i) result.push_back(count == 1 ? 0 : i * (rows - 1) / (count - 1));
  return result;
}

void CellRunner::judge_rows(const Cell& cell, std::map<std::int64_t, std::string>& faults) {
  std::vector<std::int32_t> slots(static_cast<std::size_t>(cell.k));
  for (const std::int64_t row : rows_to_check(cell.rows)) {
    check_cuda(cudaMemcpyAsync(slots.data(), indices_.as<std::int32_t>() + row * cell.k, slots.size() * 4,
                               cudaMemcpyDeviceToHost, stream_),
               "copy of indices");
    check_cuda(cudaStreamSynchronize(stream_), "selection");
    const std::string fault = row_fault(slots, best_of_row(row, cell.k), cell.order);
    if (!fault.empty()) faults.try_emplace(row, "row " + std::to_string(row) + ", " + fault);
  }
}

void CellRunner::read_counters(const Cell& cell, CellResult& result) {
  std::vector<std::int32_t> counters(static_cast<std::size_t>(cell.rows * 2));
  check_cuda(cudaMemcpyAsync(counters.data(), counters_.get(), counters.size() * 4, cudaMemcpyDeviceToHost, stream_),
             "copy of counters");
  check_cuda(cudaStreamSynchronize(stream_), "selection");
  double compactions = 0;
  for (std::size_t i = 0; i < counters.size(); i += 2) {
    result.max_second_reads = std::max<std::int64_t>(result.max_second_reads, counters[i]);
    result.rows_with_second_read += counters[i] > 0;
    compactions += counters[i + 1];
    if (counters[i] < 0 || counters[i + 1] < 0) result.counters_written = false;
  }
  result.mean_compactions = compactions / static_cast<double>(cell.rows);
}

CellResult CellRunner::run(const Cell& cell, const SelectPlan& plan) {
  CellResult result;
  result.cell = cell;
  result.plan = plan;
  const ScoreRows rows = score_rows(cell.rows);
  SelectArgs args;
  args.scores = rows.scores;
  args.score_row_stride = rows.stride;
  args.lengths = rows.lengths;
  args.indices = indices_.get();
  args.workspace = plan.workspace_bytes > 0 ? workspace_.get() : nullptr;
  args.workspace_bytes = plan.workspace_bytes;

  std::map<std::int64_t, std::string> faults;
  poison_outputs(cell, plan);
  SelectArgs counting_args = args;
  counting_args.row_counters = counters_.as<std::int32_t>();
  keysieve::run(plan, counting_args, stream_);
  judge_rows(cell, faults);
  read_counters(cell, result);

  poison_outputs(cell, plan);
  const TimedWork select = timer_.prepare([&](cudaStream_t stream) { keysieve::run(plan, args, stream); }, cell.mode);
  result.first = timer_.time(select);
  const Floor& floor = cached_read_floor(rows, cell.mode);
  result.second = timer_.time(select);
  judge_rows(cell, faults);  // what the timed replays left

  const Floor floor_rw = measure_floor(rows, cell.mode, cell.k);
  result.floor = floor.timing;
  result.floor_shape = floor.shape;
  result.floor_rw = floor_rw.timing;
  result.floor_rw_shape = floor_rw.shape;
  result.checked_rows = static_cast<int>(rows_to_check(cell.rows).size());
  result.wrong_rows = static_cast<int>(faults.size());
  if (!faults.empty()) result.fault = faults.begin()->second;
  return result;
}

}  // namespace keysieve::bench
