// The clocks of a GPU during a run, by NVML, which is opened at run time and may be absent.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace keysieve::bench {

class Clocks {
 public:
  // Of the GPU at that PCI address, as cudaDeviceGetPCIBusId writes it.
  explicit Clocks(const std::string& pci_bus_id);
  Clocks(const Clocks&) = delete;
  Clocks& operator=(const Clocks&) = delete;
  ~Clocks();

  void sample();

  // {"min", "median", "max"} in MHz, or null where nothing was seen.
  nlohmann::ordered_json sm_mhz() const;
  nlohmann::ordered_json memory_mhz() const;

 private:
  using GetClock = int (*)(void* device, int type, unsigned* mhz);

  void* library_ = nullptr;
  void* device_ = nullptr;
  GetClock get_clock_ = nullptr;
  std::vector<unsigned> sm_, memory_;
};

}  // namespace keysieve::bench
