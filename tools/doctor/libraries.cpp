#include "doctor/libraries.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

namespace keysieve::doctor {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMapsBytes = 16 << 20;
constexpr std::size_t kVersionFileBytes = 1 << 20;
// Besides the toolkits: where container runtimes and distributions put the driver's libraries.
constexpr std::array kDriverFolders = {"/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib/wsl/lib",
                                       "/run/opengl-driver/lib"};

// "580.159.04" of "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build ...".
std::string module_version(const std::string& text) {
  std::istringstream words(text.substr(0, text.find('\n')));
  for (std::string word; words >> word;) {
    const bool digits = word.find_first_not_of("0123456789.") == std::string::npos;
    if (digits && word.find('.') != std::string::npos && word.front() != '.' && word.back() != '.') return word;
  }
  return {};
}

std::string toolkit_version(const std::string& folder) {
  const auto json = nlohmann::json::parse(read_file(folder + "/version.json", kVersionFileBytes), nullptr,
                                          /*allow_exceptions=*/false);
  if (json.is_object() && json.contains("cuda") && json["cuda"].is_object()) {
    const auto version = json["cuda"].find("version");
    if (version != json["cuda"].end() && version->is_string()) return version->get<std::string>();
  }
  constexpr std::string_view kDefine = "#define CUDA_VERSION ";
  const std::string header = read_file(folder + "/include/cuda.h", kVersionFileBytes);
  const std::size_t found = header.find(kDefine);
  if (found == std::string::npos) return {};
  const int number = std::atoi(header.c_str() + found + kDefine.size());
  return number < 1000 ? std::string() : std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

std::vector<Toolkit> find_toolkits(const std::string& root) {
  std::vector<Toolkit> toolkits;
  std::error_code error;
  for (fs::directory_iterator entry(root + "/usr/local", error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name != "cuda" && !name.starts_with("cuda-")) continue;
    Toolkit toolkit{resolved(root, "/usr/local/" + name), ""};
    const auto same = [&](const Toolkit& other) { return other.path == toolkit.path; };
    if (std::any_of(toolkits.begin(), toolkits.end(), same)) continue;
    toolkit.version = toolkit_version(root + toolkit.path);
    toolkits.push_back(std::move(toolkit));
  }
  std::sort(toolkits.begin(), toolkits.end(),
            [](const auto& left, const auto& right) { return left.path < right.path; });
  return toolkits;
}

std::vector<std::string> split_path(const std::string& text) {
  std::vector<std::string> folders;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ':');) {
    if (!part.empty()) folders.push_back(part);
  }
  return folders;
}

// "libcuda.so.1", which programs ask the loader for, as against "libcuda.so" and "libcuda.so.580.159.04".
bool is_loader_name(const std::string& name) {
  const std::string version = version_in_name(name);
  return !version.empty() && version.find_first_not_of("0123456789") == std::string::npos;
}

class Search {
 public:
  explicit Search(const Places& places) : places_(places) {}

  void add(const std::string& folder, const std::string& where) {
    for (LibraryFile& file : libraries_in(places_.root, folder, where)) {
      note_shadow(file);
      names_.push_back(file);
      const auto same = [&](const LibraryFile& other) { return other.path == file.path; };
      const auto known = std::find_if(files_.begin(), files_.end(), same);
      if (known == files_.end()) {
        files_.push_back(std::move(file));
      } else if (known->where == file.where && is_loader_name(file.name)) {
        known->name = file.name;
      }
    }
  }

  const std::vector<LibraryFile>& files() const { return files_; }
  const std::vector<Shadow>& shadowed() const { return shadowed_; }

 private:
  // The first name on the loader's way wins; whatever LD_LIBRARY_PATH holds comes before the rest.
  void note_shadow(const LibraryFile& file) {
    if (file.where != "loader") return;
    const auto hides = [&](const LibraryFile& other) {
      return other.where == "LD_LIBRARY_PATH" && other.name == file.name;
    };
    const auto first = std::find_if(names_.begin(), names_.end(), hides);
    if (first == names_.end() || !contents_differ(places_.root, first->path, file.path)) return;
    const auto known = [&](const Shadow& other) { return other.name == file.name && other.hidden == file.path; };
    if (std::none_of(shadowed_.begin(), shadowed_.end(), known)) {
      shadowed_.push_back({file.name, first->path, file.path});
    }
  }

  const Places& places_;
  std::vector<LibraryFile> names_;  // one a name, so several a file
  std::vector<LibraryFile> files_;
  std::vector<Shadow> shadowed_;
};

std::vector<std::string> other_keysieve(const Libraries& libraries, const std::string& root) {
  std::vector<std::string> others;
  const auto is_ours = [](const LibraryFile& file) { return watched_library(file.name) == "libkeysieve"; };
  const auto used = std::find_if(libraries.loaded.begin(), libraries.loaded.end(), is_ours);
  if (used == libraries.loaded.end()) return others;
  for (const LibraryFile& file : libraries.installed) {
    if (is_ours(file) && contents_differ(root, used->path, file.path)) others.push_back(file.path);
  }
  return others;
}

}  // namespace

Libraries collect_libraries(const Places& places) {
  Libraries libraries;
  libraries.loaded = mapped_libraries(read_file(places.root + "/proc/self/maps", kMapsBytes), places.root);
  libraries.kernel_module = module_version(read_file(places.root + "/proc/driver/nvidia/version", kVersionFileBytes));
  libraries.toolkits = find_toolkits(places.root);

  Search search(places);
  for (const std::string& folder : split_path(places.ld_library_path)) search.add(folder, "LD_LIBRARY_PATH");
  for (const std::string& folder : loader_folders(places.root)) search.add(folder, "loader");
  for (const char* folder : kDriverFolders) search.add(folder, "toolkit");
  for (const Toolkit& toolkit : libraries.toolkits) {
    for (const char* folder : {"/lib64", "/compat", "/targets/x86_64-linux/lib"}) {
      search.add(toolkit.path + folder, "toolkit");
    }
  }
  libraries.installed = search.files();
  libraries.shadowed = search.shadowed();
  libraries.other_keysieve = other_keysieve(libraries, places.root);
  return libraries;
}

}  // namespace keysieve::doctor
