// The blocks that a row publishes, by their definition: shares nothing with the other backends.
#pragma once

#include "keysieve/publish.h"
#include "publish/seal_row.hpp"

namespace keysieve::reference {

void publish_blocks(const keysieve_publish_problem& problem, const SealBlocksParams& params);

// Block top-k: the same of keys that are given. The newest block's is not looked at.
void choose_blocks(const keysieve_publish_problem& problem, const BlockKeys& keys, const SealBlocksParams& params);

}  // namespace keysieve::reference
