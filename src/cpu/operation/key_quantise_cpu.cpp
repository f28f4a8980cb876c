#include <cmath>
#include <cstring>

#include "core/number_formats.hpp"
#include "cpu/operation/fp4_groups.hpp"
#include "cpu/operation/rows.hpp"
#include "cpu/operations.hpp"

namespace keysieve::cpu {
namespace {

void load_vector(const KeyQuantiseParams& params, std::int64_t row, float* values) {
  if (params.x_is_float32 != 0) {
    std::memcpy(values, static_cast<const float*>(params.x) + row * params.x_row_stride, kKeyDims * sizeof(float));
    return;
  }
  const auto* x = static_cast<const std::uint16_t*>(params.x) + row * params.x_row_stride;
  for (int dim = 0; dim < kKeyDims; ++dim) values[dim] = float_from_bfloat16(x[dim]);
}

}  // namespace

void fp4_quantise(const KeyQuantiseParams& params, std::int32_t threads) {
  for_each_row(threads, params.rows, [&](std::int64_t row) {
    float values[kKeyDims];
    load_vector(params, row, values);
    std::uint8_t* payload = params.payload + row * params.payload_row_stride;
    std::uint32_t scales = 0;
    for (int g = 0; g < 4; ++g) {
      scales |= pack_fp4_group(values + 32 * g, params.ties_to_zero != 0, payload + 16 * g) << (8 * g);
    }
    static_cast<std::uint32_t*>(params.scales)[row] = scales;
  });
}

void fp8_quantise(const KeyQuantiseParams& params, std::int32_t threads) {
  for_each_row(threads, params.rows, [&](std::int64_t row) {
    float values[kKeyDims];
    load_vector(params, row, values);
    std::uint8_t* payload = params.payload + row * params.payload_row_stride;
    float* scale = static_cast<float*>(params.scales) + row;
    const float most = largest_magnitude(values, kKeyDims);
    if (std::isinf(most)) {
      *scale = 0x1p127f;
      std::memset(payload, 0x7F, kFp8PayloadBytes);
      return;
    }
    float chosen = (most > 1e-4f ? most : 1e-4f) / 448.0f;
    if (params.scale_to_power_of_two != 0) {
      chosen = power_of_two(static_cast<std::int32_t>(exponent_rounded_up(chosen)) - 127);
    }
    *scale = chosen;
    for (int dim = 0; dim < kKeyDims; ++dim) payload[dim] = e4m3_from_float(values[dim] / chosen);
  });
}

}  // namespace keysieve::cpu
