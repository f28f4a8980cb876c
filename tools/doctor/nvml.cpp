#include "doctor/nvml.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "doctor/nvml_functions.hpp"

namespace keysieve::doctor {

namespace {

constexpr unsigned kTextBytes = 96;  // of a name or version; the library's own limits are 96 and 80
constexpr unsigned kMaxProcesses = 4096;

constexpr std::array kComputeModes = {"default", "exclusive_thread", "prohibited", "exclusive_process"};

// Bit by bit, from bit 0.
constexpr std::array kThrottleReasons = {"gpu_idle",
                                         "applications_clocks_setting",
                                         "sw_power_cap",
                                         "hw_slowdown",
                                         "sync_boost",
                                         "sw_thermal_slowdown",
                                         "hw_thermal_slowdown",
                                         "hw_power_brake_slowdown",
                                         "display_clock_setting"};

std::vector<std::string> throttle_names(unsigned long long bits) {
  std::vector<std::string> names;
  for (std::size_t bit = 0; bit < 64; ++bit) {
    if ((bits >> bit & 1) == 0) continue;
    names.push_back(bit < kThrottleReasons.size() ? std::string(kThrottleReasons[bit])
                                                  : fmt::format("unknown_{:#x}", 1ULL << bit));
  }
  return names;
}

template <typename Function>
void find(void* library, Function*& function, std::initializer_list<const char*> names) {
  function = nullptr;
  for (const char* name : names) {
    if (function == nullptr) function = reinterpret_cast<Function*>(dlsym(library, name));
  }
}

NvmlFunctions find_functions(void* library) {
  NvmlFunctions nvml{};
  find(library, nvml.init, {"nvmlInit_v2"});
  find(library, nvml.shutdown, {"nvmlShutdown"});
  find(library, nvml.error_string, {"nvmlErrorString"});
  find(library, nvml.driver_version, {"nvmlSystemGetDriverVersion"});
  find(library, nvml.cuda_version, {"nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"});
  find(library, nvml.device_count, {"nvmlDeviceGetCount_v2"});
  find(library, nvml.device_by_index, {"nvmlDeviceGetHandleByIndex_v2"});
  find(library, nvml.name, {"nvmlDeviceGetName"});
  find(library, nvml.pci_info, {"nvmlDeviceGetPciInfo_v3"});
  find(library, nvml.mig_mode, {"nvmlDeviceGetMigMode"});
  find(library, nvml.compute_mode, {"nvmlDeviceGetComputeMode"});
  find(library, nvml.persistence, {"nvmlDeviceGetPersistenceMode"});
  find(library, nvml.clock, {"nvmlDeviceGetClockInfo"});
  find(library, nvml.max_clock, {"nvmlDeviceGetMaxClockInfo"});
  // Two names of one function: drivers renamed it.
  find(library, nvml.throttle_reasons,
       {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  find(library, nvml.power, {"nvmlDeviceGetPowerUsage"});
  find(library, nvml.power_limit, {"nvmlDeviceGetEnforcedPowerLimit"});
  find(library, nvml.temperature, {"nvmlDeviceGetTemperature"});
  find(library, nvml.memory, {"nvmlDeviceGetMemoryInfo"});
  find(library, nvml.utilization, {"nvmlDeviceGetUtilizationRates"});
  find(library, nvml.processes, {"nvmlDeviceGetComputeRunningProcesses_v3"});
  return nvml;
}

}  // namespace

std::string pci_bus_id_text(std::uint32_t domain, std::uint32_t bus, std::uint32_t device) {
  return fmt::format("{:04x}:{:02x}:{:02x}.0", domain, bus, device);
}

struct Nvml::Library {
  void* handle = nullptr;
  NvmlFunctions nvml{};
  std::string problem;
  bool initialised = false;

  std::string words(NvmlReturn status) const {
    const char* text = nvml.error_string != nullptr ? nvml.error_string(status) : nullptr;
    return text != nullptr ? text : fmt::format("status {}", status);
  }

  // One value: false, with a line in `unseen`, where the function is absent or refuses.
  template <typename... Parameters, typename... Values>
  bool get(GpuState& gpu, const char* what, NvmlReturn (*function)(NvmlDevice, Parameters...), NvmlDevice device,
           Values... values) const {
    const NvmlReturn status = function != nullptr ? function(device, values...) : kNvmlSuccess;
    if (function != nullptr && status == kNvmlSuccess) return true;
    gpu.unseen.push_back(fmt::format("{}: {}", what, function == nullptr ? "not in this library" : words(status)));
    return false;
  }

  void read_modes(NvmlDevice device, GpuState& gpu) const;
  void read_clocks(NvmlDevice device, GpuState& gpu) const;
  void read_load(NvmlDevice device, GpuState& gpu) const;
  void read_processes(NvmlDevice device, GpuState& gpu) const;
  GpuState read_gpu(unsigned index) const;
};

void Nvml::Library::read_modes(NvmlDevice device, GpuState& gpu) const {
  unsigned current = 0;
  unsigned pending = 0;
  if (get(gpu, "mig", nvml.mig_mode, device, &current, &pending)) {
    gpu.mig = current != 0;
    gpu.mig_pending = pending != 0;
  }
  int mode = 0;
  if (get(gpu, "compute mode", nvml.compute_mode, device, &mode)) {
    const bool known = mode >= 0 && mode < static_cast<int>(kComputeModes.size());
    gpu.compute_mode = known ? kComputeModes[static_cast<std::size_t>(mode)] : fmt::format("unknown_{}", mode);
  }
  if (get(gpu, "persistence", nvml.persistence, device, &mode)) gpu.persistence = mode != 0;
}

void Nvml::Library::read_clocks(NvmlDevice device, GpuState& gpu) const {
  unsigned mhz = 0;
  if (get(gpu, "sm clock", nvml.clock, device, kNvmlClockSm, &mhz)) gpu.sm_clock_mhz = mhz;
  if (get(gpu, "memory clock", nvml.clock, device, kNvmlClockMemory, &mhz)) gpu.memory_clock_mhz = mhz;
  if (get(gpu, "largest sm clock", nvml.max_clock, device, kNvmlClockSm, &mhz)) gpu.sm_clock_max_mhz = mhz;
  if (get(gpu, "largest memory clock", nvml.max_clock, device, kNvmlClockMemory, &mhz)) gpu.memory_clock_max_mhz = mhz;
  unsigned long long bits = 0;
  if (get(gpu, "throttle reasons", nvml.throttle_reasons, device, &bits)) gpu.throttle_reasons = throttle_names(bits);
}

void Nvml::Library::read_load(NvmlDevice device, GpuState& gpu) const {
  unsigned value = 0;
  if (get(gpu, "power", nvml.power, device, &value)) gpu.power_watts = value / 1e3;
  if (get(gpu, "power limit", nvml.power_limit, device, &value)) gpu.power_limit_watts = value / 1e3;
  if (get(gpu, "temperature", nvml.temperature, device, kNvmlSensorGpu, &value)) gpu.temperature_celsius = value;
  NvmlMemory memory{};
  if (get(gpu, "memory", nvml.memory, device, &memory)) {
    gpu.memory_used_bytes = static_cast<std::int64_t>(memory.used);
    gpu.memory_total_bytes = static_cast<std::int64_t>(memory.total);
  }
  NvmlUtilization utilization{};
  if (get(gpu, "utilization", nvml.utilization, device, &utilization)) gpu.utilization_percent = utilization.gpu;
}

void Nvml::Library::read_processes(NvmlDevice device, GpuState& gpu) const {
  std::vector<NvmlProcess> found(64);
  unsigned count = static_cast<unsigned>(found.size());
  // Processes may come while we count: the second call has room to spare, a third is not tried.
  if (nvml.processes != nullptr && nvml.processes(device, &count, found.data()) == kNvmlInsufficientSize &&
      count < kMaxProcesses) {
    found.resize(count + 64);
  }
  count = static_cast<unsigned>(found.size());
  if (!get(gpu, "processes", nvml.processes, device, &count, found.data())) return;
  found.resize(std::min(found.size(), static_cast<std::size_t>(count)));
  gpu.processes.emplace();
  for (const NvmlProcess& each : found) {
    GpuProcess process{each.pid, std::nullopt};
    const bool told = each.used_memory <= static_cast<unsigned long long>(std::numeric_limits<std::int64_t>::max());
    if (told) process.memory_bytes = static_cast<std::int64_t>(each.used_memory);
    gpu.processes->push_back(process);
  }
}

GpuState Nvml::Library::read_gpu(unsigned index) const {
  GpuState gpu;
  gpu.index = index;
  NvmlDevice device = nullptr;
  const NvmlReturn status = nvml.device_by_index(index, &device);
  if (status != kNvmlSuccess) {
    gpu.unseen.push_back("everything: " + words(status));
    return gpu;
  }
  char name[kTextBytes + 1] = {};
  if (get(gpu, "name", nvml.name, device, name, kTextBytes)) gpu.name = name;
  NvmlPciInfo pci{};
  if (get(gpu, "pci", nvml.pci_info, device, &pci)) gpu.pci_bus_id = pci_bus_id_text(pci.domain, pci.bus, pci.device);
  read_modes(device, gpu);
  read_clocks(device, gpu);
  read_load(device, gpu);
  read_processes(device, gpu);
  return gpu;
}

Nvml::Nvml(const std::string& path) : library_(std::make_unique<Library>()) {
  Library& library = *library_;
  library.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library.handle == nullptr) {
    const char* reason = dlerror();
    library.problem = reason != nullptr ? reason : path + ": cannot be opened";
    return;
  }
  library.nvml = find_functions(library.handle);
  const NvmlFunctions& nvml = library.nvml;
  if (nvml.init == nullptr || nvml.shutdown == nullptr || nvml.device_count == nullptr ||
      nvml.device_by_index == nullptr) {
    library.problem = path + ": expected the functions of NVML, found a library without them";
    return;
  }
  const NvmlReturn status = nvml.init();
  library.initialised = status == kNvmlSuccess;
  if (!library.initialised) library.problem = path + ": cannot be used: " + library.words(status);
}

Nvml::~Nvml() {
  if (library_->initialised) library_->nvml.shutdown();
  if (library_->handle != nullptr) dlclose(library_->handle);
}

GpuSurvey Nvml::read() const {
  const Library& library = *library_;
  const NvmlFunctions& nvml = library.nvml;
  GpuSurvey survey;
  survey.problem = library.problem;
  if (!survey.problem.empty()) return survey;
  char driver[kTextBytes + 1] = {};
  if (nvml.driver_version != nullptr && nvml.driver_version(driver, kTextBytes) == kNvmlSuccess) survey.driver = driver;
  int version = 0;
  if (nvml.cuda_version != nullptr && nvml.cuda_version(&version) == kNvmlSuccess && version > 0) {
    survey.cuda = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  }
  unsigned count = 0;
  const NvmlReturn status = nvml.device_count(&count);
  if (status != kNvmlSuccess) {
    survey.problem = "GPUs cannot be counted: " + library.words(status);
    return survey;
  }
  for (unsigned index = 0; index < count; ++index) survey.gpus.push_back(library.read_gpu(index));
  return survey;
}

}  // namespace keysieve::doctor
