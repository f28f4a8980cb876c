// The pointer reaches the atomic as the argument of an inlined function.
#include "../control.cuh"

namespace {

__device__ __forceinline__ void push_all(unsigned* to) {
  for (unsigned word = threadIdx.x; word < control::kWords; word += blockDim.x) {
    atomicAdd(&to[control::slot_of(control::rank(), word)], control::rank() + 1);
  }
}

}  // namespace

CONTROL_KERNEL(atomic_inlined)(unsigned* out, int) {
  __shared__ unsigned own[control::kSharedWords];
  control::clear(own);
  push_all(control::rank() == 0 ? control::mapped(own, 1) : own);
  control::report(own, out, false);
}
