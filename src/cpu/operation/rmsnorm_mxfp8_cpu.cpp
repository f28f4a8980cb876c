#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/mxfp8.hpp"
#include "core/number_formats.hpp"
#include "cpu/operations.hpp"
#include "cpu/parallel.hpp"

namespace keysieve::cpu {
namespace {

constexpr std::int32_t kLanes = 32;

float pre_of(const RmsnormParams& params, std::int64_t at) {
  return params.pre_is_float32 != 0 ? static_cast<const float*>(params.pre)[at]
                                    : float_from_bfloat16(static_cast<const std::uint16_t*>(params.pre)[at]);
}

void read_row(const RmsnormParams& params, std::int64_t row, std::uint16_t* values) {
  const std::uint16_t* x = params.x + row * params.x_row_stride;
  if (params.pre == nullptr) {
    std::copy_n(x, params.columns, values);
    return;
  }
  float pre[RmsnormParams::kStreams];
  for (int stream = 0; stream < RmsnormParams::kStreams; ++stream) {
    pre[stream] = pre_of(params, row * params.pre_row_stride + stream);
  }
  for (std::int32_t i = 0; i < params.columns; ++i) {
    float sum = 0;
    for (int stream = 0; stream < RmsnormParams::kStreams; ++stream) {
      sum = std::fma(pre[stream], float_from_bfloat16(x[stream * params.columns + i]), sum);
    }
    values[i] = bfloat16_from_float(sum);
  }
}

// By halves, as lanes that exchange their sums add them.
float sum_by_halves(float* values, std::int32_t count) {
  for (std::int32_t distance = count / 2; distance > 0; distance /= 2) {
    for (std::int32_t i = 0; i < distance; ++i) values[i] = values[i] + values[i + distance];
  }
  return values[0];
}

float sum_of_squares(const RmsnormParams& params, const std::uint16_t* values) {
  constexpr std::int32_t kColumns = RmsnormParams::kRunColumns;
  float warps[2 * kLanes] = {};
  for (std::int32_t first = 0; first < params.row_places; first += kLanes) {
    float lanes[kLanes];
    for (std::int32_t lane = 0; lane < kLanes; ++lane) {
      float even = 0, odd = 0;
      for (std::int32_t run = first + lane; run * kColumns < params.columns; run += params.row_places) {
        for (std::int32_t i = run * kColumns; i < (run + 1) * kColumns; i += 2) {
          const float low = float_from_bfloat16(values[i]), high = float_from_bfloat16(values[i + 1]);
          even = even + low * low;
          odd = odd + high * high;
        }
      }
      lanes[lane] = even + odd;
    }
    warps[first / kLanes] = sum_by_halves(lanes, kLanes);
  }
  return sum_by_halves(warps, 2 * kLanes);
}

void quantize_row(const RmsnormParams& params, std::int64_t row, const std::uint16_t* values) {
  std::uint8_t* q = params.q + row * params.q_row_stride;
  for (std::int32_t word = 0; word < params.scale_words; ++word) {
    std::uint8_t bytes[4] = {};
    for (std::int32_t part = 0; part < 4; ++part) {
      const std::int32_t begin = (word * 4 + part) * kMxfp8Group;
      if (begin >= params.columns) break;
      std::uint32_t largest = 0;
      for (std::int32_t i = begin; i < begin + kMxfp8Group; ++i) {
        largest = std::max<std::uint32_t>(largest, values[i] & 0x7FFFu);
      }
      const std::uint32_t byte = mxfp8_scale_byte(largest);
      const float multiplier = mxfp8_multiplier(byte);
      bytes[part] = static_cast<std::uint8_t>(byte);
      for (std::int32_t i = begin; i < begin + kMxfp8Group; ++i) {
        q[i] = largest >= 0x7F80u ? std::uint8_t{0x7F} : e4m3_from_float(float_from_bfloat16(values[i]) * multiplier);
      }
    }
    std::memcpy(params.scales + mxfp8_scale_word_offset(row, word, params.scale_words), bytes, sizeof(bytes));
  }
}

void normalize_row(const RmsnormParams& params, std::int64_t row, std::uint16_t* values) {
  read_row(params, row, values);
  const float mean = sum_of_squares(params, values) / static_cast<float>(params.columns);
  const float factor = 1.0f / std::sqrt(mean + params.eps);
  for (std::int32_t i = 0; i < params.columns; ++i) {
    values[i] = bfloat16_from_float(float_from_bfloat16(values[i]) * factor * float_from_bfloat16(params.weight[i]));
  }
  if (params.y != nullptr) std::copy_n(values, params.columns, params.y + row * params.y_row_stride);
  if (params.q != nullptr) quantize_row(params, row, values);
}

}  // namespace

void rmsnorm_mxfp8(const RmsnormParams& params, std::int32_t threads) {
  constexpr std::int64_t kRowsAtOnce = 8;
  const std::int64_t pieces = (params.rows + kRowsAtOnce - 1) / kRowsAtOnce;
  parallel_for_each(threads, pieces, IndexedBody([&](std::int32_t, std::int64_t piece) {
                      std::vector<std::uint16_t> values(static_cast<std::size_t>(params.columns));
                      const std::int64_t end = std::min(params.rows, (piece + 1) * kRowsAtOnce);
                      for (std::int64_t row = piece * kRowsAtOnce; row < end; ++row) {
                        normalize_row(params, row, values.data());
                      }
                    }));
  if (params.q == nullptr) return;
  // Rows that fill up the last tile.
  for (std::int64_t row = params.rows; row % kMxfp8TileRows != 0; ++row) {
    for (std::int32_t word = 0; word < params.scale_words; ++word) {
      std::memset(params.scales + mxfp8_scale_word_offset(row, word, params.scale_words), 0, 4);
    }
  }
}

}  // namespace keysieve::cpu
