#include "helpers/rmsnorm_mxfp8.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/mxfp8.hpp"

namespace keysieve {
namespace {

constexpr std::int64_t kMostRows = INT32_MAX, kMultiprocessors = 132;

// What both have, and the streams that a row of x consists of.
template <typename Args>
void check_common(const Args& args, std::int64_t streams, std::int64_t max_columns, Faults& faults) {
  if (!std::isfinite(args.eps) || args.eps < 0) {
    faults.invalid("eps: expected a finite number from 0 up, got " + std::to_string(args.eps));
  }
  TensorCheck weight(faults, "weight", args.weight);
  weight.required().element({KEYSIEVE_ELEMENT_BFLOAT16}).shape({{"K", kAnySize}}).contiguous();
  if (!weight.good()) return;
  const std::int64_t columns = args.weight.shape[0];
  if (columns < kMxfp8Group || columns > max_columns || columns % kMxfp8Group != 0) {
    faults.invalid("weight: expected a multiple of " + std::to_string(kMxfp8Group) + " up to " +
                   std::to_string(max_columns) + " as K, got " + std::to_string(columns));
    return;
  }
  TensorCheck x(faults, "x", args.x);
  x.required()
      .element({KEYSIEVE_ELEMENT_BFLOAT16})
      .shape({{"m", kAnySize}, {streams == 1 ? "K" : "4 * K", streams * columns}})
      .inner_stride_1();
  if (!x.good()) return;
  const std::int64_t rows = args.x.shape[0];
  if (!check_range(faults, "m", 0, kMostRows, rows)) return;
  if (is_present(args.q) != is_present(args.scales)) {
    faults.invalid("q, scales: expected both or neither, got one");
  } else if (!is_present(args.q) && !is_present(args.y)) {
    faults.invalid("y, q: expected an output, got none");
  }
  if (is_present(args.y)) {
    TensorCheck(faults, "y", args.y)
        .required()
        .element({KEYSIEVE_ELEMENT_BFLOAT16})
        .shape({{"m", rows}, {"K", columns}})
        .inner_stride_1();
  }
  if (is_present(args.q)) {
    TensorCheck(faults, "q", args.q)
        .required()
        .element({KEYSIEVE_ELEMENT_BYTE})
        .shape({{"m", rows}, {"K", columns}})
        .inner_stride_1();
  }
  if (is_present(args.scales)) {
    TensorCheck(faults, "scales", args.scales)
        .required()
        .element({KEYSIEVE_ELEMENT_BYTE})
        .shape({{"bytes", mxfp8_scale_bytes(rows, columns)}})
        .contiguous();
  }
}

// Threads of a row; rows side by side where they are small; blocks that share a row where there are fewer rows than
// multiprocessors. None of it changes a result.
void set_shape(RmsnormParams& params, std::int32_t most_slots) {
  constexpr std::int32_t kPlaceColumns = 2 * RmsnormParams::kRunColumns;
  constexpr std::int64_t kBlockThreads = 256;
  const std::int32_t warps = (params.columns + 32 * kPlaceColumns - 1) / (32 * kPlaceColumns);
  params.row_places = 32 * warps;
  // Few rows want threads; of many wide ones several blocks should fit on a multiprocessor.
  const std::int32_t most_warps_of_one_slot = params.rows <= kMultiprocessors ? 32 : 16;
  params.row_slots = warps <= most_warps_of_one_slot ? 1 : most_slots;
  params.row_threads = (warps + params.row_slots - 1) / params.row_slots * 32;
  params.rows_per_block = static_cast<std::int32_t>(std::clamp<std::int64_t>(
      params.rows / kMultiprocessors, 1, std::max<std::int64_t>(kBlockThreads / params.row_threads, 1)));
  params.split_shift = 0;
  while ((1 << params.split_shift) < 2 * params.row_slots &&
         (params.rows << (params.split_shift + 1)) <= kMultiprocessors) {
    ++params.split_shift;
  }
}

template <typename Args>
RmsnormParams common_params(const Args& args, std::int32_t most_slots) {
  RmsnormParams params{};
  params.y = is_present(args.y) ? static_cast<std::uint16_t*>(args.y.data) : nullptr;
  params.q = is_present(args.q) ? static_cast<std::uint8_t*>(args.q.data) : nullptr;
  params.scales = is_present(args.q) ? static_cast<std::uint8_t*>(args.scales.data) : nullptr;
  params.x = static_cast<const std::uint16_t*>(args.x.data);
  params.weight = static_cast<const std::uint16_t*>(args.weight.data);
  params.rows = args.x.shape[0];
  params.y_row_stride = args.y.strides[0];
  params.q_row_stride = args.q.strides[0];
  params.x_row_stride = args.x.strides[0];
  params.eps = args.eps;
  params.columns = static_cast<std::int32_t>(args.weight.shape[0]);
  params.scale_words = static_cast<std::int32_t>(mxfp8_scale_words(params.columns));
  set_shape(params, most_slots);
  // Streams are a multiple of 64 bytes apart.
  std::uintptr_t of_16 = reinterpret_cast<std::uintptr_t>(params.x) | reinterpret_cast<std::uintptr_t>(params.weight) |
                         static_cast<std::uintptr_t>(params.x_row_stride) * 2;
  if (params.y != nullptr) {
    of_16 |= reinterpret_cast<std::uintptr_t>(params.y) | static_cast<std::uintptr_t>(params.y_row_stride) * 2;
  }
  const std::uintptr_t of_8 = params.q == nullptr ? 0
                                                  : reinterpret_cast<std::uintptr_t>(params.q) |
                                                        static_cast<std::uintptr_t>(params.q_row_stride);
  params.vectors_fit = of_16 % 16 == 0 && of_8 % 8 == 0 ? 1 : 0;
  params.scale_words_fit = reinterpret_cast<std::uintptr_t>(params.scales) % 16 == 0 ? 1 : 0;
  params.takes_rows_in_turn =
      most_slots > 1 && params.vectors_fit != 0 && params.row_slots == 1 && params.split_shift == 0 ? 1 : 0;
  return params;
}

KernelCalls one_call(OperationKernel kernel, const RmsnormParams& params) {
  KernelCalls calls;
  KernelCall& call = calls.add();
  call.kernel = kernel;
  call.threads = params.row_threads * params.rows_per_block;
  call.blocks = (params.rows + params.rows_per_block - 1) / params.rows_per_block << params.split_shift;
  call.shared_bytes = params.rows_per_block * params.row_places / 32 * static_cast<std::int32_t>(sizeof(float));
  if (params.takes_rows_in_turn != 0) {
    constexpr std::int64_t kThreadsAtOnce = 1024;  // of a multiprocessor, by their registers
    const std::int64_t at_once = std::max<std::int64_t>(kThreadsAtOnce / call.threads, 1);
    call.blocks = std::min(call.blocks, kMultiprocessors * at_once);
    call.shared_bytes *= 2;  // the sums of a row and of the next
  }
  call.set_params(params);
  return calls;
}

}  // namespace

void RmsnormMxfp8::check(const Args& args, Faults& faults) { check_common(args, 1, kMaxColumns, faults); }

RmsnormParams RmsnormMxfp8::params(const Args& args) { return common_params(args, 2); }

KernelCalls RmsnormMxfp8::calls(const Params& params) { return one_call(OperationKernel::kRmsnormMxfp8, params); }

void HcRmsnormMxfp8::check(const Args& args, Faults& faults) {
  check_common(args, RmsnormParams::kStreams, kMaxColumns, faults);
  TensorCheck(faults, "pre", args.pre)
      .required()
      .element({KEYSIEVE_ELEMENT_FLOAT32, KEYSIEVE_ELEMENT_BFLOAT16})
      .shape({{"m", args.x.rank == 2 ? args.x.shape[0] : kAnySize}, {"streams", RmsnormParams::kStreams}})
      .inner_stride_1();
}

RmsnormParams HcRmsnormMxfp8::params(const Args& args) {
  RmsnormParams params = common_params(args, 1);
  params.pre = args.pre.data;
  params.pre_row_stride = args.pre.strides[0];
  params.pre_is_float32 = args.pre.element == KEYSIEVE_ELEMENT_FLOAT32 ? 1 : 0;
  return params;
}

KernelCalls HcRmsnormMxfp8::calls(const Params& params) { return one_call(OperationKernel::kHcRmsnormMxfp8, params); }

Status checked_mxfp8_scale_bytes(std::int64_t rows, std::int64_t columns, std::int64_t* bytes) {
  Faults faults;
  check_range(faults, "rows", 0, kMostRows, rows);
  if (check_range(faults, "columns", kMxfp8Group, INT32_MAX, columns) && columns % kMxfp8Group != 0) {
    faults.invalid("columns: expected a multiple of " + std::to_string(kMxfp8Group) + ", got " +
                   std::to_string(columns));
  }
  if (bytes == nullptr) faults.invalid("bytes: expected a pointer, got null");
  if (faults.empty()) *bytes = mxfp8_scale_bytes(rows, columns);
  return faults.status();
}

}  // namespace keysieve
