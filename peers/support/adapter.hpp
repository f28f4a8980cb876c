// What every adapter of this folder needs: its error text, the barrier against exceptions, the questions of a plain
// selection. Header only, each library has its own copy.
#pragma once

#include <keysieve/peer.h>

#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <utility>

namespace peers {

inline std::string& error_text() {
  thread_local std::string text;
  return text;
}

inline keysieve_status fail(keysieve_status status, std::string text) {
  error_text() = std::move(text);
  return status;
}

// No exception crosses the C table.
template <typename Body>
keysieve_status guarded(Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc&) {
    error_text() = "out of memory";  // short enough to need none
    return KEYSIEVE_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    return fail(KEYSIEVE_INTERNAL, error.what());
  }
}

// The first condition that stands against a selection of positions into unordered slots, the one thing that all these
// implementations do. Of ties and NaN only the defaults are let through: the promises answer for those.
inline const char* unmet_raw_selection(const keysieve_select_problem& problem) {
  if (problem.mode != KEYSIEVE_MODE_RAW) return "mode: expected raw";
  if (problem.order != KEYSIEVE_ORDER_ANY) return "order: expected any";
  if (problem.ties == KEYSIEVE_TIES_LARGEST) return "ties: expected smallest or any";
  if (problem.nan_policy != KEYSIEVE_NAN_LOWEST) return "nan_policy: expected lowest";
  if (problem.mask_neg_inf) return "mask_neg_inf: expected 0";
  if (problem.check_nan) return "check_nan: expected 0";
  if (problem.k < 1) return "k: expected 1 or more";
  return nullptr;
}

// The same of a call's tensors: lengths, one a row, are the only optional input, indices the only output.
inline const char* unmet_raw_tensors(const keysieve_select_args& args) {
  if (args.next_n > 1) return "next_n: expected 1";
  if (args.lengths && args.length_request_stride != 1) return "length_request_stride: expected 1";
  if (args.row_starts) return "row_starts: expected NULL";
  if (args.row_ends) return "row_ends: expected NULL";
  if (args.values) return "values: expected NULL";
  if (args.counts) return "counts: expected NULL";
  return nullptr;
}

}  // namespace peers
