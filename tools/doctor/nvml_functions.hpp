// The few functions of NVML that the doctor calls, declared here: the library is opened at run time and its header is
// not needed to build. Read-only calls, all of them; nothing of a GPU is ever set.
#pragma once

#include <cstdint>

namespace keysieve::doctor {

// A status; 0 is success.
using NvmlReturn = int;
using NvmlDevice = void*;

inline constexpr NvmlReturn kNvmlSuccess = 0;
inline constexpr NvmlReturn kNvmlInsufficientSize = 7;
inline constexpr int kNvmlClockSm = 1;
inline constexpr int kNvmlClockMemory = 2;
inline constexpr int kNvmlSensorGpu = 0;

struct NvmlPciInfo {
  char legacy_bus_id[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_and_vendor;
  unsigned subsystem;
  char bus_id[32];
};
static_assert(sizeof(NvmlPciInfo) == 68);

struct NvmlMemory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

struct NvmlUtilization {
  unsigned gpu;
  unsigned memory;
};

struct NvmlProcess {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};
static_assert(sizeof(NvmlProcess) == 24);

// Null where the library lacks one; a driver may be older or newer than this list.
struct NvmlFunctions {
  NvmlReturn (*init)();
  NvmlReturn (*shutdown)();
  const char* (*error_string)(NvmlReturn);
  NvmlReturn (*driver_version)(char* text, unsigned bytes);
  NvmlReturn (*cuda_version)(int* version);
  NvmlReturn (*device_count)(unsigned* count);
  NvmlReturn (*device_by_index)(unsigned index, NvmlDevice* device);
  NvmlReturn (*name)(NvmlDevice, char* text, unsigned bytes);
  NvmlReturn (*pci_info)(NvmlDevice, NvmlPciInfo*);
  NvmlReturn (*mig_mode)(NvmlDevice, unsigned* current, unsigned* pending);
  NvmlReturn (*compute_mode)(NvmlDevice, int*);
  NvmlReturn (*persistence)(NvmlDevice, int*);
  NvmlReturn (*clock)(NvmlDevice, int type, unsigned* mhz);
  NvmlReturn (*max_clock)(NvmlDevice, int type, unsigned* mhz);
  NvmlReturn (*throttle_reasons)(NvmlDevice, unsigned long long* bits);
  NvmlReturn (*power)(NvmlDevice, unsigned* milliwatts);
  NvmlReturn (*power_limit)(NvmlDevice, unsigned* milliwatts);
  NvmlReturn (*temperature)(NvmlDevice, int sensor, unsigned* celsius);
  NvmlReturn (*memory)(NvmlDevice, NvmlMemory*);
  NvmlReturn (*utilization)(NvmlDevice, NvmlUtilization*);
  NvmlReturn (*processes)(NvmlDevice, unsigned* count, NvmlProcess* infos);
};

}  // namespace keysieve::doctor
