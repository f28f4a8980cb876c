#include "helpers/small_gemm.hpp"

#include <algorithm>
#include <string>

namespace keysieve {
namespace {

std::string size_text(std::int64_t n, std::int64_t k) {
  return "[" + std::to_string(n) + ", " + std::to_string(k) + "]";
}

}  // namespace

void SmallGemm::check(const Args& args, Faults& faults) {
  if (args.max_m != KEYSIEVE_AUTO && args.max_m < 0) {
    faults.invalid("max_m: expected 0 or more, or KEYSIEVE_AUTO, got " + std::to_string(args.max_m));
  }
  TensorCheck w(faults, "w", args.w);
  w.required().element({KEYSIEVE_ELEMENT_BFLOAT16}).shape({{"N", kAnySize}, {"K", kAnySize}}).contiguous();
  if (!w.good()) return;
  const std::int64_t n = args.w.shape[0], k = args.w.shape[1];
  const bool served = std::any_of(std::begin(kShapes), std::end(kShapes),
                                  [&](const Shape& each) { return each.n == n && each.k == k; });
  if (!served) {
    std::string shapes;
    for (const Shape& each : kShapes) shapes += (shapes.empty() ? "" : " or ") + size_text(each.n, each.k);
    faults.unsupported("w: expected [N, K] = " + shapes + ", got " + size_text(n, k));
    return;
  }
  w.aligned(16);
  TensorCheck x(faults, "x", args.x);
  x.required().element({KEYSIEVE_ELEMENT_BFLOAT16}).shape({{"m", kAnySize}, {"K", k}}).inner_stride_1().aligned(16);
  if (args.x.rank != 2) return;
  const std::int64_t m = args.x.shape[0], max_m = args.max_m == KEYSIEVE_AUTO ? kDefaultMaxM : args.max_m;
  if (max_m >= 0 && m > max_m) {
    faults.unsupported("x: expected at most max_m=" + std::to_string(max_m) + " rows, got " + std::to_string(m));
  }
  TensorCheck(faults, "out", args.out)
      .required()
      .element({KEYSIEVE_ELEMENT_BFLOAT16})
      .shape({{"m", m}, {"N", n}})
      .inner_stride_1();
}

void SmallGemm::check_device(const DeviceProfile& device, Faults& faults) {
  if (device.compute_capability >= 90) return;
  faults.unsupported("device: expected compute capability 9.0 or newer, got " +
                     std::to_string(device.compute_capability / 10) + "." +
                     std::to_string(device.compute_capability % 10));
}

SmallGemmParams SmallGemm::params(const Args& args) {
  Params params{};
  params.out = static_cast<std::uint16_t*>(args.out.data);
  params.x = static_cast<const std::uint16_t*>(args.x.data);
  params.w = static_cast<const std::uint16_t*>(args.w.data);
  params.m = args.x.shape[0];
  params.out_stride = args.out.strides[0];
  params.x_stride = args.x.strides[0];
  params.columns = static_cast<std::int32_t>(args.w.shape[0]);
  params.k_blocks = static_cast<std::int32_t>(args.w.shape[1] / kBlock);
  // One row a CTA while CTAs for all of them fit the SMs side by side; then rows share the read of w, and columns,
  // whose warps share x through L1, that of x. Of 4 rows a lane does not hold all vectors at once: worth it only where
  // the reads of w are what takes the time.
  params.cta_rows = params.m <= 4 ? 1 : params.m <= 16 ? 2 : 4;
  params.cta_columns_shift = params.k_blocks == 1 ? 2 : params.m <= 8 ? 0 : 1;
  return params;
}

KernelCalls SmallGemm::calls(const Params& params) {
  KernelCalls calls;
  KernelCall& call = calls.add();
  call.kernel = OperationKernel::kSmallGemm;
  const std::int32_t columns = 1 << params.cta_columns_shift;
  call.threads = columns * params.k_blocks * 32;
  const std::int64_t row_groups = (params.m + params.cta_rows - 1) / params.cta_rows;
  call.blocks = blocks_for(row_groups * (params.columns / columns), 1);
  if (params.k_blocks > 1) {
    call.shared_bytes = columns * params.cta_rows * params.k_blocks * static_cast<std::int32_t>(sizeof(float));
  }
  call.set_params(params);
  return calls;
}

}  // namespace keysieve
