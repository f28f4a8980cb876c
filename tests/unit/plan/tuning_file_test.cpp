// Tuning files that serve, that were written for something else, and that are damaged.
#include "plan/tuning_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "keysieve/version.hpp"

namespace keysieve {
namespace {

using Json = nlohmann::ordered_json;

TuningKey key_here() { return {tuning_library(), "NVIDIA H900 (test)", 90, 132, "13.0"}; }

CudaTuning other_tuning() {
  CudaTuning tuning;
  tuning.tile_max_bytes = 4096;
  tuning.tile_max_bytes_few_rows = 0;
  tuning.split_min_columns = 1024;
  tuning.split_sm_percent = 75;
  tuning.split_long_row_columns = 65536;
  tuning.split_very_long_row_columns = kNeverColumns;
  tuning.wide_min_columns = 1 << 20;
  tuning.wide_max_rows = 4;
  tuning.sieve_many_threads_columns = 32768;
  return tuning;
}

Json good_json() {
  const TuningKey key = key_here();
  Json values;
  for (const TuningField& field : kTuningFields) values[field.name] = other_tuning().*field.value;
  return {{"schema", "keysieve.tuning/1"},
          {"key",
           {{"library", key.library},
            {"gpu", key.gpu},
            {"compute_capability", key.compute_capability},
            {"num_sms", key.num_sms},
            {"toolkit", key.toolkit}}},
          {"driver", "another one"},
          {"values", values}};
}

std::string fault_of(const Json& json) {
  CudaTuning tuning;
  const std::string fault = parse_tuning(json.dump(), key_here(), tuning);
  EXPECT_EQ(tuning == CudaTuning{}, !fault.empty()) << "refused and used, or neither: " << fault;
  return fault;
}

class TuningFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("keysieve-tuning-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& text, const std::string& name = "tuning.json") {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

  static LoadedTuning load(const std::string& path) {
    return load_tuning(key_here(), {path.c_str(), nullptr, nullptr});
  }

  // Refused: the defaults, and a reason that names the file's fault.
  static void expect_ignored(const std::string& path, const std::string& words) {
    const LoadedTuning loaded = load(path);
    EXPECT_EQ(loaded.tuning, CudaTuning{});
    EXPECT_EQ(loaded.source, "default");
    EXPECT_EQ(loaded.path, path);
    EXPECT_NE(loaded.problem.find(words), std::string::npos) << loaded.problem;
  }

  std::filesystem::path folder_;
};

TEST(ParseTuning, TakesWhatServes) {
  CudaTuning tuning;
  EXPECT_EQ(parse_tuning(good_json().dump(), key_here(), tuning), "");
  EXPECT_EQ(tuning, other_tuning());
}

TEST(ParseTuning, EveryPartOfTheKeyCounts) {
  for (const char* name : {"library", "gpu", "compute_capability", "num_sms", "toolkit"}) {
    Json json = good_json();
    json["key"][name] = json["key"][name].is_string() ? Json("another") : Json(7);
    EXPECT_NE(fault_of(json).find(std::string("key.") + name + ": expected"), std::string::npos) << fault_of(json);
    json["key"].erase(name);
    EXPECT_NE(fault_of(json).find("got nothing"), std::string::npos) << fault_of(json);
  }
}

TEST(ParseTuning, EveryValueIsNeededAndInRange) {
  for (const TuningField& field : kTuningFields) {
    for (const Json& bad : {Json(field.low - 1), Json(field.high + 1), Json(1.5), Json("1024"), Json(nullptr),
                            Json(0xFFFFFFFFFFFFFFFFull), Json(true), Json::array()}) {
      Json json = good_json();
      json["values"][field.name] = bad;
      EXPECT_NE(fault_of(json).find(std::string("values.") + field.name), std::string::npos) << bad;
    }
    Json json = good_json();
    json["values"].erase(field.name);
    EXPECT_NE(fault_of(json).find(field.name), std::string::npos);
  }
}

TEST(ParseTuning, WhatIsNoTuningFile) {
  for (const char* text : {"", "{", "[]", "null", "\xff\xfe", "{\"schema\": 1}", "{\"schema\": \"keysieve.tuning/2\"}",
                           "{\"schema\": \"keysieve.tuning/1\"}", "{\"schema\": \"keysieve.tuning/1\", \"key\": []}"}) {
    CudaTuning tuning;
    EXPECT_NE(parse_tuning(text, key_here(), tuning), "") << text;
    EXPECT_EQ(tuning, CudaTuning{}) << text;
  }
  // Nested as deep as the size allows.
  CudaTuning tuning;
  EXPECT_NE(parse_tuning(std::string(1 << 20, '['), key_here(), tuning), "");
  constexpr std::size_t kDepth = 500000;
  const std::string deep = std::string(kDepth, '[') + std::string(kDepth, ']');
  EXPECT_NE(parse_tuning("{\"schema\": " + deep + "}", key_here(), tuning), "");
}

TEST(ParseTuning, ReasonsStayShort) {
  Json json = good_json();
  json["key"]["gpu"] = std::string(100000, 'x');
  EXPECT_LT(fault_of(json).size(), 400u);
}

TEST_F(TuningFiles, AreReadFromThePathOfTheVariable) {
  const std::string path = write(good_json().dump());
  const LoadedTuning loaded = load(path);
  EXPECT_EQ(loaded.tuning, other_tuning());
  EXPECT_EQ(loaded.source, "file");
  EXPECT_EQ(loaded.path, path);
  EXPECT_EQ(loaded.problem, "");
  EXPECT_EQ(loaded.key.gpu, key_here().gpu);
}

TEST_F(TuningFiles, AreReadFromTheCache) {
  const std::string name = "tuning-nvidia-h900--test--" KEYSIEVE_VERSION_STRING ".json";
  write(good_json().dump(), "cache/keysieve/" + name);
  const std::string cache = (folder_ / "cache").string();
  EXPECT_EQ(load_tuning(key_here(), {nullptr, cache.c_str(), nullptr}).source, "file");
  write(good_json().dump(), ".cache/keysieve/" + name);
  EXPECT_EQ(load_tuning(key_here(), {nullptr, nullptr, folder_.c_str()}).source, "file");
  EXPECT_EQ(load_tuning(key_here(), {nullptr, "relative", folder_.c_str()}).source, "file");
}

TEST_F(TuningFiles, AreNeverRequired) {
  const LoadedTuning loaded = load_tuning(key_here(), {nullptr, folder_.c_str(), folder_.c_str()});
  EXPECT_EQ(loaded.tuning, CudaTuning{});
  EXPECT_EQ(loaded.source, "default");
  EXPECT_EQ(loaded.problem, "") << "nobody asked for a file";
  for (const TuningEnvironment& none : {TuningEnvironment{}, TuningEnvironment{"", folder_.c_str(), folder_.c_str()},
                                        TuningEnvironment{nullptr, "", ""}}) {
    EXPECT_EQ(tuning_path(key_here(), none), "");
    EXPECT_EQ(load_tuning(key_here(), none).source, "default");
    EXPECT_EQ(load_tuning(key_here(), none).problem, "");
  }
}

TEST_F(TuningFiles, AreIgnoredWhereTheyDoNotServe) {
  expect_ignored((folder_ / "missing.json").string(), "cannot be opened");
  expect_ignored(folder_.string(), "expected a regular file");
  expect_ignored(write("{\"schema\""), "JSON object");
  Json json = good_json();
  json["key"]["toolkit"] = "12.9";
  expect_ignored(write(json.dump()), "key.toolkit: expected \"13.0\", got \"12.9\"");
  json = good_json();
  json.erase("values");
  expect_ignored(write(json.dump()), "values");
  expect_ignored(write(good_json().dump() + std::string(1 << 20, ' ')), "expected at most 1048576 bytes");
  // Cut anywhere, it is no JSON.
  const std::string whole = good_json().dump();
  for (std::size_t bytes = 0; bytes < whole.size(); bytes += 37) expect_ignored(write(whole.substr(0, bytes)), "JSON");
}

TEST_F(TuningFiles, APipeDoesNotHang) {
  const std::string path = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  expect_ignored(path, "expected a regular file");
}

TEST(TuningEnvironment, IsTheProcess) {
  setenv("KEYSIEVE_TUNING_FILE", "/some/file", 1);
  setenv("XDG_CACHE_HOME", "/some/cache", 1);
  const TuningEnvironment environment = read_tuning_environment();
  EXPECT_STREQ(environment.file, "/some/file");
  EXPECT_STREQ(environment.cache_home, "/some/cache");
  unsetenv("KEYSIEVE_TUNING_FILE");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(read_tuning_environment().file, nullptr);
}

}  // namespace
}  // namespace keysieve
