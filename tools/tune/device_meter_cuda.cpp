#include <cuda_runtime.h>

#include <algorithm>
#include <string>

#include "bench/device.hpp"
#include "bench/graph_timer.hpp"
#include "bench/kernels.hpp"
#include "keysieve/select.hpp"
#include "tune/device_meter.hpp"

namespace keysieve::tune {
namespace {

constexpr std::int64_t kMaxK = 2048;
constexpr std::int64_t kMostScoreBytes = std::int64_t{2} << 30;
constexpr std::int64_t kRowsPerSm = 8;  // the largest batch of the coarse grid, in rows an SM
constexpr std::int64_t kWorkspaceBytes = std::int64_t{256} << 20;
constexpr std::int64_t kVectorColumns = 4;  // rows begin at multiples of 16 bytes
constexpr std::int64_t kWideMostRows = 32;  // route wide is for few rows
constexpr std::int64_t kWideMinColumns = 64 * 1024;
constexpr int kSamples = 9;
constexpr int kLog2Samples = 9;

struct Asked {
  Route route;
  std::int32_t split = kAuto;
  std::int32_t threads = kAuto;
};

std::vector<Asked> ways_to_ask(const Shape& shape) {
  std::vector<Asked> ways = {{Route::kSieve, kAuto, 512}, {Route::kSieve, kAuto, 1024}, {Route::kTile},
                             {Route::kSplit, 2},          {Route::kSplit, 4},           {Route::kSplit, 8},
                             {Route::kSplit, 16}};
  if (shape.rows <= kWideMostRows && shape.width >= kWideMinColumns) ways.push_back({Route::kWide});
  return ways;
}

std::int64_t stride_of(std::int64_t width) { return (width + kVectorColumns - 1) / kVectorColumns * kVectorColumns; }

// By the row alone, so that the first rows of a batch are the same in every batch.
std::int32_t length_of(std::int64_t row, std::int64_t width) {
  auto x = static_cast<std::uint32_t>(row) * 0x9E3779B1u;
  x ^= x >> 15;
  const std::int64_t fifth = width / 5;
  return static_cast<std::int32_t>(width - static_cast<std::int64_t>(x % static_cast<std::uint32_t>(fifth + 1)));
}

class Stream {
 public:
  Stream() { bench::check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

std::int64_t score_room() {
  std::size_t free_bytes = 0, total_bytes = 0;
  bench::check_cuda(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  const auto usable = static_cast<std::int64_t>(free_bytes) / 2 - 2 * kWorkspaceBytes;
  if (usable < kWorkspaceBytes) {
    throw std::runtime_error("--device: expected 1536 MiB of free memory, found " + std::to_string(free_bytes >> 20) +
                             " MiB");
  }
  return std::min(usable, kMostScoreBytes);
}

class CudaMeter final : public DeviceMeter {
 public:
  CudaMeter(std::int32_t ordinal, std::int64_t max_rows)
      : ordinal_(ordinal),
        max_rows_(max_rows),
        score_bytes_(score_room()),
        timer_(stream_.get(), kSamples, /*cold=*/false),
        scores_(score_bytes_),
        lengths_(max_rows * 4),
        indices_(max_rows * kMaxK * 4),
        workspace_(kWorkspaceBytes) {}

  std::int64_t max_score_bytes() const override { return score_bytes_; }

  std::vector<Measured> measure(const Shape& shape) override {
    std::vector<Measured> measured;
    if (shape.rows > max_rows_ || shape.k > kMaxK || shape.rows * stride_of(shape.width) * 4 > score_bytes_) return {};
    prepare_scores(shape);
    first_.clear();
    for (const Asked& asked : ways_to_ask(shape)) {
      SelectPlan plan;
      const Status status = try_make_plan(problem_of(shape, asked), plan);
      // The largest cluster, or the largest tile, is the device's affair.
      if (status.code() == StatusCode::kUnsupported) continue;
      if (!status.ok()) throw std::runtime_error("plan: " + std::string(status.message()));
      if (plan.workspace_bytes > kWorkspaceBytes) continue;
      measured.push_back(measure_way(shape, plan));
    }
    return measured;
  }

 private:
  SelectProblem problem_of(const Shape& shape, const Asked& asked) const {
    SelectProblem problem;
    problem.device_type = DeviceType::kCuda;
    problem.device_ordinal = ordinal_;
    problem.backend = Backend::kCuda;
    problem.rows = shape.rows;
    problem.width = shape.width;
    problem.k = shape.k;
    problem.score_type = shape.score_type;
    problem.route = asked.route;
    problem.split = asked.split;
    problem.threads = asked.threads;
    return problem;
  }

  void prepare_scores(const Shape& shape) {
    if (filled_.rows >= shape.rows && filled_.width == shape.width) return;
    host_lengths_.resize(static_cast<std::size_t>(shape.rows));
    for (std::int64_t row = 0; row < shape.rows; ++row) {
      host_lengths_[static_cast<std::size_t>(row)] = length_of(row, shape.width);
    }
    bench::check_cuda(cudaMemcpyAsync(lengths_.get(), host_lengths_.data(), host_lengths_.size() * 4,
                                      cudaMemcpyHostToDevice, stream_.get()),
                      "copy of lengths");
    const bench::ScoreRows rows = {scores_.get(), lengths_.as<std::int32_t>(), shape.rows,
                                   shape.width,   stride_of(shape.width),      ScoreType::kFloat32};
    bench::fill_scores(rows, scores_.get(), bench::Distribution::kNormal, kLog2Samples, stream_.get());
    bench::check_cuda(cudaStreamSynchronize(stream_.get()), "fill of scores");
    filled_ = shape;
  }

  Measured measure_way(const Shape& shape, const SelectPlan& plan) {
    SelectArgs args;
    args.scores = scores_.get();
    args.score_row_stride = stride_of(shape.width);
    args.lengths = lengths_.as<std::int32_t>();
    args.indices = indices_.get();
    args.workspace = plan.workspace_bytes > 0 ? workspace_.get() : nullptr;
    args.workspace_bytes = plan.workspace_bytes;
    const Way way = {plan.route, plan.chunks_per_row, plan.threads};
    compare(shape, plan, args, way);
    const bench::TimedWork work =
        timer_.prepare([&](cudaStream_t stream) { keysieve::run(plan, args, stream); }, bench::Mode::kWarm);
    return {shape, way, timer_.time(work).median_us, "index ragged"};
  }

  void compare(const Shape& shape, const SelectPlan& plan, const SelectArgs& args, const Way& way) {
    const auto slots = static_cast<std::size_t>(shape.rows * shape.k);
    bench::check_cuda(cudaMemsetAsync(indices_.get(), 0x5A, slots * 4, stream_.get()), "poison of the indices");
    keysieve::run(plan, args, stream_.get());
    std::vector<std::int32_t>& target = first_.empty() ? first_ : other_;
    target.resize(slots);
    bench::check_cuda(cudaMemcpyAsync(target.data(), indices_.get(), slots * 4, cudaMemcpyDeviceToHost, stream_.get()),
                      "copy of indices");
    bench::check_cuda(cudaStreamSynchronize(stream_.get()), "selection");
    if (&target == &first_) {
      first_way_ = way;
      return;
    }
    const auto [expected, got] = std::mismatch(first_.begin(), first_.end(), other_.begin());
    if (expected == first_.end()) return;
    const auto at = static_cast<std::int64_t>(expected - first_.begin());
    throw ResultsDiffer(std::to_string(shape.rows) + " x " + std::to_string(shape.width) +
                        " k=" + std::to_string(shape.k) + ", row " + std::to_string(at / shape.k) + ", slot " +
                        std::to_string(at % shape.k) + ": " + describe(first_way_) + " gives " +
                        std::to_string(*expected) + ", " + describe(way) + " gives " + std::to_string(*got));
  }

  std::int32_t ordinal_;
  std::int64_t max_rows_;
  std::int64_t score_bytes_;
  Stream stream_;
  bench::GraphTimer timer_;
  bench::DeviceBuffer scores_, lengths_, indices_, workspace_;
  std::vector<std::int32_t> host_lengths_, first_, other_;
  Way first_way_;
  Shape filled_;
};

}  // namespace

std::unique_ptr<DeviceMeter> DeviceMeter::open(std::int32_t ordinal, std::int32_t num_sms) {
  bench::check_cuda(cudaSetDevice(ordinal), "cudaSetDevice");
  return std::make_unique<CudaMeter>(ordinal, kRowsPerSm * num_sms);
}

}  // namespace keysieve::tune
