// A tree of files that stands for a machine: its root goes where the doctor expects "".
#pragma once

#include <filesystem>
#include <string>

#include "file_helpers.hpp"

namespace keysieve::doctor {

class FakeMachine {
 public:
  std::string root() const { return folder_.file("root"); }

  void file(const std::string& path, std::string_view content) const {
    const std::filesystem::path full = root() + path;
    std::filesystem::create_directories(full.parent_path());
    io::write_file(full.string(), content);
  }

  // A link in the folder of `path`.
  void link(const std::string& path, const std::string& target) const {
    const std::filesystem::path full = root() + path;
    std::filesystem::create_directories(full.parent_path());
    std::filesystem::create_symlink(target, full);
  }

  // A driver's library the way packages install it: the file and the name that programs ask for.
  void driver_library(const std::string& folder, const std::string& stem, const std::string& version) const {
    file(folder + "/" + stem + ".so." + version, stem + " " + version);
    link(folder + "/" + stem + ".so.1", stem + ".so." + version);
    link(folder + "/" + stem + ".so", stem + ".so.1");
  }

 private:
  io::TemporaryFolder folder_;
};

}  // namespace keysieve::doctor
