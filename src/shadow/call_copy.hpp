// Some rows of a call as they lie in a slot's memory: which bytes go where, and the one-row problems that the copies
// make.
//
//   [whole page table, where row_to_table picks its lines] [row] [row] ...
//   row: [numbers] [scores] [indices] [raw indices] [values] [page-table line]
//
// Lengths live on the device, so a row's capacity is copied and not its live part. Every piece begins at a multiple of
// 16 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "keysieve/types.hpp"

namespace keysieve::shadow {

// `lines` stretches of `line_bytes`, one every `stride_bytes` of the source, dense at `offset` of the slot.
struct Piece {
  const void* from;
  std::size_t offset;
  std::size_t line_bytes;
  std::size_t lines;
  std::size_t stride_bytes;
};

// At most this many pieces a row, and one for the table.
inline constexpr std::size_t kMaxPiecesPerRow = 11;

// A call as it was observed. Of the pointers in `args` only null or not is looked at once the pieces are made.
struct CallCopy {
  SelectProblem problem;
  SelectArgs args;  // strides resolved
  std::int64_t call = 0;
  std::int64_t picks = 0;  // rows copied
};

// One copied row as a problem of its own, for the reference and for the comparison.
struct RowView {
  SelectProblem problem;  // rows = 1
  SelectArgs args;        // inputs and outputs inside the slot; outputs that the call had not are null
};

class CopyLayout {
 public:
  CopyLayout(const SelectProblem& problem, const SelectArgs& args);

  // How many rows fit; 0: not one.
  std::int64_t rows_that_fit(std::int64_t slot_bytes) const;

  // Appends; the vector's capacity must do.
  void add_table(std::vector<Piece>& pieces) const;
  void add_row(std::int64_t row, std::int64_t pick, std::vector<Piece>& pieces) const;

  RowView row_view(std::byte* slot, std::int64_t pick) const;

 private:
  std::size_t row_offset(std::int64_t pick) const;
  bool whole_table() const { return paged_ && args_.row_to_table != nullptr; }

  const SelectProblem& problem_;
  const SelectArgs& args_;
  bool paged_;
  std::int64_t columns_ = 0;  // of the page table, as far as the width reaches
  bool copyable_ = true;      // false: the table's stride is past what a copy can take
  std::size_t table_bytes_ = 0, row_bytes_ = 0;
  std::size_t scores_ = 0, indices_ = 0, raw_indices_ = 0, values_ = 0, line_ = 0;
};

}  // namespace keysieve::shadow
