#include <algorithm>
#include <bit>

#include "capi/barrier.hpp"
#include "core/check_transform.hpp"
#include "core/transform_host.hpp"
#include "keysieve/types.hpp"

using keysieve::Status;
using keysieve::TransformArgs;
namespace capi = keysieve::capi;

extern "C" {

void keysieve_transform_args_init(keysieve_transform_args* args) {
  if (args != nullptr) *args = std::bit_cast<keysieve_transform_args>(TransformArgs{});
}

keysieve_status keysieve_transform_run(const keysieve_transform_args* c_args, void* /*stream*/) {
  return capi::guarded([&]() -> Status {
    TransformArgs args, resolved;
    if (Status status = capi::read_struct("args", c_args, args); !status.ok()) return status;
    if (Status status = keysieve::resolve_transform_args(args, resolved); !status.ok()) return status;
    if (resolved.rows > 0) keysieve::transform_host(resolved);
    return {};
  });
}

keysieve_status keysieve_row_lengths(const int32_t* request_lengths, int64_t requests, int32_t next_n,
                                     int32_t compress_ratio, int32_t* out) {
  return capi::guarded([&]() -> Status {
    const auto at_least = [](const char* name, std::int64_t low, std::int64_t value) {
      return Status::invalid_argument(std::string(name) + ": expected at least " + std::to_string(low) + ", got " +
                                      std::to_string(value));
    };
    if (requests < 0) return at_least("requests", 0, requests);
    if (next_n < 1) return at_least("next_n", 1, next_n);
    if (compress_ratio < 1) return at_least("compress_ratio", 1, compress_ratio);
    if (requests > KEYSIEVE_MAX_WIDTH / next_n) {
      return Status::invalid_argument("requests: expected requests * next_n <= 2147483647, got " +
                                      std::to_string(requests) + " * " + std::to_string(next_n));
    }
    if (requests == 0) return {};
    if (request_lengths == nullptr) return Status::invalid_argument("request_lengths: expected a pointer, got null");
    if (out == nullptr) return Status::invalid_argument("out: expected a pointer, got null");
    for (std::int64_t request = 0; request < requests; ++request) {
      for (std::int32_t draft = 0; draft < next_n; ++draft) {
        const std::int64_t visible = std::int64_t{request_lengths[request]} - next_n + draft + 1;
        out[request * next_n + draft] = static_cast<std::int32_t>(std::max<std::int64_t>(visible, 0) / compress_ratio);
      }
    }
    return {};
  });
}

}  // extern "C"
