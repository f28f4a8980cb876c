#include "helpers/key_quantise.hpp"

namespace keysieve {
namespace {

template <typename Args>
void check_quantise(const Args& args, std::int64_t payload_bytes, std::int32_t scale_element, Faults& faults) {
  TensorCheck x(faults, "x", args.x);
  x.required()
      .element({KEYSIEVE_ELEMENT_BFLOAT16, KEYSIEVE_ELEMENT_FLOAT32})
      .shape({{"n", kAnySize}, {"dims", kKeyDims}})
      .inner_stride_1();
  if (!x.good()) return;
  const std::int64_t rows = args.x.shape[0];
  TensorCheck(faults, "payload", args.payload)
      .required()
      .element({KEYSIEVE_ELEMENT_BYTE})
      .shape({{"n", rows}, {"bytes", payload_bytes}})
      .inner_stride_1()
      .aligned(4);
  TensorCheck(faults, "scales", args.scales).required().element({scale_element}).shape({{"n", rows}}).contiguous();
}

template <typename Args>
KeyQuantiseParams quantise_params(const Args& args) {
  KeyQuantiseParams params{};
  params.payload = static_cast<std::uint8_t*>(args.payload.data);
  params.scales = args.scales.data;
  params.x = args.x.data;
  params.rows = args.x.shape[0];
  params.x_row_stride = args.x.strides[0];
  params.payload_row_stride = args.payload.strides[0];
  params.x_is_float32 = args.x.element == KEYSIEVE_ELEMENT_FLOAT32 ? 1 : 0;
  params.x_vectors_fit = rows_fit(args.x, 16) ? 1 : 0;
  params.payload_pairs_fit = rows_fit(args.payload, 8) ? 1 : 0;
  return params;
}

KernelCalls quantise_calls(OperationKernel kernel, const KeyQuantiseParams& params, std::int64_t lanes_of_row) {
  KernelCalls calls;
  KernelCall& call = calls.add();
  call.kernel = kernel;
  call.threads = 256;
  call.blocks = blocks_for(params.rows, call.threads / lanes_of_row);
  call.set_params(params);
  return calls;
}

}  // namespace

void Fp4Quantise::check(const Args& args, Faults& faults) {
  check_range(faults, "rounding", KEYSIEVE_ROUND_TIES_TO_ZERO, KEYSIEVE_ROUND_TIES_TO_EVEN, args.rounding);
  check_quantise(args, kFp4PayloadBytes, KEYSIEVE_ELEMENT_INT32, faults);
}

KeyQuantiseParams Fp4Quantise::params(const Args& args) {
  Params params = quantise_params(args);
  params.ties_to_zero = args.rounding == KEYSIEVE_ROUND_TIES_TO_ZERO ? 1 : 0;
  return params;
}

KernelCalls Fp4Quantise::calls(const Params& params) {
  return quantise_calls(OperationKernel::kFp4Quantise, params, params.x_is_float32 != 0 ? 16 : 8);
}

void Fp8Quantise::check(const Args& args, Faults& faults) {
  check_range(faults, "scale_to_power_of_two", 0, 1, args.scale_to_power_of_two);
  check_quantise(args, kFp8PayloadBytes, KEYSIEVE_ELEMENT_FLOAT32, faults);
}

KeyQuantiseParams Fp8Quantise::params(const Args& args) {
  Params params = quantise_params(args);
  params.scale_to_power_of_two = args.scale_to_power_of_two;
  return params;
}

KernelCalls Fp8Quantise::calls(const Params& params) {
  return quantise_calls(OperationKernel::kFp8Quantise, params, 16);
}

}  // namespace keysieve
