#include "cuda/kernel/operation_kernels.hpp"
#include "cuda/operation/candidate_lengths.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::most_threads(keysieve::OperationKernel::kCandidateLengths))
    keysieve_candidate_lengths_kernel(const __grid_constant__ keysieve::CandidateLengthsParams params) {
  keysieve::candidate_lengths(params);
}
