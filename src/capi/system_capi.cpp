#include "capi/barrier.hpp"
#include "core/cpu_library.hpp"
#include "core/system_info.hpp"
#include "keysieve/types.hpp"
#include "plan/cuda_engine.hpp"

using keysieve::Status;
namespace capi = keysieve::capi;

extern "C" {

keysieve_status keysieve_prepare(int32_t device_type, int32_t device_ordinal) {
  return capi::guarded([&]() -> Status {
    if (device_ordinal < 0) {
      return Status::invalid_argument("device_ordinal: expected at least 0, got " + std::to_string(device_ordinal));
    }
    if (device_type == KEYSIEVE_DEVICE_CPU) {
      keysieve::default_cpu_threads();
      if (keysieve::cpu_library().backend != nullptr) return {};
      return Status::unsupported("device_type: " + keysieve::cpu_library().problem);
    }
    if (device_type == KEYSIEVE_DEVICE_CUDA) {
      const keysieve::CudaEngine& engine = keysieve::cuda_engine(device_ordinal);
      return engine.profile != nullptr ? Status{} : Status::unsupported("device_ordinal: " + engine.problem);
    }
    return Status::invalid_argument("device_type: expected 0 (cpu) or 1 (cuda), got " + std::to_string(device_type));
  });
}

keysieve_status keysieve_system_json(char* buffer, size_t size, size_t* needed) {
  return capi::guarded(
      [&]() -> Status { return capi::write_text(keysieve::system_info_json(), buffer, size, needed); });
}

}  // extern "C"
