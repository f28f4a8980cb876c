#include "cuda/kernel/operation_kernels.hpp"
#include "cuda/operation/q_rope_store.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::most_threads(keysieve::OperationKernel::kQRopeStore))
    keysieve_q_rope_store_kernel(const __grid_constant__ keysieve::QRopeStoreParams params) {
  keysieve::q_rope_store(params);
}
