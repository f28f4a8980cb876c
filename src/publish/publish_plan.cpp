#include "publish/publish_plan.hpp"

#include <algorithm>
#include <bit>

#include "core/names.hpp"
#include "operation/tensor_check.hpp"

namespace keysieve {
namespace {

constexpr std::int64_t kMaxBlocks = 8192;

bool reads_blocks(Route route) { return route == Route::kSieve || route == Route::kSplit; }

// On CUDA only two routes leave block keys behind. Where the policy would take another, the one that shares its rows
// in the same way stands in.
Status plan_over_scores(const SelectProblem& problem, bool blocks_compete, const MakeSelectPlan& make,
                        SelectPlan& plan) {
  if (Status status = make(problem, plan); !status.ok()) return status;
  if (plan.backend != Backend::kCuda || !blocks_compete || reads_blocks(plan.route)) return {};
  if (problem.route != Route::kAuto) {
    return Status::unsupported(
        std::string("select.route: expected auto, sieve or split where rows may have more blocks "
                    "than are kept, got ") +
        name_of(problem.route));
  }
  const bool shared = plan.chunks_per_row > 1;
  SelectProblem forced = problem;
  forced.route = shared ? Route::kSplit : Route::kSieve;
  if (make(forced, plan).ok()) return {};
  forced.route = shared ? Route::kSieve : Route::kSplit;
  return make(forced, plan);
}

SelectProblem over_keys(const keysieve_publish_problem& problem, Backend backend) {
  SelectProblem keys;
  keys.device_type = static_cast<DeviceType>(problem.select.device_type);
  keys.device_ordinal = problem.select.device_ordinal;
  keys.backend = backend;
  keys.rows = problem.select.rows;
  keys.width = (problem.select.width + KEYSIEVE_PUBLISH_BLOCK - 1) / KEYSIEVE_PUBLISH_BLOCK - 1;
  keys.k = problem.blocks - 1;
  keys.score_type = ScoreType::kFloat32;
  keys.mode = problem.physical != 0 ? IndexMode::kDual : IndexMode::kRaw;
  keys.mask_neg_inf = problem.keep_neg_inf != 0 ? 0 : 1;
  return keys;
}

void check_options(std::int64_t blocks, std::int32_t keep_neg_inf, std::int32_t physical, Faults& faults) {
  check_range(faults, "blocks", 1, kMaxBlocks, blocks);
  check_range(faults, "keep_neg_inf", 0, 1, keep_neg_inf);
  check_range(faults, "physical", 0, 1, physical);
}

}  // namespace

Status make_publish_plan(const keysieve_publish_problem& problem, const MakeSelectPlan& make, PublishPlan& plan) {
  Faults faults;
  check_options(problem.blocks, problem.keep_neg_inf, problem.physical, faults);
  check_range(faults, "reserved", 0, 0, problem.reserved);
  if (!faults.empty()) return faults.status();
  plan = {};
  plan.problem = problem;
  const auto select = std::bit_cast<SelectProblem>(problem.select);
  if (Status status = plan_over_scores(select, plan.blocks_compete(), make, plan.select); !status.ok()) return status;
  if (plan.blocks_compete()) {
    if (Status status = make(over_keys(problem, plan.select.backend), plan.block_select); !status.ok()) return status;
    // 16-byte rows, so that every one of them is read in vectors.
    plan.key_row_stride = (plan.block_select.problem.width + 3) / 4 * 4;
  }
  plan.workspace_bytes = PublishWorkspace(plan).bytes;
  return {};
}

Status make_block_topk_plan(const keysieve_block_topk_problem& problem, const MakeSelectPlan& make, PublishPlan& plan) {
  constexpr std::int64_t kMaxKeys = (std::int64_t{1} << 28) - 1;
  Faults faults;
  check_options(problem.blocks, problem.keep_neg_inf, problem.physical, faults);
  check_range(faults, "rows", 0, KEYSIEVE_MAX_WIDTH, problem.rows);
  check_range(faults, "key_columns", 0, kMaxKeys, problem.key_columns);
  if (!faults.empty()) return faults.status();
  plan = {};
  plan.keys_are_given = true;
  plan.problem.struct_size = sizeof(plan.problem);
  plan.problem.keep_neg_inf = problem.keep_neg_inf;
  plan.problem.blocks = problem.blocks;
  plan.problem.physical = problem.physical;
  SelectProblem rows;
  rows.device_type = static_cast<DeviceType>(problem.device_type);
  rows.device_ordinal = problem.device_ordinal;
  rows.backend = static_cast<Backend>(problem.backend);
  rows.rows = problem.rows;
  rows.width = problem.key_columns * KEYSIEVE_PUBLISH_BLOCK;
  rows.k = 1;
  plan.problem.select = std::bit_cast<keysieve_select_problem>(rows);
  if (Status status = make(rows, plan.select); !status.ok()) return status;
  plan.select.workspace_bytes = 0;
  if (plan.blocks_compete()) {
    if (Status status = make(over_keys(plan.problem, plan.select.backend), plan.block_select); !status.ok()) {
      return status;
    }
  }
  plan.workspace_bytes = PublishWorkspace(plan).bytes;
  return {};
}

PublishWorkspace::PublishWorkspace(const PublishPlan& plan) {
  std::int64_t end = 0;
  const auto take = [&end](std::int64_t size) {
    const std::int64_t at = end;
    end += (size + kAlignment - 1) / kAlignment * kAlignment;
    return at;
  };
  const std::int64_t rows = plan.problem.select.rows;
  if (plan.blocks_compete()) {
    if (!plan.keys_are_given) keys = take(rows * plan.key_row_stride * 4);
    key_counts = take(rows * 4);
    selected = take(rows * 4);
  }
  select = take(std::max(plan.select.workspace_bytes, plan.block_select.workspace_bytes));
  bytes = end > 0 ? end + kAlignment : 0;
}

}  // namespace keysieve
