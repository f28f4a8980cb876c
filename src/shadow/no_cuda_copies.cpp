// Shadow mode on CUDA in a build without device code.
#include "plan/cuda_engine.hpp"
#include "shadow/copies.hpp"

namespace keysieve::shadow {

Status make_cuda_copies(std::int32_t device_ordinal, std::int64_t /*slots*/, std::int64_t /*slot_bytes*/,
                        std::unique_ptr<Copies>& /*copies*/) {
  return Status::unsupported("device_type: " + cuda_engine(device_ordinal).problem);
}

}  // namespace keysieve::shadow
