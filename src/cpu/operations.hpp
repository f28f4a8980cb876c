// The kernels around selection on the CPU, by id. Each is one function over its Params.
#pragma once

#include <cstdint>

#include "helpers/context_guard.hpp"
#include "helpers/engram_gather.hpp"
#include "helpers/q_rope_store.hpp"
#include "helpers/rmsnorm_mxfp8.hpp"
#include "helpers/selection_stamp.hpp"
#include "helpers/small_gemm.hpp"
#include "operation/operation_id.hpp"
#include "publish/seal_row.hpp"

namespace keysieve::cpu {

void engram_gather(const EngramGatherParams& params, std::int32_t threads);
void q_rope_store(const QRopeStoreParams& params, std::int32_t threads);
void small_gemm(const SmallGemmParams& params, std::int32_t threads);
void rmsnorm_mxfp8(const RmsnormParams& params, std::int32_t threads);

void context_guard(const ContextGuardParams& params, std::int32_t threads);
void selection_stamp(const SelectionStampParams& params, std::int32_t threads);
void block_keys(const BlockKeysParams& params, std::int32_t threads);
void count_keys(const BlockKeysParams& params, std::int32_t threads);
void seal_blocks(const SealBlocksParams& params, std::int32_t threads);

void run_operation(OperationId id, const void* params, std::int32_t threads);

}  // namespace keysieve::cpu
