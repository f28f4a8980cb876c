// Every case of the shared table, every route, thread count and poison, against the reference; and the reference
// against the oracle of tests/cases. One test per group of the table and SIMD target.
#include <gtest/gtest.h>

#include <algorithm>

#include "cases/case_table.hpp"
#include "select/cpu_variants.hpp"
#include "select/routes.hpp"

namespace keysieve::test {
namespace {

const std::vector<std::string> kGroups = {"pattern", "shape",     "option", "window", "page",
                                          "mode",    "alignment", "long",   "sample", "empty"};

std::string group_of(const std::string& name) { return name.substr(0, name.find('/')); }

// Instances are named when the program starts, where an exception would end it without a test to blame;
// CpuVariants.ReachTheLibraryInUse reports a library that cannot be opened.
std::vector<std::string> variants_or_default() {
  try {
    return cpu_variants();
  } catch (const std::exception&) {
    return {"none"};
  }
}

class CaseTableOnCpu : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(CaseTableOnCpu, EqualsTheReference) {
  const auto& [group, variant] = GetParam();
  const ScopedCpuVariant forced(variant);
  ASSERT_EQ(cpu_backend_in_use().target_name(), variant);
  // Sanitizers slow the long rows by an order of magnitude: every third case and fewer thread counts there.
  const std::size_t step = kSanitized && group == "long" ? 3 : 1;
  // The target that is in use by default meets every thread count; threads do not depend on the target.
  std::vector<RunSetup> setups = repeated_cpu_setups();
  if (variant != cpu_variants().front()) {
    setups = std::vector<RunSetup>(3, {Backend::kCpu, Route::kCpuRows, 1});
    setups.push_back({Backend::kCpu, Route::kCpuChunks, 3});
  } else if (kSanitized) {
    std::erase_if(setups, [](const RunSetup& setup) { return setup.threads == 2 || setup.threads == 7; });
  }
  std::size_t seen = 0;
  int faults = 0;
  for (const cases::SelectCase& spec : cases::case_table()) {
    if (group_of(spec.name) != group || seen++ % step != 0) continue;
    const cases::CaseInputs inputs(spec);
    const std::string fault = check_case(inputs, setups, seen);
    EXPECT_EQ(fault, "");
    if (!fault.empty() && ++faults == 5) break;  // enough to see the pattern
  }
  EXPECT_GT(seen, 0u) << "the group is empty";
}

INSTANTIATE_TEST_SUITE_P(Groups, CaseTableOnCpu,
                         testing::Combine(testing::ValuesIn(kGroups), testing::ValuesIn(variants_or_default())),
                         [](const auto& instance) {
                           return std::get<0>(instance.param) + "_" + std::get<1>(instance.param);
                         });

TEST(CaseTable, GroupsAreComplete) {
  for (const cases::SelectCase& spec : cases::case_table()) {
    EXPECT_NE(std::find(kGroups.begin(), kGroups.end(), group_of(spec.name)), kGroups.end()) << spec.name;
  }
}

// The library's own report must follow what is forced here: a second copy of the kernels would not.
TEST(CpuVariants, ReachTheLibraryInUse) {
  ASSERT_FALSE(cpu_variants().empty());
  for (const std::string& variant : cpu_variants()) {
    const ScopedCpuVariant forced(variant);
    const std::string report = detail::read_text(
        [](char* buffer, std::size_t size, std::size_t* needed) { return keysieve_system_json(buffer, size, needed); });
    EXPECT_NE(report.find("\"target\": \"" + variant + "\""), std::string::npos) << report;
  }
}

TEST(CpuVariants, UnknownTargetIsRefused) { EXPECT_THROW(ScopedCpuVariant("NO_SUCH_TARGET"), std::runtime_error); }

}  // namespace
}  // namespace keysieve::test
