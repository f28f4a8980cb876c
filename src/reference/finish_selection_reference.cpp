// Selections turned into slots: in place, or through a sorted list of (what is sorted by, slot, raw).
#include <algorithm>
#include <limits>
#include <vector>

#include "candidates/filter_pages.hpp"
#include "candidates/finish_selection.hpp"
#include "reference/candidates_reference.hpp"

namespace keysieve {

using namespace reference;

namespace {

bool is_above_minus_infinity(double score) { return score > -std::numeric_limits<double>::infinity(); }

struct Entry {
  std::int64_t sorted_by;
  std::int32_t slot;
  std::int32_t raw;
};

// Is `i` inside [0, end)? -1 and INT32_MAX say "none".
bool is_inside(const keysieve_call& call, std::int32_t i, std::int64_t end) {
  if (i >= 0 && i < end) return true;
  if (i != -1 && i != INT32_MAX) report(call, KEYSIEVE_ERROR_BAD_ID);
  return false;
}

void write_row(const keysieve_tensor& out, const keysieve_tensor& raw, const keysieve_tensor& counts, std::int64_t row,
               std::vector<Entry> entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.sorted_by < b.sorted_by; });
  for (std::int64_t j = 0; j < out.shape[1]; ++j) {
    const bool is_entry = j < static_cast<std::int64_t>(entries.size());
    const Entry entry = is_entry ? entries[static_cast<std::size_t>(j)] : Entry{0, -1, -1};
    element<std::int32_t>(out, row, j) = entry.slot;
    if (raw.rank != 0) element<std::int32_t>(raw, row, j) = entry.raw;
  }
  if (counts.rank != 0) row_number(counts, row) = static_cast<std::int32_t>(entries.size());
}

}  // namespace

void FilterPages::reference(const Args& args) {
  const std::int64_t rows = args.selected.shape[0];
  const TableView table{args.page_table, args.row_to_table, rows, args.page_size, args.num_pages, 1};
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t j = 0; j < args.selected.shape[1]; ++j) {
      const std::int32_t i = element<std::int32_t>(args.selected, row, j);
      const bool is_valid = !row_is_absent(args.row_to_table, row) && is_inside(args.call, i, args.scores.shape[1]) &&
                            is_above_minus_infinity(score_of(args.scores, row, i));
      element<std::int32_t>(args.out, row, j) = is_valid ? slot_at(args.call, table, row, i) : -1;
      if (args.raw.rank != 0) element<std::int32_t>(args.raw, row, j) = is_valid ? i : -1;
    }
  }
}

void FinalizeSelection::reference(const Args& args) {
  const std::int64_t rows = args.selected.shape[0];
  const TableView table{args.token_table, args.row_to_table, rows, 1, KEYSIEVE_AUTO, args.ratio};
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t length = length_of(args.call, args.lengths, row, args.scores.shape[1]);
    std::vector<Entry> entries;
    for (std::int64_t j = 0; j < args.selected.shape[1] && !row_is_absent(args.row_to_table, row); ++j) {
      const std::int32_t i = element<std::int32_t>(args.selected, row, j);
      if (!is_inside(args.call, i, length) || !is_above_minus_infinity(score_of(args.scores, row, i))) continue;
      if (args.candidate_slots.rank == 0) {
        entries.push_back({i, slot_at(args.call, table, row, i), i});
        continue;
      }
      const auto position = element<std::int64_t>(args.candidate_positions, row, i);
      if (position < 0) continue;
      const std::int32_t raw = args.raw.rank != 0 ? fitted(args.call, position) : -1;
      entries.push_back({i, element<std::int32_t>(args.candidate_slots, row, i), raw});
    }
    write_row(args.out, args.raw, args.counts, row, entries);
  }
}

void FinishPaged::reference(const Args& args) {
  const std::int64_t rows = args.selected.shape[0], size = args.block_size;
  const TableView table{args.page_table, args.row_to_table, rows, args.page_size, args.num_pages, 1};
  for (std::int64_t row = 0; row < args.out.shape[0]; ++row) {
    std::vector<Entry> entries;
    const std::int64_t length = row < rows ? length_of(args.call, args.lengths, row, args.scores.shape[1]) : 0;
    for (std::int64_t j = 0; row < rows && j < args.selected.shape[1]; ++j) {
      if (row_is_absent(args.row_to_table, row)) break;
      const std::int32_t i = element<std::int32_t>(args.selected, row, j);
      if (!is_inside(args.call, i, length) || !is_above_minus_infinity(score_of(args.scores, row, i))) continue;
      std::int64_t position = i;
      if (args.blocks.rank != 0) {
        const std::int32_t id = element<std::int32_t>(args.blocks, row, i / size);
        if (!is_inside(args.call, id, (std::int64_t{1} << 31) / size)) continue;
        position = id * size + i % size;
        if (position == INT32_MAX) continue;  // no row is so long
      }
      entries.push_back({position, slot_at(args.call, table, row, position), static_cast<std::int32_t>(position)});
    }
    write_row(args.out, args.raw, args.counts, row, entries);
  }
}

void FinishFlat::reference(const Args& args) {
  for (std::int64_t row = 0; row < args.selected.shape[0]; ++row) {
    std::vector<Entry> entries;
    for (std::int64_t j = 0; j < args.selected.shape[1]; ++j) {
      const std::int32_t i = element<std::int32_t>(args.selected, row, j);
      if (!is_inside(args.call, i, args.slots.shape[0])) continue;
      std::int32_t raw = -1;
      if (args.raw.rank != 0) {
        const std::int64_t position = std::int64_t{i} - row_number(args.starts, row);
        if (position < 0) {
          report(args.call, KEYSIEVE_ERROR_BAD_ID);
        } else {
          raw = fitted(args.call, position);
        }
      }
      entries.push_back({i, static_cast<const std::int32_t*>(args.slots.data)[i], raw});
    }
    write_row(args.out, args.raw, args.counts, row, entries);
  }
}

}  // namespace keysieve
