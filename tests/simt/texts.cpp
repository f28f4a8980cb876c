#include "simt/scheduler.hpp"

namespace keysieve::simt::host {

const char* name_of(Collective kind) {
  switch (kind) {
    case Collective::kReturn:
      return "return from the kernel";
    case Collective::kSyncWarp:
      return "sync_warp";
    case Collective::kBallot:
      return "warp_ballot";
    case Collective::kAny:
      return "warp_any";
    case Collective::kAll:
      return "warp_all";
    case Collective::kSum:
      return "warp_sum";
    case Collective::kMax:
      return "warp_max";
    case Collective::kMin:
      return "warp_min";
    case Collective::kShuffle:
      return "shuffle";
    case Collective::kShuffleUp:
      return "shuffle_up";
    case Collective::kShuffleDown:
      return "shuffle_down";
    case Collective::kShuffleXor:
      return "shuffle_xor";
    case Collective::kSyncBlock:
      return "sync_block";
    case Collective::kSyncBlockOr:
      return "sync_block_or";
    case Collective::kSyncBlockCount:
      return "sync_block_count";
    case Collective::kSyncCluster:
      return "sync_cluster";
  }
  return "?";
}

std::string describe_stall(const std::vector<Block>& blocks) {
  constexpr std::size_t kBlocksNamed = 4;
  std::string text = "no thread can go on:";
  for (std::size_t i = 0; i < blocks.size() && i < kBlocksNamed; ++i) {
    const Block& block = blocks[i];
    text += " block " + std::to_string(block.index) + ":";
    for (int first = 0, last = 0; first < block.num_warps; first = last + 1) {
      const Collective kind = block.warps[first].kind;
      for (last = first; last + 1 < block.num_warps && block.warps[last + 1].kind == kind;) ++last;
      text += first == last ? " warp " : " warps ";
      text += std::to_string(first);
      if (last != first) text += "-" + std::to_string(last);
      text += std::string(" at ") + name_of(kind) + (last + 1 < block.num_warps ? "," : ";");
    }
  }
  if (blocks.size() > kBlocksNamed) text += " ...";
  return text;
}

}  // namespace keysieve::simt::host
