// What the calls of candidates.h have in common: conditions of their tensors, and how their tables reach the kernels.
#pragma once

#include "candidates/slot_table.hpp"
#include "operation/tensor_check.hpp"

namespace keysieve {

inline constexpr std::int64_t kMostRows = INT32_MAX;

bool check_rows(Faults& faults, std::int64_t rows);
bool check_block_size(Faults& faults, std::int32_t block_size);

// [rows], or [requests, next_n] of as many; contiguous int32.
void check_lengths(Faults& faults, const keysieve_tensor& lengths, std::int64_t rows);

// [rows, columns] int32 without gaps inside a row.
bool check_int32_rows(Faults& faults, const char* name, const keysieve_tensor& tensor, Dim rows, Dim columns);

// Optional [rows] int32.
void check_row_numbers(Faults& faults, const char* name, const keysieve_tensor& tensor, std::int64_t rows);

// A table and its row_to_table. `lengths` may be none.
void check_table(Faults& faults, const char* name, const keysieve_tensor& table, const keysieve_tensor& row_to_table,
                 const keysieve_tensor& lengths, std::int64_t rows);
void check_num_pages(Faults& faults, std::int64_t num_pages);

// [rows, width] scores.
bool check_scores(Faults& faults, const keysieve_tensor& scores, std::int64_t rows);

SlotTable slot_table(const keysieve_tensor& table, const keysieve_tensor& row_to_table, std::int64_t rows,
                     std::int64_t page_size, std::int64_t num_pages, std::int64_t ratio);
ScoreRows score_rows(const keysieve_tensor& scores);

template <typename T>
T* data_of(const keysieve_tensor& tensor) {
  return is_present(tensor) ? static_cast<T*>(tensor.data) : nullptr;
}

}  // namespace keysieve
