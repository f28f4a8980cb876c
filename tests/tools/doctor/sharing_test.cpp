// The MPS daemon and the environment, of a machine made up here.
#include "doctor/sharing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "fake_machine.hpp"

namespace keysieve::doctor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

Environment collect(const std::string& root, const std::map<std::string, std::string>& variables) {
  return collect_environment(root, [&](const char* name) {
    const auto found = variables.find(name);
    return found != variables.end() ? found->second.c_str() : nullptr;
  });
}

TEST(Sharing, NothingSet) {
  const Environment none = collect("/nonexistent", {});
  EXPECT_EQ(none.mps.pipe_directory, "/tmp/nvidia-mps");
  EXPECT_FALSE(none.mps.pipe_seen);
  EXPECT_FALSE(none.mps.daemon_runs);
  EXPECT_EQ(none.mps.active_thread_percentage, "");
  EXPECT_THAT(none.variables, IsEmpty());
}

TEST(Sharing, ADaemonThatRuns) {
  const FakeMachine machine;
  machine.file("/tmp/nvidia-mps/control", "");
  machine.file("/tmp/nvidia-mps/nvidia-cuda-mps-control.pid", "4711\n");
  machine.file("/proc/4711/stat", "");
  const Environment seen = collect(machine.root(), {{"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "25"}});
  EXPECT_TRUE(seen.mps.pipe_seen);
  EXPECT_TRUE(seen.mps.daemon_runs);
  EXPECT_EQ(seen.mps.active_thread_percentage, "25");
}

TEST(Sharing, APipeThatWasLeftOver) {
  const FakeMachine machine;
  machine.file("/run/mps/control", "");
  const std::map<std::string, std::string> elsewhere = {{"CUDA_MPS_PIPE_DIRECTORY", "/run/mps"}};
  EXPECT_TRUE(collect(machine.root(), elsewhere).mps.pipe_seen);
  EXPECT_FALSE(collect(machine.root(), elsewhere).mps.daemon_runs) << "no process is named";
  for (const char* pid : {"4712\n", "no number", "", "../self"}) {
    machine.file("/run/mps/nvidia-cuda-mps-control.pid", pid);
    EXPECT_FALSE(collect(machine.root(), elsewhere).mps.daemon_runs) << pid;
  }
  EXPECT_FALSE(collect(machine.root(), {{"CUDA_MPS_PIPE_DIRECTORY", ""}}).mps.pipe_seen);
}

TEST(Sharing, OnlyListedVariables) {
  const Environment seen = collect("", {{"CUDA_VISIBLE_DEVICES", ""}, {"LD_PRELOAD", "x.so"}, {"SECRET", "y"}});
  EXPECT_THAT(seen.variables, ElementsAre(Pair("CUDA_VISIBLE_DEVICES", ""), Pair("LD_PRELOAD", "x.so")));
}

}  // namespace
}  // namespace keysieve::doctor
