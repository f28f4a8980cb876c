#include "cli/select_inputs.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "cli/option_names.hpp"
#include "io/file_error.hpp"
#include "io/npy.hpp"
#include "io/safetensors.hpp"

namespace keysieve::cli {

namespace {

using io::ElementType;
using io::throw_file_error;

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();

bool is_score_type(ElementType type) {
  return type == ElementType::kFloat32 || type == ElementType::kBFloat16 || type == ElementType::kFloat16;
}

std::string tensor_list(const std::vector<io::NamedTensor>& tensors) {
  std::string text;
  for (std::size_t i = 0; i < tensors.size() && i < 8; ++i) {
    if (i > 0) text += ", ";
    text += io::quote(tensors[i].name, 40) + ' ' + io::printable(tensors[i].tensor.type_name, 12) + ' ' +
            io::shape_text(tensors[i].tensor.shape);
  }
  if (tensors.size() > 8) text += " and " + std::to_string(tensors.size() - 8) + " more";
  return tensors.empty() ? "none" : text;
}

io::Tensor pick_tensor(const std::vector<io::NamedTensor>& tensors, const InputPaths& paths) {
  if (!paths.tensor.empty()) {
    for (const io::NamedTensor& each : tensors) {
      if (each.name == paths.tensor) return each.tensor;
    }
    throw_file_error(paths.scores, "a tensor named " + io::quote(paths.tensor) + " (--tensor)", tensor_list(tensors));
  }
  if (tensors.size() == 1) return tensors[0].tensor;
  const io::NamedTensor* found = nullptr;
  for (const io::NamedTensor& each : tensors) {
    if (each.tensor.shape.size() != 2 || !is_score_type(each.tensor.type)) continue;
    if (found != nullptr) throw_file_error(paths.scores, "--tensor to pick one of several", tensor_list(tensors));
    found = &each;
  }
  if (found == nullptr) {
    throw_file_error(paths.scores, "a two-dimensional tensor of F32, BF16 or F16", tensor_list(tensors));
  }
  return found->tensor;
}

io::Tensor read_scores(std::span<const std::byte> file, const InputPaths& paths) {
  const bool named_npy = paths.scores.ends_with(".npy");
  const bool named_safetensors = paths.scores.ends_with(".safetensors");
  if (named_npy || (!named_safetensors && io::has_npy_magic(file))) {
    if (!paths.tensor.empty()) {
      throw UsageError("--tensor: expected a .safetensors file, found the .npy file " + paths.scores);
    }
    return io::parse_npy(file, paths.scores);
  }
  // A file of another name is .safetensors if it looks so where that format cannot vary.
  if (!named_safetensors && (file.size() < 9 || file[8] != std::byte{'{'})) {
    throw_file_error(paths.scores, "a .npy or .safetensors file", "neither by name nor by content");
  }
  return pick_tensor(io::parse_safetensors(file, paths.scores), paths);
}

void open_scores(const InputPaths& paths, SelectInputs& inputs) {
  inputs.scores_map = io::MemoryMap(paths.scores);
  const io::Tensor tensor = read_scores(inputs.scores_map.bytes(), paths);
  if (tensor.type == ElementType::kFloat32) {
    inputs.score_type = ScoreType::kFloat32;
  } else if (tensor.type == ElementType::kBFloat16) {
    inputs.score_type = ScoreType::kBFloat16;
  } else if (tensor.type == ElementType::kFloat16) {
    inputs.score_type = ScoreType::kFloat16;
  } else {
    throw_file_error(paths.scores, "scores of float32, float16 or bfloat16",
                     tensor.type == ElementType::kOther ? io::printable(tensor.type_name) : to_string(tensor.type));
  }
  if (tensor.shape.size() != 1 && tensor.shape.size() != 2) {
    throw_file_error(paths.scores, "scores of shape (rows, columns) or (columns,)", io::shape_text(tensor.shape));
  }
  inputs.rows = tensor.shape.size() == 2 ? tensor.shape[0] : 1;
  inputs.width = tensor.shape.back();
  if (inputs.rows > kMaxInt32 || inputs.width > kMaxInt32) {
    throw_file_error(paths.scores, "at most 2147483647 rows and columns", io::shape_text(tensor.shape));
  }
  inputs.scores = tensor.data;
}

Int32File open_int32(const std::string& path) {
  Int32File file;
  if (path.empty()) return file;
  file.given = true;
  file.map = io::MemoryMap(path);
  io::Tensor tensor = io::parse_npy(file.map.bytes(), path);
  file.shape = std::move(tensor.shape);
  const std::byte* data = tensor.data.data();
  if (tensor.type == ElementType::kInt32) {
    const std::size_t count = tensor.data.size() / 4;
    if (reinterpret_cast<std::uintptr_t>(data) % alignof(std::int32_t) == 0) {
      file.values = {reinterpret_cast<const std::int32_t*>(data), count};
      return file;
    }
    file.copy.resize(count);
    std::memcpy(file.copy.data(), data, tensor.data.size());
  } else if (tensor.type == ElementType::kInt64) {
    file.copy.resize(tensor.data.size() / 8);
    for (std::size_t i = 0; i < file.copy.size(); ++i) {
      std::int64_t value = 0;
      std::memcpy(&value, data + i * 8, 8);
      if (value < std::numeric_limits<std::int32_t>::min() || value > kMaxInt32) {
        throw_file_error(path, "numbers that fit int32", std::to_string(value) + " at element " + std::to_string(i));
      }
      file.copy[i] = static_cast<std::int32_t>(value);
    }
  } else {
    throw_file_error(path, "int32 or int64", to_string(tensor.type));
  }
  file.values = file.copy;
  return file;
}

void check_vector(const Int32File& file, const std::string& path, std::int64_t rows) {
  if (!file.given || file.shape == std::vector<std::int64_t>{rows}) return;
  throw_file_error(path, "shape (" + std::to_string(rows) + ",), one number a row of the scores",
                   io::shape_text(file.shape));
}

void check_lengths(const InputPaths& paths, SelectInputs& inputs) {
  const std::vector<std::int64_t>& shape = inputs.lengths.shape;
  if (!inputs.lengths.given) return;
  std::int64_t count = 1;
  const bool fits = (shape.size() == 1 && shape[0] == inputs.rows) ||
                    (shape.size() == 2 && !__builtin_mul_overflow(shape[0], shape[1], &count) && count == inputs.rows);
  if (!fits) {
    throw_file_error(paths.lengths,
                     "lengths for " + std::to_string(inputs.rows) + " rows of scores, as (rows,) or (requests, next_n)",
                     "shape " + io::shape_text(shape));
  }
  if (shape.size() == 2) inputs.next_n = std::max<std::int64_t>(shape[1], 1);
}

void check_page_table(const InputPaths& paths, SelectInputs& inputs) {
  if (!inputs.page_table.given) return;
  const std::vector<std::int64_t>& shape = inputs.page_table.shape;
  const bool one_line = shape.size() == 1 && inputs.rows == 1;
  const std::int64_t requests = inputs.rows / inputs.next_n;
  if (!one_line && (shape.size() != 2 || (shape[0] != inputs.rows && shape[0] != requests))) {
    std::string expected = "shape (" + std::to_string(inputs.rows) + ", pages), one line a row";
    if (requests != inputs.rows) expected += ", or (" + std::to_string(requests) + ", pages), one line a request";
    throw_file_error(paths.page_table, expected, io::shape_text(shape));
  }
  inputs.table_lines = one_line ? 1 : shape[0];
  inputs.table_columns = shape.back();
  inputs.page_size = paths.page_size;
  for (std::int64_t row = 0; row < inputs.rows; ++row) {
    const std::int64_t n = inputs.live_length(row);
    const std::int64_t pages = n == 0 ? 0 : (n - 1) / inputs.page_size + 1;
    if (pages <= inputs.table_columns) continue;
    throw_file_error(paths.page_table,
                     "at least " + std::to_string(pages) + " pages a line (row " + std::to_string(row) + " has " +
                         std::to_string(n) + " live columns, page size " + std::to_string(inputs.page_size) + ")",
                     std::to_string(inputs.table_columns));
  }
}

}  // namespace

std::int64_t SelectInputs::live_length(std::int64_t row) const {
  const auto at = static_cast<std::size_t>(row);
  const std::int64_t start = row_starts.given ? row_starts.values[at] : 0;
  if (start < 0 || start > width) return 0;
  if (!lengths.given) return width - start;
  return std::clamp<std::int64_t>(lengths.values[at], 0, width - start);
}

std::int64_t SelectInputs::live_bytes() const {
  const std::int64_t element = size_bytes(score_type);
  if (!lengths.given && !row_starts.given) return rows * width * element;
  std::int64_t total = 0;
  for (std::int64_t row = 0; row < rows; ++row) total += live_length(row) * element;
  return total;
}

SelectInputs open_inputs(const InputPaths& paths) {
  SelectInputs inputs;
  open_scores(paths, inputs);
  inputs.lengths = open_int32(paths.lengths);
  inputs.row_starts = open_int32(paths.row_starts);
  inputs.out_offsets = open_int32(paths.out_offsets);
  inputs.page_table = open_int32(paths.page_table);
  check_lengths(paths, inputs);
  check_vector(inputs.row_starts, paths.row_starts, inputs.rows);
  check_vector(inputs.out_offsets, paths.out_offsets, inputs.rows);
  check_page_table(paths, inputs);
  return inputs;
}

}  // namespace keysieve::cli
