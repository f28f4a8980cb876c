#include "doctor/text.hpp"

#include <fmt/format.h>

#include "doctor/system_report.hpp"

namespace keysieve::doctor {

namespace {

void add_line(std::string& text, const char* name, const std::string& value) {
  text += fmt::format("{:<18}{}\n", name, value);
}

void add_cpu(const Json& cpu, std::string& text) {
  if (is_true(cpu, "loaded")) {
    add_line(text, "cpu kernels", "loaded from " + text_of(cpu, "library"));
    add_line(text, "  simd target", text_of(cpu, "target"));
    add_line(text, "  cpu can run", text_of(cpu, "supported_targets"));
  } else {
    add_line(text, "cpu kernels", "not loaded: " + text_of(cpu, "problem"));
    add_line(text, "", "without them selection falls back to the reference: right, but slow");
  }
  add_line(text, "  threads", text_of(cpu, "threads"));
}

// What the planner goes by.
void add_engine(const Json& device, std::string& text) {
  const std::string problem = string_of(device, "engine_problem");
  if (!problem.empty()) {
    add_line(text, "  cuda selection", "cannot use it: " + problem);
    return;
  }
  add_line(text, "  split clusters",
           fmt::format("{} of 8 CTAs, {} of 16 resident at once", text_of(device, "resident_clusters_of_8"),
                       text_of(device, "resident_clusters_of_16")));
  const Json& routes = field(device, "unavailable_routes");
  for (const Json& route : routes.is_array() ? routes : Json::array()) {
    add_line(text, "  without route", route.is_string() ? route.get<std::string>() : "?");
  }
  const Json& tuning = field(device, "tuning");
  if (tuning.empty()) return;
  const std::string path = string_of(tuning, "path");
  const std::string fault = string_of(tuning, "problem");
  add_line(text, "  tuning",
           text_of(tuning, "source") + (path.empty() ? "" : ", " + path) +
               (fault.empty() ? "" : " (not used: " + fault + ")"));
}

void add_device(const Json& device, std::string& text) {
  const std::string bus = string_of(device, "pci_bus_id");
  add_line(
      text, "gpu",
      fmt::format("{} {}, compute capability {}, {} SMs{}", text_of(device, "ordinal"), text_of(device, "name"),
                  text_of(device, "compute_capability"), text_of(device, "num_sms"), bus.empty() ? "" : ", " + bus));
  const std::string verdict = string_of(device, "key_order_self_test");
  if (!verdict.empty()) add_line(text, "  key order test", verdict);
  add_engine(device, text);
}

void add_cuda(const Json& cuda, std::string& text) {
  const Json& devices = field(cuda, "devices");
  if (is_true(cuda, "built")) {
    add_line(text, "cuda toolkit", text_of(cuda, "toolkit"));
    const Json& compiler = field(cuda, "compiler");
    if (!compiler.empty()) {
      add_line(text, "  compiler",
               fmt::format("nvcc {}, {}", text_of(compiler, "version"),
                           is_true(compiler, "passing_record") ? "with a passing record" : "without a passing record"));
    }
    const std::string driver = string_of(cuda, "driver");
    add_line(text, "  driver", driver.empty() ? "none" : "for CUDA " + driver + " and older");
  }
  if (!devices.is_array() || devices.empty()) {
    const std::string problem = string_of(cuda, "problem");
    add_line(text, "gpu", "none in use" + (problem.empty() ? "" : ": " + problem));
    add_line(text, "", "selection runs on the CPU; nothing else is missing because of it");
  } else {
    for (const Json& device : devices) add_device(device, text);
  }
  if (field(cuda, "select_engine") == Json(false)) {
    add_line(text, "cuda selection", "not in this build; `keysieve plan --device h200` shows its plans");
  }
}

template <typename Value>
std::string seen(const std::optional<Value>& value) {
  return value.has_value() ? fmt::format("{}", *value) : std::string("?");
}

std::string watts(const std::optional<double>& value) {
  return value.has_value() ? fmt::format("{:.0f}", *value) : std::string("?");
}

std::string gibibytes(const std::optional<std::int64_t>& bytes) {
  return bytes.has_value() ? fmt::format("{:.1f}", static_cast<double>(*bytes) / (1 << 30)) : std::string("?");
}

std::string on_off(const std::optional<bool>& value) { return value.has_value() ? (*value ? "on" : "off") : "?"; }

void add_gpu_state(const GpuState& gpu, std::string& text) {
  add_line(text, "nvml gpu", fmt::format("{} {}, {}", gpu.index, gpu.name, gpu.pci_bus_id));
  add_line(text, "  modes",
           fmt::format("MIG {}, compute mode {}, persistence {}", on_off(gpu.mig), seen(gpu.compute_mode),
                       on_off(gpu.persistence)));
  add_line(text, "  clocks",
           fmt::format("SM {} of {} MHz, memory {} of {} MHz", seen(gpu.sm_clock_mhz), seen(gpu.sm_clock_max_mhz),
                       seen(gpu.memory_clock_mhz), seen(gpu.memory_clock_max_mhz)));
  if (gpu.throttle_reasons.has_value() && !gpu.throttle_reasons->empty()) {
    add_line(text, "  held back by", fmt::format("{}", fmt::join(*gpu.throttle_reasons, ", ")));
  }
  add_line(text, "  load",
           fmt::format("{} of {} W, {} C, {} of {} GiB, {} % busy, {} other processes", watts(gpu.power_watts),
                       watts(gpu.power_limit_watts), seen(gpu.temperature_celsius), gibibytes(gpu.memory_used_bytes),
                       gibibytes(gpu.memory_total_bytes), seen(gpu.utilization_percent),
                       gpu.processes.has_value() ? std::to_string(gpu.processes->size()) : "?"));
  for (const std::string& each : gpu.unseen) add_line(text, "  not seen", each);
}

void add_libraries(const Libraries& libraries, std::string& text) {
  const auto file_line = [](const LibraryFile& file) {
    return file.path + (file.version.empty() ? "" : ", " + file.version);
  };
  for (const LibraryFile& file : libraries.loaded) add_line(text, "loaded", file_line(file));
  for (const LibraryFile& file : libraries.installed) {
    add_line(text, "installed", file_line(file) + " (" + file.where + ")");
  }
  for (const Toolkit& toolkit : libraries.toolkits) {
    add_line(text, "toolkit", toolkit.path + (toolkit.version.empty() ? "" : ", " + toolkit.version));
  }
  add_line(text, "kernel module", libraries.kernel_module.empty() ? "not seen" : libraries.kernel_module);
}

void add_self_test(const SelfTestReport& report, std::string& text) {
  for (const RouteReport& route : report.routes) {
    if (!route.unavailable.empty()) {
      add_line(text, "self-test", fmt::format("{:<22}not run: {}", route.name(), route.unavailable));
      continue;
    }
    std::string groups;
    for (const CaseGroup& group : route.groups) {
      if (group.cases > 0) groups += fmt::format("{}{} {}", groups.empty() ? "" : ", ", group.name, group.cases);
    }
    add_line(text, "self-test",
             fmt::format("{:<22}{} of {} right in {:.2f} s ({})", route.name(), route.cases() - route.failed(),
                         route.cases(), route.seconds(), groups));
    for (const CaseGroup& group : route.groups) {
      if (!group.unavailable.empty()) {
        add_line(text, "", fmt::format("{:<22}{}: not run: {}", "", group.name, group.unavailable));
      }
    }
  }
  add_line(text, "self-test took", fmt::format("{:.2f} s of at most {:g} s", report.seconds, report.limit_seconds));
}

std::string count(std::size_t number, const char* noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string verdict(const Findings& findings) {
  const std::string warnings = findings.warnings.empty() ? "" : ", " + count(findings.warnings.size(), "warning");
  return (findings.ok() ? "healthy" : count(findings.problems.size(), "problem")) + warnings;
}

}  // namespace

std::string to_text(const Facts& facts, const Findings& findings) {
  std::string text;
  add_line(text, "keysieve", text_of(facts.system, "build"));
  add_cpu(field(facts.system, "cpu"), text);
  add_cuda(field(facts.system, "cuda"), text);
  if (!facts.gpus.problem.empty()) add_line(text, "nvml", "not seen: " + facts.gpus.problem);
  for (const GpuState& gpu : facts.gpus.gpus) add_gpu_state(gpu, text);
  if (facts.environment.mps.pipe_seen) {
    add_line(text, "mps",
             fmt::format("{}, daemon {}", facts.environment.mps.pipe_directory,
                         facts.environment.mps.daemon_runs ? "runs" : "not seen"));
  }
  add_libraries(facts.libraries, text);
  for (const auto& [name, value] : facts.environment.variables) add_line(text, "environment", name + "=" + value);
  add_self_test(facts.self_test, text);
  add_line(text, "result", verdict(findings));
  for (const std::string& problem : findings.problems) add_line(text, "  problem", problem);
  for (const std::string& warning : findings.warnings) add_line(text, "  warning", warning);
  return text;
}

}  // namespace keysieve::doctor
