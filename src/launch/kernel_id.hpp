#pragma once

#include <cstdint>

namespace keysieve {

enum class KernelId : std::int32_t {
  kTrivial,
  kTile16,
  kTile32,
  kTileCluster,
  kSieve,
  kSplit,
  kWideCollect,
  kWideMerge,
  kPublishSieve,
  kPublishSplit
};
inline constexpr int kNumKernels = 10;

constexpr const char* name_of(KernelId id) {
  constexpr const char* kNames[kNumKernels] = {"trivial",       "tile16",       "tile32",       "tile_cluster",
                                               "sieve",         "split",        "wide_collect", "wide_merge",
                                               "publish_sieve", "publish_split"};
  return kNames[static_cast<int>(id)];
}

}  // namespace keysieve
