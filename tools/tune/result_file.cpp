#include "tune/result_file.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/names.hpp"

namespace keysieve::tune {
namespace {

using Json = nlohmann::ordered_json;

// Where in which file; members are read through it so that every refusal says so.
class Reader {
 public:
  Reader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  [[noreturn]] void refuse(const std::string& name, const std::string& expected, const Json* found) const {
    throw std::runtime_error(
        where_ + name + ": expected " + expected + ", found " +
        (found == nullptr ? "nothing" : found->dump(-1, ' ', true, Json::error_handler_t::replace)));
  }

  const Json* find(const char* name) const {
    const auto found = json_.is_object() ? json_.find(name) : json_.end();
    return json_.is_object() && found != json_.end() ? &*found : nullptr;
  }

  std::string text(const char* name) const {
    const Json* value = find(name);
    if (value == nullptr || !value->is_string()) refuse(name, "a text", value);
    return value->get<std::string>();
  }

  std::string text_or(const char* name, const std::string& otherwise) const {
    return find(name) == nullptr ? otherwise : text(name);
  }

  std::int64_t whole(const char* name, std::int64_t low, std::int64_t high) const {
    const Json* value = find(name);
    const bool fits = value != nullptr && value->is_number_integer() &&
                      !(value->is_number_unsigned() && value->get<std::uint64_t>() > std::uint64_t{kNeverColumns}) &&
                      value->get<std::int64_t>() >= low && value->get<std::int64_t>() <= high;
    if (!fits) refuse(name, "a whole number in " + std::to_string(low) + ".." + std::to_string(high), value);
    return value->get<std::int64_t>();
  }

  std::int32_t whole32(const char* name, std::int64_t low, std::int64_t high) const {
    return static_cast<std::int32_t>(whole(name, low, high));
  }

  double time(const char* name) const {
    const Json* value = find(name);
    if (value == nullptr || !value->is_number() || !(value->get<double>() > 0)) refuse(name, "a time above 0", value);
    return value->get<double>();
  }

  Reader member(const char* name) const {
    const Json* value = find(name);
    if (value == nullptr || !value->is_object()) refuse(name, "an object", value);
    return Reader(*value, where_ + name + ".");
  }

 private:
  const Json& json_;
  std::string where_;
};

template <typename Enum, std::size_t kCount>
Enum read_name(const Reader& cell, const char* name, const std::array<Enum, kCount>& values) {
  const std::string text = cell.text(name);
  std::string known;
  for (const Enum value : values) {
    if (text == keysieve::name_of(value)) return value;
    known += (known.empty() ? "" : ", ") + std::string(keysieve::name_of(value));
  }
  cell.refuse(name, "one of " + known, cell.find(name));
}

// Only such cells compare routes with each other; what a cell does not say is the usual.
bool compares_routes(const Reader& cell) {
  const Json* values = cell.find("values");
  const Json* busy = cell.find("busy_sms");
  const Json* width = cell.find("width");
  const Json* capacity = cell.find("capacity");
  const std::string lengths = cell.text_or("lengths", "ragged");
  // The planner goes by the buffer: rows that fill a part of it only say little about its width.
  if (lengths != "ragged" && lengths != "full") return false;
  if (capacity != nullptr && width != nullptr && *capacity != *width) return false;
  return cell.text_or("mode", "warm") == "warm" && cell.text_or("distribution", "normal") == "normal" &&
         cell.text_or("chain", "alone") == "alone" && cell.text_or("hint", "none") == "none" &&
         cell.text_or("output", "raw") == "raw" && cell.text_or("implementation", "keysieve") == "keysieve" &&
         (values == nullptr || *values == false) && (busy == nullptr || *busy == 0) && cell.find("reason") == nullptr;
}

Measured read_cell(const Reader& cell) {
  constexpr std::int64_t kMost = kNeverColumns;
  Measured measured;
  measured.shape = {
      cell.whole("rows", 1, kMost), cell.whole("width", 1, kMost), cell.whole("k", 1, kMost),
      read_name(cell, "dtype", std::array{ScoreType::kFloat32, ScoreType::kBFloat16, ScoreType::kFloat16})};
  measured.way.route = read_name(cell, "route_taken",
                                 std::array{Route::kTrivial, Route::kTile, Route::kSieve, Route::kSplit, Route::kWide});
  measured.way.split = cell.whole32("split", 1, kMost);
  measured.way.threads = cell.whole32("threads", 32, 1024);
  measured.median_us = cell.time("median_us");
  measured.variant = cell.text_or("order", "index") + " " + cell.text_or("lengths", "ragged");
  return measured;
}

void read_cells(const Json& json, const std::string& path, Result& result) {
  const auto cells = json.find("cells");
  if (cells == json.end() || !cells->is_array()) {
    throw std::runtime_error(path + ": cells: expected an array, found " +
                             (cells == json.end() ? "nothing" : cells->type_name()));
  }
  for (std::size_t i = 0; i < cells->size(); ++i) {
    const Reader cell((*cells)[i], path + ": cells[" + std::to_string(i) + "].");
    if (compares_routes(cell)) {
      if (cell.find("wrong_rows") != nullptr) cell.whole("wrong_rows", 0, 0);
      result.measured.push_back(read_cell(cell));
    } else {
      ++result.left_out;
    }
  }
}

DeviceProfile read_profile(const Reader& device) {
  DeviceProfile profile{};
  profile.name = "the measured device";
  profile.compute_capability = device.whole32("compute_capability", 10, 10000);
  profile.num_sms = device.whole32("num_sms", 1, 100000);
  profile.shared_bytes_per_cta = device.whole("shared_bytes_per_cta", 1, kNeverColumns);
  profile.shared_bytes_per_sm = device.whole("shared_bytes_per_sm", 1, kNeverColumns);
  profile.l2_bytes = device.whole("l2_bytes", 0, kNeverColumns);
  profile.resident_clusters_of_8 = device.whole32("resident_clusters_of_8", 0, 100000);
  profile.resident_clusters_of_16 = device.whole32("resident_clusters_of_16", 0, 100000);
  return profile;
}

TuningKey read_key(const Reader& key) {
  return {key.text("library"), key.text("gpu"), key.whole32("compute_capability", 10, 10000),
          key.whole32("num_sms", 1, 100000), key.text("toolkit")};
}

CudaTuning read_values(const Reader& values) {
  CudaTuning tuning;
  for (const TuningField& field : kTuningFields) tuning.*field.value = values.whole(field.name, field.low, field.high);
  return tuning;
}

// "9.0" is 90. A benchmark's fingerprint is of a device that this machine need not have.
void read_fingerprint(const Reader& fingerprint, Result& result) {
  const std::string capability = fingerprint.text("compute_capability");
  const std::size_t dot = capability.find('.');
  const bool sound = dot != std::string::npos && dot > 0 && dot < 4 && capability.size() == dot + 2 &&
                     capability.find_first_not_of("0123456789.") == std::string::npos;
  if (!sound)
    fingerprint.refuse("compute_capability", "a version such as \"9.0\"", fingerprint.find("compute_capability"));
  const std::string build = fingerprint.text("build");
  result.key = {build.substr(0, build.find(',')), fingerprint.text("gpu"),
                std::stoi(capability.substr(0, dot)) * 10 + (capability[dot + 1] - '0'),
                fingerprint.whole32("num_sms", 1, 100000), fingerprint.text("toolkit")};
  result.driver = fingerprint.text_or("driver", "");
  result.revision = fingerprint.text_or("revision", "");
  result.date = fingerprint.text_or("date", "");
  for (const DeviceProfile& profile : device_profiles()) {
    if (profile.compute_capability != result.key.compute_capability || profile.num_sms != result.key.num_sms) continue;
    result.profile = profile;
    return;
  }
  std::string known;
  for (const DeviceProfile& profile : device_profiles()) known += std::string(known.empty() ? "" : ", ") + profile.name;
  fingerprint.refuse("gpu", "a device with the SMs of a known one (" + known + ")", fingerprint.find("gpu"));
}

Json to_json(const Measured& measured) {
  const std::size_t blank = measured.variant.find(' ');
  return {{"rows", measured.shape.rows},
          {"width", measured.shape.width},
          {"k", measured.shape.k},
          {"dtype", keysieve::name_of(measured.shape.score_type)},
          {"order", measured.variant.substr(0, blank)},
          {"lengths", blank == std::string::npos ? "ragged" : measured.variant.substr(blank + 1)},
          {"route_taken", keysieve::name_of(measured.way.route)},
          {"split", measured.way.split},
          {"threads", measured.way.threads},
          {"median_us", measured.median_us}};
}

Json values_json(const CudaTuning& tuning) {
  Json values = Json::object();
  for (const TuningField& field : kTuningFields) values[field.name] = tuning.*field.value;
  return values;
}

}  // namespace

Result read_result(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": expected a readable file, found none");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) throw std::runtime_error(path + ": expected a JSON object");
  const Reader reader(json, path + ": ");
  Result result;
  const std::string schema = reader.text("schema");
  if (schema == "keysieve.bench/1") {
    read_fingerprint(reader.member("fingerprint"), result);
  } else if (schema == "keysieve.tuning/1") {
    result.key = read_key(reader.member("key"));
    result.driver = reader.text_or("driver", "");
    result.revision = reader.text_or("revision", "");
    result.date = reader.text_or("date", "");
    result.profile = read_profile(reader.member("profile"));
    result.profile.tuning = read_values(reader.member("values_before"));
  } else {
    reader.refuse("schema", "keysieve.bench/1 or keysieve.tuning/1", reader.find("schema"));
  }
  read_cells(json, path, result);
  return result;
}

Result result_of_device(const std::string& system_json, std::int32_t ordinal) {
  const Json json = Json::parse(system_json, nullptr, /*allow_exceptions=*/false);
  const Reader system(json, "system report: ");
  const Reader cuda = system.member("cuda");
  const Json* devices = cuda.find("devices");
  if (devices == nullptr || !devices->is_array()) cuda.refuse("devices", "an array", devices);
  const auto wanted = static_cast<std::size_t>(ordinal);
  if (devices->empty()) {
    throw std::runtime_error("--device: expected a GPU to measure, found none: " + cuda.text_or("problem", "unknown"));
  }
  if (wanted >= devices->size()) {
    throw std::runtime_error("--device: expected a number below " + std::to_string(devices->size()) + ", found '" +
                             std::to_string(ordinal) + "'");
  }
  const Reader device((*devices)[wanted], "system report: devices[" + std::to_string(ordinal) + "].");
  if (const std::string problem = device.text_or("engine_problem", ""); !problem.empty()) {
    throw std::runtime_error("--device: expected a GPU that can select, found: " + problem);
  }
  const Reader tuning = device.member("tuning");
  Result result;
  result.key = read_key(tuning.member("key"));
  result.driver = cuda.text_or("driver", "");
  const std::size_t open = result.key.library.find('('), close = result.key.library.find(')');
  if (open < close && close != std::string::npos)
    result.revision = result.key.library.substr(open + 1, close - open - 1);
  result.profile = read_profile(device);
  result.profile.tuning = read_values(tuning.member("values"));
  return result;
}

Json tuning_json(const Result& result, const Fit& fit, const Summary& summary, bool cells) {
  const DeviceProfile& profile = result.profile;
  Json json = {{"schema", "keysieve.tuning/1"},
               {"key",
                {{"library", result.key.library},
                 {"gpu", result.key.gpu},
                 {"compute_capability", result.key.compute_capability},
                 {"num_sms", result.key.num_sms},
                 {"toolkit", result.key.toolkit}}},
               {"driver", result.driver},
               {"revision", result.revision},
               {"date", result.date},
               {"values", values_json(fit.tuning)},
               {"values_before", values_json(profile.tuning)},
               {"measured",
                {{"points", summary.points},
                 {"candidates", summary.candidates},
                 {"seconds", summary.seconds},
                 {"complete", summary.complete},
                 {"mean_loss_before", fit.loss_before},
                 {"mean_loss_after", fit.loss_after}}},
               {"profile",
                {{"compute_capability", profile.compute_capability},
                 {"num_sms", profile.num_sms},
                 {"shared_bytes_per_cta", profile.shared_bytes_per_cta},
                 {"shared_bytes_per_sm", profile.shared_bytes_per_sm},
                 {"l2_bytes", profile.l2_bytes},
                 {"resident_clusters_of_8", profile.resident_clusters_of_8},
                 {"resident_clusters_of_16", profile.resident_clusters_of_16}}}};
  if (cells) {
    json["cells"] = Json::array();
    for (const Measured& measured : result.measured) json["cells"].push_back(to_json(measured));
  }
  return json;
}

}  // namespace keysieve::tune
