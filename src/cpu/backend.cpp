// The function table that libkeysieve opens.
#include "core/cpu_library.hpp"
#include "cpu/operations.hpp"
#include "cpu/row_kernels.hpp"
#include "cpu/select_cpu.hpp"

extern "C" __attribute__((visibility("default"))) const keysieve::CpuBackend* keysieve_cpu_backend(void) {
  static constexpr keysieve::CpuBackend kBackend{keysieve::CpuBackend::kVersion,   keysieve::cpu::select,
                                                 keysieve::cpu::run_operation,     keysieve::cpu::target_name,
                                                 keysieve::cpu::supported_targets, keysieve::cpu::force_target};
  return &kBackend;
}
