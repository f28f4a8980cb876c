#pragma once

#include "launch/kernel_call.hpp"
#include "publish/publish_call.hpp"

namespace keysieve {

// Block top-k: the first launch on CUDA.
KernelCall count_call(const PublishPlan& plan, const PublishCall& call);
// The last one.
KernelCall seal_call(const PublishPlan& plan, const PublishCall& call);

Status run_publish(const PublishPlan& plan, const PublishCall& call, void* stream);

}  // namespace keysieve
