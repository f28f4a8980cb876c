// Faults of compilers. What shows them is the compiler matrix: its records, made on a GPU from the binaries of every
// compiler, and the sources that avoid the construct.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace keysieve::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path kRoot = KEYSIEVE_SOURCE_DIR;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The newest record of every leg that counts as passing, by leg.
std::map<std::string, Json> passing_records() {
  std::map<std::string, Json> records;
  const Json passing = Json::parse(read(kRoot / "toolchains" / "passing.json"));
  for (const Json& entry : passing.at("compilers")) {
    records[entry.at("leg")] = Json::parse(read(kRoot / entry.at("record").get<std::string>()));
  }
  return records;
}

constexpr const char* kLegs[] = {"13.0", "13.1", "13.2", "13.3", "13.4", "13.5", "nvrtc-12.9"};

// A compiler that dies of the construct compiles keysieve all the same.
TEST(CompilerFaults, R77_CompilerCrash) {
  const auto records = passing_records();
  bool some_compiler_dies = false;
  for (const char* leg : kLegs) {
    ASSERT_EQ(records.count(leg), 1u) << leg;
    const Json& record = records.at(leg);
    EXPECT_GT(record.at("library").at("bytes").get<std::int64_t>(), 1'000'000) << leg;
    some_compiler_dies = some_compiler_dies || record.at("control").at("loop_carried").at("static") == "crash";
  }
  EXPECT_TRUE(some_compiler_dies) << "the control shows nothing: no compiler of the matrix dies of it";
}

// Binaries of every compiler give the host's slots, where the control's output is lost.
TEST(CompilerFaults, R78_MiscompiledAddressSpaces) {
  const auto records = passing_records();
  int legs_that_lose_output = 0;
  for (const char* leg : kLegs) {
    ASSERT_EQ(records.count(leg), 1u) << leg;
    const Json& record = records.at(leg);
    EXPECT_TRUE(record.at("passed").get<bool>()) << leg;
    for (const char* part : {"toolchain", "forced", "graph", "random"}) {
      const Json& audit = record.at("audit").at(part);
      EXPECT_GE(audit.at("cases").get<int>(), 500) << leg << ' ' << part;
      EXPECT_EQ(audit.at("totals").at("wrong_rows"), 0) << leg << ' ' << part;
    }
    legs_that_lose_output += record.at("control").at("store_ternary").at("device") == "lost";
  }
  EXPECT_GE(legs_that_lose_output, 3) << "the control shows nothing";
}

// An address in another CTA's shared memory is made and used in one file, by a type of its own.
TEST(CompilerFaults, ClusterAddressesLiveInOneFile) {
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "src")) {
    if (!entry.is_regular_file()) continue;
    ++files;
    const std::string text = read(entry.path());
    const bool speaks_of_it = text.find("shared::cluster") != std::string::npos ||
                              text.find("map_shared_rank") != std::string::npos ||
                              text.find("mapa.") != std::string::npos;
    if (!speaks_of_it) continue;
    EXPECT_EQ(entry.path().filename(), "cluster.hpp") << entry.path();
  }
  EXPECT_GT(files, 100);
}

}  // namespace
}  // namespace keysieve::test
