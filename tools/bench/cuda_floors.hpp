// Floors of the scores at hand: kernels that read each live score once, and write outputs once. Kept as long as the
// scores stay.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "bench/device.hpp"
#include "bench/kernels.hpp"
#include "bench/stopwatch.hpp"

namespace keysieve::bench {

class CudaFloors {
 public:
  // How a cell's work is timed: beside a busy stream or not.
  using Measure = std::function<Timing(const Stopwatch::Timed& work, int samples)>;

  CudaFloors(cudaStream_t stream, Stopwatch& stopwatch, int samples, TimerKind timer);

  // New scores. Throws where a floor kernel does not read every live score once: a floor that left out a part of the
  // scores would flatter nobody but mislead everybody.
  // `lengths`: those of the rows, in host memory.
  void reset(const ScoreRows& rows, std::span<const std::int32_t> lengths);

  // The fastest launch shape of the first `rows` rows, with `words_per_row` 4-byte words written for each (0: none).
  // `busy_sms` only labels what is kept.
  const Timing& floor(std::int64_t rows, std::int64_t words_per_row, std::int32_t* outputs, Mode mode,
                      std::int32_t busy_sms, const Measure& measure);

 private:
  using Key = std::tuple<std::int64_t, std::int64_t, Mode, std::int32_t>;

  std::uint32_t read_sink();
  void list_live_pieces(std::span<const std::int32_t> lengths);

  cudaStream_t stream_;
  Stopwatch& stopwatch_;
  int samples_;
  TimerKind timer_;
  DeviceBuffer sink_;
  ScoreRows rows_;
  std::optional<DeviceBuffer> live_pieces_;
  std::vector<std::int64_t> live_pieces_before_;  // of the rows in front of each row, and of all of them
  std::map<Key, Timing> floors_;
};

}  // namespace keysieve::bench
