// The files of a report: bench results as cells, audits and toolchain records as tables of totals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/cell.hpp"

namespace keysieve::report {

using TextPairs = std::vector<std::pair<std::string, std::string>>;

struct BenchFile {
  std::string name;     // last part of the path
  std::string machine;  // files of equal text are parts of one run
  std::string revision, date;
  TextPairs fingerprint;  // key, value fit to be read
  std::size_t index = 0;  // Cell::file of its cells
  std::vector<Cell> cells, refused, failed, missing;
  std::int64_t wrong_cells = 0;  // as the file counts them; cells counts again
  std::string error;
};

// A table of whatever numbers an instrument gives for its parts: families of an audit, legs of a toolchain.
struct TotalsTable {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> lines;
};

struct TotalsFile {
  std::string name, schema, machine;
  TextPairs totals;
  std::vector<TotalsTable> tables;
  std::vector<std::string> failures;
  bool of_a_peer = false;  // the failures are another implementation's
};

struct Inputs {
  std::vector<BenchFile> benches;
  std::vector<TotalsFile> totals;
};

// Throws io::FileError for a file that cannot be read, is not of a known schema or breaks it.
Inputs read_inputs(const std::vector<std::string>& paths);

// Parts of read_inputs.
BenchFile read_bench(const std::string& name, const Field& top, std::size_t index);
TotalsFile read_totals(const std::string& name, const Field& top);
std::string machine_of(const Field& top);
TextPairs fingerprint_of(const Field& top);

}  // namespace keysieve::report
