// CUDA's libraries and our own: what this process has mapped against what the machine has installed.
#pragma once

#include <string>
#include <vector>

#include "doctor/library_files.hpp"

namespace keysieve::doctor {

// Where to look. A test sets a root of its own; the command uses the machine as it is.
struct Places {
  std::string root;             // before every path; "" is the machine
  std::string ld_library_path;  // the variable as this process sees it
};

struct Toolkit {
  std::string path;
  std::string version;  // "13.0.2" of version.json, "13.0" of cuda.h where that is absent, else ""
};

// A file of LD_LIBRARY_PATH that hides another one of the same name.
struct Shadow {
  std::string name;
  std::string first;
  std::string hidden;
};

struct Libraries {
  std::vector<LibraryFile> loaded;
  std::vector<LibraryFile> installed;  // each file once, in the order in which the loader would come by
  std::vector<Toolkit> toolkits;
  std::vector<Shadow> shadowed;
  std::vector<std::string>
      other_keysieve;         // libkeysieve files that the loader may find and that are not the mapped one
  std::string kernel_module;  // version of the driver in the kernel, "" without one
};

// What is mapped counts as of now: call it after the libraries have been used.
Libraries collect_libraries(const Places& places);

}  // namespace keysieve::doctor
