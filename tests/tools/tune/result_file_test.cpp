// The library's own report as the start of a measurement.
#include "tune/result_file.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace keysieve::tune {
namespace {

using Json = nlohmann::ordered_json;

Json device() {
  Json values;
  for (const TuningField& field : kTuningFields) values[field.name] = field.low + 1;
  return {{"name", "NVIDIA H200"},
          {"compute_capability", 90},
          {"num_sms", 132},
          {"shared_bytes_per_cta", 232448},
          {"shared_bytes_per_sm", 233472},
          {"l2_bytes", 62914560},
          {"engine_problem", ""},
          {"resident_clusters_of_8", 15},
          {"resident_clusters_of_16", 7},
          {"tuning",
           {{"source", "default"},
            {"key",
             {{"library", "keysieve 0.1.0 (0123456789ab)"},
              {"gpu", "NVIDIA H200"},
              {"compute_capability", 90},
              {"num_sms", 132},
              {"toolkit", "13.0"}}},
            {"values", values}}}};
}

std::string system_of(const Json& devices) {
  return Json{{"cuda", {{"driver", "13.0"}, {"problem", "no driver"}, {"devices", devices}}}}.dump();
}

std::string refusal(const std::string& text, std::int32_t ordinal) {
  try {
    result_of_device(text, ordinal);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(ResultOfDevice, TakesKeyProfileAndStandingValues) {
  const Result result = result_of_device(system_of(Json::array({device(), device()})), 1);
  EXPECT_EQ(result.key.gpu, "NVIDIA H200");
  EXPECT_EQ(result.key.toolkit, "13.0");
  EXPECT_EQ(result.revision, "0123456789ab");
  EXPECT_EQ(result.driver, "13.0");
  EXPECT_EQ(result.profile.num_sms, 132);
  EXPECT_EQ(result.profile.resident_clusters_of_16, 7);
  for (const TuningField& field : kTuningFields) EXPECT_EQ(result.profile.tuning.*field.value, field.low + 1);
}

TEST(ResultOfDevice, SaysWhyThereIsNone) {
  EXPECT_NE(refusal(system_of(Json::array()), 0).find("found none: no driver"), std::string::npos);
  EXPECT_NE(refusal(system_of(Json::array({device()})), 3).find("below 1, found '3'"), std::string::npos);
  Json ill = device();
  ill["engine_problem"] = "its kernels are ill";
  EXPECT_NE(refusal(system_of(Json::array({ill})), 0).find("its kernels are ill"), std::string::npos);
  EXPECT_NE(refusal("{", 0), "");
  for (const char* name : {"tuning", "num_sms", "resident_clusters_of_8"}) {
    Json lacking = device();
    lacking.erase(name);
    EXPECT_NE(refusal(system_of(Json::array({lacking})), 0).find(name), std::string::npos);
  }
}

}  // namespace
}  // namespace keysieve::tune
