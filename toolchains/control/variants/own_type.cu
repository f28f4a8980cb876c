// Right with every compiler: an address of the cluster's shared memory that is no pointer, as in the product
// (src/cuda/simt/cluster.hpp).
#include "../control.cuh"

namespace {

class RemoteWords {
 public:
  __device__ __forceinline__ RemoteWords(const unsigned* own, unsigned to) {
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(own));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address_) : "r"(address), "r"(to));
  }
  __device__ __forceinline__ void store(unsigned element, unsigned value) const {
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address_ + element * 4), "r"(value) : "memory");
  }

 private:
  unsigned address_;
};

}  // namespace

CONTROL_KERNEL(own_type)(unsigned* out, int) {
  __shared__ unsigned own[control::kSharedWords];
  control::clear(own);
  const RemoteWords remote(own, 1);
  for (unsigned word = threadIdx.x; word < control::kWords; word += blockDim.x) {
    if (control::rank() == 0) {
      remote.store(control::slot_of(0, word), 1);
    } else {
      own[control::slot_of(control::rank(), word)] = control::rank() + 1;
    }
  }
  control::report(own, out, false);
}
