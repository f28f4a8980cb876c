// The list of ids and the tests agree: 68 ids, one test each, pending ones skipped. Those that need a GPU are counted
// in the programs that hold them (tests/gpu/fault_registry_test.cpp).
#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <set>
#include <string>

#include "faults/fault_ids.hpp"

namespace keysieve::test {
namespace {

// "R41_Title" gives "R41"; empty where a name has no such form.
std::string id_of(const std::string& test_name) {
  std::size_t end = 1;
  while (end < test_name.size() && std::isdigit(static_cast<unsigned char>(test_name[end])) != 0) ++end;
  if (test_name.empty() || test_name[0] != 'R' || end == 1 || end == test_name.size() || test_name[end] != '_')
    return {};
  return test_name.substr(0, end);
}

std::map<std::string, int> tests_by_id(const std::string& suite_name) {
  std::map<std::string, int> tests;
  const testing::UnitTest& program = *testing::UnitTest::GetInstance();
  for (int s = 0; s < program.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *program.GetTestSuite(s);
    if (suite.name() != suite_name) continue;
    for (int t = 0; t < suite.total_test_count(); ++t) ++tests[id_of(suite.GetTestInfo(t)->name())];
  }
  return tests;
}

TEST(FaultRegistry, SixtyEightIds) {
  std::set<std::string> ids;
  for (const FaultId& fault : kFaultIds) EXPECT_TRUE(ids.insert(fault.id).second) << fault.id << " is listed twice";
  EXPECT_EQ(ids.size(), 68u);
}

TEST(FaultRegistry, OneTestPerId) {
  const auto shown = tests_by_id("Faults"), pending = tests_by_id("FaultsPending");
  const auto compilers = tests_by_id("CompilerFaults");
  const auto count = [](const std::map<std::string, int>& tests, const char* id) {
    const auto found = tests.find(id);
    return found == tests.end() ? 0 : found->second;
  };
  std::size_t known = 0;
  for (const FaultId& fault : kFaultIds) {
    EXPECT_EQ(count(shown, fault.id), fault.shown == Shown::kOnCpu ? 1 : 0) << fault.id << " in suite Faults";
    EXPECT_EQ(count(pending, fault.id), fault.shown == Shown::kPending ? 1 : 0) << fault.id << " in FaultsPending";
    EXPECT_EQ(count(compilers, fault.id), fault.shown == Shown::kOnCompilers ? 1 : 0) << fault.id;
    if (fault.shown == Shown::kOnCpu || fault.shown == Shown::kPending) ++known;
  }
  EXPECT_EQ(shown.size() + pending.size(), known) << "a test of an id that is not listed, or without an id";
}

}  // namespace
}  // namespace keysieve::test
