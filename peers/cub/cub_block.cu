// Against CCCL 3.5, the first release with this algorithm: one CTA a row, whatever ties and order it comes upon.
#include "batched_topk.cuh"

namespace {

namespace execution = cuda::execution;

// The toolkit brings headers of its own, and the version is part of the answer.
static_assert(CCCL_VERSION / 1000 == 3005, "expected the headers that scripts/build_peers.sh fetches");

struct Block {
  static constexpr std::int64_t kShortBound = 8192;
  static constexpr std::int64_t kLongBound = 8192;
  static constexpr const char* kWidthCondition = "width: expected at most 8192";
  static constexpr const char* kVersion = "CCCL 3.5.0";

  static auto requirements() {
    return execution::require(execution::determinism::not_guaranteed, execution::tie_break::unspecified,
                              execution::output_ordering::unsorted);
  }
};

constexpr keysieve_peer kBlock =
    peers::cub_batched::table<Block>("cub_batched_topk_block", KEYSIEVE_PEER_EXACT | KEYSIEVE_PEER_CAPTURABLE);

}  // namespace

extern "C" const keysieve_peer* keysieve_peer_at(std::int32_t index) { return index == 0 ? &kBlock : nullptr; }
