// Known models: data, and the shapes of a decode step.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/function.h>

#include "errors.hpp"
#include "text_result.hpp"

namespace keysieve::ffi {
namespace {

using ::tvm::ffi::Array;
using ::tvm::ffi::String;

String model_presets_json() {
  return whole_text([](char* buffer, std::size_t size, std::size_t* needed) {
    return keysieve_model_presets_json(buffer, size, needed);
  });
}

// (rows, width, k) of part `part` of the model.
Array<std::int64_t> model_step(const String& model, std::int64_t part, std::int64_t context, std::int64_t batch,
                               std::int64_t next_n) {
  if (next_n < 1 || next_n > INT32_MAX) {
    throw_value_error("next_n: expected 1.." + std::to_string(INT32_MAX) + ", got " + std::to_string(next_n));
  }
  keysieve_select_problem problem;
  keysieve_select_problem_init(&problem);
  check_status(keysieve_model_problem(std::string(model).c_str(), static_cast<std::int32_t>(part), context, batch,
                                      static_cast<std::int32_t>(next_n), &problem));
  return {problem.rows, problem.width, problem.k};
}

}  // namespace
}  // namespace keysieve::ffi

TVM_FFI_DLL_EXPORT_TYPED_FUNC(model_presets_json, keysieve::ffi::model_presets_json)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(model_step, keysieve::ffi::model_step)
