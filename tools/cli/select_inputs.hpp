// The files of `keysieve select`: opened, mapped and checked against each other before any work begins.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/memory_map.hpp"
#include "io/tensor.hpp"
#include "keysieve/types.hpp"

namespace keysieve::cli {

struct InputPaths {
  std::string scores;
  std::string tensor;  // name inside a .safetensors file; empty: the only candidate
  std::string lengths, row_starts, page_table, out_offsets;  // empty: not given
  std::int64_t page_size = 0;
};

// int32 numbers of a .npy file: in place where the file holds aligned int32, else a checked copy.
struct Int32File {
  io::MemoryMap map;
  std::vector<std::int64_t> shape;
  std::vector<std::int32_t> copy;
  std::span<const std::int32_t> values;
  bool given = false;
};

struct SelectInputs {
  io::MemoryMap scores_map;
  std::span<const std::byte> scores;
  ScoreType score_type = ScoreType::kFloat32;
  std::int64_t rows = 0;
  std::int64_t width = 0;
  Int32File lengths, row_starts, page_table, out_offsets;
  std::int64_t page_size = 0;
  std::int64_t next_n = 1;  // rows that share a table line
  std::int64_t table_columns = 0;
  std::int64_t table_lines = 0;

  // Live columns of a row by the contract: 0 where its start lies outside the buffer.
  std::int64_t live_length(std::int64_t row) const;
  std::int64_t live_bytes() const;
};

// Throws io::FileError for a file that cannot be used and for shapes that do not fit each other, a page table
// that is too narrow for a row included.
SelectInputs open_inputs(const InputPaths& paths);

}  // namespace keysieve::cli
