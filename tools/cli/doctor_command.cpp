#include "cli/doctor_command.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/option_names.hpp"
#include "cli/self_test.hpp"
#include "keysieve/select.hpp"

namespace keysieve::cli {

namespace {

using Json = nlohmann::ordered_json;

// The report of a library newer than this command may lack or add fields: nothing here may throw over that.
const Json& field(const Json& json, const char* name) {
  static const Json kNone = Json::object();
  const auto found = json.is_object() ? json.find(name) : json.end();
  return json.is_object() && found != json.end() ? *found : kNone;
}

std::string text_of(const Json& json, const char* name) {
  const Json& value = field(json, name);
  if (value.is_string()) return value.get<std::string>();
  return value.is_object() && value.empty() ? std::string("unknown") : value.dump();
}

bool is_true(const Json& json, const char* name) { return field(json, name) == Json(true); }

void add_line(std::string& text, const char* name, const std::string& value) {
  text += fmt::format("{:<18}{}\n", name, value);
}

void describe_cpu(const Json& cpu, std::string& text) {
  add_line(
      text, "cpu kernels",
      is_true(cpu, "loaded") ? "loaded from " + text_of(cpu, "library") : "not loaded: " + text_of(cpu, "problem"));
  if (is_true(cpu, "loaded")) {
    add_line(text, "  simd target", text_of(cpu, "target"));
    add_line(text, "  cpu can run", text_of(cpu, "supported_targets"));
  } else {
    add_line(text, "", "without them selection falls back to the reference: right, but slow");
  }
  add_line(text, "  threads", text_of(cpu, "threads"));
}

// What the planner goes by.
void describe_engine(const Json& device, std::string& text) {
  const Json& problem = field(device, "engine_problem");
  if (problem.is_string() && !problem.get<std::string>().empty()) {
    add_line(text, "  cuda selection", "cannot use it: " + problem.get<std::string>());
    return;
  }
  add_line(text, "  split clusters",
           fmt::format("{} of 8 CTAs, {} of 16 resident at once", text_of(device, "resident_clusters_of_8"),
                       text_of(device, "resident_clusters_of_16")));
  const Json& routes = field(device, "unavailable_routes");
  if (!routes.is_array()) return;
  for (const Json& route : routes)
    add_line(text, "  without route", route.is_string() ? route.get<std::string>() : "?");
}

void describe_cuda(const Json& cuda, std::string& text) {
  const Json& devices = field(cuda, "devices");
  if (is_true(cuda, "built")) {
    add_line(text, "cuda toolkit", text_of(cuda, "toolkit"));
    add_line(text, "  driver", text_of(cuda, "driver"));
  }
  if (!devices.is_array() || devices.empty()) {
    const std::string problem = text_of(cuda, "problem");
    add_line(text, "gpu", "none in use" + (problem.empty() || problem == "unknown" ? "" : ": " + problem));
    add_line(text, "", "selection runs on the CPU; nothing else is missing because of it");
  } else {
    for (const Json& device : devices) {
      add_line(text, "gpu",
               fmt::format("{} {}, compute capability {}, {} SMs", text_of(device, "ordinal"), text_of(device, "name"),
                           text_of(device, "compute_capability"), text_of(device, "num_sms")));
      const Json& self_test = field(device, "key_order_self_test");
      if (self_test.is_string() || self_test.is_boolean()) {
        add_line(text, "  key order test", text_of(device, "key_order_self_test"));
      }
      describe_engine(device, text);
    }
  }
  if (field(cuda, "select_engine") == Json(false)) {
    add_line(text, "cuda selection", "not in this build; `keysieve plan --device h200` shows its plans");
  }
}

std::string describe_self_test(const std::vector<RouteReport>& reports) {
  std::string text;
  for (const RouteReport& report : reports) {
    std::string name = fmt::format("{}/{}", name_of(report.backend), name_of(report.route));
    if (!report.unavailable.empty()) {
      text += fmt::format("self-test         {:<22}not run: {}\n", name, report.unavailable);
    } else {
      text += fmt::format("self-test         {:<22}{} of {} right\n", name, report.cases - report.failed, report.cases);
    }
  }
  return text;
}

std::vector<std::string> find_problems(const Json& system, const std::vector<RouteReport>& reports) {
  std::vector<std::string> problems;
  const Json& cpu = field(system, "cpu");
  if (!is_true(cpu, "loaded")) problems.push_back("cpu kernels cannot be loaded: " + text_of(cpu, "problem"));
  for (const RouteReport& report : reports) {
    const std::string name = fmt::format("{}/{}", name_of(report.backend), name_of(report.route));
    if (report.failed > 0) {
      problems.push_back(fmt::format("self-test of {}: {} of {} cases are wrong; first: {}", name, report.failed,
                                     report.cases, report.first_fault));
    } else if (!report.unavailable.empty() && report.backend == Backend::kCpu && is_true(cpu, "loaded")) {
      problems.push_back(fmt::format("self-test of {}: expected it to run, found: {}", name, report.unavailable));
    }
  }
  for (const Json& device : field(field(system, "cuda"), "devices")) {
    const std::string verdict = text_of(device, "key_order_self_test");
    if (verdict.starts_with("failed")) {
      problems.push_back(fmt::format("key order test on gpu {}: {}", text_of(device, "ordinal"), verdict));
    }
  }
  return problems;
}

Json to_json(const std::vector<RouteReport>& reports) {
  Json json = Json::array();
  for (const RouteReport& report : reports) {
    Json entry = {{"backend", name_of(report.backend)},
                  {"route", name_of(report.route)},
                  {"cases", report.cases},
                  {"failed", report.failed}};
    if (!report.first_fault.empty()) entry["first_fault"] = report.first_fault;
    if (!report.unavailable.empty()) entry["unavailable"] = report.unavailable;
    json.push_back(std::move(entry));
  }
  return json;
}

}  // namespace

int run_doctor(const DoctorOptions& options) {
  const std::string system_text = detail::read_text(
      [](char* buffer, std::size_t size, std::size_t* needed) { return keysieve_system_json(buffer, size, needed); });
  const Json system = Json::parse(system_text, nullptr, /*allow_exceptions=*/false);
  const std::vector<RouteReport> reports = run_self_test();
  std::vector<std::string> problems = find_problems(system, reports);
  if (system.is_discarded()) problems.insert(problems.begin(), "the library's system report is not JSON");

  std::string text;
  if (options.json) {
    const Json json = {{"schema", "keysieve.doctor/1"},
                       {"ok", problems.empty()},
                       {"problems", problems},
                       {"self_test", to_json(reports)},
                       {"system", system.is_discarded() ? Json(nullptr) : system}};
    text = json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
  } else {
    add_line(text, "keysieve", text_of(system, "build"));
    describe_cpu(field(system, "cpu"), text);
    describe_cuda(field(system, "cuda"), text);
    text += describe_self_test(reports);
    add_line(text, "result", problems.empty() ? "healthy" : fmt::format("{} problems", problems.size()));
    for (const std::string& problem : problems) add_line(text, "  problem", problem);
  }
  write_stdout(text);
  return problems.empty() ? kExitOk : kExitFault;
}

}  // namespace keysieve::cli
