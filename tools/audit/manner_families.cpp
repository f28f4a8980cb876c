// Cases that run together: on one graph, or at the same time.
#include <algorithm>
#include <utility>
#include <vector>

#include "audit/families.hpp"
#include "cases/case_table.hpp"
#include "cases/random.hpp"

namespace keysieve::audit {
namespace {

using cases::HintKind;
using cases::Pattern;
using cases::Random;
using cases::SelectCase;

constexpr int kRounds = 5;
constexpr int kTogether = 4;

std::vector<std::int32_t> draw_lengths(Random& random, const SelectCase& spec) {
  const auto whole = static_cast<std::int32_t>(spec.width);
  const auto k = static_cast<std::int32_t>(spec.k);
  const std::int32_t all = random.one_of({whole, 1, k + 1, whole / 2});
  std::vector<std::int32_t> lengths;
  for (std::int64_t row = 0; row < spec.rows; ++row) {
    const std::int32_t edge = random.one_of(
        {-1, 0, 1, k - 1, k, k + 1, whole / 3, whole - 1, whole, whole + 17, 8192, 8193, 16384, 16385, 32769});
    lengths.push_back(random.chance(30) ? all : edge);
  }
  return lengths;
}

}  // namespace

// The first round is what a graph is captured with; lengths, scores and hints of the others come into its places.
Bundle graph_bundle(const SourceContext& context, std::uint64_t number) {
  Random random(mixed(context.seed, number, 3));
  SelectCase spec;
  spec.name = "graph/" + std::to_string(context.seed) + "/" + std::to_string(number);
  spec.width = random.one_of({300, 1500, 5000, 9000, 20000, 33000, 70000}) + random.between(0, 7);
  spec.rows = random.between(1, spec.width > 10000 ? 5 : 12);
  spec.k = std::min<std::int64_t>(random.one_of({1, 60, 512, 2048}), spec.width);
  spec.score_type = random.one_of({ScoreType::kFloat32, ScoreType::kBFloat16, ScoreType::kFloat16});
  spec.order = random.one_of({SlotOrder::kIndex, SlotOrder::kScore, SlotOrder::kAny});
  spec.ties = random.one_of({Ties::kSmallest, Ties::kLargest});
  spec.mode = random.one_of({IndexMode::kRaw, IndexMode::kPaged, IndexMode::kDual});
  spec.misalignment = random.between(0, 8);
  spec.length_kind = cases::LengthKind::kExplicit;
  const bool hinted = random.chance(50);
  Bundle bundle{{}, Manner::kGraph};
  for (int round = 0; round < kRounds; ++round) {
    spec.lengths = draw_lengths(random, spec);
    spec.pattern = {random.one_of({Pattern::kGauss, Pattern::kUlpShuffled, Pattern::kConstant, Pattern::kNanMix,
                                   Pattern::kRelu, Pattern::kUlpAscending}),
                    0, static_cast<std::uint32_t>(random.next())};
    if (hinted) spec.hint = random.one_of({HintKind::kExact, HintKind::kMixed, HintKind::kHighest, HintKind::kLowest});
    bundle.cases.push_back(spec);
  }
  return bundle;
}

Bundle streams_bundle(const SourceContext& context, std::uint64_t number) {
  Random random(mixed(context.seed, number, 4));
  Bundle bundle{{}, Manner::kStreams};
  for (int i = 0; i < kTogether; ++i) {
    SelectCase spec;
    if (i % 2 == 0) {
      spec = cases::random_case(random.next());
    } else {
      spec.width = random.between(9000, 60000);
      spec.rows = random.between(1, 3);
      spec.k = random.one_of({100, 512, 1024, 2048});
      spec.pattern = {random.one_of({Pattern::kGauss, Pattern::kUlpAscending, Pattern::kConstant, Pattern::kRelu}), 0,
                      static_cast<std::uint32_t>(random.next())};
      spec.length_kind = cases::LengthKind::kRagged;
    }
    spec.name = "streams/" + std::to_string(context.seed) + "/" + std::to_string(number) + "/" + std::to_string(i);
    bundle.cases.push_back(std::move(spec));
  }
  return bundle;
}

}  // namespace keysieve::audit
