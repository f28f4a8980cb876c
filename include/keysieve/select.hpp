// C++ face of selection: exact top-k of every row, turned into cache slots. Header-only over the C ABI.
//
//   keysieve::SelectProblem problem;            // shapes and options
//   problem.rows = 8; problem.width = 131072; problem.k = 2048;
//   const keysieve::SelectPlan plan = keysieve::make_plan(problem);
//   std::vector<std::byte> workspace(plan.workspace_bytes);
//   keysieve::SelectArgs args;                  // tensors
//   ...
//   keysieve::run(plan, args);
//
// Functions throw keysieve::Error; the try_* twins return a Status and do not throw (but for a failed
// allocation of the message).
#pragma once

#include <bit>
#include <cstddef>
#include <string>

#include "keysieve/c_api.h"
#include "keysieve/status.hpp"
#include "keysieve/types.hpp"

namespace keysieve {

namespace detail {

inline Status to_status(keysieve_status code) {
  if (code == KEYSIEVE_OK) return {};
  return {static_cast<StatusCode>(code), keysieve_last_error()};
}

inline void throw_if_failed(const Status& status) {
  if (!status.ok()) throw Error(status.code(), status.message());
}

// Calls a C entry of the form f(buffer, size, &needed) twice: for the size, then for the text.
template <typename Call>
std::string read_text(Call&& call) {
  std::size_t needed = 0;
  throw_if_failed(to_status(call(nullptr, std::size_t{0}, &needed)));
  std::string text(needed, '\0');
  throw_if_failed(to_status(call(text.data(), text.size(), &needed)));
  if (!text.empty()) text.resize(needed - 1);  // drop the terminator
  return text;
}

}  // namespace detail

inline Status try_make_plan(const SelectProblem& problem, SelectPlan& plan) {
  const auto c_problem = std::bit_cast<keysieve_select_problem>(problem);
  auto c_plan = std::bit_cast<keysieve_select_plan>(SelectPlan{});
  const keysieve_status code = keysieve_select_make_plan(&c_problem, &c_plan);
  if (code == KEYSIEVE_OK) plan = std::bit_cast<SelectPlan>(c_plan);
  return detail::to_status(code);
}

// Pure host work; the same answer for the same problem. Throws with every unmet condition.
inline SelectPlan make_plan(const SelectProblem& problem) {
  SelectPlan plan;
  detail::throw_if_failed(try_make_plan(problem, plan));
  return plan;
}

// The plan that a named device ("h200", "a100") would get; not runnable here.
inline SelectPlan make_plan_for_profile(const SelectProblem& problem, const std::string& profile) {
  const auto c_problem = std::bit_cast<keysieve_select_problem>(problem);
  auto c_plan = std::bit_cast<keysieve_select_plan>(SelectPlan{});
  detail::throw_if_failed(
      detail::to_status(keysieve_select_make_plan_for_profile(&c_problem, profile.c_str(), &c_plan)));
  return std::bit_cast<SelectPlan>(c_plan);
}

// The unmet conditions, one a line; empty when make_plan would succeed.
inline std::string supports(const SelectProblem& problem) {
  const auto c_problem = std::bit_cast<keysieve_select_problem>(problem);
  return detail::read_text([&](char* buffer, std::size_t size, std::size_t* needed) {
    return keysieve_select_supports(&c_problem, buffer, size, needed);
  });
}

// A few lines for people: route, reason, workspace, and which tuning values were automatic.
inline std::string describe(const SelectPlan& plan) {
  const auto c_plan = std::bit_cast<keysieve_select_plan>(plan);
  return detail::read_text([&](char* buffer, std::size_t size, std::size_t* needed) {
    return keysieve_select_plan_describe(&c_plan, buffer, size, needed);
  });
}

inline std::string to_json(const SelectPlan& plan) {
  const auto c_plan = std::bit_cast<keysieve_select_plan>(plan);
  return detail::read_text([&](char* buffer, std::size_t size, std::size_t* needed) {
    return keysieve_select_plan_to_json(&c_plan, buffer, size, needed);
  });
}

inline Status try_run(const SelectPlan& plan, const SelectArgs& args, void* stream = nullptr) {
  const auto c_plan = std::bit_cast<keysieve_select_plan>(plan);
  const auto c_args = std::bit_cast<keysieve_select_args>(args);
  return detail::to_status(keysieve_select_run(&c_plan, &c_args, stream));
}

inline void run(const SelectPlan& plan, const SelectArgs& args, void* stream = nullptr) {
  detail::throw_if_failed(try_run(plan, args, stream));
}

}  // namespace keysieve
