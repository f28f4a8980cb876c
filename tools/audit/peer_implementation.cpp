#include "audit/peer_implementation.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "cases/windows.hpp"
#include "peer_library.hpp"

namespace keysieve::audit {
namespace {

// What <keysieve/peer.h> lets a peer be asked: positions of rows that begin at column 0, in any order.
cases::SelectCase plain_case(cases::SelectCase spec, std::uint32_t promises) {
  if (spec.length_kind != cases::LengthKind::kNone) {
    std::vector<std::int32_t> lengths;
    for (std::int64_t row = 0; row < spec.rows; ++row) {
      const std::int64_t length = cases::length_of_kind(spec, row);
      const bool any = (promises & KEYSIEVE_PEER_ANY_LENGTH) != 0;
      lengths.push_back(static_cast<std::int32_t>(any ? length : std::clamp<std::int64_t>(length, 0, spec.width)));
    }
    spec.length_kind = cases::LengthKind::kExplicit;
    spec.lengths = std::move(lengths);
  }
  const cases::SelectCase usual;
  spec.as_row_ends = false;
  spec.length_spacing = 1;
  spec.start_kind = cases::StartKind::kNone;
  spec.starts.clear();
  spec.next_n = 1;
  spec.index_type = IndexType::kInt32;
  spec.mode = IndexMode::kRaw;
  spec.offset_kind = usual.offset_kind;
  spec.table_layout = usual.table_layout;
  spec.page_fill = usual.page_fill;
  spec.page_size = usual.page_size;
  spec.num_pages_known = spec.narrow_table = false;
  spec.table_padding = 0;
  spec.order = SlotOrder::kAny;
  spec.ties = (promises & KEYSIEVE_PEER_TIES_SMALLEST) != 0 ? Ties::kSmallest : Ties::kAny;
  spec.nan_policy = NanPolicy::kLowest;
  spec.mask_neg_inf = spec.check_nan = false;
  spec.hint = cases::HintKind::kNone;
  spec.want_values = spec.want_counts = spec.want_error_word = false;
  return spec;
}

class Peer final : public Implementation {
 public:
  explicit Peer(const std::string& path) : library_(peer::PeerLibrary::load(path)) {}

  const std::vector<const keysieve_peer*>& tables() const { return library_.implementations(); }

  cases::SelectCase adapt(cases::SelectCase spec, const Setup& setup) const override {
    return plain_case(std::move(spec), table(setup).promises);
  }

  Promises promises(const Setup& setup) const override {
    const std::uint32_t given = table(setup).promises;
    return {(given & KEYSIEVE_PEER_EXACT) != 0, (given & KEYSIEVE_PEER_NAN_LOWEST) != 0,
            (given & KEYSIEVE_PEER_REPRODUCIBLE) != 0};
  }

  std::unique_lock<std::mutex> hold_prepare() const override { return std::unique_lock(prepare_mutex_); }

  PreparedCall prepare(const SelectProblem& problem, const Setup& setup) const override {
    PreparedCall call;
    const keysieve_peer& peer = table(setup);
    SelectProblem asked = problem;
    asked.device_type = setup.backend == Backend::kCuda ? DeviceType::kCuda : DeviceType::kCpu;
    asked.backend = setup.backend;
    const std::unique_lock<std::mutex> hold = hold_prepare();
    try {
      auto state = std::make_shared<peer::PeerCall>(peer, std::bit_cast<keysieve_select_problem>(asked));
      call.workspace_bytes = state->workspace_bytes();
      call.refused_in_run = std::make_shared<std::string>();
      call.run = [state, refused = call.refused_in_run](const SelectArgs& args, void* stream) -> std::string {
        try {
          state->run(std::bit_cast<keysieve_select_args>(args), stream);
        } catch (const peer::PeerError& error) {
          if (error.status() == KEYSIEVE_UNSUPPORTED) *refused = error.what();
          return std::string("run failed: ") + error.what();
        }
        return {};
      };
    } catch (const peer::PeerError& error) {
      (error.status() == KEYSIEVE_UNSUPPORTED ? call.refusal : call.fault) = error.what();
    }
    call.aligned_workspace = true;
    call.can_be_captured = (peer.promises & KEYSIEVE_PEER_CAPTURABLE) != 0;
    return call;
  }

 private:
  const keysieve_peer& table(const Setup& setup) const {
    for (const keysieve_peer* peer : library_.implementations()) {
      if (setup.implementation == peer->name) return *peer;
    }
    throw std::runtime_error("implementation: the peer library has no '" + setup.implementation + "'");
  }

  peer::PeerLibrary library_;
  mutable std::mutex prepare_mutex_;
};

}  // namespace

std::unique_ptr<Implementation> load_peer(const std::string& library, const std::string& name, Backend backend,
                                          std::vector<Setup>& setups) {
  auto peer = std::make_unique<Peer>(library);
  std::string known;
  for (const keysieve_peer* table : peer->tables()) {
    known += (known.empty() ? "" : ", ") + std::string(table->name);
    if (!name.empty() && name != table->name) continue;
    Setup setup;
    setup.backend = backend;
    setup.implementation = table->name;
    setups.push_back(setup);
  }
  if (setups.empty()) {
    throw std::runtime_error("--implementation: expected one of " + known + " of " + library + ", found '" + name +
                             "'");
  }
  return peer;
}

}  // namespace keysieve::audit
