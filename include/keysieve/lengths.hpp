// Row lengths of a decode step from request lengths, draft tokens and compression.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "keysieve/select.hpp"

namespace keysieve {

// out[b * next_n + t] = max(0, request_lengths[b] - next_n + t + 1) / compress_ratio, rounded down.
// request_lengths counts uncompressed tokens, this step's next_n included. Host memory.
inline void row_lengths(std::span<const std::int32_t> request_lengths, std::int32_t next_n, std::int32_t compress_ratio,
                        std::span<std::int32_t> out) {
  if (next_n >= 1 && out.size() != request_lengths.size() * static_cast<std::size_t>(next_n)) {
    throw Error(StatusCode::kInvalidArgument,
                "out: expected [requests * next_n = " +
                    std::to_string(request_lengths.size() * static_cast<std::size_t>(next_n)) + "], got [" +
                    std::to_string(out.size()) + "]");
  }
  detail::throw_if_failed(detail::to_status(keysieve_row_lengths(
      request_lengths.data(), static_cast<std::int64_t>(request_lengths.size()), next_n, compress_ratio, out.data())));
}

}  // namespace keysieve
