// Access to libkeysieve_cpu, the CPU kernels. They live in a library of their own because they need Highway,
// which a user of the CUDA engine should not have to install. Opened on first use, once a process.
#pragma once

#include <cstdint>
#include <string>

#include "keysieve/types.hpp"
#include "operation/operation_id.hpp"

namespace keysieve {

// What libkeysieve_cpu offers; both sides are built from this header and check `version`.
struct CpuBackend {
  static constexpr std::uint32_t kVersion = 2;
  std::uint32_t version;
  // `plan` is runnable on the CPU and `args` has passed resolve_args.
  void (*select)(const SelectPlan& plan, const SelectArgs& args);
  // `params`: the operation's Params.
  void (*run_operation)(OperationId id, const void* params, std::int32_t threads);
  const char* (*target_name)();        // SIMD target in use, e.g. "AVX2"
  const char* (*supported_targets)();  // targets this machine can run, best first, separated by spaces
  // Tests only: restricts dispatch to one target for the whole process; nullptr lifts it. False: not available.
  bool (*force_target)(const char* name);
};

// The library's only exported symbol.
extern "C" const CpuBackend* keysieve_cpu_backend(void);
inline constexpr const char* kCpuBackendSymbol = "keysieve_cpu_backend";

struct CpuLibrary {
  const CpuBackend* backend = nullptr;  // nullptr: not available
  std::string path;
  std::string problem;  // why not available, and what was tried
};

const CpuLibrary& cpu_library();

// KEYSIEVE_NUM_THREADS where set to a positive number, else the CPUs this process may use. Read once.
std::int32_t default_cpu_threads();

}  // namespace keysieve
