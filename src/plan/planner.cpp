#include "plan/planner.hpp"

#include "core/check_select.hpp"
#include "core/cpu_library.hpp"
#include "core/names.hpp"
#include "plan/cuda_engine.hpp"
#include "plan/policy.hpp"

namespace keysieve {
namespace {

std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    if (!text.empty()) text += '\n';
    text += line;
  }
  return text;
}

// kAuto: the CPU kernels where they can be loaded, else the reference.
Backend resolve_backend(const SelectProblem& problem) {
  if (problem.backend != Backend::kAuto) return problem.backend;
  if (problem.device_type == DeviceType::kCuda) return Backend::kCuda;
  if (problem.route == Route::kReference) return Backend::kReference;
  return cpu_library().backend != nullptr ? Backend::kCpu : Backend::kReference;
}

SelectPlan plan_from(const SelectProblem& problem, Backend backend, const RouteChoice& choice, bool runnable) {
  SelectPlan plan;
  plan.backend = backend;
  plan.route = choice.route;
  plan.reason = static_cast<std::int32_t>(choice.reason);
  plan.threads = choice.threads;
  plan.chunks_per_row = choice.chunks_per_row;
  plan.runnable = runnable ? 1 : 0;
  plan.workspace_bytes = choice.workspace_bytes;
  plan.problem = problem;
  plan.shared_bytes = choice.shared_bytes;
  plan.candidate_capacity = choice.candidate_capacity;
  plan.sample_vectors = choice.sample_vectors;
  plan.device_ordinal = backend == Backend::kCuda ? problem.device_ordinal : 0;
  return plan;
}

// Conditions that depend on the backend; the problem itself is sound.
std::vector<std::string> backend_faults(const SelectProblem& problem, Backend backend) {
  std::vector<std::string> faults;
  if (backend == Backend::kCuda || problem.device_type == DeviceType::kCuda) {
    if (backend != Backend::kCuda) {
      faults.push_back(std::string("backend: device tensors need the cuda backend, got ") + name_of(backend));
      return faults;
    }
    if (problem.device_type != DeviceType::kCuda) {
      faults.push_back("backend: cuda works on device tensors; device_type says cpu");
      return faults;
    }
    const CudaEngine& engine = cuda_engine(problem.device_ordinal);
    if (engine.profile == nullptr) {
      faults.push_back("backend: " + engine.problem);
      return faults;
    }
    return cuda_route_faults(problem, *engine.profile);
  }
  if (backend == Backend::kReference) {
    if (problem.route != Route::kAuto && problem.route != Route::kReference) {
      faults.push_back(std::string("route: the reference backend has reference, got ") + name_of(problem.route));
    }
    return faults;
  }
  if (cpu_library().backend == nullptr) faults.push_back("backend: " + cpu_library().problem);
  for (std::string& fault : cpu_route_faults(problem)) faults.push_back(std::move(fault));
  return faults;
}

}  // namespace

std::vector<std::string> unmet_conditions(const SelectProblem& problem) {
  std::vector<std::string> faults = problem_faults(problem);
  if (!faults.empty()) return faults;
  return backend_faults(problem, resolve_backend(problem));
}

Status make_plan(const SelectProblem& problem, SelectPlan& plan) {
  if (const auto faults = problem_faults(problem); !faults.empty()) {
    return Status::invalid_argument(join(faults));
  }
  const Backend backend = resolve_backend(problem);
  if (const auto faults = backend_faults(problem, backend); !faults.empty()) {
    return Status::unsupported(join(faults));
  }
  if (backend == Backend::kReference) {
    RouteChoice choice;
    choice.route = Route::kReference;
    choice.reason = problem.backend == Backend::kAuto && problem.route == Route::kAuto ? Reason::kCpuLibraryMissing
                                                                                       : Reason::kReferenceAsked;
    plan = plan_from(problem, backend, choice, true);
    return {};
  }
  if (backend == Backend::kCuda) {
    plan = plan_from(problem, backend, choose_cuda_route(problem, *cuda_engine(problem.device_ordinal).profile), true);
    return {};
  }
  plan = plan_from(problem, backend, choose_cpu_route(problem, default_cpu_threads()), true);
  return {};
}

Status make_plan_for_profile(const SelectProblem& problem, std::string_view profile, SelectPlan& plan) {
  if (const auto faults = problem_faults(problem); !faults.empty()) {
    return Status::invalid_argument(join(faults));
  }
  const DeviceProfile* device = find_device_profile(profile);
  if (device == nullptr) {
    std::string known;
    for (const DeviceProfile& each : device_profiles()) known += std::string(known.empty() ? "" : ", ") + each.name;
    return Status::invalid_argument("profile: expected one of " + known + ", got '" + std::string(profile) + "'");
  }
  if (problem.backend != Backend::kAuto && problem.backend != Backend::kCuda) {
    return Status::invalid_argument(std::string("backend: expected auto or cuda for the device profile ") +
                                    device->name + ", got " + name_of(problem.backend));
  }
  if (const auto faults = cuda_route_faults(problem, *device); !faults.empty()) {
    return Status::unsupported(join(faults));
  }
  plan = plan_from(problem, Backend::kCuda, choose_cuda_route(problem, *device), false);
  return {};
}

}  // namespace keysieve
