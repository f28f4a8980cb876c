// How a kernel around selection runs: checks, backend, then the reference, the CPU table or launches. An operation is a
// type with
//
//   using Args;    the struct of kernels.h
//   using Params;  what the CPU backend and the kernels receive: pointers and numbers, nothing automatic
//   static constexpr OperationId kId;
//   static void tensors(Args&, visit)          visit(name, tensor, Access) for each, absent ones too
//   static void check(const Args&, Faults&)    strides are resolved; every unmet condition
//   static bool is_empty(const Args&)          nothing to write: success without a launch
//   static Params params(const Args&)
//   static void reference(const Args&)
//   static KernelCalls calls(const Params&)
// and optionally
//   static void check_device(const DeviceProfile&, Faults&)
//   static constexpr InPlace kInPlace[]        pairs that may be the same memory with the same strides
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "launch/kernel_call.hpp"
#include "operation/operation_id.hpp"
#include "operation/tensor_check.hpp"
#include "plan/device_profile.hpp"

namespace keysieve {

enum class Access { kRead, kWrite };

struct InPlace {
  const char* output;
  const char* input;
};

struct KernelCalls {
  std::array<KernelCall, 4> calls;
  int count = 0;

  KernelCall& add() { return calls[static_cast<std::size_t>(count++)]; }
};

// Blocks of `threads` that a thread for each of `items` takes; kernels step over the grid where that is more than a
// launch can have.
constexpr std::int64_t blocks_for(std::int64_t items, std::int64_t threads) {
  constexpr std::int64_t kMostBlocks = 0x7FFFFFFF;
  const std::int64_t blocks = (items + threads - 1) / threads;
  return blocks < kMostBlocks ? blocks : kMostBlocks;
}

struct NamedTensor {
  const char* name;
  const keysieve_tensor* tensor;
  Access access;
};

// Who runs a call; adds a fault where nobody can.
enum class Runner { kNobody, kReference, kCpu, kCuda };
Runner choose_runner(const keysieve_call& call, Faults& faults);
const DeviceProfile* device_of(const keysieve_call& call);  // not null where the runner is kCuda

// Every output apart from all else, but for the pairs of `in_place`.
void check_overlaps(const std::vector<NamedTensor>& tensors, const InPlace* in_place, std::size_t num_in_place,
                    Faults& faults);

void run_on_cpu_backend(OperationId id, const void* params);
Status enqueue_calls(const keysieve_call& call, const KernelCalls& calls, void* stream);

// Resolves the strides of `args` and finds every unmet condition.
template <typename Operation>
Runner check_operation(typename Operation::Args& args, Faults& faults) {
  bool resolved = true;
  std::vector<NamedTensor> tensors;
  Operation::tensors(args, [&](const char* name, keysieve_tensor& tensor, Access access) {
    resolved = resolve_strides(name, tensor, faults) && resolved;
    tensors.push_back({name, &tensor, access});
  });
  const Runner runner = choose_runner(args.call, faults);
  if (!resolved) return runner;
  const bool well_placed = faults.empty();
  Operation::check(args, faults);
  if constexpr (requires { Operation::check_device(*device_of(args.call), faults); }) {
    if (runner == Runner::kCuda) Operation::check_device(*device_of(args.call), faults);
  }
  if (faults.empty() || !well_placed) {
    if constexpr (requires { Operation::kInPlace; }) {
      check_overlaps(tensors, Operation::kInPlace, std::size(Operation::kInPlace), faults);
    } else {
      check_overlaps(tensors, nullptr, 0, faults);
    }
  }
  return runner;
}

template <typename Operation>
Status run_operation(typename Operation::Args args, void* stream) {
  Faults faults;
  const Runner runner = check_operation<Operation>(args, faults);
  if (!faults.empty()) return faults.status();
  if (Operation::is_empty(args)) return {};
  switch (runner) {
    case Runner::kReference:
      Operation::reference(args);
      return {};
    case Runner::kCpu: {
      const auto params = Operation::params(args);
      run_on_cpu_backend(Operation::kId, &params);
      return {};
    }
    case Runner::kCuda: {
      KernelCalls calls = Operation::calls(Operation::params(args));
      // The second and later calls read what the one before wrote.
      if (calls.count > 0) calls.calls[0].dependent = args.call.dependent_launch != 0;
      return enqueue_calls(args.call, calls, stream);
    }
    case Runner::kNobody:
      break;
  }
  return Status(StatusCode::kInternal, "a call without a fault and without a runner");
}

}  // namespace keysieve
