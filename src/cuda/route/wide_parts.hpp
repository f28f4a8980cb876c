// What the two launches of route wide hand over in the workspace: for each row and part, a header and up to k
// candidates.
#pragma once

#include <cstdint>

#include "core/host_device.hpp"
#include "cuda/block/composite.hpp"

namespace keysieve {

struct alignas(16) WidePartHeader {
  std::uint32_t num_candidates;
  std::uint32_t compactions;
  std::uint32_t nan_seen;
  std::uint32_t reserved;
  Cutoff first_cutoff;
  std::uint32_t padding[2];
};
static_assert(sizeof(WidePartHeader) == 32);

inline constexpr std::int64_t kWorkspaceAlignment = 16;

KEYSIEVE_HOST_DEVICE constexpr std::int64_t wide_part_bytes(std::int64_t width, std::int64_t k) {
  const std::int64_t most = k < width ? k : width;
  return static_cast<std::int64_t>(sizeof(WidePartHeader)) + (most + most % 2) * 8;
}

// The caller's pointer may have any alignment; the planner asks for the difference.
KEYSIEVE_HOST_DEVICE inline void* aligned_workspace(void* workspace) {
  const auto address = reinterpret_cast<std::uintptr_t>(workspace);
  return reinterpret_cast<void*>((address + (kWorkspaceAlignment - 1)) / kWorkspaceAlignment * kWorkspaceAlignment);
}

class WidePart {
 public:
  KEYSIEVE_HOST_DEVICE WidePart(void* workspace, std::int64_t width, std::int64_t k, std::int64_t part)
      : base_(static_cast<char*>(aligned_workspace(workspace)) + part * wide_part_bytes(width, k)) {}
  KEYSIEVE_HOST_DEVICE WidePartHeader& header() const { return *reinterpret_cast<WidePartHeader*>(base_); }
  KEYSIEVE_HOST_DEVICE Composite* candidates() const {
    return reinterpret_cast<Composite*>(base_ + sizeof(WidePartHeader));
  }

 private:
  char* base_;
};

}  // namespace keysieve
