#include "cuda/kernel/operation_kernels.hpp"
#include "cuda/operation/candidate_slots.hpp"

extern "C" __global__ void __launch_bounds__(keysieve::most_threads(keysieve::OperationKernel::kCandidateSlots))
    keysieve_candidate_slots_kernel(const __grid_constant__ keysieve::CandidateSlotsParams params) {
  keysieve::candidate_slots(params);
}
