// The reading of NVML, against a library that plays one (fake_nvml.c).
#include "doctor/nvml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace keysieve::doctor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

GpuSurvey survey(const char* plays) {
  setenv("FAKE_NVML", plays, 1);
  return Nvml(KEYSIEVE_FAKE_NVML).read();
}

TEST(Nvml, AnAbsentLibraryIsAReason) {
  const GpuSurvey none = Nvml("libnvidia-ml-absent.so.1").read();
  EXPECT_THAT(none.problem, HasSubstr("libnvidia-ml-absent.so.1"));
  EXPECT_TRUE(none.gpus.empty());
}

TEST(Nvml, AnotherLibraryIsAReason) {
  EXPECT_THAT(Nvml("libc.so.6").read().problem, HasSubstr("expected the functions of NVML"));
}

TEST(Nvml, AFailedStartIsAReason) {
  const GpuSurvey none = survey("no_init");
  EXPECT_THAT(none.problem, HasSubstr("Driver Not Loaded"));
  EXPECT_TRUE(none.gpus.empty());
}

TEST(Nvml, ReadsAnIdleGpu) {
  const GpuSurvey seen = survey("");
  EXPECT_EQ(seen.problem, "");
  EXPECT_EQ(seen.driver, "580.159.04");
  EXPECT_EQ(seen.cuda, "13.0");
  ASSERT_EQ(seen.gpus.size(), 1u);
  const GpuState& gpu = seen.gpus[0];
  EXPECT_EQ(gpu.name, "Fake H200");
  EXPECT_EQ(gpu.pci_bus_id, "0000:18:00.0");
  EXPECT_EQ(gpu.mig, false);
  EXPECT_EQ(gpu.mig_pending, false);
  EXPECT_EQ(gpu.compute_mode, "default");
  EXPECT_EQ(gpu.persistence, true);
  EXPECT_EQ(gpu.sm_clock_mhz, 1755u);
  EXPECT_EQ(gpu.sm_clock_max_mhz, 1980u);
  EXPECT_EQ(gpu.memory_clock_mhz, 3201u);
  EXPECT_EQ(gpu.memory_clock_max_mhz, 3201u);
  EXPECT_THAT(gpu.throttle_reasons.value(), ElementsAre("gpu_idle"));
  EXPECT_DOUBLE_EQ(gpu.power_watts.value(), 123.456);
  EXPECT_DOUBLE_EQ(gpu.power_limit_watts.value(), 700);
  EXPECT_EQ(gpu.temperature_celsius, 41u);
  EXPECT_EQ(gpu.memory_used_bytes, std::int64_t{634} << 20);
  EXPECT_EQ(gpu.memory_total_bytes, 150754820096);
  EXPECT_TRUE(gpu.processes.value().empty());
  EXPECT_FALSE(gpu.utilization_percent.has_value());
  EXPECT_THAT(gpu.unseen, ElementsAre("utilization: not in this library"));
}

TEST(Nvml, ReadsWhatIsUnusual) {
  const GpuState gpu = survey("mig,throttled,exclusive,busy").gpus.at(0);
  EXPECT_EQ(gpu.mig, true);
  EXPECT_EQ(gpu.compute_mode, "exclusive_process");
  EXPECT_THAT(gpu.throttle_reasons.value(), ElementsAre("sw_power_cap", "unknown_0x1000"));
  ASSERT_EQ(gpu.processes.value().size(), 2u);
  EXPECT_EQ(gpu.processes->at(0).pid, 1000u);
  EXPECT_EQ(gpu.processes->at(0).memory_bytes, 1 << 30);
  EXPECT_FALSE(gpu.processes->at(1).memory_bytes.has_value()) << "the driver did not tell";
}

TEST(Nvml, AValueThatIsRefusedLeavesTheOthers) {
  const GpuState gpu = survey("no_power").gpus.at(0);
  EXPECT_FALSE(gpu.power_watts.has_value());
  EXPECT_THAT(gpu.unseen, ::testing::Contains("power: Not Supported"));
  EXPECT_EQ(gpu.temperature_celsius, 41u);
}

TEST(Nvml, ManyProcessesFitInTheSecondCall) { EXPECT_EQ(survey("crowd").gpus.at(0).processes.value().size(), 200u); }

TEST(Nvml, ALostGpuLeavesTheOther) {
  const GpuSurvey seen = survey("two,lost");
  ASSERT_EQ(seen.gpus.size(), 2u);
  EXPECT_EQ(seen.gpus[0].sm_clock_mhz, 1755u);
  EXPECT_THAT(seen.gpus[1].unseen, ElementsAre("everything: GPU is lost"));
  EXPECT_EQ(survey("two").gpus.at(1).pci_bus_id, "0000:19:00.0");
}

}  // namespace
}  // namespace keysieve::doctor
