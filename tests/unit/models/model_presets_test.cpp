#include "models/model_presets.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace keysieve {
namespace {

const ModelPart& part_of(std::string_view model, std::size_t part = 0) { return parts_of_model(model)[part]; }

SelectProblem problem_of(const ModelPart& part, const DecodeStep& step) {
  SelectProblem problem;
  const Status status = problem_of_step(part, step, problem);
  EXPECT_TRUE(status.ok()) << status.message();
  return problem;
}

std::string refusal(const ModelPart& part, const DecodeStep& step) {
  SelectProblem problem;
  const SelectProblem before = problem;
  const Status status = problem_of_step(part, step, problem);
  if (status.ok()) return "";
  EXPECT_EQ(problem, before) << "changed by a step that was refused";
  return std::string(status.message());
}

TEST(ModelPresets, PartsOfAModelLieSideBySide) {
  std::set<std::string> done;
  for (std::size_t i = 0; i < model_parts().size(); ++i) {
    const ModelPart& part = model_parts()[i];
    if (i > 0 && model_parts()[i - 1].model == part.model) continue;
    EXPECT_TRUE(done.insert(std::string(part.model)).second) << part.model;
    EXPECT_EQ(parts_of_model(part.model).data(), &part);
  }
  EXPECT_TRUE(parts_of_model("v3").empty());
  EXPECT_TRUE(parts_of_model("").empty());
}

TEST(ModelPresets, HoldWhatASelectionNeeds) {
  for (const ModelPart& part : model_parts()) {
    EXPECT_GE(part.k, 1);
    EXPECT_GE(part.ratio, 1);
    EXPECT_GE(part.expand, 1);
    EXPECT_EQ(part.candidate_blocks == 0, part.block_columns == 0);
    EXPECT_TRUE(part.max_columns == 0 || part.max_columns >= part.k) << part.model;
    EXPECT_NE(std::string(name_of(part.key_format)), "");
  }
  EXPECT_EQ(slot_bytes(KeyFormat::kFp8), 132);
  EXPECT_EQ(slot_bytes(KeyFormat::kFp4), 68);
  EXPECT_EQ(slot_bytes(KeyFormat::kFp8OrFp4), 0);
}

TEST(ModelPresets, ARowHasAColumnForRatioTokens) {
  const SelectProblem v32 = problem_of(part_of("v3.2"), {131072, 64, 2});
  EXPECT_EQ(v32.rows, 128);
  EXPECT_EQ(v32.width, 131072);
  EXPECT_EQ(v32.k, 2048);
  EXPECT_EQ(problem_of(part_of("v4-flash"), {1 << 20, 1, 1}).width, 1 << 18);
  EXPECT_EQ(problem_of(part_of("v4-flash"), {1 << 20, 1, 1}).k, 512);
  EXPECT_EQ(problem_of(part_of("v4-pro"), {7, 3, 1}).width, 1);  // rounded down
  EXPECT_EQ(problem_of(part_of("v4-pro"), {3, 3, 1}).width, 0);
  EXPECT_EQ(problem_of(part_of("glm-5"), {1 << 20, 0, 1}).rows, 0);
}

TEST(ModelPresets, ConsumersScoreWhatTheSourcePublishes) {
  const ModelPart& source = part_of("v4.1-flash", 1);
  const ModelPart& consumers = part_of("v4.1-flash", 2);
  EXPECT_EQ(consumers.max_columns, std::int64_t{source.candidate_blocks} * source.block_columns);
  EXPECT_EQ(problem_of(source, {1 << 20, 4, 1}).width, 1 << 20);
  EXPECT_EQ(problem_of(consumers, {1 << 20, 4, 1}).width, 16384);
  EXPECT_EQ(problem_of(consumers, {5000, 4, 1}).width, 5000);
  EXPECT_EQ(problem_of(consumers, {5000, 4, 1}).score_type, ScoreType::kBFloat16);
  EXPECT_EQ(problem_of(part_of("v4.1-flash", 0), {1 << 20, 4, 1}).width, 1 << 19);
}

TEST(ModelPresets, RefuseEveryUnmetCondition) {
  EXPECT_EQ(refusal(part_of("v3.2"), {163840, 1, 1}), "");
  EXPECT_EQ(refusal(part_of("v3.2"), {163841, 1, 1}), "context: expected 1..163840, got 163841");
  EXPECT_EQ(refusal(part_of("v4.1-flash", 2), {(1 << 20) + 1, 1, 1}), "context: expected 1..1048576, got 1048577");
  EXPECT_EQ(refusal(part_of("v3.2"), {0, -1, 0}),
            "context: expected 1..163840, got 0\nbatch: expected 0..2147483647, got -1\n"
            "next_n: expected 1..2147483647, got 0");
  EXPECT_NE(refusal(part_of("glm-5"), {5, 1 << 30, 4}).find("2147483647 rows"), std::string::npos);
}

}  // namespace
}  // namespace keysieve
