// What was loaded: versions and the machine.
#include <tvm/ffi/function.h>

#include "errors.hpp"
#include "text_result.hpp"

namespace keysieve::ffi {
namespace {

using ::tvm::ffi::String;

String version() { return keysieve_version(); }
String build_info() { return keysieve_build_info(); }
std::int64_t abi_version() { return keysieve_abi_version(); }
// The ABI that this binding was compiled against; Python refuses to start when the library's differs.
std::int64_t expected_abi_version() { return KEYSIEVE_ABI_VERSION; }

void prepare(std::int64_t device_type, std::int64_t device_ordinal) {
  if (device_ordinal < 0 || device_ordinal > INT32_MAX) {
    throw_value_error("device_ordinal: expected 0.." + std::to_string(INT32_MAX) + ", got " +
                      std::to_string(device_ordinal));
  }
  check_status(keysieve_prepare(static_cast<std::int32_t>(device_type), static_cast<std::int32_t>(device_ordinal)));
}

String system_json() {
  return whole_text(
      [](char* buffer, std::size_t size, std::size_t* needed) { return keysieve_system_json(buffer, size, needed); });
}

}  // namespace
}  // namespace keysieve::ffi

TVM_FFI_DLL_EXPORT_TYPED_FUNC(version, keysieve::ffi::version)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(build_info, keysieve::ffi::build_info)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(abi_version, keysieve::ffi::abi_version)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(expected_abi_version, keysieve::ffi::expected_abi_version)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(prepare, keysieve::ffi::prepare)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(system_json, keysieve::ffi::system_json)
