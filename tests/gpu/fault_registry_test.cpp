// Every fault that only a GPU can show has exactly one test in the programs of tests/gpu. They are only asked for their
// lists, which needs no GPU.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>

#include "faults/fault_ids.hpp"

namespace keysieve::test {
namespace {

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (pipe == nullptr) return {};
  std::string output;
  std::array<char, 4096> buffer;
  while (const std::size_t bytes = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) {
    output.append(buffer.data(), bytes);
  }
  return output;
}

// Tests of one suite by id: "  R41_Title" gives "R41".
std::map<std::string, int> tests_by_id(const std::string& program, const std::string& suite) {
  std::map<std::string, int> tests;
  std::istringstream lines(output_of("'" + program + "' --gtest_list_tests --gtest_filter='" + suite + ".*'"));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("  ", 0) == 0) ++tests[line.substr(2, line.find('_') - 2)];
  }
  return tests;
}

TEST(FaultRegistryOnGpu, OneTestPerId) {
  std::map<std::string, int> tests;
  std::istringstream programs(KEYSIEVE_GPU_TEST_PROGRAMS);
  for (std::string program; std::getline(programs, program, ':');) {
    const auto found = tests_by_id(program, "GpuFaults");
    EXPECT_FALSE(found.empty()) << program << " lists no test of suite GpuFaults";
    for (const auto& [id, count] : found) tests[id] += count;
  }
  std::set<std::string> known;
  for (const FaultId& fault : kFaultIds) {
    known.insert(fault.id);
    if (fault.shown == Shown::kOnGpu) {
      EXPECT_EQ(tests[fault.id], 1) << fault.id;
    }
    if (fault.shown == Shown::kPending) {
      EXPECT_EQ(tests.count(fault.id), 0u) << fault.id << " is no longer pending";
    }
  }
  for (const auto& [id, count] : tests) EXPECT_EQ(known.count(id), 1u) << id << " is not in the list";
}

// The inputs that a CPU can show too are also shown to the device.
TEST(FaultRegistryOnGpu, FaultsOfTheCpuRunThereToo) {
  const auto tests = tests_by_id(KEYSIEVE_GPU_FAULT_PROGRAM, "Faults");
  std::size_t expected = 0;
  for (const FaultId& fault : kFaultIds) {
    const auto found = tests.find(fault.id);
    const int count = found == tests.end() ? 0 : found->second;
    EXPECT_EQ(count, fault.shown == Shown::kOnCpu ? 1 : 0) << fault.id;
    expected += fault.shown == Shown::kOnCpu ? 1 : 0;
  }
  EXPECT_EQ(tests.size(), expected);
}

}  // namespace
}  // namespace keysieve::test
