#include "doctor/findings.hpp"

#include <fmt/format.h>

#include "doctor/system_report.hpp"

namespace keysieve::doctor {

namespace {

// The devices of the report, of whatever shape it is.
const Json& devices_of(const Facts& facts) { return field(field(facts.system, "cuda"), "devices"); }

void judge_tuning(const Json& device, const std::string& gpu, Findings& findings) {
  const std::string problem = string_of(field(device, "tuning"), "problem");
  if (problem.empty()) return;
  findings.warnings.push_back(fmt::format("tuning: the tuning file for {} is not in use: {}", gpu, problem));
}

void judge_device(const Json& device, Findings& findings) {
  const std::string gpu = "gpu " + text_of(device, "ordinal");
  const std::string verdict = text_of(device, "key_order_self_test");
  if (verdict.starts_with("failed")) findings.problems.push_back(fmt::format("key order: {}: {}", gpu, verdict));
  if (verdict.starts_with("not run")) findings.warnings.push_back(fmt::format("key order: {}: {}", gpu, verdict));
  const std::string engine_problem = string_of(device, "engine_problem");
  if (!engine_problem.empty()) {
    findings.warnings.push_back(fmt::format("engine: {} cannot select: {}", gpu, engine_problem));
    return;
  }
  const Json& routes = field(device, "unavailable_routes");
  for (const Json& route : routes.is_array() ? routes : Json::array()) {
    findings.warnings.push_back(
        fmt::format("engine: {} does without route {}", gpu, route.is_string() ? route.get<std::string>() : "?"));
  }
  judge_tuning(device, gpu, findings);
}

}  // namespace

void judge_system(const Facts& facts, Findings& findings) {
  if (!facts.system.is_object()) {
    findings.problems.push_back("system: expected a JSON object from the library, found something else");
    return;
  }
  const Json& cpu = field(facts.system, "cpu");
  if (!is_true(cpu, "loaded")) {
    findings.problems.push_back("cpu kernels: they cannot be loaded: " + text_of(cpu, "problem"));
  }
  const Json& compiler = field(field(facts.system, "cuda"), "compiler");
  if (field(compiler, "passing_record") == Json(false)) {
    findings.warnings.push_back(
        fmt::format("compiler: the device code was built by nvcc {}, which has no passing record in results/",
                    text_of(compiler, "version")));
  }
  const Json& devices = devices_of(facts);
  if (!devices.is_array()) return;
  for (const Json& device : devices) judge_device(device, findings);
}

void judge_self_test(const Facts& facts, Findings& findings) {
  const bool cpu_loaded = is_true(field(facts.system, "cpu"), "loaded");
  int left_out = 0;
  for (const RouteReport& route : facts.self_test.routes) {
    left_out += route.left_out();
    if (route.failed() > 0) {
      findings.problems.push_back(fmt::format("self-test: {}: {} of {} cases are wrong; first: {}", route.name(),
                                              route.failed(), route.cases(), route.first_fault));
    } else if (!route.unavailable.empty() && route.backend == "cpu" && cpu_loaded) {
      findings.problems.push_back(
          fmt::format("self-test: {}: expected it to run, found: {}", route.name(), route.unavailable));
    }
  }
  if (left_out > 0) {
    findings.warnings.push_back(fmt::format("self-test: {} cases were left out at the limit of {:g} s", left_out,
                                            facts.self_test.limit_seconds));
  }
}

Findings find_faults(const Facts& facts) {
  Findings findings;
  judge_system(facts, findings);
  judge_self_test(facts, findings);
  judge_libraries(facts, findings);
  judge_gpus(facts, findings);
  judge_environment(facts, findings);
  return findings;
}

}  // namespace keysieve::doctor
