// A call of publishing with everything resolved: the two selections, the keys between them, the last step.
#pragma once

#include "publish/publish_plan.hpp"
#include "publish/seal_row.hpp"

namespace keysieve {

struct PublishCall {
  SelectArgs select;
  SelectArgs block_select;  // where blocks compete
  BlockKeys keys;
  SealBlocksParams seal;
};

// Checks the tensors of a call. Nothing is written.
Status resolve_publish_args(const PublishPlan& plan, const keysieve_publish_args& args, PublishCall& call);

Status resolve_block_topk_args(const PublishPlan& plan, const keysieve_block_topk_args& args, PublishCall& call);

}  // namespace keysieve
