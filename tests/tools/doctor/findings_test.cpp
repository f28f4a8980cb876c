// Which facts are problems, which are warnings, and which are neither.
#include "doctor/findings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doctor/json.hpp"
#include "doctor/text.hpp"

namespace keysieve::doctor {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// A GPU machine with nothing to complain of.
Facts healthy() {
  Facts facts;
  facts.system = nlohmann::ordered_json::parse(R"({
    "schema": "keysieve.system/1", "version": "0.1.0", "build": "keysieve 0.1.0",
    "cpu": {"library": "x.so", "loaded": true, "target": "AVX2", "supported_targets": "AVX2", "threads": 4},
    "cuda": {"built": true, "select_engine": true, "toolkit": "13.0", "driver": "13.0", "problem": "",
      "compiler": {"version": "13.0.88", "passing_record": true},
      "devices": [{"ordinal": 0, "name": "Fake H200", "compute_capability": 90, "num_sms": 132,
        "pci_bus_id": "0000:18:00.0", "engine_problem": "", "unavailable_routes": [], "resident_clusters_of_8": 16,
        "resident_clusters_of_16": 8, "key_order_self_test": "passed",
        "tuning": {"source": "built-in h200", "path": "", "problem": ""}}]}})");
  RouteReport route;
  route.backend = "cuda";
  route.route = "split";
  route.groups = {{"options", 42, 0, 0, 0.1, ""}, {"clusters of 16", 0, 0, 0, 0, "too large"}};
  facts.self_test = {0.2, 5, {route}};
  facts.libraries.kernel_module = "580.1";
  facts.libraries.loaded = {{"libcuda.so.580.1", "/lib/libcuda.so.580.1", "580.1", "process"}};
  facts.libraries.installed = {{"libcuda.so.1", "/lib/libcuda.so.580.1", "580.1", "loader"},
                               {"libcuda.so.1", "/usr/local/cuda-13.0/compat/libcuda.so.590.1", "590.1", "toolkit"}};
  GpuState gpu;
  gpu.name = "Fake H200";
  gpu.pci_bus_id = "0000:18:00.0";
  gpu.mig = false;
  gpu.mig_pending = false;
  gpu.compute_mode = "default";
  gpu.throttle_reasons = {"gpu_idle"};
  gpu.utilization_percent = 0;
  gpu.processes.emplace();
  facts.gpus.gpus = {gpu};
  return facts;
}

std::vector<std::string> warnings_of(const Facts& facts) {
  const Findings findings = find_faults(facts);
  EXPECT_THAT(findings.problems, IsEmpty());
  return findings.warnings;
}

TEST(Findings, AHealthyMachineHasNone) {
  EXPECT_TRUE(find_faults(healthy()).ok());
  EXPECT_THAT(warnings_of(healthy()), IsEmpty());
}

TEST(Findings, WhatIsUnknownIsNoFinding) {
  Facts facts = healthy();
  facts.system["cuda"] = {{"built", false}};
  facts.libraries = {};
  facts.gpus = {"libnvidia-ml.so.1: not there", "", "", {}};
  EXPECT_THAT(warnings_of(facts), IsEmpty());
  facts.gpus.gpus = {GpuState{}};
  EXPECT_THAT(warnings_of(facts), IsEmpty());
}

TEST(Findings, ProblemsOfTheLibrary) {
  Facts facts = healthy();
  facts.system["cpu"] = {{"loaded", false}, {"problem", "no such file"}};
  facts.system["cuda"]["devices"][0]["key_order_self_test"] = "failed: pattern 3";
  facts.self_test.routes[0].groups[0].failed = 2;
  facts.self_test.routes[0].first_fault = "NaN: row 1";
  const Findings findings = find_faults(facts);
  EXPECT_FALSE(findings.ok());
  EXPECT_THAT(findings.problems,
              ElementsAre("cpu kernels: they cannot be loaded: no such file", "key order: gpu 0: failed: pattern 3",
                          "self-test: cuda/split: 2 of 42 cases are wrong; first: NaN: row 1"));
}

TEST(Findings, AReportOfAnotherShape) {
  for (const char* text : {"null", "[]", "7", "{}", R"({"cpu": 3, "cuda": []})", R"({"cuda": {"devices": [3, null]}})",
                           R"({"cuda": {"devices": {"a": 1}, "compiler": 3, "driver": 13}})"}) {
    Facts facts = healthy();
    facts.system = nlohmann::ordered_json::parse(text);
    const Findings findings = find_faults(facts);
    EXPECT_FALSE(findings.ok()) << text;
    EXPECT_NE(to_text(facts, findings), "") << text;
    EXPECT_EQ(to_json(facts, findings)["ok"], false) << text;
  }
  Facts discarded = healthy();
  discarded.system = nlohmann::ordered_json::parse("{", nullptr, false);
  EXPECT_THAT(find_faults(discarded).problems, ElementsAre(StartsWith("system:")));
  EXPECT_TRUE(to_json(discarded, {})["system"].is_null());
}

TEST(Findings, ACpuRouteHasToRunWhereTheKernelsDo) {
  Facts facts = healthy();
  RouteReport route;
  route.backend = "cpu";
  route.route = "cpu_rows";
  route.unavailable = "threads";
  facts.self_test.routes = {route};
  EXPECT_THAT(find_faults(facts).problems, ElementsAre(HasSubstr("cpu/cpu_rows: expected it to run")));
}

TEST(Findings, WarningsOfTheSystem) {
  Facts facts = healthy();
  auto& cuda = facts.system["cuda"];
  cuda["compiler"] = {{"version", "13.2.86"}, {"passing_record", false}};
  cuda["devices"][0]["tuning"]["problem"] = "of another GPU";
  cuda["devices"][0]["unavailable_routes"] = {"split: no clusters"};
  facts.self_test.routes[0].groups[1].left_out = 3;
  EXPECT_THAT(warnings_of(facts), ElementsAre(AllOf(StartsWith("compiler:"), HasSubstr("13.2.86")),
                                              AllOf(StartsWith("engine:"), HasSubstr("split: no clusters")),
                                              AllOf(StartsWith("tuning:"), HasSubstr("of another GPU")),
                                              "self-test: 3 cases were left out at the limit of 5 s"));
}

TEST(Findings, ADriverOlderThanTheRuntime) {
  for (const auto& [driver, words] : {std::pair("12.9", "cannot be used"), std::pair("13.0", "is missing")}) {
    Facts facts = healthy();
    facts.system["cuda"]["driver"] = driver;
    facts.system["cuda"]["toolkit"] = "13.1";
    EXPECT_THAT(warnings_of(facts), ElementsAre(AllOf(StartsWith("driver:"), HasSubstr(driver), HasSubstr(words))));
  }
  Facts facts = healthy();
  facts.system["cuda"]["driver"] = "13.10";
  facts.system["cuda"]["toolkit"] = "13.9";
  EXPECT_THAT(warnings_of(facts), IsEmpty()) << "numbers, not text";
}

TEST(Findings, Libraries) {
  Facts facts = healthy();
  facts.libraries.kernel_module = "570.9";
  EXPECT_THAT(warnings_of(facts), ElementsAre("driver: the kernel runs 570.9, /lib/libcuda.so.580.1 is of 580.1"));

  facts = healthy();
  facts.libraries.installed.push_back({"libcuda.so.1", "/opt/libcuda.so.535.1", "535.1", "LD_LIBRARY_PATH"});
  facts.libraries.shadowed = {{"libcuda.so.1", "/opt/libcuda.so.535.1", "/lib/libcuda.so.580.1"}};
  facts.libraries.other_keysieve = {"/usr/lib/libkeysieve.so.0"};
  EXPECT_THAT(warnings_of(facts), ElementsAre(StartsWith("libcuda: expected one"), StartsWith("LD_LIBRARY_PATH:"),
                                              StartsWith("libkeysieve: /usr/lib/libkeysieve.so.0")));

  facts = healthy();
  facts.libraries.loaded.clear();
  facts.libraries.installed = {{"libcuda.so.1", "/usr/local/cuda/lib64/stubs/libcuda.so", "", "LD_LIBRARY_PATH"}};
  EXPECT_THAT(warnings_of(facts), ElementsAre(HasSubstr("stub")));
}

TEST(Findings, Gpus) {
  Facts facts = healthy();
  GpuState& gpu = facts.gpus.gpus[0];
  gpu.mig_pending = true;
  gpu.compute_mode = "exclusive_process";
  gpu.throttle_reasons = {"gpu_idle", "sw_power_cap"};
  gpu.processes->push_back({17, std::nullopt});
  EXPECT_THAT(warnings_of(facts),
              ElementsAre(StartsWith("mig: 0000:18:00.0 will be divided"), StartsWith("compute mode:"),
                          AllOf(StartsWith("clocks:"), HasSubstr("(sw_power_cap)")), StartsWith("neighbours: 1 ")));
  gpu = healthy().gpus.gpus[0];
  gpu.mig = gpu.mig_pending = true;
  gpu.utilization_percent = 80;
  EXPECT_THAT(warnings_of(facts), ElementsAre(StartsWith("mig: 0000:18:00.0 is divided"),
                                              AllOf(StartsWith("neighbours:"), HasSubstr("80 %"))));
  gpu.pci_bus_id = "0000:99:00.0";
  EXPECT_THAT(warnings_of(facts), IsEmpty()) << "not a GPU of this process";
}

TEST(Findings, Environment) {
  Facts facts = healthy();
  facts.environment.mps = {"/tmp/nvidia-mps", true, true, "50"};
  facts.environment.variables = {{"CUDA_LAUNCH_BLOCKING", "1"}};
  EXPECT_THAT(warnings_of(facts),
              ElementsAre(StartsWith("mps: its daemon"), HasSubstr("50 %"), StartsWith("CUDA_LAUNCH_BLOCKING:")));
  facts.environment.mps = {"/tmp/nvidia-mps", true, false, "100"};
  facts.environment.variables = {{"CUDA_LAUNCH_BLOCKING", "0"}};
  EXPECT_THAT(warnings_of(facts), IsEmpty());
}

TEST(Report, TextNamesEveryFinding) {
  Facts facts = healthy();
  facts.system["cuda"]["compiler"]["passing_record"] = false;
  facts.self_test.routes[0].groups[0].failed = 1;
  const Findings findings = find_faults(facts);
  const std::string text = to_text(facts, findings);
  EXPECT_THAT(text, HasSubstr("1 problem, 1 warning\n"));
  for (const std::string& each : findings.problems) EXPECT_THAT(text, HasSubstr(each));
  for (const std::string& each : findings.warnings) EXPECT_THAT(text, HasSubstr(each));
  EXPECT_THAT(text, HasSubstr("16 of 8 CTAs, 8 of 16"));
  EXPECT_THAT(text, HasSubstr("built-in h200"));
  EXPECT_THAT(text, HasSubstr("clusters of 16: not run: too large"));
}

TEST(Surveys, TheFirstSawTheNeighboursTheSecondTheClocks) {
  GpuSurvey before = healthy().gpus;
  before.gpus[0].processes->push_back({17, 5});
  before.gpus[0].memory_used_bytes = 5;
  before.gpus[0].sm_clock_mhz = 345;
  GpuSurvey after = healthy().gpus;
  after.gpus[0].processes->push_back({18, 6});
  after.gpus[0].memory_used_bytes = 99;
  after.gpus[0].sm_clock_mhz = 1980;
  const GpuState merged = merge_surveys(before, after).gpus.at(0);
  EXPECT_EQ(merged.processes->at(0).pid, 17u);
  EXPECT_EQ(merged.memory_used_bytes, 5);
  EXPECT_EQ(merged.sm_clock_mhz, 1980u);
}

}  // namespace
}  // namespace keysieve::doctor
