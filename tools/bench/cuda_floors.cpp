#include "bench/cuda_floors.hpp"

#include <stdexcept>
#include <string>

namespace keysieve::bench {
namespace {

constexpr int kProbeSamples = 5;

}  // namespace

CudaFloors::CudaFloors(cudaStream_t stream, Stopwatch& stopwatch, int samples, TimerKind timer)
    : stream_(stream), stopwatch_(stopwatch), samples_(samples), timer_(timer), sink_(4) {}

std::uint32_t CudaFloors::read_sink() {
  std::uint32_t value = 0;
  check_cuda(cudaMemcpyAsync(&value, sink_.get(), 4, cudaMemcpyDeviceToHost, stream_), "copy of the checksum");
  check_cuda(cudaMemsetAsync(sink_.get(), 0, 4, stream_), "reset of the checksum");
  check_cuda(cudaStreamSynchronize(stream_), "checksum of the scores");
  return value;
}

void CudaFloors::list_live_pieces(std::span<const std::int32_t> lengths) {
  std::vector<LivePiece> pieces;
  live_pieces_before_.assign(1, 0);
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    const std::int64_t bytes = lengths[row] * size_bytes(rows_.type);
    for (std::int64_t piece = 0; piece * kLivePieceBytes < bytes; ++piece) {
      pieces.push_back({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(piece)});
    }
    live_pieces_before_.push_back(std::ssize(pieces));
  }
  live_pieces_.emplace(std::ssize(pieces) * static_cast<std::int64_t>(sizeof(LivePiece)));
  check_cuda(cudaMemcpyAsync(live_pieces_->get(), pieces.data(), pieces.size() * sizeof(LivePiece),
                             cudaMemcpyHostToDevice, stream_),
             "copy of the live pieces");
  check_cuda(cudaStreamSynchronize(stream_), "copy of the live pieces");
  rows_.live_pieces = live_pieces_->as<LivePiece>();
  rows_.num_live_pieces = std::ssize(pieces);
}

void CudaFloors::reset(const ScoreRows& scores, std::span<const std::int32_t> lengths) {
  rows_ = scores;
  floors_.clear();
  list_live_pieces(lengths);
  const ScoreRows& rows = rows_;
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

const Timing& CudaFloors::floor(std::int64_t num_rows, std::int64_t words_per_row, std::int32_t* outputs, Mode mode,
                                std::int32_t busy_sms, const Measure& measure) {
  const Key key{num_rows, words_per_row, mode, busy_sms};
  if (const auto found = floors_.find(key); found != floors_.end()) return found->second;
  ScoreRows rows = rows_;
  rows.rows = num_rows;
  rows.num_live_pieces = live_pieces_before_.at(static_cast<std::size_t>(num_rows));
  std::int32_t* const target = words_per_row > 0 ? outputs : nullptr;
  Stopwatch::Timed best;
  double best_us = 0;
  for (int shape = 0; shape < kFloorShapes; ++shape) {
    const auto enqueue = [this, rows, shape, target, words_per_row](cudaStream_t stream) {
      enqueue_read_floor(rows, shape, target, words_per_row, sink_.as<std::uint32_t>(), stream);
    };
    Stopwatch::Timed work = stopwatch_.prepare(enqueue, mode, timer_);
    const double us = measure(work, kProbeSamples).median_us;
    if (!best || us < best_us) {
      best = std::move(work);
      best_us = us;
    }
  }
  return floors_.emplace(key, measure(best, samples_)).first->second;
}

}  // namespace keysieve::bench
