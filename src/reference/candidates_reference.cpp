// Candidates, stated with sets: lengths, keys and tables of blocks, candidates one by one.
#include "reference/candidates_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "candidates/block_max.hpp"
#include "candidates/candidate_lengths.hpp"
#include "candidates/candidate_slots.hpp"
#include "candidates/sort_blocks.hpp"
#include "reference/number_reference.hpp"

namespace keysieve {
namespace reference {

void report(const keysieve_call& call, std::uint32_t bits) {
  if (call.error_word != nullptr) *call.error_word |= bits;
}

std::int64_t length_of(const keysieve_call& call, const keysieve_tensor& lengths, std::int64_t row, std::int64_t most) {
  const std::int64_t length = row_number(lengths, row);
  if (length >= 0 && length <= most) return length;
  report(call, KEYSIEVE_ERROR_LENGTH_CLAMPED);
  return length < 0 ? 0 : most;
}

bool row_is_absent(const keysieve_tensor& row_to_table, std::int64_t row) {
  return row_to_table.rank != 0 && row_number(row_to_table, row) == -1;
}

std::int32_t fitted(const keysieve_call& call, std::int64_t number) {
  if (number <= INT32_MAX) return static_cast<std::int32_t>(number);
  report(call, KEYSIEVE_ERROR_INDEX_OVERFLOW);
  return -1;
}

std::int32_t slot_at(const keysieve_call& call, const TableView& view, std::int64_t row, std::int64_t position) {
  const std::int64_t lines = view.table.shape[0];
  std::int64_t line = lines == view.rows || lines == 0 ? row : row / (view.rows / lines);
  if (view.row_to_table.rank != 0) line = row_number(view.row_to_table, row);
  const std::int64_t column = position / view.page_size * view.ratio;
  if (line >= 0 && line < lines && column < view.table.shape[1]) {
    const std::int64_t entry = element<std::int32_t>(view.table, line, column);
    if (entry >= 0 && (view.num_pages == KEYSIEVE_AUTO || entry < view.num_pages)) {
      return fitted(call, (entry * view.page_size + position % view.page_size) / view.ratio);
    }
  }
  report(call, KEYSIEVE_ERROR_BAD_PAGE);
  return -1;
}

double score_of(const keysieve_tensor& scores, std::int64_t row, std::int64_t column) {
  if (scores.element == KEYSIEVE_ELEMENT_FLOAT32) return element<float>(scores, row, column);
  const auto bits = element<std::uint16_t>(scores, row, column);
  if (scores.element == KEYSIEVE_ELEMENT_BFLOAT16) return value_of_bfloat16(bits);
  const int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25));
}

}  // namespace reference

using namespace reference;

void CandidateLengths::reference(const Args& args) {
  for (std::int64_t row = 0; row < args.num_blocks.shape[0]; ++row) {
    const std::int64_t length = length_of(args.call, args.lengths, row, INT32_MAX), size = args.block_size;
    const std::int64_t blocks = length / size + (length % size != 0 ? 1 : 0);
    const std::int64_t kept = blocks < args.kept_blocks ? blocks : args.kept_blocks;
    row_number(args.num_blocks, row) = static_cast<std::int32_t>(blocks);
    row_number(args.valid, row) =
        static_cast<std::int32_t>(length == 0 ? 0 : size * (kept - 1) + (length - 1) % size + 1);
  }
}

void BlockMax::reference(const Args& args) {
  const std::int64_t size = args.block_size, width = args.scores.shape[1], room = args.out.shape[1];
  for (std::int64_t row = 0; row < args.scores.shape[0]; ++row) {
    const std::int64_t most = room < width / size + 1 ? std::min(room * size, width) : width;
    const std::int64_t length = length_of(args.call, args.lengths, row, std::min<std::int64_t>(most, INT32_MAX));
    const std::int64_t blocks = (length + size - 1) / size;
    if (args.kept_blocks > 0 && blocks <= args.kept_blocks) continue;
    for (std::int64_t block = 0; block < blocks; ++block) {
      double key = -std::numeric_limits<double>::infinity();
      for (std::int64_t column = block * size; column < std::min((block + 1) * size, length); ++column) {
        const double score = score_of(args.scores, row, column);
        if (!std::isnan(score)) key = std::max(key, score);
      }
      if (block == blocks - 1) key = std::numeric_limits<double>::infinity();
      element<float>(args.out, row, block) = key == 0 ? 0.0f : static_cast<float>(key);
    }
  }
}

void SortBlocks::reference(const Args& args) {
  const std::int64_t rows = args.blocks.shape[0], kept = args.blocks.shape[1], size = args.block_size;
  const TableView table{args.page_table, args.row_to_table, rows, args.page_size / size, args.num_pages, 1};
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t length = length_of(args.call, args.lengths, row, INT32_MAX);
    if (row_is_absent(args.row_to_table, row)) length = 0;
    const std::int64_t num_blocks = (length + size - 1) / size;
    std::set<std::int32_t> ids;
    for (std::int64_t j = 0; j < kept; ++j) {
      if (num_blocks <= kept) {
        if (j < num_blocks) ids.insert(static_cast<std::int32_t>(j));
        continue;
      }
      const std::int32_t id = element<std::int32_t>(args.selected, row, j);
      if (id >= 0 && id < num_blocks) {
        ids.insert(id);
      } else if (id != -1 && id != INT32_MAX) {
        report(args.call, KEYSIEVE_ERROR_BAD_ID);
      }
    }
    std::int64_t valid = 0;
    for (const std::int32_t id : ids)
      valid += std::min(length, (std::int64_t{id} + 1) * size) - std::int64_t{id} * size;
    auto next = ids.begin();
    for (std::int64_t j = 0; j < kept; ++j) {
      const std::int32_t id = next != ids.end() ? *next++ : INT32_MAX;
      element<std::int32_t>(args.blocks, row, j) = id;
      if (args.phys.rank == 0) continue;
      element<std::int32_t>(args.phys, row, j) = id == INT32_MAX ? INT32_MAX : slot_at(args.call, table, row, id);
    }
    if (args.counts.rank != 0) row_number(args.counts, row) = static_cast<std::int32_t>(ids.size());
    if (args.valid.rank != 0) row_number(args.valid, row) = static_cast<std::int32_t>(valid);
  }
}

void CandidateSlots::reference(const Args& args) {
  const std::int64_t rows = args.blocks.shape[0], size = args.block_size;
  const TableView table{args.token_table, args.row_to_table, rows, 1, KEYSIEVE_AUTO, args.ratio};
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t length = length_of(args.call, args.lengths, row, INT32_MAX);
    if (row_is_absent(args.row_to_table, row)) length = 0;
    std::int32_t count = 0;
    for (std::int64_t column = 0; column < args.positions.shape[1]; ++column) {
      std::int64_t position = -1;
      if (length > 0) {
        const std::int64_t id = element<std::int32_t>(args.blocks, row, column / size);
        if (id >= 0 && id < (length + size - 1) / size) {
          position = id * size + column % size;
        } else if (id != -1 && id != INT32_MAX) {
          report(args.call, KEYSIEVE_ERROR_BAD_ID);
        }
      }
      if (position >= length) position = -1;
      element<std::int64_t>(args.positions, row, column) = position;
      element<std::int32_t>(args.slots, row, column) = position < 0 ? -1 : slot_at(args.call, table, row, position);
      if (position >= 0) ++count;
    }
    row_number(args.counts, row) = count;
  }
}

}  // namespace keysieve
