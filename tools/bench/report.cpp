#include "report.hpp"

#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace keysieve::bench {
namespace {

using Json = nlohmann::ordered_json;

Json tuning(std::int32_t value) { return value == kAuto ? Json("auto") : Json(value); }

Json to_json(const Cell& cell, const Options& options) {
  return {{"rows", cell.rows},
          {"width", cell.width},
          {"k", cell.k},
          {"dtype", name_of(cell.dtype)},
          {"distribution", name_of(cell.distribution)},
          {"lengths", length_label(options)},
          {"mode", name_of(cell.mode)},
          {"order", name_of(cell.order)},
          {"route_asked", name_of(cell.route)},
          {"split_asked", tuning(cell.split)},
          {"threads_asked", tuning(cell.threads)}};
}

Json to_json(const CellResult& result, const Report& report, const Options& options) {
  Json json = to_json(result.cell, options);
  json["route_taken"] = name_of(result.plan.route);
  json["split"] = result.plan.chunks_per_row;
  json["threads"] = result.plan.threads;
  json["workspace_bytes"] = result.plan.workspace_bytes;
  json["shared_bytes"] = result.plan.shared_bytes;
  json["floor_us"] = result.floor.median_us;
  json["floor_p10_us"] = result.floor.p10_us;
  json["floor_p90_us"] = result.floor.p90_us;
  json["floor_shape"] = result.floor_shape;
  json["floor_rw_us"] = result.floor_rw.median_us;
  json["floor_rw_shape"] = result.floor_rw_shape;
  json["launch_us"] = report.launch.at(result.cell.mode).median_us;
  json["median_us"] = result.first.median_us;
  json["p10_us"] = result.first.p10_us;
  json["p90_us"] = result.first.p90_us;
  json["second_median_us"] = result.second.median_us;
  json["ratio_to_floor"] = result.first.median_us / result.floor.median_us;
  json["checked_rows"] = result.checked_rows;
  json["wrong_rows"] = result.wrong_rows;
  if (!result.fault.empty()) json["fault"] = result.fault;
  json["max_second_reads"] = result.counters_written ? Json(result.max_second_reads) : Json();
  json["rows_with_second_read"] = result.counters_written ? Json(result.rows_with_second_read) : Json();
  json["mean_compactions"] = result.counters_written ? Json(result.mean_compactions) : Json();
  return json;
}

Json to_json(const std::vector<UnmeasuredCell>& cells, const Options& options) {
  Json list = Json::array();
  for (const UnmeasuredCell& unmeasured : cells) {
    list.push_back(to_json(unmeasured.cell, options));
    list.back()["reason"] = unmeasured.reason;
  }
  return list;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// The driver's own number, such as 580.95; empty where the kernel module says nothing.
std::string driver_module() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

Json make_fingerprint(const Options& options, const cudaDeviceProp& device, int argc, const char* const* argv) {
  int driver = 0, runtime = 0;
  check_cuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check_cuda(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  std::string command_line;
  for (int i = 0; i < argc; ++i) command_line += (i == 0 ? "" : " ") + std::string(argv[i]);
  return {{"revision", options.revision},
          {"build", keysieve_build_info()},
          {"gpu", device.name},
          {"compute_capability", std::to_string(device.major) + "." + std::to_string(device.minor)},
          {"num_sms", device.multiProcessorCount},
          {"l2_bytes", device.l2CacheSize},
          {"memory_bytes", device.totalGlobalMem},
          {"driver", version_text(driver)},
          {"driver_module", driver_module()},
          {"toolkit", version_text(CUDART_VERSION)},
          {"cuda_runtime", version_text(runtime)},
          {"command_line", command_line}};
}

void write_report(const Report& report, const Options& options) {
  Json json = {{"schema", "keysieve.gpu_bench/1"}, {"fingerprint", report.fingerprint}};
  json["samples"] = options.samples;
  json["launch_us"] = Json::object();
  for (const auto& [mode, timing] : report.launch) json["launch_us"][name_of(mode)] = timing.median_us;
  std::int64_t wrong_cells = 0;
  json["cells"] = Json::array();
  for (const CellResult& result : report.results) {
    wrong_cells += result.wrong_rows > 0;
    json["cells"].push_back(to_json(result, report, options));
  }
  json["wrong_cells"] = wrong_cells;
  json["refused"] = to_json(report.refused, options);
  json["failed"] = to_json(report.failed, options);
  json["missing"] = to_json(report.missing, options);
  json["error"] = report.error;

  const std::string text = json.dump(1) + "\n";
  if (options.output.empty()) {
    std::fputs(text.c_str(), stdout);
    return;
  }
  const std::string unfinished = options.output + ".part";
  {
    std::ofstream file(unfinished, std::ios::binary);
    file << text;
    file.close();
    if (!file) throw std::runtime_error(unfinished + ": cannot be written");
  }
  if (std::rename(unfinished.c_str(), options.output.c_str()) != 0) {
    throw std::runtime_error(options.output + ": cannot be replaced");
  }
}

}  // namespace keysieve::bench
