// Against CCCL 3.6: clusters of CTAs on compute capability 9.0 and later, rows of up to 2^21 columns, and a set of
// columns that is unique where it is asked for.
//
// CUB checks the architecture in a static_assert that nvcc 13.0 evaluates before it knows which branch is taken, so
// that it fails for every unique set. Without it a device that cannot serve the call answers cudaErrorNotSupported.
#define CUB_DISABLE_TOPK_UNSUPPORTED_ARCH_ASSERT
#include "batched_topk.cuh"

namespace {

namespace execution = cuda::execution;

// The toolkit brings headers of its own, and the version is part of the answer.
static_assert(CCCL_VERSION / 1000 == 3006, "expected the headers that scripts/build_peers.sh fetches");

struct Cluster {
  static constexpr std::int64_t kShortBound = 8192;  // the widest rows that one CTA may still be chosen for
  static constexpr std::int64_t kLongBound = std::int64_t{1} << 21;
  static constexpr const char* kWidthCondition = "width: expected at most 2097152";
  static constexpr const char* kVersion = "CCCL 3.6.0 of flashinfer-python 0.7.4";
};

struct Plain : Cluster {
  static auto requirements() {
    return execution::require(execution::determinism::not_guaranteed, execution::tie_break::unspecified,
                              execution::output_ordering::unsorted);
  }
};

struct SmallIndex : Cluster {
  static auto requirements() {
    return execution::require(execution::determinism::gpu_to_gpu, execution::tie_break::prefer_smaller_index,
                              execution::output_ordering::unsorted);
  }
};

constexpr keysieve_peer kPlain =
    peers::cub_batched::table<Plain>("cub_batched_topk", KEYSIEVE_PEER_EXACT | KEYSIEVE_PEER_CAPTURABLE);
// Unique as a set; the slots it comes in are unordered, so it is not REPRODUCIBLE.
constexpr keysieve_peer kSmallIndex = peers::cub_batched::table<SmallIndex>(
    "cub_batched_topk_small_index", KEYSIEVE_PEER_EXACT | KEYSIEVE_PEER_TIES_SMALLEST | KEYSIEVE_PEER_CAPTURABLE);

}  // namespace

extern "C" const keysieve_peer* keysieve_peer_at(std::int32_t index) {
  if (index == 0) return &kPlain;
  if (index == 1) return &kSmallIndex;
  return nullptr;
}
