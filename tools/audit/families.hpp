// Where cases come from: numbered, and the same for the same number and seed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "audit/trial.hpp"
#include "keysieve/types.hpp"

namespace keysieve::audit {

struct SourceContext {
  std::uint64_t seed = 0;
  // The plan of the GPU here, or that of a known one, whose thresholds the adversaries aim at. False: refused.
  std::function<bool(const SelectProblem& problem, SelectPlan& plan)> cuda_plan;
  int cpu_share = 50;  // percent of the adversaries that aim at the CPU's routes
};

// Cases that run together in one manner.
struct Bundle {
  std::vector<cases::SelectCase> cases;
  Manner manner = Manner::kOnce;
};

struct Family {
  std::string name;
  int weight = 1;  // share of the turns
  std::function<Bundle(const SourceContext& context, std::uint64_t number)> make;
};

// All families of this build.
std::vector<Family> all_families();

// The plans of this machine's GPU where there is one, else of an H200.
bool plan_on_cuda(bool has_device, const SelectProblem& problem, SelectPlan& plan);

std::vector<cases::SelectCase> fault_cases();
Bundle adversarial_bundle(const SourceContext& context, std::uint64_t number);
Bundle graph_bundle(const SourceContext& context, std::uint64_t number);
Bundle streams_bundle(const SourceContext& context, std::uint64_t number);

// Another number for every use of (seed, number).
std::uint64_t mixed(std::uint64_t seed, std::uint64_t number, std::uint64_t salt);

}  // namespace keysieve::audit
