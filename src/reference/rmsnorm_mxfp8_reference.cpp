// RMSNorm on FP64, rounded once to BF16, then MXFP8 of what was rounded. y is near to what the backends give, not
// equal.
#include <cmath>
#include <vector>

#include "helpers/rmsnorm_mxfp8.hpp"
#include "reference/mxfp8_reference.hpp"
#include "reference/number_reference.hpp"

namespace keysieve {
namespace {

// What is normalised: BF16, dense.
using Rows = std::vector<std::uint16_t>;

template <typename Args>
void normalize_and_quantize(const Args& args, const Rows& rows) {
  const std::int64_t m = args.x.shape[0], columns = args.weight.shape[0];
  const auto* weight = static_cast<const std::uint16_t*>(args.weight.data);
  Rows normalized(rows.size());
  for (std::int64_t row = 0; row < m; ++row) {
    const std::uint16_t* v = rows.data() + row * columns;
    double sum = 0;
    for (std::int64_t i = 0; i < columns; ++i) {
      sum += reference::value_of_bfloat16(v[i]) * reference::value_of_bfloat16(v[i]);
    }
    const double root = std::sqrt(sum / static_cast<double>(columns) + static_cast<double>(args.eps));
    for (std::int64_t i = 0; i < columns; ++i) {
      const double value = reference::value_of_bfloat16(v[i]) * (1 / root) * reference::value_of_bfloat16(weight[i]);
      normalized[static_cast<std::size_t>(row * columns + i)] = reference::nearest_bfloat16(value);
    }
    if (args.y.rank == 0) continue;
    auto* y = static_cast<std::uint16_t*>(args.y.data) + row * args.y.strides[0];
    for (std::int64_t i = 0; i < columns; ++i) y[i] = normalized[static_cast<std::size_t>(row * columns + i)];
  }
  if (args.q.rank == 0) return;
  reference::quantize_mxfp8(normalized.data(), m, columns, columns, static_cast<std::uint8_t*>(args.q.data),
                            args.q.strides[0], static_cast<std::uint8_t*>(args.scales.data));
}

}  // namespace

void RmsnormMxfp8::reference(const Args& args) {
  Rows rows;
  for (std::int64_t row = 0; row < args.x.shape[0]; ++row) {
    const auto* x = static_cast<const std::uint16_t*>(args.x.data) + row * args.x.strides[0];
    rows.insert(rows.end(), x, x + args.x.shape[1]);
  }
  normalize_and_quantize(args, rows);
}

void HcRmsnormMxfp8::reference(const Args& args) {
  const std::int64_t columns = args.weight.shape[0];
  Rows rows;
  for (std::int64_t row = 0; row < args.x.shape[0]; ++row) {
    const auto* x = static_cast<const std::uint16_t*>(args.x.data) + row * args.x.strides[0];
    for (std::int64_t i = 0; i < columns; ++i) {
      float sum = 0;
      for (std::int64_t stream = 0; stream < 4; ++stream) {
        const std::int64_t at = row * args.pre.strides[0] + stream;
        const auto pre = args.pre.element == KEYSIEVE_ELEMENT_FLOAT32
                             ? static_cast<const float*>(args.pre.data)[at]
                             : static_cast<float>(
                                   reference::value_of_bfloat16(static_cast<const std::uint16_t*>(args.pre.data)[at]));
        sum = std::fma(pre, static_cast<float>(reference::value_of_bfloat16(x[stream * columns + i])), sum);
      }
      rows.push_back(reference::nearest_bfloat16(static_cast<double>(sum)));
    }
  }
  normalize_and_quantize(args, rows);
}

}  // namespace keysieve
