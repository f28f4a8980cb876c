// Keys and queries of an FP4 indexer: norm, rotation, quantisation (indexer_keys.h).
#pragma once

#include "helpers/key_cache.hpp"
#include "keysieve/indexer_keys.h"
#include "operation/operation.hpp"

namespace keysieve {

inline constexpr std::int32_t kRotaryDims = 64;  // the upper half

struct RotaryTable {
  const float* freqs;  // kRotaryDims floats a position
  const void* positions;
  std::int64_t num_positions;
  std::int32_t positions_are_64_bit;
  std::int32_t vectors_fit;  // freqs begins at a 16-byte address
};

struct Fp4IndexerKeyParams {
  KeyCache cache;
  RotaryTable rotary;
  const std::uint16_t* x;
  const std::uint16_t* weight;
  const void* slots;
  std::uint32_t* error_word;
  std::int64_t rows;
  std::int64_t x_row_stride;
  std::int64_t ratio;
  float eps;
  std::int32_t slots_are_64_bit;
  std::int32_t vectors_fit;  // rows of x, and weight, begin at 16-byte addresses
};

struct Fp4IndexerKey {
  using Args = keysieve_fp4_indexer_key_args;
  using Params = Fp4IndexerKeyParams;
  static constexpr OperationId kId = OperationId::kFp4IndexerKey;

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("cache", args.cache, Access::kWrite);
    visit("x", args.x, Access::kRead);
    visit("weight", args.weight, Access::kRead);
    visit("freqs", args.freqs, Access::kRead);
    visit("positions", args.positions, Access::kRead);
    visit("slots", args.slots, Access::kRead);
  }
  static void check(const Args& args, Faults& faults);
  static bool is_empty(const Args& args) { return has_no_elements(args.x); }
  static Params params(const Args& args);
  static void reference(const Args& args);
  static KernelCalls calls(const Params& params);
};

// Heads of one token that a warp takes: they share what is read of the rotation.
inline constexpr std::int32_t kQueryHeads = 8;

struct Fp4IndexerQueryParams {
  RotaryTable rotary;
  std::uint8_t* payload;
  std::uint32_t* scales;
  float* weights_out;  // null: no weights
  const std::uint16_t* x;
  const std::uint16_t* weights;
  std::uint32_t* error_word;
  std::int64_t x_token_stride;
  std::int64_t x_head_stride;
  std::int64_t weights_token_stride;
  std::int64_t rows;  // tokens * heads
  std::int32_t heads;
  std::int32_t parts_of_token;  // of kQueryHeads heads, the last perhaps of fewer
  std::int64_t parts;
  // part / parts_of_token = part * token_factor >> token_shift for parts below 2^31: a division would cost as much as a
  // quantisation.
  std::uint32_t token_factor;
  std::int32_t token_shift;
  float weight_scale;
  std::int32_t vectors_fit;  // vectors of x begin at 16-byte addresses
};

struct Fp4IndexerQuery {
  using Args = keysieve_fp4_indexer_query_args;
  using Params = Fp4IndexerQueryParams;
  static constexpr OperationId kId = OperationId::kFp4IndexerQuery;

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("payload", args.payload, Access::kWrite);
    visit("scales", args.scales, Access::kWrite);
    visit("weights_out", args.weights_out, Access::kWrite);
    visit("x", args.x, Access::kRead);
    visit("freqs", args.freqs, Access::kRead);
    visit("positions", args.positions, Access::kRead);
    visit("weights", args.weights, Access::kRead);
  }
  static void check(const Args& args, Faults& faults);
  static bool is_empty(const Args& args) { return has_no_elements(args.x); }
  static Params params(const Args& args);
  static void reference(const Args& args);
  static KernelCalls calls(const Params& params);
};

}  // namespace keysieve
