#include "cuda/kernel/operation_kernels.hpp"
#include "cuda/operation/fp4_indexer.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::most_threads(keysieve::OperationKernel::kFp4IndexerQuery))
    keysieve_fp4_indexer_query_kernel(const __grid_constant__ keysieve::Fp4IndexerQueryParams params) {
  keysieve::fp4_indexer_query(params);
}
