// Results made up in memory for the tests of tools/report.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/inputs.hpp"
#include "report/run.hpp"

namespace keysieve::report {

inline Cell make_cell(std::int64_t rows, std::int64_t width, double median_us) {
  Cell cell;
  cell.shape = {rows, width, 512};
  cell.setup = {.mode = "warm",
                .dtype = "float32",
                .lengths = "ragged",
                .order = "any",
                .output = "raw",
                .chain = "alone",
                .hint = "none"};
  cell.distribution = kNormal;
  cell.implementation = kKeysieve;
  cell.route_asked = cell.split_asked = cell.threads_asked = kAuto;
  cell.route_taken = "tile";
  cell.split = 1;
  cell.threads = 256;
  cell.checked_rows = 8;
  cell.median_us = median_us;
  cell.floor_us = cell.read_floor_us = 10;
  cell.noise = 0.005;
  return cell;
}

inline Cell make_forced(std::int64_t rows, std::int64_t width, const std::string& route, double median_us) {
  Cell cell = make_cell(rows, width, median_us);
  cell.route_asked = cell.route_taken = route;
  return cell;
}

inline Cell make_peer(std::int64_t rows, std::int64_t width, const std::string& name, double median_us) {
  Cell cell = make_cell(rows, width, median_us);
  cell.implementation = name;
  return cell;
}

// One file a list of cells, all of one machine.
inline Inputs make_inputs(std::vector<std::vector<Cell>> files) {
  Inputs inputs;
  for (std::vector<Cell>& cells : files) {
    BenchFile file;
    file.index = inputs.benches.size();
    file.name = "file" + std::to_string(file.index) + ".json";
    file.machine = "GPU";
    for (Cell& cell : cells) cell.file = file.index;
    file.cells = std::move(cells);
    inputs.benches.push_back(std::move(file));
  }
  return inputs;
}

}  // namespace keysieve::report
