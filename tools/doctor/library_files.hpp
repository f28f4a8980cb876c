// Shared libraries as files: which a process has mapped, where the loader looks, what a file name says of its version.
// Every path is read below a root, so that a test can hand in a tree of its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace keysieve::doctor {

struct LibraryFile {
  std::string name;     // as a program asks for it: "libcuda.so.1"
  std::string path;     // links followed, without the root
  std::string version;  // from the file name, "" where it has none
  std::string where;    // "LD_LIBRARY_PATH", "loader" or "toolkit"; "process" for a mapped one

  bool operator==(const LibraryFile&) const = default;
};

// "libcuda" of "libcuda.so.1"; "" for a library that the doctor does not watch.
std::string watched_library(std::string_view file_name);

// "580.159.04" of "libcuda.so.580.159.04", "" of "libcuda.so".
std::string version_in_name(std::string_view file_name);

// Of the text of /proc/self/maps: each watched library once, in the order of first sight.
std::vector<LibraryFile> mapped_libraries(std::string_view maps, const std::string& root);

// The watched libraries of one folder, links followed; empty where there is no such folder. Sorted by name.
std::vector<LibraryFile> libraries_in(const std::string& root, const std::string& folder, const std::string& where);

// What the loader searches after LD_LIBRARY_PATH: the folders of /etc/ld.so.conf and the files it includes, then the
// built-in ones. A cache that is older than those files can say otherwise.
std::vector<std::string> loader_folders(const std::string& root);

// At most `limit` bytes of a file; empty where it cannot be read.
std::string read_file(const std::string& path, std::size_t limit);

// A file's path with its links followed and the root taken off again; `path` itself where it cannot be followed.
std::string resolved(const std::string& root, const std::string& path);

// Whether two files differ; a file that cannot be read differs from every other.
bool contents_differ(const std::string& root, const std::string& left, const std::string& right);

}  // namespace keysieve::doctor
