// What is loaded and what is installed, read from trees made up here.
#include "doctor/libraries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_machine.hpp"

namespace keysieve::doctor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kDebian = "/usr/lib/x86_64-linux-gnu";

constexpr const char* kMaps =
    "7f0000000000-7f0000001000 r--p 00000000 08:01 11   /usr/lib/x86_64-linux-gnu/libcuda.so.580.159.04\n"
    "7f0000001000-7f0000002000 r-xp 00001000 08:01 11   /usr/lib/x86_64-linux-gnu/libcuda.so.580.159.04\n"
    "7f0000003000-7f0000004000 r--p 00000000 08:01 12   /opt/my libs/libkeysieve.so.0.1.0 (deleted)\n"
    "7f0000005000-7f0000006000 r--p 00000000 08:01 13   /usr/lib/x86_64-linux-gnu/libc.so.6\n"
    "7f0000006000-7f0000007000 rw-p 00000000 00:00 0\n"
    "7f0000007000-7f0000008000 r--p 00000000 08:01 14   /usr/lib/x86_64-linux-gnu/libcudart_extra.so.1\n"
    "7ffc00000000-7ffc00001000 rw-p 00000000 00:00 0    [stack]\n";

TEST(LibraryNames, OnlyOursAndCudas) {
  EXPECT_EQ(watched_library("libcuda.so.1"), "libcuda");
  EXPECT_EQ(watched_library("libcudart.so"), "libcudart");
  EXPECT_EQ(watched_library("libkeysieve_cpu.so"), "libkeysieve_cpu");
  for (const char* other : {"libcuda.a", "libcuda.sources", "libcuda", "libcudadebugger.so.1", "xlibcuda.so", ""}) {
    EXPECT_EQ(watched_library(other), "") << other;
  }
  EXPECT_EQ(version_in_name("libcuda.so.580.159.04"), "580.159.04");
  EXPECT_EQ(version_in_name("libcuda.so"), "");
}

TEST(MappedLibraries, EachOnceWithItsVersion) {
  const std::vector<LibraryFile> mapped = mapped_libraries(kMaps, "/nonexistent");
  EXPECT_THAT(mapped, ElementsAre(LibraryFile{"libcuda.so.580.159.04", std::string(kDebian) + "/libcuda.so.580.159.04",
                                              "580.159.04", "process"},
                                  LibraryFile{"libkeysieve.so.0.1.0", "/opt/my libs/libkeysieve.so.0.1.0", "0.1.0",
                                              "process"}));
  EXPECT_THAT(mapped_libraries("", ""), IsEmpty());
  EXPECT_THAT(mapped_libraries("garbage without a path\n\xff\n", ""), IsEmpty());
}

TEST(LoaderFolders, FollowTheConfiguration) {
  const FakeMachine machine;
  machine.file("/etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf # all of them\n/opt/first\n");
  machine.file("/etc/ld.so.conf.d/b.conf", "/opt/b\n\n# a comment\n");
  machine.file("/etc/ld.so.conf.d/a.conf", "  /opt/a  \nrelative/is/left/out\n");
  machine.file("/etc/ld.so.conf.d/c.other", "/opt/c\n");
  machine.file("/etc/ld.so.conf.d/loop.conf", "include /etc/ld.so.conf.d/loop.conf\n/opt/loop\n");
  const std::vector<std::string> folders = loader_folders(machine.root());
  ASSERT_GT(folders.size(), 8u);
  EXPECT_THAT(std::vector<std::string>(folders.begin(), folders.begin() + 3),
              ElementsAre("/opt/a", "/opt/b", "/opt/loop"));
  EXPECT_THAT(folders, ::testing::Contains("/opt/first"));
  EXPECT_THAT(folders, ::testing::Not(::testing::Contains("/opt/c")));
  EXPECT_THAT(folders, ::testing::Contains(kDebian));
}

TEST(Libraries, AnEmptyMachine) {
  const Libraries none = collect_libraries({"/nonexistent", "/nowhere::/nor/here"});
  EXPECT_THAT(none.loaded, IsEmpty());
  EXPECT_THAT(none.installed, IsEmpty());
  EXPECT_THAT(none.toolkits, IsEmpty());
  EXPECT_EQ(none.kernel_module, "");
}

TEST(Libraries, ADriverAndTwoToolkits) {
  const FakeMachine machine;
  machine.driver_library(kDebian, "libcuda", "580.159.04");
  machine.file("/proc/self/maps", kMaps);
  machine.file(
      "/proc/driver/nvidia/version",
      "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (a@b)  \nGCC 12.2.0");
  machine.file("/usr/local/cuda-13.0/version.json", R"({"cuda": {"name": "CUDA SDK", "version": "13.0.2"}})");
  machine.file("/usr/local/cuda-13.0/lib64/libcudart.so.13.0.88", "runtime");
  machine.link("/usr/local/cuda-13.0/lib64/libcudart.so.13", "libcudart.so.13.0.88");
  machine.link("/usr/local/cuda", "cuda-13.0");
  machine.file("/usr/local/cuda-12.9/version.json", "{ not json");
  machine.file("/usr/local/cuda-12.9/include/cuda.h", "#pragma once\n#define CUDA_VERSION 12090\n");
  machine.file("/usr/local/cuda-unknown/readme", "");
  machine.file("/usr/local/cudalike/version.json", "{}");
  const Libraries found = collect_libraries({machine.root(), ""});
  EXPECT_EQ(found.loaded.at(0).path, std::string(kDebian) + "/libcuda.so.580.159.04");
  EXPECT_EQ(found.kernel_module, "580.159.04");
  ASSERT_EQ(found.installed.size(), 2u);
  EXPECT_EQ(found.installed[0],
            (LibraryFile{"libcuda.so.1", std::string(kDebian) + "/libcuda.so.580.159.04", "580.159.04", "loader"}));
  EXPECT_EQ(found.installed[1],
            (LibraryFile{"libcudart.so.13", "/usr/local/cuda-13.0/lib64/libcudart.so.13.0.88", "13.0.88", "toolkit"}));
  ASSERT_EQ(found.toolkits.size(), 3u);
  EXPECT_EQ(found.toolkits[0].version, "12.9") << "from cuda.h";
  EXPECT_EQ(found.toolkits[1].version, "13.0.2");
  EXPECT_EQ(found.toolkits[2].version, "");
  EXPECT_THAT(found.shadowed, IsEmpty());
}

TEST(Libraries, VersionFilesOfAnyShape) {
  for (const char* text : {"[]", "{}", R"({"cuda": 13})", R"({"cuda": {"version": 13}})", "", "null"}) {
    const FakeMachine machine;
    machine.file("/usr/local/cuda-13.0/version.json", text);
    const Libraries found = collect_libraries({machine.root(), ""});
    ASSERT_EQ(found.toolkits.size(), 1u) << text;
    EXPECT_EQ(found.toolkits[0].version, "") << text;
  }
}

TEST(Libraries, ModuleVersionsOfAnyShape) {
  const FakeMachine machine;
  for (const char* text : {"", "NVRM version: no number here", "NVRM version: 1. .5 x86_64"}) {
    machine.file("/proc/driver/nvidia/version", text);
    EXPECT_EQ(collect_libraries({machine.root(), ""}).kernel_module, "") << text;
  }
  machine.file("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  Thu\n");
  EXPECT_EQ(collect_libraries({machine.root(), ""}).kernel_module, "570.86.15");
}

TEST(Libraries, LdLibraryPathHidesTheDriver) {
  const FakeMachine machine;
  machine.driver_library(kDebian, "libcuda", "580.159.04");
  machine.driver_library("/opt/old", "libcuda", "535.1");
  machine.driver_library("/opt/same", "libcuda", "580.159.04");
  const Libraries found = collect_libraries({machine.root(), "/opt/none:/opt/old"});
  ASSERT_EQ(found.shadowed.size(), 2u) << "libcuda.so and libcuda.so.1";
  EXPECT_EQ(found.shadowed[0].first, "/opt/old/libcuda.so.535.1");
  EXPECT_EQ(found.shadowed[0].hidden, std::string(kDebian) + "/libcuda.so.580.159.04");
  EXPECT_THAT(collect_libraries({machine.root(), "/opt/same"}).shadowed, IsEmpty()) << "the same bytes";
  EXPECT_THAT(collect_libraries({machine.root(), ""}).shadowed, IsEmpty());
}

TEST(Libraries, AnotherKeysieveIsNamed) {
  const FakeMachine machine;
  machine.file("/proc/self/maps", "0-1 r--p 0 0:0 1 /opt/here/libkeysieve.so.0.1.0\n");
  machine.file("/opt/here/libkeysieve.so.0.1.0", "one");
  machine.file("/usr/lib/libkeysieve.so.0", "two");
  machine.file("/usr/lib64/libkeysieve.so.0", "one");
  const Libraries found = collect_libraries({machine.root(), ""});
  EXPECT_THAT(found.other_keysieve, ElementsAre("/usr/lib/libkeysieve.so.0"));
}

}  // namespace
}  // namespace keysieve::doctor
