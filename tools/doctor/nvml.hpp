// The GPUs as the driver's management library (NVML) sees them: MIG, clocks, throttling, power, who else is there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace keysieve::doctor {

struct GpuProcess {
  std::uint32_t pid = 0;                     // as the driver counts them, which in a container may be the host's number
  std::optional<std::int64_t> memory_bytes;  // absent where the driver does not tell
};

// A value that could not be read is absent, and `unseen` says which and why.
struct GpuState {
  std::uint32_t index = 0;  // NVML's own order, which CUDA_VISIBLE_DEVICES does not change
  std::string name;
  std::string pci_bus_id;  // "0000:18:00.0", "" where unknown
  std::optional<bool> mig;
  std::optional<bool> mig_pending;  // after the next reset
  std::optional<std::string> compute_mode;
  std::optional<bool> persistence;
  std::optional<std::uint32_t> sm_clock_mhz;
  std::optional<std::uint32_t> sm_clock_max_mhz;
  std::optional<std::uint32_t> memory_clock_mhz;
  std::optional<std::uint32_t> memory_clock_max_mhz;
  std::optional<std::vector<std::string>> throttle_reasons;
  std::optional<double> power_watts;
  std::optional<double> power_limit_watts;
  std::optional<std::uint32_t> temperature_celsius;
  std::optional<std::int64_t> memory_used_bytes;
  std::optional<std::int64_t> memory_total_bytes;
  std::optional<std::uint32_t> utilization_percent;
  std::optional<std::vector<GpuProcess>> processes;
  std::vector<std::string> unseen;  // "power: Not Supported"
};

struct GpuSurvey {
  std::string problem;  // why nothing could be seen, "" where something was
  std::string driver;   // "580.159.04"
  std::string cuda;     // highest CUDA version of that driver
  std::vector<GpuState> gpus;
};

inline constexpr const char* kNvmlName = "libnvidia-ml.so.1";

// "0000:18:00.0"; the same spelling as the library's own report.
std::string pci_bus_id_text(std::uint32_t domain, std::uint32_t bus, std::uint32_t device);

class Nvml {
 public:
  // Opens the library of that name or path. Where that fails, read() says why.
  explicit Nvml(const std::string& path = kNvmlName);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  GpuSurvey read() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace keysieve::doctor
