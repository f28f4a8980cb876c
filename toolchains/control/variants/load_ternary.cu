// Reads: rank 0 reads what rank 1 holds, the others what they hold themselves.
#include "../control.cuh"

CONTROL_KERNEL(load_ternary)(unsigned* out, int) {
  __shared__ unsigned own[control::kSharedWords];
  control::clear(own);
  const unsigned home = control::home_of(control::rank());
  for (unsigned word = threadIdx.x; word < control::kWords; word += blockDim.x) {
    own[control::slot_of(0, word)] = control::rank() + 1;
  }
  control::sync();
  const unsigned* from = control::rank() == 0 ? control::mapped(own, 1) : own;
  unsigned right = 0;
  if (threadIdx.x == 0) {
#pragma unroll 1
    for (unsigned word = 0; word < control::kWords; ++word) {
      right += from[control::slot_of(0, word)] == home + 1 ? 1 : 0;
    }
    out[control::rank()] = right;
  }
  control::sync();
}
