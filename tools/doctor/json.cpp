#include "doctor/json.hpp"

#include <cmath>

namespace keysieve::doctor {

namespace {

using Json = nlohmann::ordered_json;

double rounded(double seconds) { return std::round(seconds * 1e6) / 1e6; }

template <typename Value>
Json value_or_null(const std::optional<Value>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}

Json to_json(const CaseGroup& group) {
  Json json = {{"name", group.name},
               {"cases", group.cases},
               {"failed", group.failed},
               {"left_out", group.left_out},
               {"seconds", rounded(group.seconds)}};
  if (!group.unavailable.empty()) json["unavailable"] = group.unavailable;
  return json;
}

Json to_json(const RouteReport& route) {
  Json json = {{"backend", route.backend}, {"route", route.route},         {"cases", route.cases()},
               {"failed", route.failed()}, {"left_out", route.left_out()}, {"seconds", rounded(route.seconds())}};
  if (!route.first_fault.empty()) json["first_fault"] = route.first_fault;
  if (!route.unavailable.empty()) json["unavailable"] = route.unavailable;
  json["groups"] = Json::array();
  for (const CaseGroup& group : route.groups) json["groups"].push_back(to_json(group));
  return json;
}

Json to_json(const std::vector<LibraryFile>& files) {
  Json json = Json::array();
  for (const LibraryFile& file : files) {
    json.push_back({{"name", file.name}, {"path", file.path}, {"version", file.version}, {"where", file.where}});
  }
  return json;
}

Json to_json(const Libraries& libraries) {
  Json json = {{"loaded", to_json(libraries.loaded)}, {"installed", to_json(libraries.installed)}};
  json["toolkits"] = Json::array();
  for (const Toolkit& toolkit : libraries.toolkits) {
    json["toolkits"].push_back({{"path", toolkit.path}, {"version", toolkit.version}});
  }
  json["shadowed"] = Json::array();
  for (const Shadow& shadow : libraries.shadowed) {
    json["shadowed"].push_back({{"name", shadow.name}, {"first", shadow.first}, {"hidden", shadow.hidden}});
  }
  json["other_keysieve"] = libraries.other_keysieve;
  json["kernel_module"] = libraries.kernel_module;
  return json;
}

Json to_json(const std::vector<GpuProcess>& processes) {
  Json json = Json::array();
  for (const GpuProcess& process : processes) {
    json.push_back({{"pid", process.pid}, {"memory_bytes", value_or_null(process.memory_bytes)}});
  }
  return json;
}

Json to_json(const GpuState& gpu) {
  return {{"index", gpu.index},
          {"name", gpu.name},
          {"pci_bus_id", gpu.pci_bus_id},
          {"mig", value_or_null(gpu.mig)},
          {"mig_pending", value_or_null(gpu.mig_pending)},
          {"compute_mode", value_or_null(gpu.compute_mode)},
          {"persistence", value_or_null(gpu.persistence)},
          {"sm_clock_mhz", value_or_null(gpu.sm_clock_mhz)},
          {"sm_clock_max_mhz", value_or_null(gpu.sm_clock_max_mhz)},
          {"memory_clock_mhz", value_or_null(gpu.memory_clock_mhz)},
          {"memory_clock_max_mhz", value_or_null(gpu.memory_clock_max_mhz)},
          {"throttle_reasons", value_or_null(gpu.throttle_reasons)},
          {"power_watts", value_or_null(gpu.power_watts)},
          {"power_limit_watts", value_or_null(gpu.power_limit_watts)},
          {"temperature_celsius", value_or_null(gpu.temperature_celsius)},
          {"memory_used_bytes", value_or_null(gpu.memory_used_bytes)},
          {"memory_total_bytes", value_or_null(gpu.memory_total_bytes)},
          {"utilization_percent", value_or_null(gpu.utilization_percent)},
          {"processes", gpu.processes.has_value() ? to_json(*gpu.processes) : Json(nullptr)},
          {"unseen", gpu.unseen}};
}

Json to_json(const GpuSurvey& survey) {
  Json json = {{"problem", survey.problem}, {"driver", survey.driver}, {"cuda", survey.cuda}};
  json["gpus"] = Json::array();
  for (const GpuState& gpu : survey.gpus) json["gpus"].push_back(to_json(gpu));
  return json;
}

Json to_json(const MpsState& mps) {
  return {{"pipe_directory", mps.pipe_directory},
          {"pipe_seen", mps.pipe_seen},
          {"daemon_runs", mps.daemon_runs},
          {"active_thread_percentage", mps.active_thread_percentage}};
}

}  // namespace

Json to_json(const Facts& facts, const Findings& findings) {
  Json routes = Json::array();
  for (const RouteReport& route : facts.self_test.routes) routes.push_back(to_json(route));
  Json variables = Json::object();
  for (const auto& [name, value] : facts.environment.variables) variables[name] = value;
  return {{"schema", "keysieve.doctor/1"},
          {"ok", findings.ok()},
          {"problems", findings.problems},
          {"warnings", findings.warnings},
          {"self_test", std::move(routes)},
          {"self_test_seconds", rounded(facts.self_test.seconds)},
          {"self_test_limit_seconds", facts.self_test.limit_seconds},
          {"system", facts.system.is_object() ? facts.system : Json(nullptr)},
          {"libraries", to_json(facts.libraries)},
          {"nvml", to_json(facts.gpus)},
          {"mps", to_json(facts.environment.mps)},
          {"environment", std::move(variables)}};
}

}  // namespace keysieve::doctor
