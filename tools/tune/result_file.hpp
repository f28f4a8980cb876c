// JSON in and out: cells of a benchmark or of an earlier tuning run, and the tuning file itself.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "plan/device_profile.hpp"
#include "plan/tuning_file.hpp"
#include "tune/fit.hpp"
#include "tune/measured.hpp"

namespace keysieve::tune {

// Times with the device that they were measured on; tuning of the profile: what stands there.
struct Result {
  TuningKey key;
  std::string driver;
  std::string revision;
  std::string date;
  DeviceProfile profile{};
  std::vector<Measured> measured;
  std::size_t left_out = 0;  // cells of the file that do not compare routes: cold, chained, of other implementations
};

// A result of schema keysieve.bench/1 or keysieve.tuning/1 with cells. Throws std::runtime_error naming the file, the
// member, what was expected and what was found; also where a cell has wrong rows, for a wrong route must not win.
Result read_result(const std::string& path);

// Of the device `ordinal`, from the library's own report: key, driver, profile and the tuning that stands. Throws
// std::runtime_error where there is no such device or the engine cannot use it.
Result result_of_device(const std::string& system_json, std::int32_t ordinal);

struct Summary {
  std::size_t points = 0;
  std::size_t candidates = 0;
  double seconds = 0;
  bool complete = true;  // the coarse grid was measured whole
};

// The tuning file, schema keysieve.tuning/1; with the cells where `cells`, so that the fit can be repeated from it.
nlohmann::ordered_json tuning_json(const Result& result, const Fit& fit, const Summary& summary, bool cells);

}  // namespace keysieve::tune
