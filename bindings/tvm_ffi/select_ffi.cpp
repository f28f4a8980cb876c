// select: one call of keysieve_select_run on views that Python owns.
#include <tvm/ffi/function.h>

#include "errors.hpp"
#include "select_call.hpp"

namespace keysieve::ffi {
namespace {

void select(const SelectCall& call) { check_select_status(keysieve_select_run(&call.plan, &call.args, call.stream)); }

}  // namespace
}  // namespace keysieve::ffi

TVM_FFI_DLL_EXPORT_TYPED_FUNC(select, keysieve::ffi::SelectEntry<keysieve::ffi::select>::run)
