// One launch of a kernel around selection, as plain data: needs no CUDA, so that the same launch also runs on the host
// under tests/simt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace keysieve {

enum class OperationKernel : std::int32_t {
  kEngramGather,
  kSealBlocks,
  kCountKeys,
  kContextGuard,
  kSelectionStamp,
  kQRopeStore,
  kSmallGemm,
  kRmsnormMxfp8,
  kHcRmsnormMxfp8,
  kCandidateLengths,
  kBlockMax,
  kSortBlocks,
  kCandidateSlots,
  kFilterPages,
  kFinishSelection,
  kFp4Quantise,
  kFp8Quantise,
  kCacheStore,
  kCacheGather,
  kFp4IndexerKey,
  kFp4IndexerQuery,
};

// Threads of a block that a kernel is compiled for, at most: its launch bounds, and what a launch of it may ask for.
constexpr int most_threads(OperationKernel kernel) {
  switch (kernel) {
    case OperationKernel::kSealBlocks:
    case OperationKernel::kCountKeys:
    case OperationKernel::kFilterPages:
      return 128;
    case OperationKernel::kSmallGemm:
      return 640;
    case OperationKernel::kRmsnormMxfp8:
    case OperationKernel::kHcRmsnormMxfp8:
    case OperationKernel::kSortBlocks:
    case OperationKernel::kFinishSelection:
      return 1024;
    default:
      return 256;
  }
}

struct KernelCall {
  static constexpr std::size_t kMaxParamsBytes = 768;

  OperationKernel kernel{};
  std::int32_t threads = 0;
  std::int64_t blocks = 0;  // 0: nothing to launch
  std::int32_t shared_bytes = 0;
  // May start before the kernel in front has completed; it waits for that before it touches global memory.
  bool dependent = false;
  alignas(16) std::byte params[kMaxParamsBytes] = {};

  template <typename Params>
  void set_params(const Params& from) {
    static_assert(std::is_trivially_copyable_v<Params> && sizeof(Params) <= kMaxParamsBytes);
    std::memcpy(params, &from, sizeof(Params));
  }
  template <typename Params>
  Params get_params() const {
    Params to;
    std::memcpy(&to, params, sizeof(Params));
    return to;
  }
};

}  // namespace keysieve
