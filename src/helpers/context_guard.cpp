#include "helpers/context_guard.hpp"

namespace keysieve {

void ContextGuard::check(const Args& args, Faults& faults) {
  TensorCheck lengths(faults, "lengths", args.lengths);
  lengths.required().element({KEYSIEVE_ELEMENT_INT32}).shape({{"rows", kAnySize}}).contiguous();
  check_range(faults, "max_context", 0, KEYSIEVE_MAX_WIDTH, args.max_context);
  if (!lengths.good()) return;
  TensorCheck(faults, "out", args.out)
      .required()
      .element({KEYSIEVE_ELEMENT_INT32})
      .shape({{"rows", args.lengths.shape[0]}})
      .contiguous();
}

ContextGuardParams ContextGuard::params(const Args& args) {
  return {static_cast<const std::int32_t*>(args.lengths.data), static_cast<std::int32_t*>(args.out.data),
          args.out.shape[0], args.max_context, args.call.error_word};
}

KernelCalls ContextGuard::calls(const Params& params) {
  KernelCalls calls;
  KernelCall& call = calls.add();
  call.kernel = OperationKernel::kContextGuard;
  call.threads = 256;
  call.blocks = blocks_for(params.rows, call.threads);
  call.set_params(params);
  return calls;
}

}  // namespace keysieve
