#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "io/file_error.hpp"

namespace keysieve::io {

namespace {

// Paths that a signal handler may have to unlink: fixed storage, published last.
struct PendingFile {
  std::atomic<int> state{0};  // 0 free, 1 being filled, 2 to be removed
  std::array<char, PATH_MAX> path{};
};
std::array<PendingFile, 16> pending_files;

int publish_pending(const std::string& path) {
  for (std::size_t i = 0; i < pending_files.size(); ++i) {
    int free_state = 0;
    if (path.size() >= pending_files[i].path.size()) break;
    if (!pending_files[i].state.compare_exchange_strong(free_state, 1)) continue;
    std::memcpy(pending_files[i].path.data(), path.c_str(), path.size() + 1);
    pending_files[i].state.store(2);
    return static_cast<int>(i);
  }
  return -1;
}

void withdraw_pending(int slot) {
  if (slot >= 0) pending_files[static_cast<std::size_t>(slot)].state.store(0);
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string real_path(const std::string& path) {
  char* resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return {};
  std::string text = resolved;
  ::free(resolved);
  return text;
}

}  // namespace

std::string resolve_output_path(const std::string& path) {
  if (path.empty()) throw FileError("output path: expected a file name, found an empty one");
  std::string resolved = real_path(path);
  if (!resolved.empty()) return resolved;
  const int error_number = errno;
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode)) {
    throw_file_error(path, "a file or a new name", "a symbolic link that leads nowhere");
  }
  if (error_number != ENOENT) throw_errno(path, "create", error_number);
  if (path.back() == '/') throw_file_error(path, "a file name", "a folder name");
  const std::string parent = parent_of(path);
  resolved = real_path(parent);
  if (resolved.empty())
    throw_file_error(path, "a file in an existing folder", std::string("no folder ") + quote(parent, 4096));
  if (resolved != "/") resolved += '/';
  return resolved + path.substr(path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
}

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(resolve_output_path(path)) {
  mode_t mode = 0;
  struct stat info {};
  if (::stat(target_.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) throw_file_error(path_, "a file or a new name", "a directory");
    if (!S_ISREG(info.st_mode)) throw_file_error(path_, "a regular file or a new name", "a pipe, socket or device");
    mode = info.st_mode & 0777;
  }
  const std::string parent = parent_of(target_);
  static std::atomic<int> counter{0};
  // The temporary's name does not contain the target's, which may be as long as a name can be.
  for (int attempt = 0; attempt < 1000 && fd_ < 0; ++attempt) {
    temporary_ = parent == "/" ? "/" : parent + "/";
    temporary_ += ".keysieve-" + std::to_string(::getpid()) + "-" + std::to_string(counter.fetch_add(1)) + ".tmp";
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0 && errno != EEXIST) break;
  }
  if (fd_ < 0) {
    const int error_number = errno;
    temporary_.clear();
    throw_errno(path_, "create a file in its folder", error_number);
  }
  pending_slot_ = publish_pending(temporary_);
  // A file that is replaced keeps its permissions; failing to is no reason to lose the result.
  if (mode != 0) static_cast<void>(::fchmod(fd_, mode));
}

AtomicFile::~AtomicFile() { discard(); }

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::move(other.temporary_)),
      fd_(std::exchange(other.fd_, -1)),
      pending_slot_(std::exchange(other.pending_slot_, -1)) {
  other.temporary_.clear();
}

void AtomicFile::reserve(std::int64_t bytes) {
  if (bytes <= 0) return;
  int status = 0;
  do {
    status = ::fallocate(fd_, FALLOC_FL_KEEP_SIZE, 0, bytes);
  } while (status != 0 && errno == EINTR);
  if (status != 0 && (errno == ENOSPC || errno == EFBIG || errno == EDQUOT)) {
    throw_errno(path_, "write " + std::to_string(bytes) + " bytes", errno);
  }
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    // Linux moves at most 2^31 - 4096 bytes a call; a smaller piece also lets a signal in.
    const std::size_t piece = std::min<std::size_t>(bytes.size(), std::size_t{1} << 30);
    const ssize_t written = ::write(fd_, bytes.data(), piece);
    if (written < 0) {
      if (errno == EINTR) continue;
      throw_errno(path_, "write", errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::sync() {
  // Some file systems report a full disk only here.
  if (::fsync(fd_) != 0) throw_errno(path_, "write", errno);
}

void AtomicFile::commit() {
  sync();
  const int fd = std::exchange(fd_, -1);
  if (::close(fd) != 0) throw_errno(path_, "write", errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) throw_errno(path_, "move the finished file there", errno);
  temporary_.clear();
  withdraw_pending(std::exchange(pending_slot_, -1));
  // The rename survives a power cut only once the folder is synced. The file is complete either way, so a
  // folder that cannot be opened is no failure.
  const int folder = ::open(parent_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
}

void AtomicFile::discard() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
  withdraw_pending(std::exchange(pending_slot_, -1));
}

void remove_pending_files() noexcept {
  for (PendingFile& file : pending_files) {
    if (file.state.load() == 2) ::unlink(file.path.data());
  }
}

}  // namespace keysieve::io
