#include "cuda/kernel/operation_kernels.hpp"
#include "cuda/operation/fp4_indexer.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::most_threads(keysieve::OperationKernel::kFp4IndexerKey))
    keysieve_fp4_indexer_key_kernel(const __grid_constant__ keysieve::Fp4IndexerKeyParams params) {
  keysieve::fp4_indexer_key(params);
}
