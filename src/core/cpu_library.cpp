#include "core/cpu_library.hpp"

#include <cstdlib>
#include <thread>

#include "core/dynamic_library.hpp"

namespace keysieve {

namespace {

CpuLibrary open_cpu_library(const std::string& path) {
  CpuLibrary library;
  library.path = path;
  void* handle = open_library(path, library.problem);
  if (handle == nullptr) return library;
  auto* entry = reinterpret_cast<const CpuBackend* (*)()>(find_symbol(handle, kCpuBackendSymbol));
  if (entry == nullptr) {
    library.problem = path + ": expected the symbol " + kCpuBackendSymbol + ", found none";
    return library;
  }
  const CpuBackend* backend = entry();
  if (backend->version != CpuBackend::kVersion) {
    library.problem = path + ": expected interface " + std::to_string(CpuBackend::kVersion) + ", found " +
                      std::to_string(backend->version) + "; libkeysieve and libkeysieve_cpu must be of one build";
    return library;
  }
  library.backend = backend;
  return library;
}

}  // namespace

const CpuLibrary& cpu_library() {
  static const CpuLibrary library = [] {
    constexpr const char* kFileName = "libkeysieve_cpu.so";
    const std::string folder = folder_of_this_library();
    CpuLibrary beside = open_cpu_library(folder + "/" + kFileName);
    if (beside.backend != nullptr) return beside;
    // An executable that links the code statically has it in ../lib.
    CpuLibrary in_lib = open_cpu_library(folder + "/../lib/" + kFileName);
    if (in_lib.backend != nullptr) return in_lib;
    beside.problem = "the CPU kernels could not be loaded: " + beside.problem;
    return beside;
  }();
  return library;
}

std::int32_t default_cpu_threads() {
  static const std::int32_t threads = [] {
    if (const char* text = std::getenv("KEYSIEVE_NUM_THREADS"); text != nullptr) {
      char* end = nullptr;
      const long value = std::strtol(text, &end, 10);
      if (end != text && *end == '\0' && value >= 1 && value <= 4096) return static_cast<std::int32_t>(value);
    }
    const unsigned cpus = std::thread::hardware_concurrency();
    return cpus == 0 ? 1 : static_cast<std::int32_t>(cpus);
  }();
  return threads;
}

}  // namespace keysieve
