// Tensors of candidates.h one element at a time, and its tables by their formulas.
#pragma once

#include <cstdint>

#include "keysieve/candidates.h"

namespace keysieve::reference {

template <typename T>
T& element(const keysieve_tensor& tensor, std::int64_t row, std::int64_t column) {
  return static_cast<T*>(tensor.data)[row * tensor.strides[0] + column];
}

// The one of a row: lengths, starts, counts.
inline std::int32_t& row_number(const keysieve_tensor& tensor, std::int64_t row) {
  return static_cast<std::int32_t*>(tensor.data)[row];
}

void report(const keysieve_call& call, std::uint32_t bits);

std::int64_t length_of(const keysieve_call& call, const keysieve_tensor& lengths, std::int64_t row, std::int64_t most);

bool row_is_absent(const keysieve_tensor& row_to_table, std::int64_t row);

struct TableView {
  const keysieve_tensor& table;
  const keysieve_tensor& row_to_table;
  std::int64_t rows;
  std::int64_t page_size;
  std::int64_t num_pages;
  std::int64_t ratio;
};
std::int32_t slot_at(const keysieve_call& call, const TableView& view, std::int64_t row, std::int64_t position);

// NaN where the score is.
double score_of(const keysieve_tensor& scores, std::int64_t row, std::int64_t column);

// A number that is not below zero; -1 where it does not fit 32 bits, which is reported.
std::int32_t fitted(const keysieve_call& call, std::int64_t number);

}  // namespace keysieve::reference
