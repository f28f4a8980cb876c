#include "audit/setups.hpp"

#include <algorithm>

#include "cases/random.hpp"

namespace keysieve::audit {
namespace {

constexpr Route kCpuRoutes[] = {Route::kCpuRows, Route::kCpuChunks};
constexpr Route kCudaRoutes[] = {Route::kTrivial, Route::kTile, Route::kSieve, Route::kSplit, Route::kWide};

}  // namespace

bool Selection::wants(Route route) const {
  return routes.empty() || std::find(routes.begin(), routes.end(), route) != routes.end();
}

bool Selection::has_dispatch() const { return peers.empty() && (cpu || cuda) && wants(Route::kAuto); }

std::vector<std::string> Selection::forced_labels() const {
  std::vector<std::string> labels;
  for (const Setup& setup : draw_setups(*this, 0)) {
    if (is_forced(setup)) labels.push_back(label_of(setup));
  }
  return labels;
}

std::vector<Setup> draw_setups(const Selection& selection, std::uint64_t draw) {
  if (!selection.peers.empty()) return selection.peers;
  cases::Random random(draw);
  std::vector<Setup> setups;
  const auto add = [&](Backend backend, Route route, std::int32_t split, std::int32_t threads) {
    if (selection.wants(route)) setups.push_back({backend, route, split, threads, {}});
  };
  if (selection.reference) add(Backend::kReference, Route::kReference, kAuto, kAuto);
  if (selection.cpu) {
    add(Backend::kCpu, Route::kAuto, kAuto, kAuto);
    for (const Route route : kCpuRoutes) add(Backend::kCpu, route, kAuto, random.one_of({1, 2, 3, 7}));
  }
  if (selection.cuda) {
    add(Backend::kCuda, Route::kAuto, kAuto, kAuto);
    for (const Route route : kCudaRoutes) {
      std::int32_t split = kAuto;
      if (route == Route::kSplit) split = random.one_of({kAuto, kAuto, 1, 2, 3, 4, 7, 8, 16});
      if (route == Route::kWide) split = random.one_of({kAuto, kAuto, 1, 3, 16, 64});
      add(Backend::kCuda, route, split, random.one_of({kAuto, kAuto, kAuto, 32, 64, 128, 192, 256, 512, 1024}));
    }
  }
  return setups;
}

}  // namespace keysieve::audit
