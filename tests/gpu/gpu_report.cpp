#include "gpu_report.hpp"

#include <gtest/gtest.h>

#include <cstdio>

namespace keysieve::test {

void report(const Tally& tally) {
  for (const Route route : gpu_routes()) {
    const std::string name = name_of_route(route);
    std::printf("  %-8s %8lld run, %8lld refused\n", name.c_str(), static_cast<long long>(tally.runs(route)),
                static_cast<long long>(tally.refusals(route)));
    testing::Test::RecordProperty("run_" + name, std::to_string(tally.runs(route)));
    testing::Test::RecordProperty("refused_" + name, std::to_string(tally.refusals(route)));
  }
}

void expect_no_faults(const std::vector<std::string>& faults) {
  for (const std::string& fault : faults) ADD_FAILURE() << fault;
}

}  // namespace keysieve::test
