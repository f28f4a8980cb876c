#include <algorithm>
#include <atomic>

#include "cpu/operations.hpp"
#include "cpu/parallel.hpp"

namespace keysieve::cpu {
namespace {

constexpr std::int64_t kRowsAtOnce = 64;

// work(row) gives bits of the error word.
template <typename Work>
void over_rows(std::int64_t rows, std::uint32_t* error_word, std::int32_t threads, const Work& work) {
  parallel_for_each(threads, (rows + kRowsAtOnce - 1) / kRowsAtOnce, IndexedBody([&](std::int32_t, std::int64_t piece) {
                      std::uint32_t errors = 0;
                      const std::int64_t end = std::min(rows, (piece + 1) * kRowsAtOnce);
                      for (std::int64_t row = piece * kRowsAtOnce; row < end; ++row) errors |= work(row);
                      if (errors != 0 && error_word != nullptr) {
                        std::atomic_ref(*error_word).fetch_or(errors, std::memory_order_relaxed);
                      }
                    }));
}

}  // namespace

void context_guard(const ContextGuardParams& params, std::int32_t threads) {
  over_rows(params.rows, params.error_word, threads, [&](std::int64_t row) {
    std::uint32_t errors = 0;
    params.out[row] = guarded_length(params.lengths[row], params.max_context, errors);
    return errors;
  });
}

void selection_stamp(const SelectionStampParams& params, std::int32_t threads) {
  over_rows(params.rows, params.error_word, threads, [&](std::int64_t row) -> std::uint32_t {
    const StampedRow stamped(params, row);
    std::uint64_t sum = stamped.of_length();
    for (std::int64_t column = 0; column < stamped.pages; ++column) sum += stamped.of_page(params, column);
    if (params.expected != nullptr) return params.expected[row] != sum ? KEYSIEVE_ERROR_STALE_SELECTION : 0u;
    params.stamps[row] = sum;
    return 0;
  });
}

}  // namespace keysieve::cpu
