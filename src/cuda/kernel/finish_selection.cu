#include "cuda/kernel/operation_kernels.hpp"
#include "cuda/operation/finish_selection.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::most_threads(keysieve::OperationKernel::kFinishSelection), 1)
    keysieve_finish_selection_kernel(const __grid_constant__ keysieve::FinishSelectionParams params) {
  keysieve::finish_selection(params);
}
