#include "core/dynamic_library.hpp"

#include <dlfcn.h>

namespace keysieve {

void* open_library(const std::string& path, std::string& problem) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    problem = reason != nullptr ? reason : path + ": cannot be opened";
  }
  return handle;
}

void* find_symbol(void* handle, const char* name) { return dlsym(handle, name); }

std::string folder_of_this_library() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&folder_of_this_library), &info) == 0 || info.dli_fname == nullptr) {
    return ".";
  }
  const std::string path = info.dli_fname;
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace keysieve
