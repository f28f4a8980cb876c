// Small GEMM (kernels.h): out = x * w^T for two shapes of w, its sum in one documented order.
#pragma once

#include "operation/operation.hpp"

namespace keysieve {

struct SmallGemmParams {
  std::uint16_t* out;
  const std::uint16_t* x;
  const std::uint16_t* w;
  std::int64_t m;
  std::int64_t out_stride;  // of rows, in elements
  std::int64_t x_stride;
  std::int32_t columns;   // N
  std::int32_t k_blocks;  // K / 512: 1 or 10
  // What a CTA of the CUDA kernel takes; the bytes are the same for every choice.
  std::int32_t cta_rows;           // 1, 2 or 4
  std::int32_t cta_columns_shift;  // log2 of the columns
};

struct SmallGemm {
  using Args = keysieve_small_gemm_args;
  using Params = SmallGemmParams;
  static constexpr OperationId kId = OperationId::kSmallGemm;
  static constexpr bool kReferenceIsExact = false;
  static constexpr std::int32_t kBlock = 512;  // k of a partial sum
  static constexpr std::int64_t kDefaultMaxM = 32;
  struct Shape {
    std::int64_t n, k;
  };
  static constexpr Shape kShapes[] = {{128, 512}, {32, 5120}};

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("out", args.out, Access::kWrite);
    visit("x", args.x, Access::kRead);
    visit("w", args.w, Access::kRead);
  }
  static void check(const Args& args, Faults& faults);
  static void check_device(const DeviceProfile& device, Faults& faults);
  static bool is_empty(const Args& args) { return has_no_elements(args.out); }
  static Params params(const Args& args);
  static void reference(const Args& args);
  static KernelCalls calls(const Params& params);
};

}  // namespace keysieve
