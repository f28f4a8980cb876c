// The kernels around selection, their CUDA sources, on the host.
#pragma once

#include <string>

#include "operation/operation.hpp"

namespace keysieve::test {

// One launch. Empty, or what went wrong first.
std::string run_call_on_host(const KernelCall& call, std::uint64_t order_seed);

// All launches of a call whose tensors lie on the host. Empty, or why it was refused or failed.
template <typename Operation>
std::string run_cuda_sources(typename Operation::Args args, std::uint64_t order_seed) {
  Faults faults;
  check_operation<Operation>(args, faults);
  if (!faults.empty()) return faults.lines();
  if (Operation::is_empty(args)) return {};
  const KernelCalls calls = Operation::calls(Operation::params(args));
  for (int i = 0; i < calls.count; ++i) {
    const KernelCall& call = calls.calls[static_cast<std::size_t>(i)];
    if (std::string fault = run_call_on_host(call, order_seed); !fault.empty()) return fault;
  }
  return {};
}

}  // namespace keysieve::test
