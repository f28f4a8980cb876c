// Shapes at the thresholds of the planner and of the plan's own buffers, and rows built against its sample.
#include <algorithm>
#include <vector>

#include "audit/families.hpp"
#include "cases/random.hpp"

namespace keysieve::audit {
namespace {

using cases::AttackKind;
using cases::HintKind;
using cases::Pattern;
using cases::Random;
using cases::SelectCase;

constexpr Route kRoutes[] = {Route::kTile, Route::kSieve, Route::kSplit, Route::kWide};
constexpr std::int64_t kAttackKinds = static_cast<std::int64_t>(AttackKind::kZeroFlood);
constexpr std::int64_t kHintKinds = static_cast<std::int64_t>(HintKind::kMixed);

// What a route would do with the case; zeros where it refuses it.
SelectPlan plan_of(const SourceContext& context, const SelectCase& spec, Route route) {
  SelectProblem problem;
  problem.rows = spec.rows;
  problem.width = spec.width;
  problem.k = spec.k;
  problem.score_type = spec.score_type;
  problem.order = spec.order;
  problem.route = route;
  SelectPlan plan;
  if (!context.cuda_plan || !context.cuda_plan(problem, plan)) return {};
  return plan;
}

// Widths at which a planner takes another route, another CTA or another number of chunks: docs/algorithms/cuda.md and
// cpu.md.
std::int64_t threshold_width(Random& random, std::int64_t element) {
  const std::int64_t columns = 16 / element;
  // Wide rows are rare, for the time that their oracle takes.
  if (random.chance(3)) return random.one_of<std::int64_t>({1 << 19, 1 << 20, 1 << 21});
  if (random.chance(15)) return random.one_of<std::int64_t>({32768 + 16384, 65536, 98304, 131072});
  return random.one_of<std::int64_t>({1024 / element, 8192 / element, 32768 / element, 65536 / element, 4096, 8192,
                                      16384, 32768, 256, 512, 1024, 512 * columns, 1024 * columns, 2048});
}

std::int64_t threshold_k(Random& random, std::int64_t width) {
  // An eighth and a half of the row: where the sample observes columns, and where there is none.
  return random.one_of<std::int64_t>(
      {1, 2, 32, 64, 256, 511, 512, 1024, 2048, 4096, 8191, 8192, width / 8, width / 2, width - 1, width, width + 1});
}

std::int64_t around(Random& random, std::int64_t value, std::int64_t least) {
  return std::max(value + random.between(-1, 1), least);
}

// Of a plan: what its buffer holds, what it holds beside k, and what a round of its warps reads.
std::int64_t buffer_width(const SourceContext& context, Random& random, SelectCase spec) {
  // The buffer of a CPU thread.
  if (random.chance(context.cpu_share)) return spec.k + std::max<std::int64_t>(spec.k, 2048);
  spec.width = 100000;
  const SelectPlan plan = plan_of(context, spec, kRoutes[random.between(1, 3)]);
  if (plan.candidate_capacity == 0) return threshold_width(random, size_bytes(spec.score_type));
  const std::int64_t capacity = plan.candidate_capacity, round = std::int64_t{plan.threads / 32} * 256;
  return random.one_of<std::int64_t>({capacity, capacity + spec.k, capacity - spec.k, capacity + round, round,
                                      2 * round, spec.k + round, 9 * round, plan.sample_vectors * 4,
                                      plan.sample_vectors * 8});
}

SelectCase base_case(const SourceContext& context, std::uint64_t number, Random& random) {
  SelectCase spec;
  spec.name = "adversarial/" + std::to_string(context.seed) + "/" + std::to_string(number);
  spec.score_type = random.one_of({ScoreType::kFloat32, ScoreType::kBFloat16, ScoreType::kFloat16});
  spec.order = random.one_of({SlotOrder::kIndex, SlotOrder::kScore, SlotOrder::kAny});
  spec.ties = random.one_of({Ties::kSmallest, Ties::kSmallest, Ties::kLargest, Ties::kAny});
  spec.nan_policy = random.one_of({NanPolicy::kLowest, NanPolicy::kLowest, NanPolicy::kHighest});
  spec.mask_neg_inf = random.chance(20);
  spec.check_nan = random.chance(20);
  spec.misalignment = random.between(0, 8);
  spec.row_padding = random.chance(50) ? 0 : random.between(1, 9);
  spec.pattern.first_row = static_cast<std::uint32_t>(random.next());
  spec.length_kind = random.one_of({cases::LengthKind::kNone, cases::LengthKind::kFull, cases::LengthKind::kRagged});
  spec.start_kind = random.chance(25) ? cases::StartKind::kUnaligned : cases::StartKind::kNone;
  spec.width = threshold_width(random, size_bytes(spec.score_type));
  spec.k = around(random, threshold_k(random, spec.width), 1);
  if (random.chance(40)) spec.width = buffer_width(context, random, spec);
  spec.width = around(random, spec.width, 1);
  return spec;
}

// Long rows alone; short ones a few at a time, at times as many as there are SMs or half of them.
std::int64_t draw_rows(Random& random, std::int64_t width) {
  if (width > 100000) return 1;
  if (width > 5000) return random.between(1, 3);
  return random.chance(4) ? random.one_of({65, 66, 67, 131, 132, 133, 264}) : random.between(1, 6);
}

}  // namespace

Bundle adversarial_bundle(const SourceContext& context, std::uint64_t number) {
  Random random(mixed(context.seed, number, 2));
  SelectCase spec = base_case(context, number, random);
  spec.rows = draw_rows(random, spec.width);
  spec.pattern.kind = random.one_of({Pattern::kGauss, Pattern::kConstant, Pattern::kUlpAscending, Pattern::kUlpShuffled,
                                     Pattern::kRelu, Pattern::kFewValues, Pattern::kNanMix, Pattern::kInfinityMix,
                                     Pattern::kPlateau, Pattern::kStep, Pattern::kDescending, Pattern::kOnePeak});
  spec.pattern.parameter = spec.pattern.kind == Pattern::kPlateau ? std::min(spec.width, spec.k / 2 + 1) : 0;
  // Every attack in turn on two cases of three; thresholds alone on the third.
  if (number % 3 != 0) {
    spec.attack = static_cast<AttackKind>(1 + static_cast<std::int64_t>(number / 3 * 2 + number % 3) % kAttackKinds);
    const SelectPlan plan = plan_of(context, spec, kRoutes[random.between(0, 3)]);
    if (plan.sample_vectors > 0) spec.attack_samples = plan.sample_vectors;
    if (random.chance(context.cpu_share)) spec.attack_samples = 0;
  }
  if (random.chance(35)) spec.hint = static_cast<HintKind>(random.between(1, kHintKinds));
  return {{spec}, Manner::kOnce};
}

}  // namespace keysieve::audit
