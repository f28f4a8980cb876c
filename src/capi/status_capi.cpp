#include <algorithm>
#include <array>
#include <cstdio>

#include "capi/barrier.hpp"
#include "keysieve/version.hpp"

#ifndef KEYSIEVE_GIT_REVISION
#define KEYSIEVE_GIT_REVISION ""
#endif

namespace keysieve::capi {
namespace {

// A fixed array and no std::string: storing an error must not itself fail. Long enough for every message of
// the library; a longer one is cut.
thread_local std::array<char, 4096> last_error{};

}  // namespace

keysieve_status fail(StatusCode code, const char* message) noexcept {
  std::snprintf(last_error.data(), last_error.size(), "%s", message);
  return static_cast<keysieve_status>(code);
}

keysieve_status finish(const Status& status) noexcept {
  if (status.ok()) return KEYSIEVE_OK;
  return fail(status.code(), status.message().c_str());
}

Status write_text(const std::string& text, char* buffer, std::size_t size, std::size_t* needed) {
  if (needed != nullptr) *needed = text.size() + 1;
  if (size == 0) return {};
  if (buffer == nullptr) return Status::invalid_argument("buffer: expected a pointer for a size above 0, got null");
  const std::size_t copied = std::min(text.size(), size - 1);
  std::memcpy(buffer, text.data(), copied);
  buffer[copied] = '\0';
  return {};
}

}  // namespace keysieve::capi

extern "C" {

int32_t keysieve_abi_version(void) { return KEYSIEVE_ABI_VERSION; }

const char* keysieve_version(void) { return KEYSIEVE_VERSION_STRING; }

const char* keysieve_build_info(void) {
#if defined(KEYSIEVE_HAVE_CUDA)
#define KEYSIEVE_CUDA_TEXT "device code"
#else
#define KEYSIEVE_CUDA_TEXT "no device code"
#endif
  return "keysieve " KEYSIEVE_VERSION_STRING " (" KEYSIEVE_GIT_REVISION "), " __VERSION__ ", " KEYSIEVE_CUDA_TEXT;
}

const char* keysieve_last_error(void) { return keysieve::capi::last_error.data(); }

const char* keysieve_status_name(keysieve_status status) {
  switch (status) {
    case KEYSIEVE_OK:
      return "OK";
    case KEYSIEVE_INVALID_ARGUMENT:
      return "INVALID_ARGUMENT";
    case KEYSIEVE_UNSUPPORTED:
      return "UNSUPPORTED";
    case KEYSIEVE_OUT_OF_MEMORY:
      return "OUT_OF_MEMORY";
    case KEYSIEVE_DEVICE_ERROR:
      return "DEVICE_ERROR";
    case KEYSIEVE_INTERNAL:
      return "INTERNAL";
    default:
      return "UNKNOWN";
  }
}

}  // extern "C"
