// Planning: pure host work, no tensors.
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>

#include "errors.hpp"
#include "plan_bytes.hpp"
#include "text_result.hpp"

namespace keysieve::ffi {
namespace {

using ::tvm::ffi::Bytes;
using ::tvm::ffi::Optional;
using ::tvm::ffi::String;

std::int32_t narrow(const char* name, std::int64_t value) {
  if (value < INT32_MIN || value > INT32_MAX) {
    throw_value_error(std::string(name) + ": expected a 32-bit integer, got " + std::to_string(value));
  }
  return static_cast<std::int32_t>(value);
}

// The bytes of a problem, which make_plan and supports take.
Bytes problem(std::int64_t device_type, std::int64_t device_ordinal, std::int64_t backend, std::int64_t route,
              std::int64_t threads, std::int64_t rows, std::int64_t width, std::int64_t k, std::int64_t score_type,
              std::int64_t index_type, std::int64_t mode, std::int64_t order, std::int64_t ties,
              std::int64_t nan_policy, bool mask_neg_inf, bool check_nan, std::int64_t split) {
  keysieve_select_problem made;
  keysieve_select_problem_init(&made);
  made.device_type = narrow("device_type", device_type);
  made.device_ordinal = narrow("device_ordinal", device_ordinal);
  made.backend = narrow("backend", backend);
  made.route = narrow("route", route);
  made.threads = narrow("threads", threads);
  made.rows = rows;
  made.width = width;
  made.k = k;
  made.score_type = narrow("score_type", score_type);
  made.index_type = narrow("index_type", index_type);
  made.mode = narrow("mode", mode);
  made.order = narrow("order", order);
  made.ties = narrow("ties", ties);
  made.nan_policy = narrow("nan", nan_policy);
  made.mask_neg_inf = mask_neg_inf ? 1 : 0;
  made.check_nan = check_nan ? 1 : 0;
  made.split = narrow("split", split);
  return to_bytes(made);
}

Bytes make_plan(const Bytes& problem_bytes, const Optional<String>& profile) {
  const keysieve_select_problem asked = problem_from_bytes(problem_bytes);
  keysieve_select_plan plan{};
  plan.struct_size = sizeof(plan);
  if (profile.has_value()) {
    check_status(keysieve_select_make_plan_for_profile(&asked, std::string(*profile).c_str(), &plan));
  } else {
    check_status(keysieve_select_make_plan(&asked, &plan));
  }
  return to_bytes(plan);
}

std::int64_t plan_workspace_bytes(const Bytes& bytes) { return plan_from_bytes(bytes).workspace_bytes; }

String plan_json(const Bytes& bytes) {
  const keysieve_select_plan plan = plan_from_bytes(bytes);
  return whole_text([&plan](char* buffer, std::size_t size, std::size_t* needed) {
    return keysieve_select_plan_to_json(&plan, buffer, size, needed);
  });
}

String plan_text(const Bytes& bytes) {
  const keysieve_select_plan plan = plan_from_bytes(bytes);
  return whole_text([&plan](char* buffer, std::size_t size, std::size_t* needed) {
    return keysieve_select_plan_describe(&plan, buffer, size, needed);
  });
}

// The unmet conditions, one a line.
String supports(const Bytes& problem_bytes) {
  const keysieve_select_problem asked = problem_from_bytes(problem_bytes);
  return whole_text([&asked](char* buffer, std::size_t size, std::size_t* needed) {
    return keysieve_select_supports(&asked, buffer, size, needed);
  });
}

}  // namespace
}  // namespace keysieve::ffi

TVM_FFI_DLL_EXPORT_TYPED_FUNC(problem, keysieve::ffi::problem)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_plan, keysieve::ffi::make_plan)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(plan_workspace_bytes, keysieve::ffi::plan_workspace_bytes)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(plan_json, keysieve::ffi::plan_json)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(plan_text, keysieve::ffi::plan_text)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(supports, keysieve::ffi::supports)
