// Scores of several columns of a thread, all under way at once.
#pragma once

#include "candidates/slot_table.hpp"
#include "cuda/simt/simt.hpp"

namespace keysieve {

template <typename Bits, int kColumns>
KEYSIEVE_DEVICE void keep_good_scores(const ScoreRows& rows, std::int64_t row, const std::int32_t (&columns)[kColumns],
                                      bool (&is_valid)[kColumns]) {
  const Bits* scores = static_cast<const Bits*>(rows.scores) + row * rows.row_stride;
  Bits bits[kColumns];
  KEYSIEVE_UNROLL
  for (int i = 0; i < kColumns; ++i) bits[i] = is_valid[i] ? scores[columns[i]] : Bits{0};
  KEYSIEVE_UNROLL
  for (int i = 0; i < kColumns; ++i) {
    if (!is_above_minus_infinity(bits[i], rows.infinity)) is_valid[i] = false;
  }
}

// Clears is_valid where the score is not above -inf.
template <int kColumns>
KEYSIEVE_DEVICE void keep_good_scores(const ScoreRows& rows, std::int64_t row, const std::int32_t (&columns)[kColumns],
                                      bool (&is_valid)[kColumns]) {
  if (rows.scores == nullptr) return;
  if (rows.is_16_bit != 0) {
    keep_good_scores<std::uint16_t, kColumns>(rows, row, columns, is_valid);
  } else {
    keep_good_scores<std::uint32_t, kColumns>(rows, row, columns, is_valid);
  }
}

}  // namespace keysieve
