// A peer library under audit: what its implementations promise, and no more.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "audit/implementation.hpp"

namespace keysieve::audit {

// `setups` receives one entry for every implementation that can be asked on `backend` (kCpu or kCuda), or for the one
// named. Throws peer::PeerError for a library that is no peer, std::runtime_error for a name that it does not have.
std::unique_ptr<Implementation> load_peer(const std::string& library, const std::string& name, Backend backend,
                                          std::vector<Setup>& setups);

}  // namespace keysieve::audit
