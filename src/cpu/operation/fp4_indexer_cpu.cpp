#include <cmath>
#include <cstring>

#include "core/number_formats.hpp"
#include "cpu/operation/fp4_groups.hpp"
#include "cpu/operation/rows.hpp"
#include "cpu/operations.hpp"

namespace keysieve::cpu {
namespace {

float rounded_to_bfloat16(float value) { return float_from_bfloat16(bfloat16_from_float(value)); }

void load_vector(const std::uint16_t* x, float* values) {
  for (int dim = 0; dim < kKeyDims; ++dim) values[dim] = float_from_bfloat16(x[dim]);
}

// 16 sums of 8 adjacent squares, then a tree: the order of the GPU's lanes.
float sum_of_squares(const float* values) {
  float sums[16];
  for (int lane = 0; lane < 16; ++lane) {
    float sum = 0;
    for (int i = 0; i < 8; ++i) sum = sum + values[8 * lane + i] * values[8 * lane + i];
    sums[lane] = sum;
  }
  for (int count = 8; count >= 1; count /= 2) {
    for (int i = 0; i < count; ++i) sums[i] = sums[2 * i] + sums[2 * i + 1];
  }
  return sums[0];
}

void normalise(const std::uint16_t* weight, float eps, float* values) {
  const float inverse = 1.0f / std::sqrt(sum_of_squares(values) * 0.0078125f + eps);
  for (int dim = 0; dim < kKeyDims; ++dim) {
    values[dim] = rounded_to_bfloat16(float_from_bfloat16(weight[dim]) * (values[dim] * inverse));
  }
}

void rotate(const float* freqs, float* values) {
  for (int i = 0; i < kRotaryDims; i += 2) {
    float* pair = values + kKeyDims - kRotaryDims + i;
    const float a = pair[0], b = pair[1], c = freqs[i], s = freqs[i + 1];
    pair[0] = rounded_to_bfloat16(std::fma(a, c, -(b * s)));
    pair[1] = rounded_to_bfloat16(std::fma(a, s, b * c));
  }
}

std::uint32_t quantise(float* values, std::uint8_t* payload) {
  std::uint32_t scales = 0;
  for (int g = 0; g < 4; ++g) {
    fake_quantise_group(values + 32 * g);
    scales |= pack_fp4_group(values + 32 * g, false, payload + 16 * g) << (8 * g);
  }
  return scales;
}

std::int64_t position_of(const RotaryTable& rotary, std::int64_t n) {
  return integer_at(rotary.positions, rotary.positions_are_64_bit, n);
}

bool is_in_table(const RotaryTable& rotary, std::int64_t position) {
  return position >= 0 && position < rotary.num_positions;
}

void key_row(const Fp4IndexerKeyParams& params, std::int64_t n) {
  const std::int64_t slot = integer_at(params.slots, params.slots_are_64_bit, n);
  if (slot <= 0) return;
  if (slot >= params.cache.num_slots) return report(params.error_word, KEYSIEVE_ERROR_BAD_ID);
  const std::int64_t position = position_of(params.rotary, n);
  if (!is_in_table(params.rotary, position)) return report(params.error_word, KEYSIEVE_ERROR_BAD_POSITION);
  float values[kKeyDims];
  load_vector(params.x + n * params.x_row_stride, values);
  normalise(params.weight, params.eps, values);
  rotate(params.rotary.freqs + (position & ~(params.ratio - 1)) * kRotaryDims, values);
  *params.cache.scale_of(slot) = quantise(values, params.cache.payload_of(slot));
}

void query_row(const Fp4IndexerQueryParams& params, std::int64_t row) {
  const std::int64_t token = row / params.heads, head = row % params.heads;
  const std::int64_t position = position_of(params.rotary, token);
  std::uint8_t* payload = params.payload + row * kFp4PayloadBytes;
  if (is_in_table(params.rotary, position)) {
    float values[kKeyDims];
    load_vector(params.x + token * params.x_token_stride + head * params.x_head_stride, values);
    rotate(params.rotary.freqs + position * kRotaryDims, values);
    params.scales[row] = quantise(values, payload);
  } else {
    std::memset(payload, 0, kFp4PayloadBytes);
    params.scales[row] = 0;
    report(params.error_word, KEYSIEVE_ERROR_BAD_POSITION);
  }
  if (params.weights_out != nullptr) {
    const float weight = float_from_bfloat16(params.weights[token * params.weights_token_stride + head]);
    params.weights_out[row] = rounded_to_bfloat16(weight * params.weight_scale);
  }
}

}  // namespace

void fp4_indexer_key(const Fp4IndexerKeyParams& params, std::int32_t threads) {
  for_each_row(threads, params.rows, [&](std::int64_t row) { key_row(params, row); });
}

void fp4_indexer_query(const Fp4IndexerQueryParams& params, std::int32_t threads) {
  for_each_row(threads, params.rows, [&](std::int64_t row) { query_row(params, row); });
}

}  // namespace keysieve::cpu
