// Context guard (kernels.h): lengths of rows, never longer than a graph was captured for.
#pragma once

#include "core/host_device.hpp"
#include "operation/operation.hpp"

namespace keysieve {

struct ContextGuardParams {
  const std::int32_t* lengths;
  std::int32_t* out;
  std::int64_t rows;
  std::int64_t max_context;
  std::uint32_t* error_word;
};

KEYSIEVE_HOST_DEVICE inline std::int32_t guarded_length(std::int32_t length, std::int64_t max_context,
                                                        std::uint32_t& errors) {
  if (length > max_context) {
    errors |= KEYSIEVE_ERROR_CONTEXT_EXCEEDED;
    return static_cast<std::int32_t>(max_context);
  }
  return length < 0 ? 0 : length;
}

struct ContextGuard {
  using Args = keysieve_context_guard_args;
  using Params = ContextGuardParams;
  static constexpr OperationId kId = OperationId::kContextGuard;
  static constexpr InPlace kInPlace[] = {{"out", "lengths"}};

  template <typename Visit>
  static void tensors(Args& args, Visit&& visit) {
    visit("lengths", args.lengths, Access::kRead);
    visit("out", args.out, Access::kWrite);
  }
  static void check(const Args& args, Faults& faults);
  static bool is_empty(const Args& args) { return has_no_elements(args.out); }
  static Params params(const Args& args);
  static void reference(const Args& args);
  static KernelCalls calls(const Params& params);
};

}  // namespace keysieve
