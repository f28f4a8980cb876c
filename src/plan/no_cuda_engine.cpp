// The CUDA engine of a build without device code.
#include "plan/cuda_engine.hpp"

namespace keysieve {

const CudaEngine& cuda_engine(std::int32_t /*device_ordinal*/) {
  static const CudaEngine kNone{nullptr,
                                "this build has no device code: no CUDA compiler was found when it was configured"};
  return kNone;
}

Status run_on_cuda(const LaunchList& /*launches*/, void* /*stream*/) {
  return Status::unsupported("backend: " + cuda_engine(0).problem);
}

Status run_on_cuda(std::int32_t device_ordinal, const KernelCall* /*calls*/, int /*count*/, void* /*stream*/) {
  return Status::unsupported("backend: " + cuda_engine(device_ordinal).problem);
}

}  // namespace keysieve
