#include "candidates/row_checks.hpp"

#include <bit>

namespace keysieve {

bool check_rows(Faults& faults, std::int64_t rows) { return check_range(faults, "rows", 0, kMostRows, rows); }

bool check_block_size(Faults& faults, std::int32_t block_size) {
  if (block_size == 8 || block_size == 16) return true;
  faults.invalid("block_size: expected 8 or 16, got " + std::to_string(block_size));
  return false;
}

void check_lengths(Faults& faults, const keysieve_tensor& lengths, std::int64_t rows) {
  TensorCheck check(faults, "lengths", lengths);
  check.required().element({KEYSIEVE_ELEMENT_INT32}).contiguous();
  if (!check.good()) return;
  if (lengths.rank == 2) {
    const std::int64_t given = lengths.shape[0] * lengths.shape[1];
    if (given != rows) {
      faults.invalid("lengths: expected rows=" + std::to_string(rows) + " in all, got " + std::to_string(given));
    }
    return;
  }
  check.shape({{"rows", rows}});
}

bool check_int32_rows(Faults& faults, const char* name, const keysieve_tensor& tensor, Dim rows, Dim columns) {
  TensorCheck check(faults, name, tensor);
  check.required().element({KEYSIEVE_ELEMENT_INT32}).shape({rows, columns}).inner_stride_1();
  return check.good();
}

void check_row_numbers(Faults& faults, const char* name, const keysieve_tensor& tensor, std::int64_t rows) {
  if (!is_present(tensor)) return;
  TensorCheck(faults, name, tensor).required().element({KEYSIEVE_ELEMENT_INT32}).shape({{"rows", rows}}).contiguous();
}

void check_table(Faults& faults, const char* name, const keysieve_tensor& table, const keysieve_tensor& row_to_table,
                 const keysieve_tensor& lengths, std::int64_t rows) {
  check_row_numbers(faults, "row_to_table", row_to_table, rows);
  if (!check_int32_rows(faults, name, table, {"lines", kAnySize}, {"columns", kAnySize})) return;
  if (is_present(row_to_table)) return;
  const bool per_request = lengths.rank == 2 && table.shape[0] == lengths.shape[0];
  if (table.shape[0] != rows && !per_request) {
    faults.invalid(std::string(name) + ": expected a line for each of rows=" + std::to_string(rows) +
                   (lengths.rank == 2 ? " or for each request, " : " ") + "where there is no row_to_table, got " +
                   std::to_string(table.shape[0]));
  }
}

void check_num_pages(Faults& faults, std::int64_t num_pages) {
  if (num_pages != KEYSIEVE_AUTO) check_range(faults, "num_pages", 0, INT64_MAX, num_pages);
}

bool check_scores(Faults& faults, const keysieve_tensor& scores, std::int64_t rows) {
  TensorCheck check(faults, "scores", scores);
  check.required()
      .element({KEYSIEVE_ELEMENT_FLOAT32, KEYSIEVE_ELEMENT_BFLOAT16, KEYSIEVE_ELEMENT_FLOAT16})
      .shape({{"rows", rows}, {"width", kAnySize}})
      .inner_stride_1();
  return check.good();
}

SlotTable slot_table(const keysieve_tensor& table, const keysieve_tensor& row_to_table, std::int64_t rows,
                     std::int64_t page_size, std::int64_t num_pages, std::int64_t ratio) {
  SlotTable slots{};
  if (!is_present(table)) return slots;
  slots.entries = data_of<const std::int32_t>(table);
  slots.row_to_line = data_of<const std::int32_t>(row_to_table);
  slots.lines = table.shape[0];
  slots.columns = table.shape[1];
  slots.row_stride = table.strides[0];
  slots.num_pages = num_pages == KEYSIEVE_AUTO ? INT64_MAX : num_pages;
  slots.ratio = ratio;
  slots.page_size = static_cast<std::int32_t>(page_size);
  slots.page_shift = is_power_of_two(page_size) ? std::countr_zero(static_cast<std::uint64_t>(page_size)) : -1;
  const bool per_request = slots.row_to_line == nullptr && slots.lines > 0 && slots.lines < rows;
  slots.rows_per_line = per_request ? static_cast<std::int32_t>(rows / slots.lines) : 1;
  return slots;
}

ScoreRows score_rows(const keysieve_tensor& scores) {
  ScoreRows rows{};
  rows.scores = scores.data;
  rows.row_stride = scores.strides[0];
  rows.is_16_bit = scores.element == KEYSIEVE_ELEMENT_FLOAT32 ? 0 : 1;
  rows.infinity = scores.element == KEYSIEVE_ELEMENT_FLOAT32    ? 0x7F800000u
                  : scores.element == KEYSIEVE_ELEMENT_BFLOAT16 ? 0x7F80u
                                                                : 0x7C00u;
  return rows;
}

}  // namespace keysieve
