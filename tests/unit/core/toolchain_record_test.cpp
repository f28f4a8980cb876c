#include "core/toolchain_record.hpp"

#include <gtest/gtest.h>

namespace keysieve {
namespace {

TEST(ToolchainRecord, KnowsTheCompilersThatPassed) {
  EXPECT_TRUE(has_passing_record(13, 0));
  for (const CompilerVersion& compiler : kPassingCompilers) {
    EXPECT_TRUE(has_passing_record(compiler.major, compiler.minor));
  }
}

TEST(ToolchainRecord, AVersionNobodyRanHasNone) {
  EXPECT_FALSE(has_passing_record(13, 99));
  EXPECT_FALSE(has_passing_record(12, 0));
  EXPECT_FALSE(has_passing_record(0, 13));
}

}  // namespace
}  // namespace keysieve
