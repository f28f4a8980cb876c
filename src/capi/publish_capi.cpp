#include <bit>
#include <cstring>

#include "capi/run_operation.hpp"
#include "core/check_select.hpp"
#include "keysieve/publish.h"
#include "plan/planner.hpp"
#include "publish/publish_run.hpp"

namespace keysieve::capi {
namespace {

// A problem as the caller has it; the selection inside must be whole.
Status read_problem(const keysieve_publish_problem* from, keysieve_publish_problem& problem) {
  if (Status status = read_struct("problem", from, problem); !status.ok()) return status;
  if (problem.select.struct_size != sizeof(SelectProblem)) {
    return Status::invalid_argument("problem.select.struct_size: expected " + std::to_string(sizeof(SelectProblem)) +
                                    " (use the init function), got " + std::to_string(problem.select.struct_size));
  }
  return {};
}

Status read_problem(const keysieve_block_topk_problem* from, keysieve_block_topk_problem& problem) {
  return read_struct("problem", from, problem);
}

keysieve_publish_plan c_plan_of(const PublishPlan& plan, const keysieve_publish_problem& problem) {
  keysieve_publish_plan out;
  std::memset(&out, 0, sizeof(out));  // padding too: plans are compared byte by byte
  out.struct_size = sizeof(out);
  out.reads_twice = plan.select.backend != Backend::kCuda && plan.problem.select.rows > 0 ? 1 : 0;
  out.workspace_bytes = plan.workspace_bytes;
  out.key_row_stride = plan.key_row_stride;
  out.problem = problem;
  out.select = std::bit_cast<keysieve_select_plan>(plan.select);
  out.block_select = std::bit_cast<keysieve_select_plan>(plan.block_select);
  return out;
}

Status plan_here(const keysieve_publish_problem& problem, PublishPlan& plan) {
  return make_publish_plan(
      problem, [](const SelectProblem& select, SelectPlan& made) { return make_plan(select, made); }, plan);
}

keysieve_block_topk_plan c_plan_of(const PublishPlan& plan, const keysieve_block_topk_problem& problem) {
  keysieve_block_topk_plan out;
  std::memset(&out, 0, sizeof(out));
  out.struct_size = sizeof(out);
  out.workspace_bytes = plan.workspace_bytes;
  out.problem = problem;
  out.block_select = std::bit_cast<keysieve_select_plan>(plan.block_select);
  return out;
}

Status plan_here(const keysieve_block_topk_problem& problem, PublishPlan& plan) {
  return make_block_topk_plan(
      problem, [](const SelectProblem& select, SelectPlan& made) { return make_plan(select, made); }, plan);
}

template <typename CPlan>
Status check_plan(const CPlan* from, const char* maker, PublishPlan& plan) {
  // The plan is the caller's memory: it must be what this library would make again.
  CPlan given;
  if (Status status = read_struct("plan", from, given); !status.ok()) return status;
  const std::string expected = std::string("plan: expected one made by ") + maker;
  if (given.problem.struct_size != sizeof(given.problem)) return Status::invalid_argument(expected);
  if (Status status = plan_here(given.problem, plan); !status.ok()) return status;
  const CPlan fresh = c_plan_of(plan, given.problem);
  if (std::memcmp(&fresh, &given, sizeof(fresh)) != 0) {
    return Status::invalid_argument(expected + ", got a changed one");
  }
  return {};
}

template <typename Problem, typename CPlan>
keysieve_status make_plan_of(const Problem* c_problem, CPlan* out) {
  return guarded([&]() -> Status {
    Problem problem;
    if (Status status = read_problem(c_problem, problem); !status.ok()) return status;
    if (out == nullptr) return Status::invalid_argument("plan: expected a pointer, got null");
    if (out->struct_size != sizeof(*out)) {
      return Status::invalid_argument("plan.struct_size: expected " + std::to_string(sizeof(*out)) + ", got " +
                                      std::to_string(out->struct_size));
    }
    PublishPlan plan;
    if (Status status = plan_here(problem, plan); !status.ok()) return status;
    *out = c_plan_of(plan, problem);
    return {};
  });
}

template <typename Problem>
keysieve_status can_plan(const Problem* c_problem, char* buffer, std::size_t size, std::size_t* needed) {
  return guarded([&]() -> Status {
    Problem problem;
    if (Status status = read_problem(c_problem, problem); !status.ok()) return status;
    PublishPlan plan;
    return write_text(plan_here(problem, plan).message(), buffer, size, needed);
  });
}

}  // namespace
}  // namespace keysieve::capi

namespace capi = keysieve::capi;
using keysieve::Status;

extern "C" {

void keysieve_publish_problem_init(keysieve_publish_problem* problem) {
  if (problem == nullptr) return;
  std::memset(problem, 0, sizeof(*problem));
  problem->struct_size = sizeof(*problem);
  problem->blocks = 2048;
  keysieve_select_problem_init(&problem->select);
}

void keysieve_publish_plan_init(keysieve_publish_plan* plan) {
  if (plan == nullptr) return;
  std::memset(plan, 0, sizeof(*plan));
  plan->struct_size = sizeof(*plan);
}

void keysieve_publish_args_init(keysieve_publish_args* args) {
  if (args == nullptr) return;
  std::memset(args, 0, sizeof(*args));
  args->struct_size = sizeof(*args);
  args->blocks_row_stride = KEYSIEVE_AUTO;
  args->physical_blocks_row_stride = KEYSIEVE_AUTO;
  keysieve_select_args_init(&args->select);
}

keysieve_status keysieve_publish_make_plan(const keysieve_publish_problem* c_problem, keysieve_publish_plan* out) {
  return capi::make_plan_of(c_problem, out);
}

keysieve_status keysieve_publish_can_use(const keysieve_publish_problem* c_problem, char* buffer, size_t size,
                                         size_t* needed) {
  return capi::can_plan(c_problem, buffer, size, needed);
}

keysieve_status keysieve_publish_run(const keysieve_publish_plan* c_plan, const keysieve_publish_args* c_args,
                                     void* stream) {
  return capi::guarded([&]() -> Status {
    keysieve::PublishPlan plan;
    if (Status status = capi::check_plan(c_plan, "keysieve_publish_make_plan", plan); !status.ok()) return status;
    keysieve_publish_args args;
    if (Status status = capi::read_struct("args", c_args, args); !status.ok()) return status;
    keysieve::PublishCall call{};
    if (Status status = keysieve::resolve_publish_args(plan, args, call); !status.ok()) return status;
    if (plan.problem.select.rows == 0) return {};
    return keysieve::run_publish(plan, call, stream);
  });
}

void keysieve_block_topk_problem_init(keysieve_block_topk_problem* problem) {
  if (problem == nullptr) return;
  std::memset(problem, 0, sizeof(*problem));
  problem->struct_size = sizeof(*problem);
  problem->blocks = 2048;
}

void keysieve_block_topk_plan_init(keysieve_block_topk_plan* plan) {
  if (plan == nullptr) return;
  std::memset(plan, 0, sizeof(*plan));
  plan->struct_size = sizeof(*plan);
}

void keysieve_block_topk_args_init(keysieve_block_topk_args* args) {
  if (args == nullptr) return;
  std::memset(args, 0, sizeof(*args));
  args->struct_size = sizeof(*args);
  args->next_n = 1;
  args->keys_row_stride = KEYSIEVE_AUTO;
  args->page_table_row_stride = KEYSIEVE_AUTO;
  args->num_pages = KEYSIEVE_AUTO;
  args->blocks_row_stride = KEYSIEVE_AUTO;
  args->physical_blocks_row_stride = KEYSIEVE_AUTO;
}

keysieve_status keysieve_block_topk_make_plan(const keysieve_block_topk_problem* c_problem,
                                              keysieve_block_topk_plan* out) {
  return capi::make_plan_of(c_problem, out);
}

keysieve_status keysieve_block_topk_can_use(const keysieve_block_topk_problem* c_problem, char* buffer, size_t size,
                                            size_t* needed) {
  return capi::can_plan(c_problem, buffer, size, needed);
}

keysieve_status keysieve_block_topk_run(const keysieve_block_topk_plan* c_plan, const keysieve_block_topk_args* c_args,
                                        void* stream) {
  return capi::guarded([&]() -> Status {
    keysieve::PublishPlan plan;
    if (Status status = capi::check_plan(c_plan, "keysieve_block_topk_make_plan", plan); !status.ok()) return status;
    keysieve_block_topk_args args;
    if (Status status = capi::read_struct("args", c_args, args); !status.ok()) return status;
    keysieve::PublishCall call{};
    if (Status status = keysieve::resolve_block_topk_args(plan, args, call); !status.ok()) return status;
    if (plan.problem.select.rows == 0) return {};
    return keysieve::run_publish(plan, call, stream);
  });
}

}  // extern "C"
