#include "cuda/kernel/operation_kernels.hpp"
#include "cuda/operation/filter_pages.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::most_threads(keysieve::OperationKernel::kFilterPages))
    keysieve_filter_pages_kernel(const __grid_constant__ keysieve::FilterPagesParams params) {
  keysieve::filter_pages(params);
}
