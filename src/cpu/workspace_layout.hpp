// Sizes of the CPU backend's scratch memory. Plain arithmetic, shared by the planner (which reports the bytes)
// and the backend (which carves them up), so that the two cannot disagree.
#pragma once

#include <algorithm>
#include <cstdint>

#include "keysieve/types.hpp"

namespace keysieve::cpu {

// Columns tested between two looks at the buffer's fill: one 64-bit acceptance mask.
inline constexpr std::int64_t kBlockColumns = 64;

// Room that lets survivors gather between two compactions. Less makes compactions frequent where the sample's cutoff
// was a little low; more lets a plateau of equal scores fill the buffer for nothing before it is cut off.
inline constexpr std::int64_t kMinSlack = 2048;

inline constexpr std::int64_t kMaxSample = 4096;
// Sampled scores are pushed a block at a time, four at least.
inline constexpr std::int64_t kSampleCapacity = kMaxSample + kBlockColumns;
inline constexpr std::int64_t kAlignment = 64;

// Pieces of a row at most; their book-keeping lives on the stack.
inline constexpr std::int64_t kMaxChunksPerRow = 256;

constexpr std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Slots a row can fill at most.
constexpr std::int64_t kept_per_row(const SelectProblem& problem) { return std::min(problem.k, problem.width); }

// Candidates a worker can hold: k survivors of a compaction, slack, and one block that is pushed before the
// fill is looked at again. Never more than the row has, plus that block.
constexpr std::int64_t candidate_capacity(const SelectProblem& problem) {
  const std::int64_t kept = kept_per_row(problem);
  const std::int64_t wanted = kept + std::max(kept, kMinSlack);
  return round_up(std::min(wanted, problem.width) + 2 * kBlockColumns, kAlignment);
}

struct WorkspaceLayout {
  std::int64_t candidate_capacity = 0;  // entries of one worker's key and column arrays
  std::int64_t merge_capacity = 0;      // entries of the merge arrays, 0 where rows have one owner
  std::int64_t sort_capacity = 0;       // 64-bit entries per worker, for order = score
  std::int64_t worker_bytes = 0;
  std::int64_t total_bytes = 0;
};

constexpr WorkspaceLayout workspace_layout(const SelectProblem& problem, std::int64_t workers,
                                           std::int64_t chunks_per_row) {
  constexpr std::int64_t kEntryBytes = 4;
  WorkspaceLayout layout;
  layout.candidate_capacity = candidate_capacity(problem);
  layout.sort_capacity = problem.order == SlotOrder::kScore ? round_up(kept_per_row(problem), kAlignment) : 0;
  layout.worker_bytes = (2 * layout.candidate_capacity + kSampleCapacity) * kEntryBytes + layout.sort_capacity * 8;
  if (chunks_per_row > 1) {
    layout.merge_capacity = round_up(chunks_per_row * kept_per_row(problem) + kBlockColumns, kAlignment);
  }
  // One alignment unit on top: the caller's pointer may have any alignment.
  layout.total_bytes = kAlignment + workers * layout.worker_bytes + 2 * layout.merge_capacity * kEntryBytes;
  return layout;
}

}  // namespace keysieve::cpu
