#include "cli/select_outputs.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "cli/option_names.hpp"
#include "io/file_error.hpp"

namespace keysieve::cli {

namespace {

void check_paths(const OutputPaths& paths, const std::vector<NamedPath>& inputs) {
  std::vector<NamedPath> outputs;
  for (const NamedPath& each : {NamedPath{"-o", paths.indices}, NamedPath{"--raw-out", paths.raw_indices},
                                NamedPath{"--values", paths.values}, NamedPath{"--counts", paths.counts}}) {
    if (!each.path.empty()) outputs.push_back(each);
  }
  std::vector<std::string> resolved;
  for (const NamedPath& output : outputs) {
    resolved.push_back(io::resolve_output_path(output.path));
    for (std::size_t i = 0; i + 1 < resolved.size(); ++i) {
      if (resolved[i] != resolved.back()) continue;
      throw UsageError(output.flag + ": expected a file of its own, found " + output.path + ", which is also " +
                       outputs[i].flag);
    }
    struct stat target {};
    if (::stat(resolved.back().c_str(), &target) != 0) continue;
    for (const NamedPath& input : inputs) {
      struct stat source {};
      if (::stat(input.path.c_str(), &source) != 0) continue;
      if (source.st_dev != target.st_dev || source.st_ino != target.st_ino) continue;
      throw UsageError(output.flag + ": expected a file of its own, found " + output.path +
                       ", which is also the input " + input.flag);
    }
  }
}

std::vector<float> widen_bfloat16(std::span<const std::byte> bytes) {
  std::vector<float> wide(bytes.size() / 2);
  for (std::size_t i = 0; i < wide.size(); ++i) {
    std::uint16_t narrow = 0;
    std::memcpy(&narrow, bytes.data() + i * 2, 2);
    const std::uint32_t bits = std::uint32_t{narrow} << 16;
    std::memcpy(&wide[i], &bits, 4);  // as bits: a signalling NaN stays the NaN it was
  }
  return wide;
}

// -inf in the type that the file holds.
std::vector<std::byte> value_padding(ScoreType type) {
  if (type == ScoreType::kFloat16) return {std::byte{0x00}, std::byte{0xfc}};
  return {std::byte{0x00}, std::byte{0x00}, std::byte{0x80}, std::byte{0xff}};
}

}  // namespace

SelectOutputs::SelectOutputs(const OutputPaths& paths, const std::vector<NamedPath>& inputs,
                             const SelectProblem& problem)
    : k_(problem.k), score_type_(problem.score_type) {
  check_paths(paths, inputs);
  const auto index_type = problem.index_type == IndexType::kInt32 ? io::ElementType::kInt32 : io::ElementType::kInt64;
  const auto value_type =
      problem.score_type == ScoreType::kFloat16 ? io::ElementType::kFloat16 : io::ElementType::kFloat32;
  const std::vector<std::int64_t> shape = {problem.rows, problem.k};
  indices_.emplace(paths.indices, index_type, shape);
  if (!paths.raw_indices.empty()) raw_indices_.emplace(paths.raw_indices, index_type, shape);
  if (!paths.values.empty()) values_.emplace(paths.values, value_type, shape);
  if (!paths.counts.empty()) {
    counts_.emplace(paths.counts, io::ElementType::kInt32, std::vector<std::int64_t>{problem.rows});
  }
}

void SelectOutputs::append_rows(io::NpyWriter& writer, std::span<const std::byte> rows, const SelectProblem& batch,
                                std::span<const std::byte> padding) {
  if (batch.k == k_) {
    writer.append(rows);
    return;
  }
  constexpr std::size_t kChunkBytes = 1 << 20;
  chunk_.resize(kChunkBytes);
  for (std::size_t i = 0; i < kChunkBytes; i += padding.size()) std::copy(padding.begin(), padding.end(), &chunk_[i]);
  const std::size_t row_bytes = rows.size() / static_cast<std::size_t>(batch.rows);
  for (std::size_t at = 0; at < rows.size(); at += row_bytes) {
    writer.append(rows.subspan(at, row_bytes));
    std::size_t missing = static_cast<std::size_t>(k_ - batch.k) * padding.size();
    while (missing > 0) {
      const std::size_t piece = std::min(missing, kChunkBytes);
      writer.append(std::span(chunk_).first(piece));
      missing -= piece;
    }
  }
}

void SelectOutputs::append(const Outputs& outputs, const SelectProblem& batch) {
  const std::vector<std::byte> minus_one(static_cast<std::size_t>(size_bytes(batch.index_type)), std::byte{0xff});
  append_rows(*indices_, outputs.indices, batch, minus_one);
  if (raw_indices_) append_rows(*raw_indices_, outputs.raw_indices, batch, minus_one);
  if (values_) {
    const std::vector<std::byte> minus_infinity = value_padding(score_type_);
    if (score_type_ == ScoreType::kBFloat16) {
      const std::vector<float> wide = widen_bfloat16(outputs.values);
      append_rows(*values_, std::as_bytes(std::span(wide)), batch, minus_infinity);
    } else {
      append_rows(*values_, outputs.values, batch, minus_infinity);
    }
  }
  if (counts_) counts_->append(std::as_bytes(std::span(outputs.counts)));
}

void SelectOutputs::finish() {
  for (auto* writer : {&indices_, &raw_indices_, &values_, &counts_}) {
    if (*writer) (*writer)->finish();
  }
}

void SelectOutputs::commit() {
  std::string placed;
  for (auto* writer : {&indices_, &raw_indices_, &values_, &counts_}) {
    if (!*writer) continue;
    try {
      (*writer)->commit();
    } catch (const io::FileError& error) {
      // Renames are one by one; say which outputs are new already.
      throw io::FileError(placed.empty() ? error.what()
                                         : std::string(error.what()) + " (already written:" + placed + ")");
    }
    placed += ' ' + (*writer)->path();
  }
}

}  // namespace keysieve::cli
