#include "helpers/engram_gather.hpp"

#include <bit>
#include <cstdint>

namespace keysieve {

void EngramGather::check(const Args& args, Faults& faults) {
  TensorCheck(faults, "ids", args.ids)
      .required()
      .element({KEYSIEVE_ELEMENT_INT32, KEYSIEVE_ELEMENT_INT64})
      .shape({{"n", kAnySize}})
      .contiguous();
  TensorCheck table(faults, "table", args.table);
  table.required().element({KEYSIEVE_ELEMENT_BYTE}).shape({{"rows", kAnySize}, {"dim", kAnySize}}).inner_stride_1();
  if (!table.good() || args.ids.rank != 1) return;
  const std::int64_t rows = args.table.shape[0], dim = args.table.shape[1];
  TensorCheck(faults, "out", args.out)
      .required()
      .element({KEYSIEVE_ELEMENT_BFLOAT16})
      .shape({{"n", args.ids.shape[0]}, {"dim", dim}})
      .contiguous();
  TensorCheck scales(faults, "scales", args.scales);
  scales.required().element({KEYSIEVE_ELEMENT_BYTE}).shape({{"rows", rows}, {"blocks", kAnySize}}).inner_stride_1();
  if (!is_power_of_two(dim) || dim > kMaxDim) {
    faults.invalid("table: expected a power of two up to " + std::to_string(kMaxDim) + " as dim, got " +
                   std::to_string(dim));
  } else if (scales.good() && (!is_power_of_two(args.scales.shape[1]) || args.scales.shape[1] > dim)) {
    faults.invalid("scales: expected a power of two up to dim=" + std::to_string(dim) + " as blocks, got " +
                   std::to_string(args.scales.shape[1]));
  }
  if (args.first_row > INT64_MAX - rows) {
    faults.invalid("first_row: expected first_row + rows <= 2^63 - 1, got " + std::to_string(args.first_row));
  }
}

EngramGatherParams EngramGather::params(const Args& args) {
  Params params{};
  params.out = static_cast<std::uint16_t*>(args.out.data);
  params.table = static_cast<const std::uint8_t*>(args.table.data);
  params.scales = static_cast<const std::uint8_t*>(args.scales.data);
  params.ids = args.ids.data;
  params.count = args.ids.shape[0];
  params.first_row = args.first_row;
  params.rows = args.table.shape[0];
  params.table_row_stride = args.table.strides[0];
  params.scales_row_stride = args.scales.strides[0];
  params.dim = static_cast<std::int32_t>(args.table.shape[1]);
  params.dim_shift = std::countr_zero(static_cast<std::uint32_t>(params.dim));
  const std::int64_t block = params.dim / args.scales.shape[1];
  params.block_shift = std::countr_zero(static_cast<std::uint64_t>(block));
  params.ids_are_64_bit = args.ids.element == KEYSIEVE_ELEMENT_INT64 ? 1 : 0;
  const auto address = reinterpret_cast<std::uintptr_t>(params.table) | reinterpret_cast<std::uintptr_t>(params.out) |
                       static_cast<std::uintptr_t>(params.table_row_stride);
  params.vectors_fit = address % 16 == 0 && params.dim >= 16 && block >= 16 ? 1 : 0;
  return params;
}

KernelCalls EngramGather::calls(const Params& params) {
  KernelCalls calls;
  KernelCall& call = calls.add();
  call.kernel = OperationKernel::kEngramGather;
  call.threads = 256;
  const std::int64_t pieces = params.count * (params.dim / (params.vectors_fit != 0 ? 16 : 1));
  call.blocks = blocks_for(pieces, call.threads);
  call.set_params(params);
  return calls;
}

}  // namespace keysieve
