// Rank 0 keeps its words, the others store into rank 0: a small batch gathers its rows so.
#include "../control.cuh"

CONTROL_KERNEL(store_gather)(unsigned* out, int) {
  __shared__ unsigned own[control::kSharedWords];
  control::clear(own);
  unsigned* to = control::rank() == 0 ? own : control::mapped(own, 0);
  for (unsigned word = threadIdx.x; word < control::kWords; word += blockDim.x) {
    to[control::slot_of(control::rank(), word)] = control::rank() + 1;
  }
  control::report(own, out, true);
}
