// FP4 and FP8 quantisation of vectors of 128 dims (indexer_keys.h).
#pragma once

#include "helpers/key_cache.hpp"
#include "keysieve/indexer_keys.h"
#include "operation/operation.hpp"

namespace keysieve {

struct KeyQuantiseParams {
  std::uint8_t* payload;
  void* scales;  // FP4: 4 UE8M0 bytes a vector; FP8: a float
  const void* x;
  std::int64_t rows;
  std::int64_t x_row_stride;        // elements
  std::int64_t payload_row_stride;  // bytes, a multiple of 4
  std::int32_t x_is_float32;
  std::int32_t ties_to_zero;           // FP4
  std::int32_t scale_to_power_of_two;  // FP8
  std::int32_t x_vectors_fit;          // rows of x begin at 16-byte addresses
  std::int32_t payload_pairs_fit;      // rows of payload begin at 8-byte addresses
};

struct Fp4Quantise {
  using Args = keysieve_fp4_quantise_args;
  using Params = KeyQuantiseParams;
  static constexpr OperationId kId = OperationId::kFp4Quantise;

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("payload", args.payload, Access::kWrite);
    visit("scales", args.scales, Access::kWrite);
    visit("x", args.x, Access::kRead);
  }
  static void check(const Args& args, Faults& faults);
  static bool is_empty(const Args& args) { return has_no_elements(args.x); }
  static Params params(const Args& args);
  static void reference(const Args& args);
  static KernelCalls calls(const Params& params);
};

struct Fp8Quantise {
  using Args = keysieve_fp8_quantise_args;
  using Params = KeyQuantiseParams;
  static constexpr OperationId kId = OperationId::kFp8Quantise;

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("payload", args.payload, Access::kWrite);
    visit("scales", args.scales, Access::kWrite);
    visit("x", args.x, Access::kRead);
  }
  static void check(const Args& args, Faults& faults);
  static bool is_empty(const Args& args) { return has_no_elements(args.x); }
  static Params params(const Args& args);
  static void reference(const Args& args);
  static KernelCalls calls(const Params& params);
};

}  // namespace keysieve
