#include "operation/tensor_check.hpp"

#include <algorithm>
#include <string>

#include "core/overlap.hpp"

namespace keysieve {
namespace {

constexpr struct {
  const char* name;
  std::int64_t bytes;
} kElements[] = {{"float32", 4}, {"bfloat16", 2}, {"float16", 2}, {"int32", 4}, {"int64", 8}, {"byte", 1}};

bool is_element(std::int32_t element) {
  return element >= 0 && element < static_cast<std::int32_t>(std::size(kElements));
}

std::string shape_text(const keysieve_tensor& tensor) {
  std::string text = "[";
  for (std::int32_t axis = 0; axis < tensor.rank; ++axis) {
    text += (axis > 0 ? ", " : "") + std::to_string(tensor.shape[axis]);
  }
  return text + "]";
}

std::string strides_text(const keysieve_tensor& tensor) {
  std::string text = "strides [";
  for (std::int32_t axis = 0; axis < tensor.rank; ++axis) {
    text += (axis > 0 ? ", " : "") + std::to_string(tensor.strides[axis]);
  }
  return text + "]";
}

// As rows of adjacent bytes; where more than one axis has gaps, the whole extent.
StridedBytes as_rows(const keysieve_tensor& tensor) {
  const std::int64_t bytes = element_bytes(tensor.element);
  if (has_no_elements(tensor)) return {};
  std::int64_t row = 1;
  std::int32_t axis = tensor.rank;
  while (axis > 0 && (tensor.shape[axis - 1] == 1 || tensor.strides[axis - 1] == row)) row *= tensor.shape[--axis];
  if (axis == 0) return {tensor.data, 1, row * bytes, row * bytes};
  std::int64_t outer = 1;
  for (std::int32_t i = 0; i + 1 < axis; ++i) outer *= tensor.shape[i];
  const std::int64_t stride = tensor.strides[axis - 1];
  if (outer == 1 && stride >= row) return {tensor.data, tensor.shape[axis - 1], row * bytes, stride * bytes};
  const std::int64_t extent = extent_bytes(tensor);
  return {tensor.data, 1, extent, extent};
}

}  // namespace

std::int64_t element_bytes(std::int32_t element) { return is_element(element) ? kElements[element].bytes : 1; }
const char* element_name(std::int32_t element) { return is_element(element) ? kElements[element].name : "no element"; }

bool has_no_elements(const keysieve_tensor& tensor) {
  return tensor.rank == 0 ||
         std::any_of(tensor.shape, tensor.shape + tensor.rank, [](std::int64_t n) { return n == 0; });
}

std::int64_t extent_bytes(const keysieve_tensor& tensor) {
  if (has_no_elements(tensor)) return 0;
  std::int64_t last = 0;
  for (std::int32_t axis = 0; axis < tensor.rank; ++axis) last += (tensor.shape[axis] - 1) * tensor.strides[axis];
  return (last + 1) * element_bytes(tensor.element);
}

bool resolve_strides(const char* name, keysieve_tensor& tensor, Faults& faults) {
  const std::string prefix(name);
  if (tensor.rank == 0) return true;
  if (!check_range(faults, (prefix + ".rank").c_str(), 0, KEYSIEVE_MAX_RANK, tensor.rank)) return false;
  if (!is_element(tensor.element)) {
    faults.invalid(prefix + ".element: expected 0.." + std::to_string(std::size(kElements) - 1) + ", got " +
                   std::to_string(tensor.element));
    return false;
  }
  // No offset of an element may leave 63 bits.
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  std::int64_t dense = 1, elements = 1;
  for (std::int32_t axis = tensor.rank - 1; axis >= 0; --axis) {
    const std::int64_t size = tensor.shape[axis];
    std::int64_t& stride = tensor.strides[axis];
    if (stride == KEYSIEVE_AUTO) stride = dense;
    if (size < 0 || stride < 0 || (size > 0 && elements > kMost / size) || (size > 1 && stride > kMost / size)) {
      faults.invalid(prefix + ": expected sizes and strides from 0 up, within 2^60 elements, got " +
                     shape_text(tensor) + ", " + strides_text(tensor));
      return false;
    }
    elements *= std::max<std::int64_t>(size, 1);
    dense = std::max<std::int64_t>(stride, 1) * std::max<std::int64_t>(size, 1);
  }
  return true;
}

bool share_bytes(const keysieve_tensor& a, const keysieve_tensor& b) { return overlaps(as_rows(a), as_rows(b)); }

bool check_range(Faults& faults, const char* name, std::int64_t low, std::int64_t high, std::int64_t value) {
  if (value >= low && value <= high) return true;
  faults.invalid(std::string(name) + ": expected " + std::to_string(low) + ".." + std::to_string(high) + ", got " +
                 std::to_string(value));
  return false;
}

void TensorCheck::expect(bool condition, const std::string& expected, const std::string& got) {
  if (condition) return;
  faults_.invalid(std::string(name_) + ": expected " + expected + ", got " + got);
  good_ = false;
}

bool TensorCheck::is_dense_from(std::int32_t first) const {
  std::int64_t dense = 1;
  bool fits = true;
  for (std::int32_t axis = tensor_.rank - 1; axis >= first; --axis) {
    fits = fits && (tensor_.shape[axis] == 1 || tensor_.strides[axis] == dense);
    dense *= tensor_.shape[axis];
  }
  return fits;
}

TensorCheck& TensorCheck::required() {
  if (!is_present(tensor_)) {
    expect(false, "a tensor", "none");
  } else if (tensor_.data == nullptr && !has_no_elements(tensor_)) {
    expect(false, "a pointer", "null");
  }
  return *this;
}

TensorCheck& TensorCheck::element(std::initializer_list<std::int32_t> elements) {
  if (!good_) return *this;
  std::string names;
  bool fits = false;
  for (const std::int32_t each : elements) {
    fits = fits || each == tensor_.element;
    names += (names.empty() ? "" : " or ") + std::string(element_name(each));
  }
  expect(fits, names, element_name(tensor_.element));
  const auto bytes = static_cast<std::uintptr_t>(element_bytes(tensor_.element));
  const std::uintptr_t past = reinterpret_cast<std::uintptr_t>(tensor_.data) % bytes;
  if (good_)
    expect(past == 0, "an address that is a multiple of " + std::to_string(bytes), std::to_string(past) + " past it");
  return *this;
}

TensorCheck& TensorCheck::shape(std::initializer_list<Dim> dims) {
  if (!good_) return *this;
  bool fits = tensor_.rank == static_cast<std::int32_t>(dims.size());
  std::string text = "[";
  std::int32_t axis = 0;
  for (const Dim& dim : dims) {
    text += (axis > 0 ? ", " : "") + std::string(dim.symbol);
    if (dim.size != kAnySize) text += "=" + std::to_string(dim.size);
    fits = fits && (dim.size == kAnySize || dim.size == tensor_.shape[axis]);
    ++axis;
  }
  expect(fits, text + "]", shape_text(tensor_));
  return *this;
}

TensorCheck& TensorCheck::inner_stride_1() {
  if (!good_ || has_no_elements(tensor_)) return *this;
  const std::int32_t inner = tensor_.rank - 1;
  expect(tensor_.shape[inner] == 1 || tensor_.strides[inner] == 1, "inner stride 1", strides_text(tensor_));
  // Rows of an input may repeat (stride 0); that outputs do not overlap themselves is the caller's to see to.
  return *this;
}

TensorCheck& TensorCheck::contiguous() {
  if (!good_ || has_no_elements(tensor_)) return *this;
  expect(is_dense_from(0), "a contiguous tensor", strides_text(tensor_));
  return *this;
}

TensorCheck& TensorCheck::contiguous_inside() {
  if (!good_ || has_no_elements(tensor_)) return *this;
  expect(is_dense_from(1), "contiguous axes but the first", strides_text(tensor_));
  return *this;
}

TensorCheck& TensorCheck::aligned(std::int64_t bytes) {
  if (!good_ || has_no_elements(tensor_)) return *this;
  const std::int64_t element = element_bytes(tensor_.element);
  bool fits = reinterpret_cast<std::uintptr_t>(tensor_.data) % static_cast<std::uintptr_t>(bytes) == 0;
  for (std::int32_t axis = 0; axis + 1 < tensor_.rank; ++axis) {
    fits = fits && (tensor_.shape[axis] == 1 || tensor_.strides[axis] * element % bytes == 0);
  }
  if (!fits) {
    faults_.unsupported(std::string(name_) + ": expected an address and strides that are multiples of " +
                        std::to_string(bytes) + " bytes");
    good_ = false;
  }
  return *this;
}

}  // namespace keysieve
