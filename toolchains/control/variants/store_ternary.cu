// Rank 0 stores into rank 1, the others into their own memory; chosen by one expression.
#include "../control.cuh"

CONTROL_KERNEL(store_ternary)(unsigned* out, int) {
  __shared__ unsigned own[control::kSharedWords];
  control::clear(own);
  unsigned* to = control::rank() == 0 ? control::mapped(own, 1) : own;
  for (unsigned word = threadIdx.x; word < control::kWords; word += blockDim.x) {
    to[control::slot_of(control::rank(), word)] = control::rank() + 1;
  }
  control::report(own, out, false);
}
