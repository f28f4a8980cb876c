#include "plan_bytes.hpp"

#include <cstring>
#include <string>

#include "errors.hpp"

namespace keysieve::ffi {
namespace {

using ::tvm::ffi::Bytes;

template <typename Struct>
Bytes bytes_of(const Struct& value) {
  return Bytes(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <typename Struct>
Struct struct_from(const char* name, const Bytes& bytes) {
  Struct value;
  if (bytes.size() != sizeof(value)) {
    throw_value_error(std::string(name) + ": expected " + std::to_string(sizeof(value)) + " bytes, got " +
                      std::to_string(bytes.size()));
  }
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

}  // namespace

Bytes to_bytes(const keysieve_select_problem& problem) { return bytes_of(problem); }
Bytes to_bytes(const keysieve_select_plan& plan) { return bytes_of(plan); }

keysieve_select_problem problem_from_bytes(const Bytes& bytes) {
  return struct_from<keysieve_select_problem>("problem", bytes);
}

keysieve_select_plan plan_from_bytes(const Bytes& bytes) { return struct_from<keysieve_select_plan>("plan", bytes); }

Bytes to_bytes(const keysieve_publish_plan& plan) { return bytes_of(plan); }
keysieve_publish_plan publish_plan_from_bytes(const Bytes& bytes) {
  return struct_from<keysieve_publish_plan>("plan", bytes);
}

}  // namespace keysieve::ffi
