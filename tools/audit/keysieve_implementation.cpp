#include "audit/implementation.hpp"

namespace keysieve::audit {
namespace {

constexpr std::int64_t kMostSlotsOnCuda = 8192;

// Empty, or how the plan is not the one that was asked for.
std::string plan_fault(const SelectPlan& plan, const Setup& setup) {
  if (plan.runnable != 1) return "the plan cannot run here";
  // On the host the planner may fall back to the reference.
  const bool is_literal = is_forced(setup) || setup.backend == Backend::kCuda;
  if (is_literal && plan.backend != setup.backend) {
    return std::string("the plan takes another backend: ") + name_of(plan.backend);
  }
  if (setup.route != Route::kAuto && plan.route != setup.route) {
    return std::string("the plan takes another route: ") + name_of(plan.route);
  }
  if (setup.threads != kAuto && plan.threads != setup.threads) {
    return "the plan takes other threads: " + std::to_string(plan.threads);
  }
  return {};
}

class Keysieve final : public Implementation {
 public:
  PreparedCall prepare(const SelectProblem& problem, const Setup& setup) const override {
    PreparedCall call;
    const SelectProblem asked = with_setup(problem, setup);
    SelectPlan plan;
    const std::string unmet = supports(asked);
    const Status status = try_make_plan(asked, plan);
    if (status.ok() != unmet.empty()) {
      call.fault = "supports() says '" + unmet + "' and make_plan '" + status.message() + "'";
    } else if (!status.ok()) {
      const bool has_to = !is_forced(setup) && setup.threads == kAuto &&
                          (setup.backend != Backend::kCuda || problem.k <= kMostSlotsOnCuda);
      const bool is_refusal = status.code() == StatusCode::kUnsupported && !has_to;
      (is_refusal ? call.refusal : call.fault) = status.message();
    } else {
      call.fault = plan_fault(plan, setup);
    }
    call.route = plan.route;
    call.workspace_bytes = plan.workspace_bytes;
    call.run = [plan](const SelectArgs& args, void* stream) {
      const Status done = try_run(plan, args, stream);
      return done.ok() ? std::string() : "run failed: " + done.message();
    };
    return call;
  }
};

}  // namespace

SelectProblem with_setup(SelectProblem problem, const Setup& setup) {
  const bool on_cuda = setup.backend == Backend::kCuda;
  problem.device_type = on_cuda ? DeviceType::kCuda : DeviceType::kCpu;
  // The final dispatch is the planner's alone, backend included.
  problem.backend = is_forced(setup) ? setup.backend : Backend::kAuto;
  problem.route = setup.route;
  problem.split = setup.split;
  problem.threads = setup.threads;
  return problem;
}

std::unique_ptr<Implementation> make_keysieve() { return std::make_unique<Keysieve>(); }

}  // namespace keysieve::audit
