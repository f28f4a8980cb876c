#include "cuda/operation_launch.hpp"

#include <cuda_runtime.h>

#include "cuda/device_guard.hpp"
#include "cuda/kernel/operation_kernels.hpp"

namespace keysieve::cuda {
namespace {

template <typename Kernel>
const void* handle(Kernel kernel) {
  return reinterpret_cast<const void*>(kernel);
}

const void* kernel_of(OperationKernel id) {
  switch (id) {
    case OperationKernel::kEngramGather:
      return handle(keysieve_engram_gather_kernel);
    case OperationKernel::kContextGuard:
      return handle(keysieve_context_guard_kernel);
    case OperationKernel::kSelectionStamp:
      return handle(keysieve_selection_stamp_kernel);
    case OperationKernel::kCountKeys:
      return handle(keysieve_count_keys_kernel);
    case OperationKernel::kSealBlocks:
      return handle(keysieve_seal_blocks_kernel);
    case OperationKernel::kQRopeStore:
      return handle(keysieve_q_rope_store_kernel);
    case OperationKernel::kSmallGemm:
      return handle(keysieve_small_gemm_kernel);
    case OperationKernel::kRmsnormMxfp8:
      return handle(keysieve_rmsnorm_mxfp8_kernel);
    case OperationKernel::kHcRmsnormMxfp8:
      return handle(keysieve_hc_rmsnorm_mxfp8_kernel);
    case OperationKernel::kCandidateLengths:
      return handle(keysieve_candidate_lengths_kernel);
    case OperationKernel::kBlockMax:
      return handle(keysieve_block_max_kernel);
    case OperationKernel::kSortBlocks:
      return handle(keysieve_sort_blocks_kernel);
    case OperationKernel::kCandidateSlots:
      return handle(keysieve_candidate_slots_kernel);
    case OperationKernel::kFilterPages:
      return handle(keysieve_filter_pages_kernel);
    case OperationKernel::kFinishSelection:
      return handle(keysieve_finish_selection_kernel);
  }
  return nullptr;
}

}  // namespace

Status enqueue_calls(const DeviceProfile& profile, std::int32_t ordinal, const KernelCall* calls, int count,
                     void* stream) {
  DeviceGuard device;
  if (Status status = device.enter(ordinal); !status.ok()) return status;
  for (int i = 0; i < count; ++i) {
    const KernelCall& call = calls[i];
    if (call.blocks == 0) continue;
    cudaLaunchAttribute attribute{};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(call.blocks));
    config.blockDim = dim3(static_cast<unsigned>(call.threads));
    config.dynamicSmemBytes = static_cast<std::size_t>(call.shared_bytes);
    config.stream = static_cast<cudaStream_t>(stream);
    if (call.dependent && profile.compute_capability >= 90) {
      attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
      attribute.val.programmaticStreamSerializationAllowed = 1;
      config.attrs = &attribute;
      config.numAttrs = 1;
    }
    void* params[] = {const_cast<std::byte*>(call.params)};
    if (const cudaError_t error = cudaLaunchKernelExC(&config, kernel_of(call.kernel), params); error != cudaSuccess) {
      cudaGetLastError();  // it must not surface in the caller's next call
      return Status(StatusCode::kDeviceError, std::string("launch of a kernel: ") + cudaGetErrorString(error));
    }
  }
  return {};
}

}  // namespace keysieve::cuda
