#include "keysieve/indexer_keys.h"

#include "capi/run_operation.hpp"
#include "helpers/cache_copy.hpp"
#include "helpers/fp4_indexer.hpp"
#include "helpers/key_quantise.hpp"

namespace capi = keysieve::capi;

extern "C" {

void keysieve_fp4_quantise_args_init(keysieve_fp4_quantise_args* args) { capi::init_args(args); }
keysieve_status keysieve_fp4_quantise_can_use(const keysieve_fp4_quantise_args* args, char* buffer, size_t size,
                                              size_t* needed) {
  return capi::can_use<keysieve::Fp4Quantise>(args, buffer, size, needed);
}
keysieve_status keysieve_fp4_quantise(const keysieve_fp4_quantise_args* args, void* stream) {
  return capi::run<keysieve::Fp4Quantise>(args, stream);
}

void keysieve_fp8_quantise_args_init(keysieve_fp8_quantise_args* args) { capi::init_args(args); }
keysieve_status keysieve_fp8_quantise_can_use(const keysieve_fp8_quantise_args* args, char* buffer, size_t size,
                                              size_t* needed) {
  return capi::can_use<keysieve::Fp8Quantise>(args, buffer, size, needed);
}
keysieve_status keysieve_fp8_quantise(const keysieve_fp8_quantise_args* args, void* stream) {
  return capi::run<keysieve::Fp8Quantise>(args, stream);
}

void keysieve_fp4_store_args_init(keysieve_fp4_store_args* args) { capi::init_args(args); }
keysieve_status keysieve_fp4_store_can_use(const keysieve_fp4_store_args* args, char* buffer, size_t size,
                                           size_t* needed) {
  return capi::can_use<keysieve::Fp4Store>(args, buffer, size, needed);
}
keysieve_status keysieve_fp4_store(const keysieve_fp4_store_args* args, void* stream) {
  return capi::run<keysieve::Fp4Store>(args, stream);
}

void keysieve_fp8_store_args_init(keysieve_fp8_store_args* args) { capi::init_args(args); }
keysieve_status keysieve_fp8_store_can_use(const keysieve_fp8_store_args* args, char* buffer, size_t size,
                                           size_t* needed) {
  return capi::can_use<keysieve::Fp8Store>(args, buffer, size, needed);
}
keysieve_status keysieve_fp8_store(const keysieve_fp8_store_args* args, void* stream) {
  return capi::run<keysieve::Fp8Store>(args, stream);
}

void keysieve_fp4_gather_args_init(keysieve_fp4_gather_args* args) { capi::init_args(args); }
keysieve_status keysieve_fp4_gather_can_use(const keysieve_fp4_gather_args* args, char* buffer, size_t size,
                                            size_t* needed) {
  return capi::can_use<keysieve::Fp4Gather>(args, buffer, size, needed);
}
keysieve_status keysieve_fp4_gather(const keysieve_fp4_gather_args* args, void* stream) {
  return capi::run<keysieve::Fp4Gather>(args, stream);
}

void keysieve_fp8_gather_args_init(keysieve_fp8_gather_args* args) { capi::init_args(args); }
keysieve_status keysieve_fp8_gather_can_use(const keysieve_fp8_gather_args* args, char* buffer, size_t size,
                                            size_t* needed) {
  return capi::can_use<keysieve::Fp8Gather>(args, buffer, size, needed);
}
keysieve_status keysieve_fp8_gather(const keysieve_fp8_gather_args* args, void* stream) {
  return capi::run<keysieve::Fp8Gather>(args, stream);
}

void keysieve_fp4_indexer_key_args_init(keysieve_fp4_indexer_key_args* args) { capi::init_args(args); }
keysieve_status keysieve_fp4_indexer_key_can_use(const keysieve_fp4_indexer_key_args* args, char* buffer, size_t size,
                                                 size_t* needed) {
  return capi::can_use<keysieve::Fp4IndexerKey>(args, buffer, size, needed);
}
keysieve_status keysieve_fp4_indexer_key(const keysieve_fp4_indexer_key_args* args, void* stream) {
  return capi::run<keysieve::Fp4IndexerKey>(args, stream);
}

void keysieve_fp4_indexer_query_args_init(keysieve_fp4_indexer_query_args* args) { capi::init_args(args); }
keysieve_status keysieve_fp4_indexer_query_can_use(const keysieve_fp4_indexer_query_args* args, char* buffer,
                                                   size_t size, size_t* needed) {
  return capi::can_use<keysieve::Fp4IndexerQuery>(args, buffer, size, needed);
}
keysieve_status keysieve_fp4_indexer_query(const keysieve_fp4_indexer_query_args* args, void* stream) {
  return capi::run<keysieve::Fp4IndexerQuery>(args, stream);
}

}  // extern "C"
