#include "bench/clocks.hpp"

#include <dlfcn.h>

#include <algorithm>

namespace keysieve::bench {
namespace {

using Json = nlohmann::ordered_json;

// Of NVML's interface.
constexpr int kSuccess = 0;
constexpr int kSmClock = 1;
constexpr int kMemoryClock = 2;

template <typename Function>
Function find(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

Json summary(std::vector<unsigned> seen) {
  if (seen.empty()) return nullptr;
  std::sort(seen.begin(), seen.end());
  return {{"min", seen.front()}, {"median", seen[seen.size() / 2]}, {"max", seen.back()}};
}

}  // namespace

Clocks::Clocks(const std::string& pci_bus_id) {
  library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) return;
  const auto init = find<int (*)()>(library_, "nvmlInit_v2");
  const auto by_address = find<int (*)(const char*, void**)>(library_, "nvmlDeviceGetHandleByPciBusId_v2");
  const auto get_clock = find<GetClock>(library_, "nvmlDeviceGetClockInfo");
  if (init == nullptr || by_address == nullptr || get_clock == nullptr || init() != kSuccess) return;
  if (by_address(pci_bus_id.c_str(), &device_) == kSuccess) get_clock_ = get_clock;
}

Clocks::~Clocks() {
  if (library_ == nullptr) return;
  if (const auto shutdown = find<int (*)()>(library_, "nvmlShutdown"); shutdown != nullptr) shutdown();
  dlclose(library_);
}

void Clocks::sample() {
  if (get_clock_ == nullptr) return;
  unsigned mhz = 0;
  if (get_clock_(device_, kSmClock, &mhz) == kSuccess) sm_.push_back(mhz);
  if (get_clock_(device_, kMemoryClock, &mhz) == kSuccess) memory_.push_back(mhz);
}

Json Clocks::sm_mhz() const { return summary(sm_); }
Json Clocks::memory_mhz() const { return summary(memory_); }

}  // namespace keysieve::bench
