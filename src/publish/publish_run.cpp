#include "publish/publish_run.hpp"

#include <algorithm>

#include "core/cpu_library.hpp"
#include "plan/cuda_engine.hpp"
#include "reference/publish_reference.hpp"
#include "reference/select_reference.hpp"

namespace keysieve {
namespace {

Status run_on_device(const PublishPlan& plan, const PublishCall& call, void* stream) {
  const bool compete = plan.blocks_compete();
  const std::int32_t ordinal = plan.select.problem.device_ordinal;
  if (plan.keys_are_given) {
    const KernelCall count = count_call(plan, call);
    if (Status status = run_on_cuda(ordinal, &count, 1, stream); !status.ok()) return status;
  } else {
    const LaunchList first =
        compete ? make_publish_launches(plan.select, call.select, call.keys) : make_launches(plan.select, call.select);
    if (Status status = run_on_cuda(first, stream); !status.ok()) return status;
  }
  if (compete) {
    if (Status status = run_on_cuda(make_launches(plan.block_select, call.block_select), stream); !status.ok()) {
      return status;
    }
  }
  const KernelCall seal = seal_call(plan, call);
  return run_on_cuda(ordinal, &seal, 1, stream);
}

void run_on_cpu(const PublishPlan& plan, const PublishCall& call) {
  const CpuBackend& cpu = *cpu_library().backend;
  const BlockKeysParams keys{plan.select.problem, call.select, call.keys};
  if (plan.keys_are_given) {
    if (plan.blocks_compete()) cpu.run_operation(OperationId::kCountKeys, &keys, plan.select.threads);
  } else {
    if (call.select.row_counters != nullptr) std::fill_n(call.select.row_counters, plan.select.problem.rows * 2, 0);
    cpu.select(plan.select, call.select);
    if (plan.blocks_compete()) cpu.run_operation(OperationId::kBlockKeys, &keys, plan.select.threads);
  }
  if (plan.blocks_compete()) cpu.select(plan.block_select, call.block_select);
  cpu.run_operation(OperationId::kSealBlocks, &call.seal, plan.select.threads);
}

}  // namespace

KernelCall count_call(const PublishPlan& plan, const PublishCall& call) {
  BlockKeysParams params{plan.select.problem, call.select, call.keys};
  KernelCall count;
  count.kernel = OperationKernel::kCountKeys;
  count.threads = 128;
  count.blocks = plan.blocks_compete() ? (params.problem.rows + 127) / 128 : 0;
  count.dependent = call.select.dependent_launch != 0;
  count.set_params(params);
  return count;
}

KernelCall seal_call(const PublishPlan& plan, const PublishCall& call) {
  KernelCall seal;
  seal.kernel = OperationKernel::kSealBlocks;
  seal.threads = 128;
  seal.blocks = call.seal.problem.rows;
  // It waits for what is in front of it; where that is the caller's kernel, the caller decides.
  seal.dependent = !plan.keys_are_given || plan.blocks_compete() || call.select.dependent_launch != 0;
  seal.set_params(call.seal);
  return seal;
}

Status run_publish(const PublishPlan& plan, const PublishCall& call, void* stream) {
  switch (plan.select.backend) {
    case Backend::kCuda:
      return run_on_device(plan, call, stream);
    case Backend::kCpu:
      run_on_cpu(plan, call);
      return {};
    default:
      break;
  }
  if (plan.keys_are_given) {
    reference::choose_blocks(plan.problem, call.keys, call.seal);
    return {};
  }
  if (call.select.row_counters != nullptr) std::fill_n(call.select.row_counters, plan.select.problem.rows * 2, 0);
  reference::select(plan.select.problem, call.select);
  reference::publish_blocks(plan.problem, call.seal);
  return {};
}

}  // namespace keysieve
