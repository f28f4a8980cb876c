// The exception barrier of the C ABI and the thread's last error.
#pragma once

#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "keysieve/status.hpp"

namespace keysieve::capi {

keysieve_status fail(StatusCode code, const char* message) noexcept;
keysieve_status finish(const Status& status) noexcept;

// Runs `body`, which returns a Status; nothing thrown leaves the C ABI.
template <typename Body>
keysieve_status guarded(Body&& body) noexcept {
  try {
    return finish(body());
  } catch (const std::bad_alloc&) {
    return fail(StatusCode::kOutOfMemory, "out of host memory");
  } catch (const std::exception& error) {
    return fail(StatusCode::kInternal, error.what());
  } catch (...) {
    return fail(StatusCode::kInternal, "unknown exception");
  }
}

// A caller built against an older header passes a shorter struct; the missing tail keeps the defaults that
// `value` holds. A longer one (a newer header) is refused unless its tail is zero: we cannot honour it.
template <typename Struct, typename CStruct>
Status read_struct(const char* name, const CStruct* from, Struct& value) {
  if (from == nullptr) return Status::invalid_argument(std::string(name) + ": expected a pointer, got null");
  const std::size_t size = from->struct_size;
  if (size < 2 * sizeof(std::uint32_t)) {
    return Status::invalid_argument(std::string(name) + ".struct_size: expected " + std::to_string(sizeof(Struct)) +
                                    " (use the init function), got " + std::to_string(size));
  }
  const std::size_t known = size < sizeof(Struct) ? size : sizeof(Struct);
  std::memcpy(static_cast<void*>(&value), from, known);
  for (std::size_t i = sizeof(Struct); i < size; ++i) {
    if (reinterpret_cast<const unsigned char*>(from)[i] != 0) {
      return Status::invalid_argument(std::string(name) + ".struct_size: expected at most " +
                                      std::to_string(sizeof(Struct)) + " or zeros behind, got " + std::to_string(size) +
                                      " with a field this library does not know");
    }
  }
  value.struct_size = sizeof(Struct);
  return {};
}

// The text protocol of c_api.h.
Status write_text(const std::string& text, char* buffer, std::size_t size, std::size_t* needed);

}  // namespace keysieve::capi
