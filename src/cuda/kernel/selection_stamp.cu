#include "cuda/kernel/operation_kernels.hpp"
#include "cuda/operation/lengths.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::most_threads(keysieve::OperationKernel::kSelectionStamp))
    keysieve_selection_stamp_kernel(const __grid_constant__ keysieve::SelectionStampParams params) {
  keysieve::selection_stamp(params);
}
