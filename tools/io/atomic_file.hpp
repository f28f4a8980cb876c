// A file that appears whole or not at all: written under a temporary name in the target's folder, synced, then
// renamed over the target. Until commit() the target is untouched; without it the temporary is removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace keysieve::io {

class AtomicFile {
 public:
  // Throws FileError where the folder is missing or not writable, or where the target exists and is not a
  // regular file: a rename would replace a device node or fail on a folder at the very end. A symbolic link is
  // followed, so that the link stays and its target is replaced.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Takes the disk space now where the file system can: a full disk is better met before an hour of work
  // than after it. The size of the file does not change.
  void reserve(std::int64_t bytes);
  void write(std::span<const std::byte> bytes);
  // Everything on the disk, still under the temporary name. After this only the rename can fail.
  void sync();
  void commit();

  const std::string& path() const { return path_; }
  // The path after links are resolved: equal for two spellings of one target.
  const std::string& resolved_path() const { return target_; }

 private:
  void discard() noexcept;

  std::string path_;  // as given, for messages
  std::string target_;
  std::string temporary_;  // empty once committed, discarded or moved from
  int fd_ = -1;
  int pending_slot_ = -1;
};

// The folder of `path` resolved, plus its last name; follows `path` itself where it is a symbolic link. Throws
// FileError where the folder is missing.
std::string resolve_output_path(const std::string& path);

// Unlinks the temporaries of all live AtomicFiles. For signal handlers: async-signal-safe.
void remove_pending_files() noexcept;

}  // namespace keysieve::io
