// The findings about what surrounds the library: drivers, clocks, neighbours.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "doctor/findings.hpp"
#include "doctor/system_report.hpp"

namespace keysieve::doctor {

namespace {

// {13, 0} of "13.0"; {0, 0} of anything else, which is older than every version.
std::pair<int, int> version_of(const std::string& text) {
  char* end = nullptr;
  const long major = std::strtol(text.c_str(), &end, 10);
  const long minor = *end == '.' ? std::strtol(end + 1, nullptr, 10) : 0;
  return {static_cast<int>(major), static_cast<int>(minor)};
}

void judge_driver_age(const Json& cuda, Findings& findings) {
  const std::string driver = string_of(cuda, "driver");
  const std::string toolkit = string_of(cuda, "toolkit");
  if (driver.empty() || toolkit.empty() || version_of(driver) >= version_of(toolkit)) return;
  findings.warnings.push_back(
      fmt::format("driver: expected one for CUDA {} or newer, found one for {}: {}", toolkit, driver,
                  version_of(driver).first < version_of(toolkit).first ? "the GPU cannot be used"
                                                                       : "what a newer driver brings is missing"));
}

// A driver that the loader would find: everything that uses one asks for this name.
bool is_driver(const LibraryFile& file) { return file.name == "libcuda.so.1" && file.where != "toolkit"; }

// The driver of this process, or else the one that the loader would give it.
const LibraryFile* driver_in_use(const Libraries& libraries) {
  for (const LibraryFile& file : libraries.loaded) {
    if (watched_library(file.name) == "libcuda") return &file;
  }
  const auto found = std::find_if(libraries.installed.begin(), libraries.installed.end(), is_driver);
  return found != libraries.installed.end() ? &*found : nullptr;
}

// Stubs are for linking: they answer every call with an error.
bool is_stub(const LibraryFile& file) { return file.path.find("/stubs/") != std::string::npos; }

void judge_cuda_libraries(const Libraries& libraries, Findings& findings) {
  std::vector<std::string> found;
  for (const LibraryFile& file : libraries.installed) {
    if (is_driver(file) && !is_stub(file)) found.push_back(file.path);
  }
  if (found.size() > 1) {
    findings.warnings.push_back(
        fmt::format("libcuda: expected one for the loader to find, found {}", fmt::join(found, ", ")));
  }
  const LibraryFile* const used = driver_in_use(libraries);
  if (used == nullptr) return;
  if (is_stub(*used)) {
    findings.warnings.push_back(fmt::format("libcuda: {} is a stub for linking, no driver", used->path));
  } else if (!libraries.kernel_module.empty() && used->version.find('.') != std::string::npos &&
             used->version != libraries.kernel_module) {
    findings.warnings.push_back(
        fmt::format("driver: the kernel runs {}, {} is of {}", libraries.kernel_module, used->path, used->version));
  }
}

// The GPUs that CUDA shows to this process; all where the report does not tell.
bool is_visible(const GpuState& gpu, const Json& devices) {
  if (!devices.is_array() || gpu.pci_bus_id.empty()) return true;
  bool told = false;
  for (const Json& device : devices) {
    const std::string bus = string_of(device, "pci_bus_id");
    if (bus == gpu.pci_bus_id) return true;
    told = told || !bus.empty();
  }
  return !told;
}

void judge_clocks(const GpuState& gpu, const std::string& name, Findings& findings) {
  if (!gpu.throttle_reasons.has_value()) return;
  std::vector<std::string> reasons;
  for (const std::string& reason : *gpu.throttle_reasons) {
    if (reason != "gpu_idle") reasons.push_back(reason);
  }
  if (reasons.empty()) return;
  findings.warnings.push_back(
      fmt::format("clocks: {} is held back ({}); its times compare with nothing else", name, fmt::join(reasons, ", ")));
}

void judge_gpu(const GpuState& gpu, Findings& findings) {
  const std::string name = gpu.pci_bus_id.empty() ? fmt::format("nvml gpu {}", gpu.index) : gpu.pci_bus_id;
  if (gpu.mig == true) {
    findings.warnings.push_back(
        fmt::format("mig: {} is divided; fewer SMs and clusters fit than on the whole GPU", name));
  }
  if (gpu.mig.has_value() && gpu.mig_pending.has_value() && gpu.mig != gpu.mig_pending) {
    findings.warnings.push_back(
        fmt::format("mig: {} will be {} after its next reset", name, *gpu.mig_pending ? "divided" : "whole"));
  }
  if (gpu.compute_mode.has_value() && *gpu.compute_mode != "default") {
    findings.warnings.push_back(
        fmt::format("compute mode: {} is in {}, so processes can be turned away", name, *gpu.compute_mode));
  }
  judge_clocks(gpu, name, findings);
  if (gpu.processes.has_value() && !gpu.processes->empty()) {
    findings.warnings.push_back(fmt::format("neighbours: {} other processes use {}; times suffer, results do not",
                                            gpu.processes->size(), name));
  } else if (gpu.utilization_percent.value_or(0) > 5) {
    findings.warnings.push_back(
        fmt::format("neighbours: {} was {} % busy before this process used it", name, *gpu.utilization_percent));
  }
}

}  // namespace

void judge_libraries(const Facts& facts, Findings& findings) {
  judge_driver_age(field(facts.system, "cuda"), findings);
  judge_cuda_libraries(facts.libraries, findings);
  for (const Shadow& shadow : facts.libraries.shadowed) {
    findings.warnings.push_back(fmt::format("LD_LIBRARY_PATH: its {} comes before {}", shadow.first, shadow.hidden));
  }
  for (const std::string& path : facts.libraries.other_keysieve) {
    findings.warnings.push_back(
        fmt::format("libkeysieve: {} differs from the one in use, and others may load it", path));
  }
}

void judge_gpus(const Facts& facts, Findings& findings) {
  const Json& devices = field(field(facts.system, "cuda"), "devices");
  for (const GpuState& gpu : facts.gpus.gpus) {
    if (is_visible(gpu, devices)) judge_gpu(gpu, findings);
  }
}

void judge_environment(const Facts& facts, Findings& findings) {
  const MpsState& mps = facts.environment.mps;
  if (mps.daemon_runs) {
    findings.warnings.push_back(
        fmt::format("mps: its daemon runs at {}; clients share the GPU's SMs and their faults", mps.pipe_directory));
  }
  if (!mps.active_thread_percentage.empty() && mps.active_thread_percentage != "100") {
    findings.warnings.push_back(fmt::format("mps: this process may use {} % of the SMs", mps.active_thread_percentage));
  }
  for (const auto& [name, value] : facts.environment.variables) {
    if (name == "CUDA_LAUNCH_BLOCKING" && !value.empty() && value != "0") {
      findings.warnings.push_back("CUDA_LAUNCH_BLOCKING: every launch waits, so times are not those of a server");
    }
  }
}

}  // namespace keysieve::doctor
