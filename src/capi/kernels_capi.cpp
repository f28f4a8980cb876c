#include "capi/run_operation.hpp"
#include "helpers/engram_gather.hpp"
#include "helpers/q_rope_store.hpp"
#include "helpers/rmsnorm_mxfp8.hpp"
#include "helpers/small_gemm.hpp"
#include "keysieve/kernels.h"

namespace capi = keysieve::capi;

extern "C" {

void keysieve_engram_gather_args_init(keysieve_engram_gather_args* args) { capi::init_args(args); }
keysieve_status keysieve_engram_gather_can_use(const keysieve_engram_gather_args* args, char* buffer, size_t size,
                                               size_t* needed) {
  return capi::can_use<keysieve::EngramGather>(args, buffer, size, needed);
}
keysieve_status keysieve_engram_gather(const keysieve_engram_gather_args* args, void* stream) {
  return capi::run<keysieve::EngramGather>(args, stream);
}

void keysieve_q_rope_store_args_init(keysieve_q_rope_store_args* args) { capi::init_args(args); }
keysieve_status keysieve_q_rope_store_can_use(const keysieve_q_rope_store_args* args, char* buffer, size_t size,
                                              size_t* needed) {
  return capi::can_use<keysieve::QRopeStore>(args, buffer, size, needed);
}
keysieve_status keysieve_q_rope_store(const keysieve_q_rope_store_args* args, void* stream) {
  return capi::run<keysieve::QRopeStore>(args, stream);
}

void keysieve_small_gemm_args_init(keysieve_small_gemm_args* args) {
  capi::init_args(args);
  if (args != nullptr) args->max_m = KEYSIEVE_AUTO;
}
keysieve_status keysieve_small_gemm_can_use(const keysieve_small_gemm_args* args, char* buffer, size_t size,
                                            size_t* needed) {
  return capi::can_use<keysieve::SmallGemm>(args, buffer, size, needed);
}
keysieve_status keysieve_small_gemm(const keysieve_small_gemm_args* args, void* stream) {
  return capi::run<keysieve::SmallGemm>(args, stream);
}

void keysieve_rmsnorm_mxfp8_args_init(keysieve_rmsnorm_mxfp8_args* args) { capi::init_args(args); }
keysieve_status keysieve_rmsnorm_mxfp8_can_use(const keysieve_rmsnorm_mxfp8_args* args, char* buffer, size_t size,
                                               size_t* needed) {
  return capi::can_use<keysieve::RmsnormMxfp8>(args, buffer, size, needed);
}
keysieve_status keysieve_rmsnorm_mxfp8(const keysieve_rmsnorm_mxfp8_args* args, void* stream) {
  return capi::run<keysieve::RmsnormMxfp8>(args, stream);
}
keysieve_status keysieve_mxfp8_scale_bytes(int64_t rows, int64_t columns, int64_t* bytes) {
  return capi::guarded([&] { return keysieve::checked_mxfp8_scale_bytes(rows, columns, bytes); });
}

void keysieve_hc_rmsnorm_mxfp8_args_init(keysieve_hc_rmsnorm_mxfp8_args* args) { capi::init_args(args); }
keysieve_status keysieve_hc_rmsnorm_mxfp8_can_use(const keysieve_hc_rmsnorm_mxfp8_args* args, char* buffer, size_t size,
                                                  size_t* needed) {
  return capi::can_use<keysieve::HcRmsnormMxfp8>(args, buffer, size, needed);
}
keysieve_status keysieve_hc_rmsnorm_mxfp8(const keysieve_hc_rmsnorm_mxfp8_args* args, void* stream) {
  return capi::run<keysieve::HcRmsnormMxfp8>(args, stream);
}

}  // extern "C"
