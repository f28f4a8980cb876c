// The pointer is the own memory in the first round and another block's in every later one.
#include "../control.cuh"

CONTROL_KERNEL(loop_carried)(unsigned* out, int rounds) {
  __shared__ unsigned own[control::kSharedWords];
  control::clear(own);
  unsigned* to = own;
  for (int round = 0; round < rounds; ++round) {
    for (unsigned word = threadIdx.x; word < control::kWords; word += blockDim.x) {
      to[control::slot_of(control::rank(), word)] = control::rank() + 1;
    }
    to = control::mapped(own, (control::rank() + 1) % control::kRanks);
  }
  control::sync();
  if (threadIdx.x == 0) out[control::rank()] = control::right_words(own, control::rank());
}
