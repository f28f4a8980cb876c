// What a kernel expects of a tensor, said once: each failure names the argument, what was expected and what was given.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "keysieve/kernels.h"
#include "operation/faults.hpp"

namespace keysieve {

inline constexpr std::int64_t kAnySize = -1;

struct Dim {
  const char* symbol;
  std::int64_t size;  // kAnySize: any
};

std::int64_t element_bytes(std::int32_t element);
const char* element_name(std::int32_t element);

inline bool is_present(const keysieve_tensor& tensor) { return tensor.rank != 0; }
bool has_no_elements(const keysieve_tensor& tensor);

// From the first to the last byte, gaps included. 0 where there are no elements. Strides are resolved.
std::int64_t extent_bytes(const keysieve_tensor& tensor);

// Replaces KEYSIEVE_AUTO strides. False where rank, element, shape or strides are no tensor at all; the fault says why.
bool resolve_strides(const char* name, keysieve_tensor& tensor, Faults& faults);

// Do two tensors share bytes? Exact for rows of equal stride, conservative otherwise.
bool share_bytes(const keysieve_tensor& a, const keysieve_tensor& b);

// Conditions of one tensor. Strides are resolved. Once shape or element are wrong the rest is not looked at.
class TensorCheck {
 public:
  TensorCheck(Faults& faults, const char* name, const keysieve_tensor& tensor)
      : faults_(faults), name_(name), tensor_(tensor), good_(is_present(tensor)) {}

  TensorCheck& required();  // not null either, where it has elements
  TensorCheck& element(std::initializer_list<std::int32_t> elements);
  TensorCheck& shape(std::initializer_list<Dim> dims);
  TensorCheck& inner_stride_1();
  TensorCheck& contiguous();
  // All axes but the first: entries of the first may have gaps between them.
  TensorCheck& contiguous_inside();
  // Address and outer strides are multiples of `bytes`; else UNSUPPORTED.
  TensorCheck& aligned(std::int64_t bytes);

  bool good() const { return good_; }

 private:
  void expect(bool condition, const std::string& expected, const std::string& got);
  bool is_dense_from(std::int32_t axis) const;

  Faults& faults_;
  const char* name_;
  const keysieve_tensor& tensor_;
  bool good_;
};

// "name: expected low..high, got value", where it is not.
bool check_range(Faults& faults, const char* name, std::int64_t low, std::int64_t high, std::int64_t value);
constexpr bool is_power_of_two(std::int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

}  // namespace keysieve
