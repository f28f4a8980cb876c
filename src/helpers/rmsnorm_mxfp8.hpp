// RMSNorm with MXFP8 quantisation, of one stream or of four combined (kernels.h). Both run on the same params: where a
// row comes from is all they differ in.
#pragma once

#include "operation/operation.hpp"

namespace keysieve {

struct RmsnormParams {
  static constexpr std::int32_t kRunColumns = 8;
  static constexpr std::int32_t kStreams = 4;

  std::uint16_t* y;      // null: not wanted
  std::uint8_t* q;       // null: no quantisation
  std::uint8_t* scales;  // null with q
  const std::uint16_t* x;
  const std::uint16_t* weight;
  const void* pre;  // null: one stream
  std::int64_t rows;
  std::int64_t y_row_stride;
  std::int64_t q_row_stride;
  std::int64_t x_row_stride;
  std::int64_t pre_row_stride;
  float eps;
  std::int32_t columns;
  std::int32_t scale_words;  // words of 4 scale bytes in a row
  std::int32_t row_places;   // lanes of two runs of 8 columns that a row is summed in: a function of `columns` alone
  std::int32_t row_slots;    // places that a thread stands for, 1 or 2
  std::int32_t row_threads;
  std::int32_t rows_per_block;  // side by side
  std::int32_t split_shift;     // log2 of the blocks that share a row: each sums it all and stores its own runs
  std::int32_t pre_is_float32;
  std::int32_t vectors_fit;         // 8 columns of x, weight and y begin at 16-byte addresses, of q at 8-byte ones
  std::int32_t scale_words_fit;     // scales begin at a 16-byte address
  std::int32_t takes_rows_in_turn;  // a block has several rows, one after another; of one stream, by vectors
};

struct RmsnormMxfp8 {
  using Args = keysieve_rmsnorm_mxfp8_args;
  using Params = RmsnormParams;
  static constexpr OperationId kId = OperationId::kRmsnormMxfp8;
  static constexpr bool kReferenceIsExact = false;    // y is rounded from FP32, in the reference from FP64
  static constexpr std::int64_t kMaxColumns = 32768;  // four runs in each of 1024 threads

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("y", args.y, Access::kWrite);
    visit("q", args.q, Access::kWrite);
    visit("scales", args.scales, Access::kWrite);
    visit("x", args.x, Access::kRead);
    visit("weight", args.weight, Access::kRead);
  }
  static void check(const Args& args, Faults& faults);
  static bool is_empty(const Args& args) { return has_no_elements(args.x); }
  static Params params(const Args& args);
  static void reference(const Args& args);
  static KernelCalls calls(const Params& params);
};

struct HcRmsnormMxfp8 {
  using Args = keysieve_hc_rmsnorm_mxfp8_args;
  using Params = RmsnormParams;
  static constexpr OperationId kId = OperationId::kHcRmsnormMxfp8;
  static constexpr bool kReferenceIsExact = false;
  static constexpr std::int64_t kMaxColumns = 16384;  // two runs of four streams in each of 1024 threads

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("y", args.y, Access::kWrite);
    visit("q", args.q, Access::kWrite);
    visit("scales", args.scales, Access::kWrite);
    visit("x", args.x, Access::kRead);
    visit("pre", args.pre, Access::kRead);
    visit("weight", args.weight, Access::kRead);
  }
  static void check(const Args& args, Faults& faults);
  static bool is_empty(const Args& args) { return has_no_elements(args.x); }
  static Params params(const Args& args);
  static void reference(const Args& args);
  static KernelCalls calls(const Params& params);
};

// keysieve_mxfp8_scale_bytes.
Status checked_mxfp8_scale_bytes(std::int64_t rows, std::int64_t columns, std::int64_t* bytes);

}  // namespace keysieve
