#include "views.hpp"

#include <tvm/ffi/extra/c_env_api.h>

#include "errors.hpp"

namespace keysieve::ffi {
namespace {

struct ElementText {
  const char* name;
  std::int64_t bytes;
};

ElementText text_of(Element element) {
  switch (element) {
    case Element::kInt32:
      return {"int32", 4};
    case Element::kInt64:
      return {"int64", 8};
    case Element::kFloat32:
      return {"float32", 4};
    case Element::kFloat16:
      return {"float16", 2};
    case Element::kBFloat16:
      return {"bfloat16", 2};
    case Element::kErrorBits:
      return {"uint32", 4};
    case Element::kByte:
      return {"uint8", 1};
  }
  return {"unknown", 1};
}

std::string text_of(DLDataType type) {
  std::string name;
  switch (type.code) {
    case kDLInt:
      name = "int";
      break;
    case kDLUInt:
      name = "uint";
      break;
    case kDLFloat:
      name = "float";
      break;
    case kDLBfloat:
      name = "bfloat";
      break;
    case kDLBool:
      return "bool";
    case kDLComplex:
      name = "complex";
      break;
    default:
      name = "type code " + std::to_string(type.code) + " bits ";
  }
  name += std::to_string(type.bits);
  if (type.lanes != 1) name.append("x").append(std::to_string(type.lanes));
  return name;
}

bool matches(DLDataType type, Element element) {
  if (type.lanes != 1) return false;
  const auto is = [type](DLDataTypeCode code, int bits) { return type.code == code && type.bits == bits; };
  const bool bits16 = is(kDLUInt, 16) || is(kDLInt, 16);
  switch (element) {
    case Element::kInt32:
      return is(kDLInt, 32);
    case Element::kInt64:
      return is(kDLInt, 64);
    case Element::kFloat32:
      return is(kDLFloat, 32);
    case Element::kFloat16:
      return is(kDLFloat, 16) || bits16;
    case Element::kBFloat16:
      return is(kDLBfloat, 16) || bits16;
    case Element::kErrorBits:
      return is(kDLUInt, 32) || is(kDLInt, 32);
    case Element::kByte:
      return is(kDLUInt, 8);
  }
  return false;
}

std::string shape_text(const TensorView& tensor) {
  std::string text = "[";
  for (std::int32_t axis = 0; axis < tensor.ndim(); ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(tensor.size(axis));
  }
  return text + "]";
}

std::string strides_text(const TensorView& tensor) {
  std::string text = "[";
  for (std::int32_t axis = 0; axis < tensor.ndim(); ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(tensor.stride(axis));
  }
  return text + "]";
}

std::string expected_text(std::initializer_list<Dim> shape) {
  std::string text = "[";
  for (const Dim& dim : shape) {
    if (text.size() > 1) text += ", ";
    text += dim.symbol;
    if (dim.size != kAnySize) text.append("=").append(std::to_string(dim.size));
  }
  return text + "]";
}

bool fits(const TensorView& tensor, std::initializer_list<Dim> shape) {
  if (tensor.ndim() != static_cast<std::int32_t>(shape.size())) return false;
  std::int32_t axis = 0;
  for (const Dim& dim : shape) {
    if (dim.size != kAnySize && dim.size != tensor.size(axis)) return false;
    ++axis;
  }
  return true;
}

// On CUDA a tensor in managed or pinned memory is another device type; keysieve takes plain device memory.
bool same_device(DLDevice left, DLDevice right) {
  return left.device_type == right.device_type && (left.device_type == kDLCPU || left.device_id == right.device_id);
}

}  // namespace

Element element_of_score(std::int32_t score_type) {
  switch (score_type) {
    case KEYSIEVE_FLOAT16:
      return Element::kFloat16;
    case KEYSIEVE_BFLOAT16:
      return Element::kBFloat16;
    default:
      return Element::kFloat32;
  }
}

Element element_of_index(std::int32_t index_type) {
  return index_type == KEYSIEVE_INT64 ? Element::kInt64 : Element::kInt32;
}

Place place_of(const keysieve_select_problem& problem) {
  const bool cuda = problem.device_type == KEYSIEVE_DEVICE_CUDA;
  return {DLDevice{cuda ? kDLCUDA : kDLCPU, cuda ? problem.device_ordinal : 0}};
}

std::string text_of(DLDevice device) {
  switch (device.device_type) {
    case kDLCPU:
      return "cpu";
    case kDLCUDA:
      return "cuda:" + std::to_string(device.device_id);
    case kDLCUDAHost:
      return "pinned host memory";
    case kDLCUDAManaged:
      return "managed memory of cuda:" + std::to_string(device.device_id);
    default:
      return "device type " + std::to_string(device.device_type) + ":" + std::to_string(device.device_id);
  }
}

void expect_tensor(const char* name, const TensorView& tensor, Element element, const Place& place,
                   std::initializer_list<Dim> shape) {
  const bool device_fits = same_device(tensor.device(), place.device);
  const bool type_fits = matches(tensor.dtype(), element);
  if (device_fits && type_fits && fits(tensor, shape)) {
    const auto address = reinterpret_cast<std::uintptr_t>(data_of(tensor));
    const ElementText text = text_of(element);
    if (address % static_cast<std::uintptr_t>(text.bytes) != 0) {
      throw_value_error(std::string(name) + ": expected an address that is a multiple of " +
                        std::to_string(text.bytes) + " bytes, got one that is " +
                        std::to_string(address % static_cast<std::uintptr_t>(text.bytes)) + " past it");
    }
    return;
  }
  const std::string message = std::string(name) + ": expected " + expected_text(shape) + " " + text_of(element).name +
                              " on " + text_of(place.device) + ", got " + shape_text(tensor) + " " +
                              text_of(tensor.dtype()) + " on " + text_of(tensor.device());
  if (!device_fits) throw_runtime_error(message);
  if (!type_fits) throw_type_error(message);
  throw_value_error(message);
}

std::int64_t row_stride_of(const char* name, const TensorView& tensor) {
  const std::int64_t rows = tensor.size(0);
  const std::int64_t columns = tensor.size(1);
  if (columns > 1 && rows > 0 && tensor.stride(1) != 1) {
    throw_value_error(std::string(name) + ": expected adjacent elements in a row (inner stride 1), got strides " +
                      strides_text(tensor));
  }
  if (rows <= 1) return KEYSIEVE_AUTO;
  if (columns > 0 && tensor.stride(0) < columns) {
    throw_value_error(std::string(name) + ": expected a row stride >= " + std::to_string(columns) + ", got strides " +
                      strides_text(tensor));
  }
  return columns > 0 ? tensor.stride(0) : KEYSIEVE_AUTO;
}

void expect_contiguous(const char* name, const TensorView& tensor) {
  if (tensor.size(0) > 1 && tensor.stride(0) != 1) {
    throw_value_error(std::string(name) + ": expected a contiguous array (stride 1), got strides " +
                      strides_text(tensor) + "; pass a contiguous copy");
  }
}

void* data_of(const TensorView& tensor) { return static_cast<char*>(tensor.data_ptr()) + tensor.byte_offset(); }

void* per_row(const char* name, const Optional<TensorView>& tensor, Element element, const Place& place,
              std::int64_t rows) {
  if (!tensor.has_value()) return nullptr;
  expect_tensor(name, *tensor, element, place, {{"rows", rows}});
  expect_contiguous(name, *tensor);
  return data_of(*tensor);
}

std::int32_t* per_row(const char* name, const Optional<TensorView>& tensor, const Place& place, std::int64_t rows) {
  return static_cast<std::int32_t*>(per_row(name, tensor, Element::kInt32, place, rows));
}

std::uint32_t* error_word_of(const Optional<TensorView>& tensor, const Place& place) {
  if (!tensor.has_value()) return nullptr;
  if ((*tensor).ndim() == 0) {
    expect_tensor("error_word", *tensor, Element::kErrorBits, place, {});
  } else {
    expect_tensor("error_word", *tensor, Element::kErrorBits, place, {{"words", 1}});
  }
  return static_cast<std::uint32_t*>(data_of(*tensor));
}

void* stream_of(const Place& place) {
  if (place.device.device_type == kDLCPU) return nullptr;
  return TVMFFIEnvGetStream(place.device.device_type, place.device.device_id);
}

}  // namespace keysieve::ffi
