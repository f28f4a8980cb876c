// Problem -> plan. Pure host work without pointers or device calls: the same answer for the same problem.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keysieve/status.hpp"
#include "keysieve/types.hpp"

namespace keysieve {

Status make_plan(const SelectProblem& problem, SelectPlan& plan);
Status make_plan_for_profile(const SelectProblem& problem, std::string_view profile, SelectPlan& plan);

// Every reason why make_plan would refuse; empty when it would not.
std::vector<std::string> unmet_conditions(const SelectProblem& problem);

// Text of a plan, for people and for machines.
std::string describe_plan(const SelectPlan& plan);
std::string plan_to_json(const SelectPlan& plan);

}  // namespace keysieve
