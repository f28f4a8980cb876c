#include "cpu/operation/rows.hpp"
#include "cpu/operations.hpp"

namespace keysieve::cpu {

void context_guard(const ContextGuardParams& params, std::int32_t threads) {
  for_each_row(threads, params.rows, [&](std::int64_t row) {
    std::uint32_t errors = 0;
    params.out[row] = guarded_length(params.lengths[row], params.max_context, errors);
    report(params.error_word, errors);
  });
}

void selection_stamp(const SelectionStampParams& params, std::int32_t threads) {
  for_each_row(threads, params.rows, [&](std::int64_t row) {
    const StampedRow stamped(params, row);
    std::uint64_t sum = stamped.of_length();
    for (std::int64_t column = 0; column < stamped.pages; ++column) sum += stamped.of_page(params, column);
    if (params.expected == nullptr) {
      params.stamps[row] = sum;
    } else if (params.expected[row] != sum) {
      report(params.error_word, KEYSIEVE_ERROR_STALE_SELECTION);
    }
  });
}

}  // namespace keysieve::cpu
