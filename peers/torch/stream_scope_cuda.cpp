#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "stream_scope.hpp"

namespace peers {

const bool kServesCuda = true;

struct StreamScope::Guard {
  c10::cuda::CUDAStreamGuard stream;
};

StreamScope::StreamScope(c10::Device device, void* stream) {
  if (!device.is_cuda()) return;
  // Null is CUDA's default stream, which torch knows under a name of its own.
  const c10::cuda::CUDAStream wrapped =
      stream ? c10::cuda::getStreamFromExternal(static_cast<cudaStream_t>(stream), device.index())
             : c10::cuda::getDefaultCUDAStream(device.index());
  guard_ = std::unique_ptr<Guard>(new Guard{c10::cuda::CUDAStreamGuard(wrapped)});
}

StreamScope::~StreamScope() = default;

void synchronize(c10::Device device) {
  if (!device.is_cuda()) return;
  const c10::cuda::CUDAGuard current(device);
  c10::cuda::device_synchronize();
}

}  // namespace peers
