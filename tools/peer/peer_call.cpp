#include <cstddef>
#include <utility>

#include "peer_library.hpp"

namespace keysieve::peer {

namespace {

constexpr std::uintptr_t kWorkspaceAlignmentBytes = 256;

[[noreturn]] void throw_failure(const keysieve_peer& peer, const char* function, keysieve_status status) {
  const char* reason = peer.last_error();
  throw PeerError(status, std::string(peer.name) + ": " + function + " gave status " + std::to_string(status) + ": " +
                              (reason && *reason ? reason : "last_error gave no text"));
}

void replace_auto(std::int64_t& stride, std::int64_t value) {
  if (stride == KEYSIEVE_AUTO) stride = value;
}

}  // namespace

PeerCall::PeerCall(const keysieve_peer& peer, const keysieve_select_problem& problem)
    : peer_(&peer), problem_(problem) {
  if (const char* condition = peer.unmet_conditions(&problem)) {
    throw PeerError(KEYSIEVE_UNSUPPORTED, std::string(peer.name) + ": cannot serve this problem: " + condition);
  }
  const keysieve_status status = peer.create(&problem, &state_, &workspace_bytes_);
  if (status != KEYSIEVE_OK) throw_failure(peer, "create", status);
  if (workspace_bytes_ < 0) {
    const std::string found = std::to_string(workspace_bytes_);
    destroy();
    throw PeerError(KEYSIEVE_INVALID_ARGUMENT,
                    std::string(peer.name) + ": expected workspace_bytes of 0 or more from create, found " + found);
  }
}

PeerCall::PeerCall(PeerCall&& other) noexcept
    : peer_(std::exchange(other.peer_, nullptr)),
      problem_(other.problem_),
      state_(std::exchange(other.state_, nullptr)),
      workspace_bytes_(other.workspace_bytes_) {}

PeerCall& PeerCall::operator=(PeerCall&& other) noexcept {
  std::swap(peer_, other.peer_);
  std::swap(problem_, other.problem_);
  std::swap(state_, other.state_);
  std::swap(workspace_bytes_, other.workspace_bytes_);
  return *this;
}

PeerCall::~PeerCall() { destroy(); }

void PeerCall::destroy() noexcept {
  if (peer_) peer_->destroy(state_);
  peer_ = nullptr;
}

void PeerCall::run(const keysieve_select_args& args, void* stream) {
  const auto address = reinterpret_cast<std::uintptr_t>(args.workspace);
  if (workspace_bytes_ > 0 &&
      (args.workspace_bytes < workspace_bytes_ || !args.workspace || address % kWorkspaceAlignmentBytes != 0)) {
    throw PeerError(KEYSIEVE_INVALID_ARGUMENT, std::string(peer_->name) + ": expected a workspace of " +
                                                   std::to_string(workspace_bytes_) + " bytes at a multiple of " +
                                                   std::to_string(kWorkspaceAlignmentBytes) + ", found " +
                                                   std::to_string(args.workspace ? args.workspace_bytes : 0) +
                                                   " bytes at " + std::to_string(address));
  }
  keysieve_select_args plain = args;
  replace_auto(plain.score_row_stride, problem_.width);
  replace_auto(plain.length_request_stride, plain.next_n);
  replace_auto(plain.length_row_stride, 1);
  replace_auto(plain.page_table_row_stride, plain.page_table_columns);
  replace_auto(plain.indices_row_stride, problem_.k);
  replace_auto(plain.raw_indices_row_stride, problem_.k);
  replace_auto(plain.values_row_stride, problem_.k);
  const keysieve_status status = peer_->run(state_, &plain, stream);
  if (status != KEYSIEVE_OK) throw_failure(*peer_, "run", status);
}

}  // namespace keysieve::peer
