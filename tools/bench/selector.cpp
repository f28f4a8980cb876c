#include "bench/selector.hpp"

#include <bit>
#include <set>

#include "bench/result.hpp"
#include "cli/option_names.hpp"

namespace keysieve::bench {
namespace {

class KeysieveSelector final : public Selector {
 public:
  explicit KeysieveSelector(const SelectPlan& plan) : plan_(plan) {}

  void run(const SelectArgs& args, void* stream) override { keysieve::run(plan_, args, stream); }
  std::string name() const override { return kKeysieve; }
  Promises promises() const override { return {}; }
  bool capturable() const override { return true; }
  std::int64_t workspace_bytes() const override { return plan_.workspace_bytes; }
  const SelectPlan* plan() const override { return &plan_; }

 private:
  SelectPlan plan_;
};

class PeerSelector final : public Selector {
 public:
  PeerSelector(const keysieve_peer& peer, const SelectProblem& problem)
      : peer_(peer), call_(peer, std::bit_cast<keysieve_select_problem>(problem)) {}

  void run(const SelectArgs& args, void* stream) override {
    call_.run(std::bit_cast<keysieve_select_args>(args), stream);
  }
  std::string name() const override { return peer_.name; }
  Promises promises() const override {
    const auto promises = [&](std::uint32_t bit) { return (peer_.promises & bit) != 0; };
    return {promises(KEYSIEVE_PEER_EXACT), promises(KEYSIEVE_PEER_TIES_SMALLEST), promises(KEYSIEVE_PEER_NAN_LOWEST),
            promises(KEYSIEVE_PEER_REPRODUCIBLE)};
  }
  bool capturable() const override { return (peer_.promises & KEYSIEVE_PEER_CAPTURABLE) != 0; }
  std::int64_t workspace_bytes() const override { return call_.workspace_bytes(); }

 private:
  const keysieve_peer& peer_;
  peer::PeerCall call_;
};

}  // namespace

std::unique_ptr<Selector> make_keysieve_selector(const SelectPlan& plan) {
  return std::make_unique<KeysieveSelector>(plan);
}

Peers::Peers(const std::vector<std::string>& paths) {
  std::set<std::string> names = {kKeysieve};
  for (const std::string& path : paths) {
    libraries_.push_back(peer::PeerLibrary::load(path));
    for (const keysieve_peer* peer : libraries_.back().implementations()) {
      if (!names.insert(peer->name).second) {
        cli::throw_usage("--peers", "implementations of different names", peer->name);
      }
      all_.push_back(peer);
    }
  }
}

std::unique_ptr<Selector> make_peer_selector(const keysieve_peer& peer, const SelectProblem& problem) {
  return std::make_unique<PeerSelector>(peer, problem);
}

}  // namespace keysieve::bench
