// The files that `keysieve select` writes: none of them is in place before commit().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/selection.hpp"
#include "io/memory_map.hpp"
#include "io/npy.hpp"
#include "keysieve/types.hpp"

namespace keysieve::cli {

struct OutputPaths {
  std::string indices;
  std::string raw_indices, values, counts;  // empty: not wanted
};

// A path and the argument that gave it, for messages.
struct NamedPath {
  std::string flag;
  std::string path;
};

class SelectOutputs {
 public:
  // `problem` has the rows and k of the files. Throws where an output is given twice, is also an input, or
  // cannot be created.
  SelectOutputs(const OutputPaths& paths, const std::vector<NamedPath>& inputs, const SelectProblem& problem);

  // The next rows; `batch` says how many and with which k, which may be smaller than that of the files: the
  // slots between are padding and take no memory here.
  void append(const Outputs& outputs, const SelectProblem& batch);
  void finish();
  void commit();

 private:
  void append_rows(io::NpyWriter& writer, std::span<const std::byte> rows, const SelectProblem& batch,
                   std::span<const std::byte> padding);

  std::int64_t k_;
  ScoreType score_type_;
  std::optional<io::NpyWriter> indices_, raw_indices_, values_, counts_;
  std::vector<std::byte> chunk_;  // padding, repeated
};

}  // namespace keysieve::cli
