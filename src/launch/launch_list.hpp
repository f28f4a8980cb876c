// From a plan and tensors to kernel launches, as plain data: what is enqueued, in which shape. Decides nothing; needs
// no CUDA, so that the same launches also run on the host under tests/simt.
#pragma once

#include <array>

#include "cuda/kernel_args.hpp"
#include "launch/kernel_id.hpp"

namespace keysieve {

struct KernelLaunch {
  KernelId kernel = KernelId::kTrivial;
  std::int64_t blocks = 0;
  std::int32_t threads = 0;
  std::int32_t shared_bytes = 0;
  std::int32_t cluster_blocks = 1;
};

struct LaunchList {
  SelectKernelArgs args;
  std::array<KernelLaunch, 2> launches;
  int num_launches = 0;
};

// `args`: with every automatic stride resolved (resolve_args).
LaunchList make_launches(const SelectPlan& plan, const SelectArgs& args);
// The same, and the keys of the rows' blocks. Routes sieve and split only.
LaunchList make_publish_launches(const SelectPlan& plan, const SelectArgs& args, const BlockKeys& block_keys);

}  // namespace keysieve
