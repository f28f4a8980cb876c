// Shadow mode. A shadow crosses into Python as its address; python/keysieve/_shadow.py keeps it valid.
#include <tvm/ffi/function.h>

#include "errors.hpp"
#include "select_call.hpp"
#include "text_result.hpp"

namespace keysieve::ffi {
namespace {

using ::tvm::ffi::String;

keysieve_shadow* shadow_at(std::int64_t address) { return reinterpret_cast<keysieve_shadow*>(address); }

std::int64_t shadow_create(std::int64_t device_type, std::int64_t device_ordinal, double share,
                           std::int64_t max_rows_per_call, std::int64_t slots, std::int64_t slot_bytes,
                           std::int64_t seed) {
  keysieve_shadow_options options;
  keysieve_shadow_options_init(&options);
  options.device_type = static_cast<std::int32_t>(device_type);
  options.device_ordinal = static_cast<std::int32_t>(device_ordinal);
  options.share = share;
  options.max_rows_per_call = max_rows_per_call;
  options.slots = slots;
  options.slot_bytes = slot_bytes;
  options.seed = static_cast<std::uint64_t>(seed);
  keysieve_shadow* shadow = nullptr;
  check_status(keysieve_shadow_create(&options, &shadow));
  return reinterpret_cast<std::intptr_t>(shadow);
}

void shadow_observe(std::int64_t address, const SelectCall& call) {
  check_select_status(keysieve_shadow_observe(shadow_at(address), &call.plan, &call.args, call.stream));
}

// Both, with the arguments taken apart once.
void select_and_observe(std::int64_t address, const SelectCall& call) {
  check_select_status(keysieve_select_run(&call.plan, &call.args, call.stream));
  shadow_observe(address, call);
}

bool shadow_wait(std::int64_t address, std::int64_t timeout_ms) {
  std::int32_t drained = 0;
  check_status(keysieve_shadow_wait(shadow_at(address), timeout_ms, &drained));
  return drained != 0;
}

String shadow_report_json(std::int64_t address) {
  return whole_text([address](char* buffer, std::size_t size, std::size_t* needed) {
    return keysieve_shadow_report_json(shadow_at(address), buffer, size, needed);
  });
}

void shadow_destroy(std::int64_t address) { check_status(keysieve_shadow_destroy(shadow_at(address))); }

}  // namespace
}  // namespace keysieve::ffi

TVM_FFI_DLL_EXPORT_TYPED_FUNC(shadow_create, keysieve::ffi::shadow_create)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(shadow_observe, keysieve::ffi::SelectEntry<keysieve::ffi::shadow_observe>::run_with)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(select_and_observe,
                              keysieve::ffi::SelectEntry<keysieve::ffi::select_and_observe>::run_with)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(shadow_wait, keysieve::ffi::shadow_wait)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(shadow_report_json, keysieve::ffi::shadow_report_json)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(shadow_destroy, keysieve::ffi::shadow_destroy)
