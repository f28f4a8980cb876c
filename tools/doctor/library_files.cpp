#include "doctor/library_files.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace keysieve::doctor {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kConfigBytes = 1 << 20;
constexpr int kMaxIncludeDepth = 4;  // an include that includes itself ends
constexpr std::array kWatched = {"libcuda", "libcudart", "libnvidia-ml", "libkeysieve", "libkeysieve_cpu"};
constexpr std::array kBuiltInFolders = {"/lib/x86_64-linux-gnu",
                                        "/usr/lib/x86_64-linux-gnu",
                                        "/lib/aarch64-linux-gnu",
                                        "/usr/lib/aarch64-linux-gnu",
                                        "/lib64",
                                        "/usr/lib64",
                                        "/lib",
                                        "/usr/lib"};

std::string file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

// Only a star in the file's name, which is all that loader configurations use.
std::vector<std::string> expand(const std::string& root, const std::string& pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string::npos) return {pattern};
  const std::size_t slash = pattern.rfind('/');
  if (slash == std::string::npos || star < slash) return {};
  const std::string folder = pattern.substr(0, slash);
  const std::string before = pattern.substr(slash + 1, star - slash - 1);
  const std::string after = pattern.substr(star + 1);
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator entry(root + folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.size() >= before.size() + after.size() && name.starts_with(before) && name.ends_with(after)) {
      paths.push_back(folder + '/' + name);
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

void read_loader_config(const std::string& root, const std::string& path, int depth,
                        std::vector<std::string>& folders) {
  std::istringstream lines(read_file(root + path, kConfigBytes));
  for (std::string line; std::getline(lines, line);) {
    line = trimmed(line.substr(0, line.find('#')));
    if (line.starts_with("include ") || line.starts_with("include\t")) {
      if (depth >= kMaxIncludeDepth) continue;
      std::string pattern = trimmed(line.substr(8));
      if (!pattern.starts_with('/')) pattern = "/etc/" + pattern;
      for (const std::string& file : expand(root, pattern)) read_loader_config(root, file, depth + 1, folders);
    } else if (line.starts_with('/')) {
      folders.push_back(line);
    }
  }
}

}  // namespace

std::string watched_library(std::string_view file_name) {
  const std::size_t end = file_name.find(".so");
  if (end == std::string_view::npos) return {};
  const std::string_view rest = file_name.substr(end + 3);
  const std::string_view stem = file_name.substr(0, end);
  const bool known = std::find(kWatched.begin(), kWatched.end(), stem) != kWatched.end();
  return known && (rest.empty() || rest.front() == '.') ? std::string(stem) : std::string();
}

std::string version_in_name(std::string_view file_name) {
  const std::size_t end = file_name.find(".so.");
  return end == std::string_view::npos ? std::string() : std::string(file_name.substr(end + 4));
}

std::vector<LibraryFile> mapped_libraries(std::string_view maps, const std::string& root) {
  constexpr std::string_view kDeleted = " (deleted)";
  std::vector<LibraryFile> found;
  std::istringstream lines{std::string(maps)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t slash = line.find('/');
    if (slash == std::string::npos) continue;
    std::string path = line.substr(slash);
    if (path.ends_with(kDeleted)) path.resize(path.size() - kDeleted.size());
    const std::string name = file_name(path);
    if (watched_library(name).empty()) continue;
    LibraryFile file{name, resolved(root, path), "", "process"};
    file.version = version_in_name(file_name(file.path));
    if (std::find(found.begin(), found.end(), file) == found.end()) found.push_back(std::move(file));
  }
  return found;
}

std::vector<LibraryFile> libraries_in(const std::string& root, const std::string& folder, const std::string& where) {
  std::vector<LibraryFile> found;
  std::error_code error;
  for (fs::directory_iterator entry(root + folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (watched_library(name).empty()) continue;
    LibraryFile file{name, resolved(root, folder + '/' + name), "", where};
    file.version = version_in_name(file_name(file.path));
    found.push_back(std::move(file));
  }
  std::sort(found.begin(), found.end(), [](const auto& left, const auto& right) { return left.name < right.name; });
  return found;
}

std::vector<std::string> loader_folders(const std::string& root) {
  std::vector<std::string> folders;
  read_loader_config(root, "/etc/ld.so.conf", 0, folders);
  folders.insert(folders.end(), kBuiltInFolders.begin(), kBuiltInFolders.end());
  return folders;
}

std::string read_file(const std::string& path, std::size_t limit) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  char block[4096];
  while (file && text.size() < limit) {
    file.read(block, static_cast<std::streamsize>(std::min(sizeof block, limit - text.size())));
    text.append(block, static_cast<std::size_t>(file.gcount()));
  }
  return text;
}

std::string resolved(const std::string& root, const std::string& path) {
  std::error_code error;
  const std::string full = fs::canonical(root + path, error).string();
  if (error) return path;
  const std::string base = root.empty() ? std::string() : fs::canonical(root, error).string();
  return !error && full.starts_with(base) ? full.substr(base.size()) : full;
}

bool contents_differ(const std::string& root, const std::string& left, const std::string& right) {
  if (left == right) return false;
  std::error_code error;
  const auto left_size = fs::file_size(root + left, error);
  if (error) return true;
  if (left_size != fs::file_size(root + right, error) || error) return true;
  std::ifstream left_file(root + left, std::ios::binary);
  std::ifstream right_file(root + right, std::ios::binary);
  if (!left_file || !right_file) return true;
  using Bytes = std::istreambuf_iterator<char>;
  return !std::equal(Bytes(left_file), Bytes(), Bytes(right_file), Bytes());
}

}  // namespace keysieve::doctor
