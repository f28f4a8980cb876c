// Status of a keysieve call: a code and a message that names the argument, what was expected and what was
// given. The throwing functions of the C++ face raise keysieve::Error with the same two.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "keysieve/c_api.h"

namespace keysieve {

enum class StatusCode : std::int32_t {
  kOk = KEYSIEVE_OK,
  kInvalidArgument = KEYSIEVE_INVALID_ARGUMENT,
  kUnsupported = KEYSIEVE_UNSUPPORTED,
  kOutOfMemory = KEYSIEVE_OUT_OF_MEMORY,
  kDeviceError = KEYSIEVE_DEVICE_ERROR,
  kInternal = KEYSIEVE_INTERNAL,
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  static Status invalid_argument(std::string message) { return {StatusCode::kInvalidArgument, std::move(message)}; }
  static Status unsupported(std::string message) { return {StatusCode::kUnsupported, std::move(message)}; }

  bool ok() const noexcept { return code_ == StatusCode::kOk; }
  StatusCode code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

class Error : public std::runtime_error {
 public:
  Error(StatusCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  StatusCode code() const noexcept { return code_; }

 private:
  StatusCode code_;
};

}  // namespace keysieve
