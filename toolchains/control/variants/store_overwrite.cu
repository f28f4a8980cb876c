// The same, with a pointer that starts as the own memory and is overwritten on rank 0.
#include "../control.cuh"

CONTROL_KERNEL(store_overwrite)(unsigned* out, int) {
  __shared__ unsigned own[control::kSharedWords];
  control::clear(own);
  unsigned* to = own;
  if (control::rank() == 0) to = control::mapped(own, 1);
  for (unsigned word = threadIdx.x; word < control::kWords; word += blockDim.x) {
    to[control::slot_of(control::rank(), word)] = control::rank() + 1;
  }
  control::report(own, out, false);
}
