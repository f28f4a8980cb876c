// The SIMD targets that the CPU tests run on, one after the other.
//
// The dispatch lives in libkeysieve_cpu. Opening that file a second time gives the module that libkeysieve
// already uses (checked by CpuVariants.ReachTheLibraryInUse), and with it the hook that restricts the dispatch.
// The restriction holds for the whole process: never beside another test's runs.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/cpu_library.hpp"

namespace keysieve::test {

inline const CpuBackend& cpu_backend_in_use() {
  // Built in, or given where the tests run on another machine than the one that built them.
  const char* moved = std::getenv("KEYSIEVE_TEST_CPU_LIBRARY");
  void* library = dlopen(moved != nullptr ? moved : KEYSIEVE_TEST_CPU_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(std::string("cpu library: ") + dlerror());
  using Entry = const CpuBackend* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, kCpuBackendSymbol));
  if (entry == nullptr) throw std::runtime_error(std::string("cpu library: no symbol ") + kCpuBackendSymbol);
  return *entry();
}

// Names of the targets that this machine can run.
inline std::vector<std::string> cpu_variants() {
  std::istringstream names(cpu_backend_in_use().supported_targets());
  std::vector<std::string> variants;
  for (std::string name; names >> name;) variants.push_back(name);
  return variants;
}

// Restricts the dispatch to one target for a scope.
class ScopedCpuVariant {
 public:
  explicit ScopedCpuVariant(const std::string& name) {
    if (!cpu_backend_in_use().force_target(name.c_str())) throw std::runtime_error("cpu target not available: " + name);
  }
  ~ScopedCpuVariant() { cpu_backend_in_use().force_target(nullptr); }
  ScopedCpuVariant(const ScopedCpuVariant&) = delete;
  ScopedCpuVariant& operator=(const ScopedCpuVariant&) = delete;
};

}  // namespace keysieve::test
