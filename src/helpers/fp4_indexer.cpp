#include "helpers/fp4_indexer.hpp"

#include <bit>
#include <cmath>
#include <string>

namespace keysieve {
namespace {

void check_rotary(const keysieve_tensor& freqs, const keysieve_tensor& positions, Dim rows, Faults& faults) {
  TensorCheck(faults, "freqs", freqs)
      .required()
      .element({KEYSIEVE_ELEMENT_FLOAT32})
      .shape({{"max_positions", kAnySize}, {"rotary", kRotaryDims}})
      .contiguous();
  TensorCheck(faults, "positions", positions)
      .required()
      .element({KEYSIEVE_ELEMENT_INT32, KEYSIEVE_ELEMENT_INT64})
      .shape({rows})
      .contiguous();
}

RotaryTable rotary_of(const keysieve_tensor& freqs, const keysieve_tensor& positions) {
  RotaryTable table{};
  table.freqs = static_cast<const float*>(freqs.data);
  table.positions = positions.data;
  table.num_positions = freqs.shape[0];
  table.positions_are_64_bit = positions.element == KEYSIEVE_ELEMENT_INT64 ? 1 : 0;
  table.vectors_fit = reinterpret_cast<std::uintptr_t>(freqs.data) % 16 == 0 ? 1 : 0;
  return table;
}

KernelCall& add_call(KernelCalls& calls, OperationKernel kernel, std::int64_t items, std::int64_t lanes_of_item) {
  KernelCall& call = calls.add();
  call.kernel = kernel;
  call.threads = 256;
  call.blocks = blocks_for(items, call.threads / lanes_of_item);
  return call;
}

}  // namespace

void Fp4IndexerKey::check(const Args& args, Faults& faults) {
  if (!(args.eps >= 0) || !std::isfinite(args.eps)) {
    faults.invalid("eps: expected a finite number from 0 up, got " + std::to_string(args.eps));
  }
  if (!is_power_of_two(args.ratio)) {
    faults.invalid("ratio: expected a power of two, got " + std::to_string(args.ratio));
  }
  check_key_cache(faults, "cache", args.cache, kFp4PayloadBytes);
  TensorCheck(faults, "weight", args.weight)
      .required()
      .element({KEYSIEVE_ELEMENT_BFLOAT16})
      .shape({{"dims", kKeyDims}})
      .contiguous();
  TensorCheck x(faults, "x", args.x);
  x.required().element({KEYSIEVE_ELEMENT_BFLOAT16}).shape({{"n", kAnySize}, {"dims", kKeyDims}}).inner_stride_1();
  if (!x.good()) return;
  const Dim rows{"n", args.x.shape[0]};
  check_rotary(args.freqs, args.positions, rows, faults);
  TensorCheck(faults, "slots", args.slots)
      .required()
      .element({KEYSIEVE_ELEMENT_INT32, KEYSIEVE_ELEMENT_INT64})
      .shape({rows})
      .contiguous();
}

Fp4IndexerKeyParams Fp4IndexerKey::params(const Args& args) {
  Params params{};
  params.cache = key_cache_of(args.cache, kFp4PayloadBytes);
  params.rotary = rotary_of(args.freqs, args.positions);
  params.x = static_cast<const std::uint16_t*>(args.x.data);
  params.weight = static_cast<const std::uint16_t*>(args.weight.data);
  params.slots = args.slots.data;
  params.error_word = args.call.error_word;
  params.rows = args.x.shape[0];
  params.x_row_stride = args.x.strides[0];
  params.ratio = args.ratio;
  params.eps = args.eps;
  params.slots_are_64_bit = args.slots.element == KEYSIEVE_ELEMENT_INT64 ? 1 : 0;
  params.vectors_fit = rows_fit(args.x, 16) && rows_fit(args.weight, 16) ? 1 : 0;
  return params;
}

KernelCalls Fp4IndexerKey::calls(const Params& params) {
  KernelCalls calls;
  add_call(calls, OperationKernel::kFp4IndexerKey, params.rows, 8).set_params(params);
  return calls;
}

void Fp4IndexerQuery::check(const Args& args, Faults& faults) {
  TensorCheck x(faults, "x", args.x);
  x.required()
      .element({KEYSIEVE_ELEMENT_BFLOAT16})
      .shape({{"tokens", kAnySize}, {"heads", kAnySize}, {"dims", kKeyDims}})
      .inner_stride_1();
  if (!x.good()) return;
  const Dim tokens{"tokens", args.x.shape[0]}, heads{"heads", args.x.shape[1]};
  constexpr std::int64_t kMostRows = 0x7FFFFFFF;
  if (heads.size > kMostRows || (heads.size > 0 && tokens.size > kMostRows / heads.size)) {
    faults.invalid("x: expected tokens * heads up to 2^31 - 1, got " + std::to_string(tokens.size) + " * " +
                   std::to_string(heads.size));
  }
  check_rotary(args.freqs, args.positions, tokens, faults);
  TensorCheck(faults, "payload", args.payload)
      .required()
      .element({KEYSIEVE_ELEMENT_BYTE})
      .shape({tokens, heads, {"bytes", kFp4PayloadBytes}})
      .contiguous()
      .aligned(4);
  TensorCheck(faults, "scales", args.scales)
      .required()
      .element({KEYSIEVE_ELEMENT_INT32})
      .shape({tokens, heads})
      .contiguous();
  if (is_present(args.weights) != is_present(args.weights_out)) {
    faults.invalid("weights_out: expected it where weights are given and only there");
    return;
  }
  if (!is_present(args.weights)) return;
  TensorCheck(faults, "weights", args.weights)
      .required()
      .element({KEYSIEVE_ELEMENT_BFLOAT16})
      .shape({tokens, heads})
      .inner_stride_1();
  TensorCheck(faults, "weights_out", args.weights_out)
      .required()
      .element({KEYSIEVE_ELEMENT_FLOAT32})
      .shape({tokens, heads})
      .contiguous();
}

Fp4IndexerQueryParams Fp4IndexerQuery::params(const Args& args) {
  Params params{};
  params.rotary = rotary_of(args.freqs, args.positions);
  params.payload = static_cast<std::uint8_t*>(args.payload.data);
  params.scales = static_cast<std::uint32_t*>(args.scales.data);
  params.x = static_cast<const std::uint16_t*>(args.x.data);
  if (is_present(args.weights)) {
    params.weights_out = static_cast<float*>(args.weights_out.data);
    params.weights = static_cast<const std::uint16_t*>(args.weights.data);
    params.weights_token_stride = args.weights.strides[0];
  }
  params.error_word = args.call.error_word;
  params.x_token_stride = args.x.strides[0];
  params.x_head_stride = args.x.strides[1];
  params.rows = args.x.shape[0] * args.x.shape[1];
  params.heads = static_cast<std::int32_t>(args.x.shape[1]);
  params.parts_of_token = (params.heads - 1) / kQueryHeads + 1;
  params.parts = args.x.shape[0] * params.parts_of_token;
  // factor = floor(2^(31 + l) / parts) + 1 with 2^l >= parts: its excess, at most parts <= 2^l, is too small to reach
  // the next quotient below 2^31.
  const auto parts = static_cast<std::uint64_t>(params.parts_of_token);
  const auto l = static_cast<std::int32_t>(std::bit_width(parts - 1));
  params.token_shift = 31 + l;
  params.token_factor = static_cast<std::uint32_t>((std::uint64_t{1} << params.token_shift) / parts + 1);
  params.weight_scale = args.weight_scale;
  params.vectors_fit = rows_fit(args.x, 16) ? 1 : 0;
  return params;
}

KernelCalls Fp4IndexerQuery::calls(const Params& params) {
  KernelCalls calls;
  add_call(calls, OperationKernel::kFp4IndexerQuery, params.parts, 32).set_params(params);
  return calls;
}

}  // namespace keysieve
