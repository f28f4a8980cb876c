// RMSNorm with MXFP8 quantisation: a row lies in the registers of its threads, as BF16, from its sum of squares to its
// codes, so it is read once. A run of 8 columns is a lane's, a group of 32 four lanes', a word of scales sixteen
// lanes'.
#pragma once

#include "core/mxfp8.hpp"
#include "cuda/simt/numbers.hpp"
#include "helpers/rmsnorm_mxfp8.hpp"

namespace keysieve {

KEYSIEVE_DEVICE simt::Vector load_run_by_element(const std::uint16_t* at) {
  simt::Vector run;
  KEYSIEVE_UNROLL
  for (int i = 0; i < 4; ++i) run.words[i] = at[2 * i] | static_cast<std::uint32_t>(at[2 * i + 1]) << 16;
  return run;
}

template <bool kVectors>
KEYSIEVE_DEVICE simt::Vector load_run(const std::uint16_t* at) {
  if constexpr (kVectors) return simt::load_streaming(at);
  return load_run_by_element(at);
}

template <bool kVectors>
KEYSIEVE_DEVICE simt::Vector load_weights(const std::uint16_t* at) {
  if constexpr (kVectors) return simt::load_shared_input(at);
  return load_run_by_element(at);
}

// Where the two runs of a place come from, at columns that exist. Loads are apart from what is made of them: whatever
// uses a value between two loads makes the second wait for a round trip to memory, which costs more than everything
// else where rows are few.
class OneStream {
 public:
  static constexpr int kMostSlots = 2;
  struct Loaded {
    simt::Vector runs[2];
  };

  KEYSIEVE_DEVICE OneStream(const RmsnormParams& params, std::int64_t row) : x_(params.x + row * params.x_row_stride) {}

  template <bool kVectors>
  KEYSIEVE_DEVICE void load(const std::int32_t (&columns)[2], Loaded& loaded) const {
    KEYSIEVE_UNROLL
    for (int r = 0; r < 2; ++r) loaded.runs[r] = load_run<kVectors>(x_ + columns[r]);
  }
  KEYSIEVE_DEVICE void combine(const Loaded& loaded, simt::Vector (&runs)[2]) const {
    KEYSIEVE_UNROLL
    for (int r = 0; r < 2; ++r) runs[r] = loaded.runs[r];
  }

 private:
  const std::uint16_t* x_;
};

class FourStreams {
 public:
  static constexpr int kMostSlots = 1;
  static constexpr int kStreams = RmsnormParams::kStreams;
  struct Loaded {
    simt::Vector streams[2][kStreams];
  };

  KEYSIEVE_DEVICE FourStreams(const RmsnormParams& params, std::int64_t row)
      : x_(params.x + row * params.x_row_stride), columns_(params.columns), is_float32_(params.pre_is_float32 != 0) {
    const std::int64_t at = row * params.pre_row_stride;
    KEYSIEVE_UNROLL
    for (int stream = 0; stream < kStreams; ++stream) {
      pre_[stream] = is_float32_ ? static_cast<const std::uint32_t*>(params.pre)[at + stream]
                                 : static_cast<const std::uint16_t*>(params.pre)[at + stream];
    }
  }

  template <bool kVectors>
  KEYSIEVE_DEVICE void load(const std::int32_t (&columns)[2], Loaded& loaded) const {
    KEYSIEVE_UNROLL
    for (int r = 0; r < 2; ++r) {
      KEYSIEVE_UNROLL
      for (int stream = 0; stream < kStreams; ++stream) {
        loaded.streams[r][stream] = load_run<kVectors>(x_ + stream * columns_ + columns[r]);
      }
    }
  }
  KEYSIEVE_DEVICE void combine(const Loaded& loaded, simt::Vector (&runs)[2]) const {
    float pre[kStreams];
    KEYSIEVE_UNROLL
    for (int stream = 0; stream < kStreams; ++stream) {
      pre[stream] = simt::float_from_bits(is_float32_ ? pre_[stream] : pre_[stream] << 16);
    }
    KEYSIEVE_UNROLL
    for (int r = 0; r < 2; ++r) {
      KEYSIEVE_UNROLL
      for (int w = 0; w < 4; ++w) {
        float low = 0, high = 0;
        KEYSIEVE_UNROLL
        for (int stream = 0; stream < kStreams; ++stream) {
          low = simt::multiply_add(pre[stream], low_float(loaded.streams[r][stream].words[w]), low);
          high = simt::multiply_add(pre[stream], high_float(loaded.streams[r][stream].words[w]), high);
        }
        runs[r].words[w] = simt::bfloat16_pair(low, high);
      }
    }
  }

 private:
  const std::uint16_t* x_;
  std::int32_t columns_;
  bool is_float32_;
  std::uint32_t pre_[kStreams];  // as they lie in memory
};

KEYSIEVE_DEVICE float sum_of_lanes(float value) {
  KEYSIEVE_UNROLL
  for (int distance = 16; distance > 0; distance /= 2) {
    value = simt::add(value, simt::shuffle_xor(value, distance));
  }
  return value;
}

KEYSIEVE_DEVICE float sum_of_run(const simt::Vector (&runs)[2]) {
  float even = 0, odd = 0;
  KEYSIEVE_UNROLL
  for (int r = 0; r < 2; ++r) {
    KEYSIEVE_UNROLL
    for (int w = 0; w < 4; ++w) {
      const float low = low_float(runs[r].words[w]), high = high_float(runs[r].words[w]);
      even = simt::add(even, simt::multiply(low, low));
      odd = simt::add(odd, simt::multiply(high, high));
    }
  }
  return simt::add(even, odd);
}

KEYSIEVE_DEVICE void store_scale_word(const RmsnormParams& params, std::uint8_t* at, std::uint32_t word) {
  if (params.scale_words_fit != 0) {
    simt::store_word(at, word);
    return;
  }
  for (int i = 0; i < 4; ++i) at[i] = static_cast<std::uint8_t>(word >> (8 * i));
}

// Zeros for the rows that fill up the last tile; all threads of the launch share the work. Words of a row's own groups
// are its own threads'.
KEYSIEVE_DEVICE void store_scale_padding(const RmsnormParams& params) {
  const auto live = static_cast<std::int32_t>(params.rows % kMxfp8TileRows);
  if (params.scales == nullptr || live == 0) return;
  const std::int32_t slots = params.scale_words * 32;
  std::uint8_t* tile = params.scales + params.rows / kMxfp8TileRows * params.scale_words * kMxfp8TileBytes;
  const std::int64_t step = simt::num_blocks() * simt::block_threads();
  for (std::int64_t slot = simt::block_index() * simt::block_threads() + simt::thread_index(); slot < slots;
       slot += step) {
    const auto first = static_cast<std::int32_t>(slot % 32);
    if (params.scale_words_fit != 0 && first >= live) {
      simt::store_vector(tile + slot * 16, simt::Vector{});
      continue;
    }
    for (int quarter = 0; quarter < 4; ++quarter) {
      if (first + 32 * quarter >= live) store_scale_word(params, tile + slot * 16 + 4 * quarter, 0);
    }
  }
}

// Codes and scales of a run of y. All lanes of a warp call it together, those without a run with zeros and `stores`
// off.
template <bool kVectors>
KEYSIEVE_DEVICE void quantize_run(const RmsnormParams& params, std::int64_t row, std::int32_t column, bool stores,
                                  const simt::Vector& run) {
  std::uint32_t pair = 0;
  KEYSIEVE_UNROLL
  for (int i = 0; i < 4; ++i) pair = simt::max_or_nan_bfloat(pair, run.words[i] & 0x7FFF7FFFu);
  pair = simt::max_or_nan_bfloat(pair, simt::shuffle_xor(pair, 1));
  pair = simt::max_or_nan_bfloat(pair, simt::shuffle_xor(pair, 2));
  const std::uint32_t low = pair & 0xFFFFu, high = pair >> 16, largest = low > high ? low : high;
  const std::uint32_t byte = mxfp8_scale_byte(largest);
  const float multiplier = mxfp8_multiplier(byte);
  std::uint32_t codes[2];
  KEYSIEVE_UNROLL
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t first = run.words[2 * i], second = run.words[2 * i + 1];
    const std::uint32_t finite =
        simt::e4m3_pair(simt::multiply(low_float(first), multiplier), simt::multiply(high_float(first), multiplier)) |
        simt::e4m3_pair(simt::multiply(low_float(second), multiplier), simt::multiply(high_float(second), multiplier))
            << 16;
    codes[i] = largest < 0x7F80u ? finite : 0x7F7F7F7Fu;
  }
  const int lane = simt::lane_index();
  std::uint32_t word = byte << (lane / 4 % 4 * 8);
  word |= simt::shuffle_xor(word, 4);
  word |= simt::shuffle_xor(word, 8);
  if (!stores) return;
  std::uint8_t* q = params.q + row * params.q_row_stride + column;
  if constexpr (kVectors) {
    simt::store_pair(q, codes[0], codes[1]);
  } else {
    for (int i = 0; i < 8; ++i) q[i] = static_cast<std::uint8_t>(codes[i / 4] >> (8 * (i % 4)));
  }
  if (lane % 16 == 0) {
    const std::int64_t at = mxfp8_scale_word_offset(row, column / (4 * kMxfp8Group), params.scale_words);
    store_scale_word(params, params.scales + at, word);
  }
}

// The places of a thread in its row. Lane l of `places` lanes holds runs l and l + places; a thread stands for one or
// two of them.
struct RowPlaces {
  std::int32_t thread;  // in the row's threads
  std::int32_t threads;
  std::int32_t places;
  std::int32_t columns;

  KEYSIEVE_DEVICE std::int32_t column(int slot, int r) const {
    return (thread + slot * threads + r * places) * RmsnormParams::kRunColumns;
  }
  KEYSIEVE_DEVICE bool has(int slot, int r) const {
    return thread + slot * threads < places && column(slot, r) < columns;
  }
};

// Every thread of the block calls it, with one barrier where a row has several warps. `set`: which sums in shared
// memory; another than that of the call before.
template <int kSlots>
KEYSIEVE_DEVICE float sum_of_row(const RmsnormParams& params, int team, const RowPlaces& row,
                                 const simt::Vector (&runs)[kSlots][2], int set) {
  const int warps = params.row_places / simt::kWarpLanes, lane = simt::lane_index();
  float sum = sum_of_lanes(sum_of_run(runs[0]));
  if (warps == 1) return sum;
  float* sums = reinterpret_cast<float*>(simt::shared_memory()) + (set * params.rows_per_block + team) * warps;
  const int warp = row.thread / simt::kWarpLanes;
  if (lane == 0) sums[warp] = sum;
  if constexpr (kSlots > 1) {
    if (params.row_slots > 1) {
      sum = sum_of_lanes(sum_of_run(runs[1]));
      const int second = warp + row.threads / simt::kWarpLanes;
      if (lane == 0 && second < warps) sums[second] = sum;
    }
  }
  simt::sync_block();
  const float low = lane < warps ? sums[lane] : 0.0f;
  const float high = lane + simt::kWarpLanes < warps ? sums[lane + simt::kWarpLanes] : 0.0f;
  return sum_of_lanes(simt::add(low, high));
}

KEYSIEVE_DEVICE float factor_of_sum(const RmsnormParams& params, float sum) {
  const float mean = simt::divide(sum, static_cast<float>(params.columns));
  return simt::divide(1.0f, simt::square_root(simt::add(mean, params.eps)));
}

// y of a run, and its codes and scales. All lanes of a warp call it together, those without a run with values and
// weights of zero.
template <bool kVectors>
KEYSIEVE_DEVICE void store_run(const RmsnormParams& params, std::int64_t row, bool is_row, std::int32_t column,
                               bool has_run, float factor, const simt::Vector& values, const simt::Vector& weight) {
  // An infinite factor would make NaN of the zeros of lanes without a run, whose scale byte has to be 0.
  const float by_row = has_run ? factor : 0.0f;
  simt::Vector run;
  KEYSIEVE_UNROLL
  for (int w = 0; w < 4; ++w) {
    // Or the compiler keeps both numbers of each word over the barrier, in twice the registers.
    const auto x = static_cast<std::uint32_t>(simt::unknown(static_cast<std::int32_t>(values.words[w])));
    const std::uint32_t by = weight.words[w];
    run.words[w] = simt::bfloat16_pair(simt::multiply(simt::multiply(low_float(x), by_row), low_float(by)),
                                       simt::multiply(simt::multiply(high_float(x), by_row), high_float(by)));
  }
  if (is_row && has_run && params.y != nullptr) {
    std::uint16_t* y = params.y + row * params.y_row_stride + column;
    if constexpr (kVectors) {
      simt::store_vector(y, run);
    } else {
      for (int e = 0; e < 8; ++e) y[e] = static_cast<std::uint16_t>(run.words[e / 2] >> (16 * (e % 2)));
    }
  }
  if (params.q != nullptr) quantize_run<kVectors>(params, row, column, is_row && has_run, run);
}

template <typename Source, bool kVectors>
KEYSIEVE_DEVICE void normalize_rows_by(const RmsnormParams& params) {
  constexpr int kSlots = Source::kMostSlots;
  const int team = params.rows_per_block == 1 ? 0 : simt::warp_index() / (params.row_threads / simt::kWarpLanes);
  const RowPlaces places{simt::thread_index() - team * params.row_threads, params.row_threads, params.row_places,
                         params.columns};
  const std::int64_t wanted_row = (simt::block_index() >> params.split_shift) * params.rows_per_block + team;
  // Threads past the last row keep to the barriers with it, and store nothing.
  const bool is_row = wanted_row < params.rows;
  const std::int64_t row = is_row ? wanted_row : params.rows - 1;
  const int splits = 1 << params.split_shift, split = static_cast<int>(simt::block_index()) & (splits - 1);

  const Source source(params, row);
  typename Source::Loaded loaded[kSlots] = {};
  KEYSIEVE_UNROLL
  for (int slot = 0; slot < kSlots; ++slot) {
    if (slot >= params.row_slots) continue;
    std::int32_t columns[2];
    KEYSIEVE_UNROLL
    for (int r = 0; r < 2; ++r) columns[r] = places.has(slot, r) ? places.column(slot, r) : 0;
    source.template load<kVectors>(columns, loaded[slot]);
  }
  // Weights are fetched a run ahead: all at once would take registers that loads of x need.
  simt::Vector weights{};
  if (places.has(split / 2, split % 2)) {
    weights = load_weights<kVectors>(params.weight + places.column(split / 2, split % 2));
  }
  store_scale_padding(params);

  simt::Vector runs[kSlots][2] = {};
  KEYSIEVE_UNROLL
  for (int slot = 0; slot < kSlots; ++slot) {
    if (slot >= params.row_slots) continue;
    source.combine(loaded[slot], runs[slot]);
    KEYSIEVE_UNROLL
    for (int r = 0; r < 2; ++r) {
      if (!places.has(slot, r)) runs[slot][r] = simt::Vector{};
    }
  }
  const float factor = factor_of_sum(params, sum_of_row(params, team, places, runs, 0));

  KEYSIEVE_UNROLL
  for (int i = 0; i < 2 * kSlots; ++i) {
    const int slot = i / 2, r = i % 2;
    // The same for all lanes, which quantise together.
    if ((i & (splits - 1)) != split || slot >= params.row_slots ||
        r * params.row_places * RmsnormParams::kRunColumns >= params.columns) {
      continue;
    }
    const simt::Vector weight = places.has(slot, r) ? weights : simt::Vector{};
    const int next = i + splits;
    if (next / 2 < params.row_slots && places.has(next / 2, next % 2)) {
      weights = load_weights<kVectors>(params.weight + places.column(next / 2, next % 2));
    }
    store_run<kVectors>(params, row, is_row, places.column(slot, r), places.has(slot, r), factor, runs[slot][r],
                        weight);
  }
}

// A block takes one row after another and has the next one under way while it works on a row, so that memory never
// waits for a block to start or for a sum. Weights stay in registers.
KEYSIEVE_DEVICE void normalize_rows_in_turn(const RmsnormParams& params) {
  const int team = params.rows_per_block == 1 ? 0 : simt::warp_index() / (params.row_threads / simt::kWarpLanes);
  const RowPlaces places{simt::thread_index() - team * params.row_threads, params.row_threads, params.row_places,
                         params.columns};
  const auto rows = static_cast<std::uint32_t>(params.rows);
  const auto step = static_cast<std::uint32_t>(simt::num_blocks()) * static_cast<std::uint32_t>(params.rows_per_block);
  auto row = static_cast<std::uint32_t>(simt::block_index()) * static_cast<std::uint32_t>(params.rows_per_block) +
             static_cast<std::uint32_t>(team);

  // Lanes without a run have zeros throughout.
  simt::Vector next[2] = {}, weights[2] = {};
  const auto load_row = [&](std::uint32_t from) {
    if (from >= rows) return;
    const std::uint16_t* x = params.x + from * params.x_row_stride;
    KEYSIEVE_UNROLL
    for (int r = 0; r < 2; ++r) {
      if (places.has(0, r)) next[r] = load_run<true>(x + places.column(0, r));
    }
  };
  load_row(row);
  KEYSIEVE_UNROLL
  for (int r = 0; r < 2; ++r) {
    if (places.has(0, r)) weights[r] = load_weights<true>(params.weight + places.column(0, r));
  }
  store_scale_padding(params);
  // Threads past the last row keep to the barriers with the first ones of the block, and store nothing.
  KEYSIEVE_NO_UNROLL
  for (int set = 0; row - static_cast<std::uint32_t>(team) < rows; row += step, set ^= 1) {
    simt::Vector runs[1][2] = {{next[0], next[1]}};
    load_row(row + step);
    const float factor = factor_of_sum(params, sum_of_row(params, team, places, runs, set));
    KEYSIEVE_UNROLL
    for (int r = 0; r < 2; ++r) {
      // The same for all lanes, which quantise together.
      if (r * params.row_places * RmsnormParams::kRunColumns >= params.columns) continue;
      store_run<true>(params, row, row < rows, places.column(0, r), places.has(0, r), factor, runs[0][r], weights[r]);
    }
  }
}

template <typename Source>
KEYSIEVE_DEVICE void normalize_rows(const RmsnormParams& params) {
  simt::wait_for_dependencies();
  if constexpr (Source::kMostSlots > 1) {
    if (params.takes_rows_in_turn != 0) {
      normalize_rows_in_turn(params);
      return;
    }
  }
  if (params.vectors_fit != 0) {
    normalize_rows_by<Source, true>(params);
  } else {
    normalize_rows_by<Source, false>(params);
  }
}

}  // namespace keysieve
