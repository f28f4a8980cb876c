// Other people's selections, loaded from shared libraries that export the table of <keysieve/peer.h>.
//
// A peer is native code in this process: a table can be checked, what its functions do cannot. Load only libraries that
// you would run.
#pragma once

#include <keysieve/peer.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace keysieve::peer {

// A library that is no peer, or a peer's call that failed. The message names the library or the peer, what was expected
// and what was found.
class PeerError : public std::runtime_error {
 public:
  PeerError(keysieve_status status, const std::string& message) : std::runtime_error(message), status_(status) {}

  // KEYSIEVE_UNSUPPORTED: the peer refused an honest request, which is no fault. INVALID_ARGUMENT: the library or its
  // table cannot be used.
  keysieve_status status() const { return status_; }

 private:
  keysieve_status status_;
};

// The implementations of one library. The tables are the library's own memory: every PeerCall must be gone before it.
class PeerLibrary {
 public:
  // A path without a slash is a file of the working directory, never a library of the loader's search path.
  static PeerLibrary load(const std::string& path);

  PeerLibrary(PeerLibrary&& other) noexcept;
  PeerLibrary& operator=(PeerLibrary&& other) noexcept;
  PeerLibrary(const PeerLibrary&) = delete;
  PeerLibrary& operator=(const PeerLibrary&) = delete;
  ~PeerLibrary();

  // In the library's own order; at least one.
  const std::vector<const keysieve_peer*>& implementations() const { return implementations_; }

 private:
  explicit PeerLibrary(void* handle) : handle_(handle) {}

  void* handle_;
  std::vector<const keysieve_peer*> implementations_;
};

// One problem made ready in one peer: unmet_conditions and create on construction, destroy at the end.
class PeerCall {
 public:
  // Throws PeerError: UNSUPPORTED with the peer's first unmet condition, else the status of create.
  PeerCall(const keysieve_peer& peer, const keysieve_select_problem& problem);

  PeerCall(PeerCall&& other) noexcept;
  PeerCall& operator=(PeerCall&& other) noexcept;
  PeerCall(const PeerCall&) = delete;
  PeerCall& operator=(const PeerCall&) = delete;
  ~PeerCall();

  std::int64_t workspace_bytes() const { return workspace_bytes_; }

  // Enqueues one selection. Replaces KEYSIEVE_AUTO in the strides by numbers and refuses a workspace that is smaller or
  // less aligned than the peer was promised; everything else goes to the peer as it is.
  void run(const keysieve_select_args& args, void* stream);

 private:
  void destroy() noexcept;

  const keysieve_peer* peer_;
  keysieve_select_problem problem_;
  void* state_ = nullptr;
  std::int64_t workspace_bytes_ = 0;
};

}  // namespace keysieve::peer
