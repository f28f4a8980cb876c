// main of every test program here. Without a device or an engine all tests are skipped with the reason; where
// KEYSIEVE_GPU_REQUIRED is set they fail instead, so that a machine with a GPU cannot pass by skipping.
#include <gtest/gtest.h>

#include "gpu_support.hpp"

namespace keysieve::test {
namespace {

// At the start of every test: gtest then leaves out its body and reports it as skipped, which it does not where an
// environment skips.
class NeedsDevice : public testing::EmptyTestEventListener {
 public:
  NeedsDevice() : missing_(gpu_missing()), required_(environment_number("KEYSIEVE_GPU_REQUIRED", 0) != 0) {}

  void OnTestStart(const testing::TestInfo&) override {
    if (missing_.empty()) return;
    if (required_) GTEST_FAIL() << missing_;
    GTEST_SKIP() << missing_;
  }

 private:
  std::string missing_;
  bool required_;
};

}  // namespace
}  // namespace keysieve::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // Listing the tests, as the build does, must not need a driver.
  if (!testing::GTEST_FLAG(list_tests)) {
    testing::UnitTest::GetInstance()->listeners().Append(new keysieve::test::NeedsDevice);
  }
  return RUN_ALL_TESTS();
}
