// keysieve.bench/1
#include <fmt/format.h>

#include "report/inputs.hpp"
#include "report/text.hpp"

namespace keysieve::report {
namespace {

std::vector<Cell> read_cells(const Field& top, const char* key, std::size_t file, Kind kind) {
  std::vector<Cell> cells;
  const Field list = top.member(key);
  const std::size_t count = list.array_size();
  cells.reserve(count);
  for (std::size_t i = 0; i < count; ++i) cells.push_back(read_cell(list.at(i), file, kind));
  return cells;
}

std::vector<Cell> read_unmeasured(const Field& top, const char* key, std::size_t file) {
  return top.has(key) ? read_cells(top, key, file, Kind::kUnmeasured) : std::vector<Cell>{};
}

// Clocks are {"min", "median", "max"}; of other objects the names would only be guessed.
std::string fingerprint_value(const std::string& key, const Json& value) {
  if (value.is_object()) {
    if (!value.contains("min") || !value.contains("median") || !value.contains("max")) return "";
    return fmt::format("{} (seen {} to {})", scalar_text(value["median"]), scalar_text(value["min"]),
                       scalar_text(value["max"]));
  }
  if (key.ends_with("_bytes") && value.is_number_integer()) return format_bytes(value.get<double>());
  return scalar_text(value);
}

}  // namespace

TextPairs fingerprint_of(const Field& top) {
  TextPairs pairs;
  if (!top.has("fingerprint")) return pairs;
  const Field fingerprint = top.member("fingerprint");
  fingerprint.expect_object();
  for (const auto& [key, value] : fingerprint.json().items()) {
    if (std::string text = fingerprint_value(key, value); !text.empty()) pairs.emplace_back(key, std::move(text));
  }
  return pairs;
}

std::string machine_of(const Field& top) {
  const char* const key = top.has("fingerprint") ? "fingerprint" : "machine";  // the latter in toolchain records
  if (!top.has(key)) return "machine not given";
  const Field fingerprint = top.member(key);
  fingerprint.expect_object();
  if (const std::string gpu = fingerprint.text("gpu", ""); !gpu.empty()) return gpu;
  const std::string cpu = fingerprint.text("cpu", "");
  if (cpu.empty()) return fingerprint.text("device", "machine not given");
  // One CPU with another count of threads is another yardstick.
  const std::string threads = fingerprint.text_or_number("threads", "");
  return threads.empty() ? cpu : fmt::format("{}, {} {}", cpu, threads, threads == "1" ? "thread" : "threads");
}

BenchFile read_bench(const std::string& name, const Field& top, std::size_t index) {
  BenchFile file;
  file.name = name;
  file.index = index;
  file.machine = machine_of(top);
  file.fingerprint = fingerprint_of(top);
  if (top.has("fingerprint")) {
    file.revision = top.member("fingerprint").text("revision", "");
    file.date = top.member("fingerprint").text("date", "");
  }
  file.cells = read_cells(top, "cells", index, Kind::kMeasured);
  file.refused = read_unmeasured(top, "refused", index);
  file.failed = read_unmeasured(top, "failed", index);
  file.missing = read_unmeasured(top, "missing", index);
  file.wrong_cells = top.integer("wrong_cells", 0, 0);
  file.error = top.text("error", "");
  return file;
}

}  // namespace keysieve::report
