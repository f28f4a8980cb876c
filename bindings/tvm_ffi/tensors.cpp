#include "tensors.hpp"

namespace keysieve::ffi {
namespace {

// -1: none that a kernel takes.
std::int32_t element_of(DLDataType type) {
  if (type.lanes != 1) return -1;
  const bool integer = type.code == kDLInt || type.code == kDLUInt;
  switch (type.bits) {
    case 8:
      return type.code == kDLBool ? -1 : KEYSIEVE_ELEMENT_BYTE;  // uint8, int8 and the FP8 types
    case 16:
      if (type.code == kDLFloat) return KEYSIEVE_ELEMENT_FLOAT16;
      return integer || type.code == kDLBfloat ? KEYSIEVE_ELEMENT_BFLOAT16 : -1;
    case 32:
      if (type.code == kDLFloat) return KEYSIEVE_ELEMENT_FLOAT32;
      return integer ? KEYSIEVE_ELEMENT_INT32 : -1;
    case 64:
      return integer ? KEYSIEVE_ELEMENT_INT64 : -1;
    default:
      return -1;
  }
}

}  // namespace

keysieve_tensor tensor_anywhere(const char* name, const TensorView& view) {
  keysieve_tensor tensor{};
  if (view.ndim() < 1 || view.ndim() > KEYSIEVE_MAX_RANK) {
    throw_value_error(std::string(name) + ": expected 1 to " + std::to_string(KEYSIEVE_MAX_RANK) + " dimensions, got " +
                      std::to_string(view.ndim()));
  }
  tensor.element = element_of(view.dtype());
  if (tensor.element < 0) throw_type_error(std::string(name) + ": expected a plain numeric element type, got another");
  tensor.data = data_of(view);
  tensor.rank = view.ndim();
  for (std::int32_t axis = 0; axis < tensor.rank; ++axis) {
    tensor.shape[axis] = view.size(axis);
    tensor.strides[axis] = view.stride(axis);
    if (view.size(axis) > 1 && view.stride(axis) < 0) {
      throw_value_error(std::string(name) + ": expected strides from 0 up, got " + std::to_string(view.stride(axis)));
    }
    // A stride over one element or none says nothing, and frameworks put anything there.
    if (view.size(axis) <= 1) tensor.strides[axis] = KEYSIEVE_AUTO;
  }
  return tensor;
}

keysieve_tensor tensor_of(const char* name, const TensorView& view, const Place& place) {
  const DLDevice device = view.device();
  if (device.device_type != place.device.device_type || device.device_id != place.device.device_id) {
    throw_runtime_error(std::string(name) + ": expected a tensor on " + text_of(place.device) + ", got one on " +
                        text_of(device));
  }
  return tensor_anywhere(name, view);
}

keysieve_tensor tensor_of(const char* name, const Optional<TensorView>& view, const Place& place) {
  return view.has_value() ? tensor_of(name, *view, place) : keysieve_tensor{};
}

keysieve_call call_on(const Place& place, std::int64_t backend, const Optional<TensorView>& error_word,
                      bool dependent_launch) {
  if (place.device.device_type != kDLCPU && place.device.device_type != kDLCUDA) {
    throw_runtime_error("out: expected a tensor on cpu or cuda, got one on " + text_of(place.device));
  }
  keysieve_call call{};
  call.device_type = place.device.device_type == kDLCPU ? KEYSIEVE_DEVICE_CPU : KEYSIEVE_DEVICE_CUDA;
  call.device_ordinal = place.device.device_id;
  call.backend = static_cast<std::int32_t>(backend);
  call.dependent_launch = dependent_launch ? 1 : 0;
  call.error_word = error_word_of(error_word, place);
  return call;
}

}  // namespace keysieve::ffi
