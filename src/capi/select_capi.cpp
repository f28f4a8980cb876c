#include <algorithm>
#include <bit>

#include "capi/barrier.hpp"
#include "core/check_select.hpp"
#include "core/cpu_library.hpp"
#include "keysieve/types.hpp"
#include "plan/cuda_engine.hpp"
#include "plan/planner.hpp"
#include "reference/select_reference.hpp"

namespace keysieve::capi {
namespace {

// Copies what the caller's (possibly older, shorter) plan struct can take.
Status write_plan(const SelectPlan& plan, keysieve_select_plan* out) {
  const std::uint32_t size = out->struct_size;
  if (size < sizeof(SelectPlan)) {
    return Status::invalid_argument("plan.struct_size: expected " + std::to_string(sizeof(SelectPlan)) + ", got " +
                                    std::to_string(size));
  }
  const auto c_plan = std::bit_cast<keysieve_select_plan>(plan);
  std::memcpy(out, &c_plan, sizeof(c_plan));
  out->struct_size = size;
  return {};
}

Status read_plan(const keysieve_select_plan* from, SelectPlan& plan) {
  if (Status status = read_struct("plan", from, plan); !status.ok()) return status;
  if (plan.problem.struct_size != sizeof(SelectProblem)) {
    return Status::invalid_argument("plan: expected one made by keysieve_select_make_plan");
  }
  return {};
}

template <typename Make>
keysieve_status make_into(const keysieve_select_problem* c_problem, keysieve_select_plan* out, Make&& make) {
  return guarded([&]() -> Status {
    SelectProblem problem;
    if (Status status = read_struct("problem", c_problem, problem); !status.ok()) return status;
    if (out == nullptr) return Status::invalid_argument("plan: expected a pointer, got null");
    SelectPlan plan;
    if (Status status = make(problem, plan); !status.ok()) return status;
    return write_plan(plan, out);
  });
}

// A plan is the caller's memory by the time it runs: whatever would make a backend read or write astray is
// checked again here. All of it is a handful of comparisons.
Status check_plan(const SelectPlan& plan) {
  if (const auto faults = problem_faults(plan.problem); !faults.empty()) {
    return Status::invalid_argument("plan: " + faults.front());
  }
  if (plan.runnable == 0) {
    return Status::unsupported("plan: made for a device profile, cannot run here");
  }
  SelectPlan fresh;
  if (Status status = make_plan(plan.problem, fresh); !status.ok()) return status;
  if (!(fresh == plan)) {
    return Status::invalid_argument("plan: expected one made by keysieve_select_make_plan, got a changed one");
  }
  return {};
}

}  // namespace
}  // namespace keysieve::capi

using keysieve::SelectArgs;
using keysieve::SelectPlan;
using keysieve::SelectProblem;
using keysieve::Status;
namespace capi = keysieve::capi;

extern "C" {

void keysieve_select_problem_init(keysieve_select_problem* problem) {
  if (problem != nullptr) *problem = std::bit_cast<keysieve_select_problem>(SelectProblem{});
}

void keysieve_select_args_init(keysieve_select_args* args) {
  if (args != nullptr) *args = std::bit_cast<keysieve_select_args>(SelectArgs{});
}

keysieve_status keysieve_select_make_plan(const keysieve_select_problem* problem, keysieve_select_plan* plan) {
  return capi::make_into(problem, plan,
                         [](const SelectProblem& p, SelectPlan& out) { return keysieve::make_plan(p, out); });
}

keysieve_status keysieve_select_make_plan_for_profile(const keysieve_select_problem* problem, const char* profile,
                                                      keysieve_select_plan* plan) {
  return capi::make_into(problem, plan, [&](const SelectProblem& p, SelectPlan& out) {
    if (profile == nullptr) return Status::invalid_argument("profile: expected a name, got null");
    return keysieve::make_plan_for_profile(p, profile, out);
  });
}

keysieve_status keysieve_select_supports(const keysieve_select_problem* c_problem, char* buffer, size_t size,
                                         size_t* needed) {
  return capi::guarded([&]() -> Status {
    SelectProblem problem;
    if (Status status = capi::read_struct("problem", c_problem, problem); !status.ok()) return status;
    std::string text;
    for (const std::string& fault : keysieve::unmet_conditions(problem)) {
      if (!text.empty()) text += '\n';
      text += fault;
    }
    return capi::write_text(text, buffer, size, needed);
  });
}

keysieve_status keysieve_select_plan_describe(const keysieve_select_plan* c_plan, char* buffer, size_t size,
                                              size_t* needed) {
  return capi::guarded([&]() -> Status {
    SelectPlan plan;
    if (Status status = capi::read_plan(c_plan, plan); !status.ok()) return status;
    return capi::write_text(keysieve::describe_plan(plan), buffer, size, needed);
  });
}

keysieve_status keysieve_select_plan_to_json(const keysieve_select_plan* c_plan, char* buffer, size_t size,
                                             size_t* needed) {
  return capi::guarded([&]() -> Status {
    SelectPlan plan;
    if (Status status = capi::read_plan(c_plan, plan); !status.ok()) return status;
    return capi::write_text(keysieve::plan_to_json(plan), buffer, size, needed);
  });
}

keysieve_status keysieve_select_run(const keysieve_select_plan* c_plan, const keysieve_select_args* c_args,
                                    void* stream) {
  return capi::guarded([&]() -> Status {
    SelectPlan plan;
    SelectArgs args;
    if (Status status = capi::read_plan(c_plan, plan); !status.ok()) return status;
    if (Status status = capi::read_struct("args", c_args, args); !status.ok()) return status;
    if (Status status = capi::check_plan(plan); !status.ok()) return status;
    SelectArgs resolved;
    if (Status status = keysieve::resolve_args(plan, args, resolved); !status.ok()) return status;
    if (plan.problem.rows == 0) return {};
    if (plan.backend == keysieve::Backend::kCuda) {
      return keysieve::run_on_cuda(keysieve::make_launches(plan, resolved), stream);
    }
    if (resolved.row_counters != nullptr) std::fill_n(resolved.row_counters, plan.problem.rows * 2, 0);
    if (plan.backend == keysieve::Backend::kReference) {
      keysieve::reference::select(plan.problem, resolved);
    } else {
      keysieve::cpu_library().backend->select(plan, resolved);
    }
    return {};
  });
}

}  // extern "C"
