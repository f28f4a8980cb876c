#include <tvm/ffi/function.h>

#include "tensors.hpp"

namespace keysieve::ffi {
namespace {

::tvm::ffi::String engram_gather(const TensorView& out, const TensorView& table, const TensorView& scales,
                                 const TensorView& ids, std::int64_t first_row, std::int64_t backend,
                                 bool dependent_launch, bool ask) {
  const Place place{out.device()};
  keysieve_engram_gather_args args;
  keysieve_engram_gather_args_init(&args);
  args.call = call_on(place, backend, {}, dependent_launch);
  args.out = tensor_of("out", out, place);
  args.table = tensor_anywhere("table", table);
  args.scales = tensor_anywhere("scales", scales);
  args.ids = tensor_of("ids", ids, place);
  args.first_row = first_row;
  return run_or_ask(args, place, ask, keysieve_engram_gather, keysieve_engram_gather_can_use);
}

}  // namespace
}  // namespace keysieve::ffi

TVM_FFI_DLL_EXPORT_TYPED_FUNC(engram_gather, keysieve::ffi::engram_gather)
