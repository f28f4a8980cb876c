// FP4 and FP8 quantisation, stated on values.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "helpers/key_quantise.hpp"
#include "reference/key_reference.hpp"
#include "reference/number_reference.hpp"

namespace keysieve {
namespace {

reference::SignedValue value_at(const keysieve_tensor& x, std::int64_t row, std::int64_t dim) {
  const std::int64_t at = row * x.strides[0] + dim;
  if (x.element == KEYSIEVE_ELEMENT_BFLOAT16) {
    return reference::signed_bfloat16(static_cast<const std::uint16_t*>(x.data)[at]);
  }
  const float value = static_cast<const float*>(x.data)[at];
  return {value, std::signbit(value)};
}

}  // namespace

void Fp4Quantise::reference(const Args& args) {
  for (std::int64_t row = 0; row < args.x.shape[0]; ++row) {
    reference::Fp4Group groups[4];
    for (int g = 0; g < 4; ++g) {
      reference::SignedValue values[32];
      for (int i = 0; i < 32; ++i) values[i] = value_at(args.x, row, 32 * g + i);
      groups[g] = reference::packed_group(values, args.rounding == KEYSIEVE_ROUND_TIES_TO_ZERO);
    }
    reference::write_fp4_vector(groups, static_cast<std::uint8_t*>(args.payload.data) + row * args.payload.strides[0],
                                static_cast<std::uint8_t*>(args.scales.data) + 4 * row);
  }
}

void Fp8Quantise::reference(const Args& args) {
  for (std::int64_t row = 0; row < args.x.shape[0]; ++row) {
    auto* payload = static_cast<std::uint8_t*>(args.payload.data) + row * args.payload.strides[0];
    auto* scale = static_cast<float*>(args.scales.data) + row;
    double most = static_cast<double>(1e-4f);
    bool finite = true;
    for (int dim = 0; dim < 128; ++dim) {
      const double value = value_at(args.x, row, dim).value;
      finite = finite && std::isfinite(value);
      most = std::max(most, std::fabs(value));
    }
    if (!finite) {
      *scale = 0x1p127f;
      std::memset(payload, 0x7F, 128);
      continue;
    }
    // Rounding a quotient of floats to double in between changes nothing, here and below.
    *scale = static_cast<float>(most / 448);
    if (args.scale_to_power_of_two != 0) {
      *scale = static_cast<float>(std::ldexp(1.0, reference::exponent_at_or_above(*scale)));
    }
    for (int dim = 0; dim < 128; ++dim) {
      const auto quotient = static_cast<float>(value_at(args.x, row, dim).value / static_cast<double>(*scale));
      payload[dim] = reference::nearest_e4m3(quotient);
    }
  }
}

}  // namespace keysieve
