// The report as docs/results-format.md and schemas/bench-1.schema.json say.
#include <ctime>
#include <fstream>
#include <iterator>
#include <span>

#include "bench/result.hpp"
#include "cli/console.hpp"
#include "cli/option_names.hpp"
#include "io/atomic_file.hpp"
#include "keysieve/c_api.h"

namespace keysieve::bench {
namespace {

using Json = nlohmann::ordered_json;

Json tuning(std::int32_t value) { return value == kAuto ? Json("auto") : Json(value); }

Json optional_ratio(double value, double base) { return base > 0 ? Json(value / base) : Json(); }

Json to_json(const CellResult& result) {
  Json json = to_json(result.cell);
  json["implementation"] = result.implementation;
  json["route_taken"] = result.plan ? Json(cli::name_of(result.plan->route)) : Json();
  json["split"] = result.plan ? Json(result.plan->chunks_per_row) : Json();
  json["threads"] = result.plan ? Json(result.plan->threads) : Json();
  json["workspace_bytes"] = result.workspace_bytes;
  json["shared_bytes"] = result.plan ? Json(result.plan->shared_bytes) : Json();
  json["timer"] = name_of(result.timer);
  json["median_us"] = result.first.median_us;
  json["p10_us"] = result.first.p10_us;
  json["p90_us"] = result.first.p90_us;
  json["second_median_us"] = result.second.median_us;
  json["noise"] = result.noise();
  if (result.writer_us) json["writer_us"] = *result.writer_us;
  json["read_floor_us"] = result.read_floor.median_us;
  json["floor_us"] = result.floor.median_us;
  json["floor_p10_us"] = result.floor.p10_us;
  json["floor_p90_us"] = result.floor.p90_us;
  json["ratio_to_floor"] = optional_ratio(result.first.median_us, result.floor.median_us);
  json["ratio_to_read_floor"] = optional_ratio(result.first.median_us, result.read_floor.median_us);
  json["launch_us"] = result.launch_us;
  json["plan_host_us"] = result.plan_host_us;
  json["run_host_us"] = result.run_host_us;
  json["bytes"] = result.bytes;
  json["gb_per_s"] = optional_ratio(static_cast<double>(result.bytes) * 1e-3, result.first.median_us);
  json["checked_rows"] = result.checked_rows;
  json["wrong_rows"] = result.wrong_rows;
  json["fault"] = result.fault;
  if (result.counters) {
    const RowCounters& counters = *result.counters;
    json["max_second_reads"] = counters.written ? Json(counters.max_second_reads) : Json();
    json["rows_with_second_read"] = counters.written ? Json(counters.rows_with_second_read) : Json();
    json["mean_compactions"] = counters.written ? Json(counters.mean_compactions) : Json();
  }
  return json;
}

Json to_json(const std::vector<UnmeasuredCell>& cells) {
  Json list = Json::array();
  for (const UnmeasuredCell& unmeasured : cells) {
    list.push_back(to_json(unmeasured.cell));
    list.back()["implementation"] = unmeasured.implementation;
    list.back()["reason"] = unmeasured.reason;
  }
  return list;
}

// The process's own arguments, as the system keeps them.
std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  while (!text.empty() && text.back() == '\0') text.pop_back();
  for (char& c : text) {
    if (c == '\0') c = ' ';
  }
  return text;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

// "keysieve 0.1.0 (REVISION), ..."
std::string revision_of_build() {
  const std::string build = keysieve_build_info();
  const std::size_t begin = build.find('('), end = build.find(')');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  return build.substr(begin + 1, end - begin - 1);
}

}  // namespace

Json to_json(const Cell& cell) {
  return {{"rows", cell.rows},
          {"width", cell.width},
          {"capacity", cell.capacity},
          {"k", cell.k},
          {"dtype", cli::name_of(cell.dtype)},
          {"distribution", name_of(cell.distribution)},
          {"lengths", name_of(cell.lengths)},
          {"mode", name_of(cell.mode)},
          {"order", cli::name_of(cell.order)},
          {"output", cli::name_of(cell.output)},
          {"values", cell.values},
          {"chain", name_of(cell.chain)},
          {"busy_sms", cell.busy_sms},
          {"hint", name_of(cell.hint)},
          {"route_asked", cli::name_of(cell.route)},
          {"split_asked", tuning(cell.split)},
          {"threads_asked", tuning(cell.threads)}};
}

Json to_json(const Report& report) {
  Json json = {{"schema", "keysieve.bench/1"}, {"fingerprint", report.fingerprint}, {"samples", report.samples}};
  json["launch_us"] = Json::object();
  for (const auto& [mode, us] : report.launch_us) json["launch_us"][name_of(mode)] = us;
  std::int64_t wrong_cells = 0;
  json["cells"] = Json::array();
  for (const CellResult& result : report.results) {
    wrong_cells += result.is_wrong();
    json["cells"].push_back(to_json(result));
  }
  json["wrong_cells"] = wrong_cells;
  json["refused"] = to_json(report.refused);
  json["failed"] = to_json(report.failed);
  json["missing"] = to_json(report.missing);
  json["error"] = report.error;
  return json;
}

void write_report(const Report& report, const Options& options) {
  const std::string text = to_json(report).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (options.output.empty()) return cli::write_stdout(text);
  io::AtomicFile file(options.output);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

Json common_fingerprint(const Options& options, const char* device) {
  return {{"revision", options.revision.empty() ? revision_of_build() : options.revision},
          {"build", keysieve_build_info()},
          {"date", utc_now()},
          {"command", command_line()},
          {"device", device}};
}

}  // namespace keysieve::bench
