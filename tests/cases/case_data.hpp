// A case as memory: guarded inputs, guarded and poisoned outputs, and one run of a plan over them.
#pragma once

#include <cstdint>
#include <string>

#include "cases/guarded_buffer.hpp"
#include "cases/select_case.hpp"
#include "keysieve/select.hpp"

namespace keysieve::cases {

// The inputs of a case. Columns outside every window and the gaps between rows hold decoys (+inf, NaN, 1e30),
// so that reading one row as another, or one column too far, changes the result.
class CaseInputs {
 public:
  explicit CaseInputs(const SelectCase& spec);

  const SelectCase& spec() const { return spec_; }
  SelectProblem problem() const;
  // Input pointers, strides and next_n; no outputs. The hint is that of the scores as they were made.
  SelectArgs args() const;

  std::int64_t row_stride() const { return spec_.width + spec_.row_padding; }
  std::uint32_t score(std::int64_t row, std::int64_t column) const;
  // For inputs that no pattern describes; the column counts from the start of the buffer's row.
  void set_score(std::int64_t row, std::int64_t column, std::uint32_t bits);
  void set_score(std::int64_t row, std::int64_t column, double value);
  // The whole width, windows or not.
  void set_row(std::int64_t row, const PatternSpec& pattern);
  void set_page(std::int64_t line, std::int64_t column, std::int32_t page);

  std::uint64_t checksum() const;
  std::string damaged() const;  // empty, or the input whose canary changed

 private:
  void make_windows();
  void make_scores();
  void make_hints();
  void make_offsets();
  void make_page_table();

  SelectCase spec_;
  GuardedBuffer scores_, lengths_, starts_, ends_, offsets_, table_, row_to_table_, hints_;
  std::int64_t length_request_stride_ = 1;
  std::int64_t table_lines_ = 0, table_columns_ = 0;
  std::int64_t num_pages_ = kAuto;
};

// Outputs and workspace, filled with one byte before the run.
class CaseResult {
 public:
  // Bit that the library never sets: still there afterwards, as the word is only OR-ed.
  static constexpr std::uint32_t kCallerErrorBit = 0x80000000u;

  CaseResult(const CaseInputs& inputs, std::int64_t workspace_bytes, std::uint8_t poison);

  void add_to(SelectArgs& args);
  std::string damaged() const;
  // Empty, or the first gap element (between k and the row stride) that was written.
  std::string gap_written() const;

  std::int64_t index(std::int64_t row, std::int64_t slot) const { return load_index(indices_, row, slot); }
  std::int64_t raw_index(std::int64_t row, std::int64_t slot) const { return load_index(raw_indices_, row, slot); }
  std::uint32_t value(std::int64_t row, std::int64_t slot) const;
  std::int32_t count(std::int64_t row) const { return counts_.as<std::int32_t>()[row]; }
  std::uint32_t error_word() const { return *error_word_.as<std::uint32_t>(); }

  void set_index(std::int64_t row, std::int64_t slot, std::int64_t value) { store_index(indices_, row, slot, value); }
  void set_raw_index(std::int64_t row, std::int64_t slot, std::int64_t value) {
    store_index(raw_indices_, row, slot, value);
  }
  void set_value(std::int64_t row, std::int64_t slot, std::uint32_t bits);
  void set_count(std::int64_t row, std::int32_t count) { counts_.as<std::int32_t>()[row] = count; }
  void or_error_word(std::uint32_t bits) { *error_word_.as<std::uint32_t>() |= bits; }

 private:
  std::int64_t load_index(const GuardedBuffer& buffer, std::int64_t row, std::int64_t slot) const;
  void store_index(GuardedBuffer& buffer, std::int64_t row, std::int64_t slot, std::int64_t value);

  std::int64_t rows_, k_, stride_;
  ScoreType score_type_;
  IndexType index_type_;
  bool has_raw_, has_values_, has_counts_, has_error_word_;
  std::uint8_t poison_;
  GuardedBuffer indices_, raw_indices_, values_, counts_, error_word_, workspace_;
};

// Runs the plan once. Returns an empty string, or what is wrong apart from the result: a failed call, a changed
// input, a damaged canary, a written gap.
std::string run_plan(const SelectPlan& plan, const CaseInputs& inputs, CaseResult& result);

}  // namespace keysieve::cases
