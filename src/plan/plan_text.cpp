#include <nlohmann/json.hpp>

#include "core/names.hpp"
#include "plan/planner.hpp"
#include "plan/policy.hpp"

namespace keysieve {
namespace {

// A plan may come from a C caller's memory; an unknown value must print, not crash.
template <typename Enum>
std::string printable(Enum value) {
  const char* name = name_of(value);
  return name != nullptr ? name : "unknown(" + std::to_string(static_cast<std::int32_t>(value)) + ")";
}

}  // namespace

const char* reason_text(Reason reason) {
  switch (reason) {
    case Reason::kNone:
      return "no reason recorded";
    case Reason::kForced:
      return "the route was named by the caller";
    case Reason::kReferenceAsked:
      return "the reference was asked for";
    case Reason::kCpuLibraryMissing:
      return "the CPU kernels could not be loaded; see keysieve doctor";
    case Reason::kCpuOneThread:
      return "one thread works on one row after the other";
    case Reason::kCpuEnoughRows:
      return "there are at least as many rows as threads, so each row has one owner";
    case Reason::kCpuFewWideRows:
      return "there are fewer rows than threads and rows are wide enough to share";
    case Reason::kCpuRowsTooShortToShare:
      return "there are fewer rows than threads but rows are too short to share";
    case Reason::kCudaFitsOnChip:
      return "the row fits on chip, so it is read once and selected there";
    case Reason::kCudaEnoughRows:
      return "there are rows enough to fill the SMs with one CTA a row";
    case Reason::kCudaFewRows:
      return "fewer rows than SM slots, so a cluster shares each row";
    case Reason::kCudaFewRowsNoClusters:
      return "fewer rows than SM slots and no clusters, so the device shares rows";
    case Reason::kCudaFewVeryWideRows:
      return "few very wide rows, so the whole device works on each";
    case Reason::kCudaRowsNotLongerThanK:
      return "no row is longer than k, so every column is chosen";
  }
  return "unknown reason";
}

std::string describe_plan(const SelectPlan& plan) {
  const SelectProblem& problem = plan.problem;
  std::string text;
  text += "select: rows=" + std::to_string(problem.rows) + " width=" + std::to_string(problem.width) +
          " k=" + std::to_string(problem.k) + " scores=" + printable(problem.score_type) +
          " indices=" + printable(problem.index_type) + "\n";
  text += "        mode=" + printable(problem.mode) + " order=" + printable(problem.order) +
          " ties=" + printable(problem.ties) + " nan=" + printable(problem.nan_policy) +
          " mask_neg_inf=" + (problem.mask_neg_inf != 0 ? "yes" : "no") + "\n";
  text += "backend: " + printable(plan.backend) + " (" +
          (problem.backend == Backend::kAuto ? "automatic" : "asked for") + ")\n";
  text += "route: " + printable(plan.route) + " (" + (problem.route == Route::kAuto ? "automatic" : "asked for") +
          "): " + reason_text(static_cast<Reason>(plan.reason)) + "\n";
  text += "threads: " + std::to_string(plan.threads);
  if (plan.backend == Backend::kCuda) {
    text += " per CTA\n";
  } else {
    text += std::string(" (") + (problem.threads == kAuto ? "automatic" : "asked for") + ")\n";
  }
  text += "pieces per row: " + std::to_string(plan.chunks_per_row);
  if (plan.backend == Backend::kCuda) {
    text += std::string(" (") + (problem.split == kAuto ? "automatic" : "asked for") + ")\n";
    text += "shared memory: " + std::to_string(plan.shared_bytes) + " bytes per CTA, room for " +
            std::to_string(plan.candidate_capacity) + " candidates\n";
    text += "first cutoff from: " + std::to_string(plan.sample_vectors) + " sampled vectors\n";
  } else {
    text += "\n";
  }
  text += "workspace: " + std::to_string(plan.workspace_bytes) + " bytes\n";
  if (plan.runnable == 0) text += "not runnable here: made for a device profile\n";
  return text;
}

std::string plan_to_json(const SelectPlan& plan) {
  const SelectProblem& problem = plan.problem;
  const nlohmann::ordered_json json = {
      {"schema", "keysieve.plan/1"},
      {"backend", printable(plan.backend)},
      {"route", printable(plan.route)},
      {"reason", reason_text(static_cast<Reason>(plan.reason))},
      {"threads", plan.threads},
      {"chunks_per_row", plan.chunks_per_row},
      {"workspace_bytes", plan.workspace_bytes},
      {"shared_bytes", plan.shared_bytes},
      {"candidate_capacity", plan.candidate_capacity},
      {"sample_vectors", plan.sample_vectors},
      {"device_ordinal", plan.device_ordinal},
      {"runnable", plan.runnable != 0},
      {"automatic",
       {{"backend", problem.backend == Backend::kAuto},
        {"route", problem.route == Route::kAuto},
        {"threads", problem.threads == kAuto},
        {"split", problem.split == kAuto}}},
      {"problem",
       {{"device", printable(problem.device_type)},
        {"device_ordinal", problem.device_ordinal},
        {"rows", problem.rows},
        {"width", problem.width},
        {"k", problem.k},
        {"score_type", printable(problem.score_type)},
        {"index_type", printable(problem.index_type)},
        {"mode", printable(problem.mode)},
        {"order", printable(problem.order)},
        {"ties", printable(problem.ties)},
        {"nan", printable(problem.nan_policy)},
        {"mask_neg_inf", problem.mask_neg_inf != 0},
        {"check_nan", problem.check_nan != 0}}},
  };
  return json.dump(2);
}

}  // namespace keysieve
