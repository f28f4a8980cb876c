// Right with every compiler: the pointer is a mapped one on every rank, also where it maps to the rank itself.
#include "../control.cuh"

CONTROL_KERNEL(always_mapped)(unsigned* out, int) {
  __shared__ unsigned own[control::kSharedWords];
  control::clear(own);
  unsigned* to = control::mapped(own, control::home_of(control::rank()));
  for (unsigned word = threadIdx.x; word < control::kWords; word += blockDim.x) {
    to[control::slot_of(control::rank(), word)] = control::rank() + 1;
  }
  control::report(own, out, false);
}
