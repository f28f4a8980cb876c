// The pointer is a member of an object that is replaced on rank 0.
#include "../control.cuh"

namespace {

struct Sink {
  unsigned* to;
  unsigned step;
};

}  // namespace

CONTROL_KERNEL(struct_member)(unsigned* out, int) {
  __shared__ unsigned own[control::kSharedWords];
  control::clear(own);
  Sink sink{own, 1};
  if (control::rank() == 0) sink = Sink{control::mapped(own, 1), 1};
  for (unsigned word = threadIdx.x; word < control::kWords; word += blockDim.x) {
    sink.to[control::slot_of(control::rank(), word)] = control::rank() + sink.step;
  }
  control::report(own, out, false);
}
