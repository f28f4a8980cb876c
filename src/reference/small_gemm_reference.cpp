// Small GEMM by its formula, in double: 16-bit products are exact there, and 5120 of them lose nothing that BF16 shows.
#include "helpers/small_gemm.hpp"
#include "reference/number_reference.hpp"

namespace keysieve {

void SmallGemm::reference(const Args& args) {
  const std::int64_t m = args.x.shape[0], n = args.w.shape[0], k = args.w.shape[1];
  for (std::int64_t row = 0; row < m; ++row) {
    const auto* x = static_cast<const std::uint16_t*>(args.x.data) + row * args.x.strides[0];
    auto* out = static_cast<std::uint16_t*>(args.out.data) + row * args.out.strides[0];
    for (std::int64_t column = 0; column < n; ++column) {
      const auto* w = static_cast<const std::uint16_t*>(args.w.data) + column * k;
      double sum = 0;
      for (std::int64_t i = 0; i < k; ++i)
        sum += reference::value_of_bfloat16(x[i]) * reference::value_of_bfloat16(w[i]);
      out[column] = reference::nearest_bfloat16(sum);
    }
  }
}

}  // namespace keysieve
