// Lets tests that were written for host tensors judge the device: this program defines the two entries of the C ABI
// that plan and run, in front of the library's own. A plan for host tensors becomes a plan for the device, and a run
// with such a plan copies every tensor there and back: outputs and workspace with what they held before, so that
// what a test poisons or leaves in an arena is what the kernel meets.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <stdexcept>

#include "device_case.hpp"

namespace keysieve::test {
namespace {

template <typename Entry>
Entry* library_entry(const char* name) {
  void* symbol = dlsym(RTLD_NEXT, name);
  if (symbol == nullptr) throw std::runtime_error(std::string("no entry behind this program's own: ") + name);
  return reinterpret_cast<Entry*>(symbol);
}

// Tests name the two CPU routes; which device routes stand in for them turns with KEYSIEVE_GPU_FAULT_TURN.
GpuSetup setup_for(const SelectProblem& problem) {
  static const std::array<std::array<GpuSetup, 2>, 3> stand_ins = {{
      {{{Route::kSieve}, {Route::kSplit}}},
      {{{Route::kWide}, {Route::kSplit, 8}}},
      {{{Route::kAuto}, {Route::kTile}}},
  }};
  static const auto turn = static_cast<std::size_t>(environment_number("KEYSIEVE_GPU_FAULT_TURN", 0)) % 3;
  if (problem.route == Route::kCpuRows) return stand_ins[turn][0];
  if (problem.route == Route::kCpuChunks) return stand_ins[turn][1];
  return {problem.route};
}

bool is_for_the_device(const SelectProblem& problem) {
  return problem.device_type == DeviceType::kCpu && problem.backend != Backend::kReference;
}

keysieve_status run_offloaded(const keysieve_select_plan& c_plan, const keysieve_select_args& c_args) {
  static auto* const library_run = library_entry<decltype(keysieve_select_run)>("keysieve_select_run");
  thread_local const Stream stream;
  const auto plan = std::bit_cast<SelectPlan>(c_plan);
  const auto host = std::bit_cast<SelectArgs>(c_args);
  DeviceCall call(stream.get(), plan.problem, host);
  call.upload_outputs(host);
  call.reserve_workspace(host.workspace_bytes);
  call.copy_workspace_from(host.workspace);
  const auto device_args = std::bit_cast<keysieve_select_args>(call.args());
  const keysieve_status status = library_run(&c_plan, &device_args, stream.get());
  const std::string fault = call.download_outputs(host, "a call of host tensors on " + name_of_route(plan.route));
  if (!fault.empty()) ADD_FAILURE() << name_of_route(plan.route) << ": " << fault;
  call.copy_workspace_to(host.workspace);
  return status;
}

}  // namespace
}  // namespace keysieve::test

extern "C" {

keysieve_status keysieve_select_make_plan(const keysieve_select_problem* problem, keysieve_select_plan* plan) {
  using namespace keysieve::test;  // NOLINT: the C entries cannot be members of it
  static auto* const library_make_plan =
      library_entry<decltype(keysieve_select_make_plan)>("keysieve_select_make_plan");
  const auto asked = std::bit_cast<keysieve::SelectProblem>(*problem);
  if (is_for_the_device(asked)) {
    // A route that refuses the problem leaves it to AUTO; what AUTO refuses too (k past its limit) stays on the host.
    for (const GpuSetup& setup : {setup_for(asked), GpuSetup{}}) {
      const auto on_device = std::bit_cast<keysieve_select_problem>(on_gpu(asked, setup));
      const keysieve_status status = library_make_plan(&on_device, plan);
      if (status != KEYSIEVE_UNSUPPORTED) return status;
    }
  }
  return library_make_plan(problem, plan);
}

keysieve_status keysieve_select_run(const keysieve_select_plan* plan, const keysieve_select_args* args, void* stream) {
  using namespace keysieve::test;  // NOLINT
  static auto* const library_run = library_entry<decltype(keysieve_select_run)>("keysieve_select_run");
  // Only this program's own device calls name a stream.
  if (plan->backend != KEYSIEVE_BACKEND_CUDA || stream != nullptr) return library_run(plan, args, stream);
  try {
    return run_offloaded(*plan, *args);
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
    return KEYSIEVE_DEVICE_ERROR;
  }
}

}  // extern "C"
