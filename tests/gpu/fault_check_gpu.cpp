// The judges of tests/faults on a GPU: the same fault sources linked with this file instead of their own
// fault_check.cpp show each fault's input to every CUDA route. Calls that a test makes itself arrive there through
// host_offload.cpp.
#include <gtest/gtest.h>

#include "device_case.hpp"
#include "faults/fault_check.hpp"
#include "gpu_report.hpp"

namespace keysieve::test {
namespace {

// Counted over the whole program and printed at its end.
class Calls : public testing::Environment {
 public:
  Tally tally;
  std::size_t turn = 0;
  void TearDown() override {
    std::printf("calls of the fault inputs per route\n");
    report(tally);
  }
};

Calls& calls() {
  static auto* const instance = new Calls;  // gtest owns it
  return *instance;
}

[[maybe_unused]] const auto* const registered = testing::AddGlobalTestEnvironment(&calls());

cudaStream_t stream() {
  static const Stream instance;
  return instance.get();
}

CaseResult expected_of(const CaseInputs& inputs) {
  CaseResult expected(inputs, 0, 0);
  cases::compute_expected(inputs, expected);
  return expected;
}

}  // namespace

const std::vector<RunSetup>& fault_setups() {
  static const std::vector<RunSetup> setups = [] {
    std::vector<RunSetup> routes;
    for (const Route route : gpu_routes()) routes.push_back({Backend::kCuda, route, kAuto});
    return routes;
  }();
  return setups;
}

void expect_right(const CaseInputs& inputs) {
  const CaseResult expected = expected_of(inputs);
  EXPECT_EQ(check_on_gpu(stream(), inputs, expected, gpu_setups(), calls().turn++, calls().tally), "");
}

void expect_right_with(const CaseInputs& inputs, const std::function<void(SelectArgs&)>& change) {
  const CaseResult expected = expected_of(inputs);
  CaseResult shape(inputs, 0, 0);
  SelectArgs host = inputs.args();
  shape.add_to(host);
  change(host);
  DeviceCall call(stream(), inputs.problem(), host);
  for (const GpuSetup& setup : gpu_setups()) {
    const std::uint8_t poison = kGpuPoisons[calls().turn++ % std::size(kGpuPoisons)];
    EXPECT_EQ(check_setup(call, inputs, expected, setup, poison, calls().tally), "");
  }
}

RunSetup planners_choice() { return {Backend::kCuda, Route::kAuto, kAuto}; }

}  // namespace keysieve::test
