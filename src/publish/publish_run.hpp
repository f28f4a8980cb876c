#pragma once

#include "launch/kernel_call.hpp"
#include "publish/publish_call.hpp"

namespace keysieve {

// The last launch on CUDA.
KernelCall seal_call(const PublishCall& call);

Status run_publish(const PublishPlan& plan, const PublishCall& call, void* stream);

}  // namespace keysieve
