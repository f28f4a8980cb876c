// Who selects: keysieve under a plan, or a peer. Runners time and judge both by the same code.
#pragma once

#include <keysieve/peer.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/cell.hpp"
#include "bench/judge.hpp"
#include "keysieve/select.hpp"
#include "peer/peer_library.hpp"

namespace keysieve::bench {

class Selector {
 public:
  virtual ~Selector() = default;

  // Throws where the call fails.
  virtual void run(const SelectArgs& args, void* stream) = 0;

  virtual std::string name() const = 0;
  virtual Promises promises() const = 0;
  virtual bool capturable() const = 0;
  virtual std::int64_t workspace_bytes() const = 0;
  virtual const SelectPlan* plan() const { return nullptr; }
};

std::unique_ptr<Selector> make_keysieve_selector(const SelectPlan& plan);

// The implementations of all peer libraries, in the order given. Throws where one is no peer or two share a name.
class Peers {
 public:
  explicit Peers(const std::vector<std::string>& paths);

  const std::vector<const keysieve_peer*>& all() const { return all_; }

 private:
  std::vector<peer::PeerLibrary> libraries_;
  std::vector<const keysieve_peer*> all_;
};

// Throws peer::PeerError, UNSUPPORTED where the peer refuses the problem.
std::unique_ptr<Selector> make_peer_selector(const keysieve_peer& peer, const SelectProblem& problem);

}  // namespace keysieve::bench
