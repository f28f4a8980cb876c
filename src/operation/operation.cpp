#include "operation/operation.hpp"

#include <string>

#include "core/cpu_library.hpp"
#include "keysieve/types.hpp"
#include "plan/cuda_engine.hpp"

namespace keysieve {
namespace {

Runner choose_on_host(Backend backend, Faults& faults) {
  switch (backend) {
    case Backend::kReference:
      return Runner::kReference;
    case Backend::kAuto:
      return cpu_library().backend != nullptr ? Runner::kCpu : Runner::kReference;
    case Backend::kCpu:
      if (cpu_library().backend != nullptr) return Runner::kCpu;
      faults.unsupported("backend: " + cpu_library().problem);
      return Runner::kNobody;
    case Backend::kCuda:
      break;
  }
  faults.invalid("backend: expected auto, reference or cpu for tensors on the CPU, got cuda");
  return Runner::kNobody;
}

}  // namespace

Runner choose_runner(const keysieve_call& call, Faults& faults) {
  if (!check_range(faults, "call.backend", 0, KEYSIEVE_BACKEND_CUDA, call.backend) ||
      !check_range(faults, "call.device_type", 0, KEYSIEVE_DEVICE_CUDA, call.device_type) ||
      !check_range(faults, "call.dependent_launch", 0, 1, call.dependent_launch)) {
    return Runner::kNobody;
  }
  const auto backend = static_cast<Backend>(call.backend);
  if (call.device_type == KEYSIEVE_DEVICE_CPU) return choose_on_host(backend, faults);
  if (backend != Backend::kAuto && backend != Backend::kCuda) {
    faults.invalid("backend: expected auto or cuda for tensors on a CUDA device, got another");
    return Runner::kNobody;
  }
  const CudaEngine& engine = cuda_engine(call.device_ordinal);
  if (engine.profile != nullptr) return Runner::kCuda;
  faults.unsupported("backend: " + engine.problem);
  return Runner::kNobody;
}

const DeviceProfile* device_of(const keysieve_call& call) { return cuda_engine(call.device_ordinal).profile; }

void check_overlaps(const std::vector<NamedTensor>& tensors, const InPlace* in_place, std::size_t num_in_place,
                    Faults& faults) {
  const auto may_be_same = [&](const NamedTensor& output, const NamedTensor& other) {
    if (output.tensor->data != other.tensor->data || output.tensor->element != other.tensor->element) return false;
    for (std::int32_t axis = 0; axis < output.tensor->rank; ++axis) {
      if (output.tensor->shape[axis] > 1 && output.tensor->strides[axis] != other.tensor->strides[axis]) return false;
    }
    for (std::size_t i = 0; i < num_in_place; ++i) {
      if (std::string_view(in_place[i].output) == output.name && std::string_view(in_place[i].input) == other.name) {
        return true;
      }
    }
    return false;
  };
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].access != Access::kWrite) continue;
    for (std::size_t j = 0; j < tensors.size(); ++j) {
      if (i == j || (tensors[j].access == Access::kWrite && j < i)) continue;
      if (!share_bytes(*tensors[i].tensor, *tensors[j].tensor) || may_be_same(tensors[i], tensors[j])) continue;
      faults.invalid(std::string(tensors[i].name) + ": expected memory of its own, overlaps " + tensors[j].name);
    }
  }
}

void run_on_cpu_backend(OperationId id, const void* params) {
  cpu_library().backend->run_operation(id, params, default_cpu_threads());
}

Status enqueue_calls(const keysieve_call& call, const KernelCalls& calls, void* stream) {
  return run_on_cuda(call.device_ordinal, calls.calls.data(), calls.count, stream);
}

}  // namespace keysieve
