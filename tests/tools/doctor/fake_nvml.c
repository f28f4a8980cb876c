/* A management library without a GPU. FAKE_NVML names what it plays, words separated by commas:
 *   mig         the GPU is divided
 *   mig_next    it will be after a reset
 *   throttled   held back by power and by a reason without a name
 *   busy        two other processes, one whose memory is not told
 *   crowd       200 processes, more than a first guess has room for
 *   exclusive   compute mode exclusive_process
 *   no_init     the driver is not loaded
 *   no_power    power is not supported
 *   lost        the second GPU does not answer
 *   two         two GPUs
 */
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))

struct pci {
  char legacy[16];
  unsigned domain, bus, device, id, subsystem;
  char bus_id[32];
};
struct memory {
  unsigned long long total, free, used;
};
struct utilization {
  unsigned gpu, memory;
};
struct process {
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance, compute_instance;
};

static int plays(const char* word) {
  const char* text = getenv("FAKE_NVML");
  const size_t length = strlen(word);
  for (; text != NULL && *text != '\0'; text = strchr(text, ',') != NULL ? strchr(text, ',') + 1 : NULL) {
    if (strncmp(text, word, length) == 0 && (text[length] == ',' || text[length] == '\0')) return 1;
  }
  return 0;
}

static char gpus[2];

API int nvmlInit_v2(void) { return plays("no_init") ? 9 : 0; }
API int nvmlShutdown(void) { return 0; }
API const char* nvmlErrorString(int status) {
  return status == 3 ? "Not Supported" : status == 9 ? "Driver Not Loaded" : status == 15 ? "GPU is lost" : "Unknown";
}
API int nvmlSystemGetDriverVersion(char* text, unsigned bytes) {
  strncpy(text, "580.159.04", bytes);
  return 0;
}
API int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = 13000;
  return 0;
}
API int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = plays("two") ? 2 : 1;
  return 0;
}
API int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** handle) {
  if (index == 1 && plays("lost")) return 15;
  *handle = &gpus[index];
  return 0;
}
API int nvmlDeviceGetName(void* gpu, char* text, unsigned bytes) {
  (void)gpu;
  strncpy(text, "Fake H200", bytes);
  return 0;
}
API int nvmlDeviceGetPciInfo_v3(void* gpu, struct pci* info) {
  memset(info, 0, sizeof *info);
  info->bus = 0x18 + (unsigned)((char*)gpu - gpus);
  return 0;
}
API int nvmlDeviceGetMigMode(void* gpu, unsigned* current, unsigned* pending) {
  (void)gpu;
  *current = (unsigned)plays("mig");
  *pending = (unsigned)(plays("mig") || plays("mig_next"));
  return 0;
}
API int nvmlDeviceGetComputeMode(void* gpu, int* mode) {
  (void)gpu;
  *mode = plays("exclusive") ? 3 : 0;
  return 0;
}
API int nvmlDeviceGetPersistenceMode(void* gpu, int* mode) {
  (void)gpu;
  *mode = 1;
  return 0;
}
API int nvmlDeviceGetClockInfo(void* gpu, int type, unsigned* mhz) {
  (void)gpu;
  *mhz = type == 1 ? 1755 : 3201;
  return type == 1 || type == 2 ? 0 : 2;
}
API int nvmlDeviceGetMaxClockInfo(void* gpu, int type, unsigned* mhz) {
  (void)gpu;
  *mhz = type == 1 ? 1980 : 3201;
  return type == 1 || type == 2 ? 0 : 2;
}
API int nvmlDeviceGetCurrentClocksThrottleReasons(void* gpu, unsigned long long* bits) {
  (void)gpu;
  *bits = plays("throttled") ? 0x1004u : 0x1u;
  return 0;
}
API int nvmlDeviceGetPowerUsage(void* gpu, unsigned* milliwatts) {
  (void)gpu;
  *milliwatts = 123456;
  return plays("no_power") ? 3 : 0;
}
API int nvmlDeviceGetEnforcedPowerLimit(void* gpu, unsigned* milliwatts) {
  (void)gpu;
  *milliwatts = 700000;
  return 0;
}
API int nvmlDeviceGetTemperature(void* gpu, int sensor, unsigned* celsius) {
  (void)gpu;
  *celsius = 41;
  return sensor == 0 ? 0 : 2;
}
API int nvmlDeviceGetMemoryInfo(void* gpu, struct memory* info) {
  (void)gpu;
  info->total = 150754820096ull;
  info->used = 634ull << 20;
  info->free = info->total - info->used;
  return 0;
}
/* No nvmlDeviceGetUtilizationRates: a library may lack any of them. */
API int nvmlDeviceGetComputeRunningProcesses_v3(void* gpu, unsigned* count, struct process* infos) {
  const unsigned room = *count;
  (void)gpu;
  *count = plays("crowd") ? 200 : plays("busy") ? 2 : 0;
  if (*count > room) return 7;
  for (unsigned i = 0; i < *count; ++i) {
    infos[i].pid = 1000 + i;
    infos[i].used = i == 1 ? ~0ull : 1ull << 30;
    infos[i].gpu_instance = infos[i].compute_instance = ~0u;
  }
  return 0;
}
