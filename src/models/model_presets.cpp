#include "models/model_presets.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "core/names.hpp"

namespace keysieve {
namespace {

constexpr std::int64_t kKi = 1024;
constexpr std::int64_t kMi = kKi * kKi;
constexpr std::int64_t kMaxInt32 = 0x7FFFFFFF;

// Parts of one model lie side by side. Sources: the models' published configurations and inference code, as collected
// in docs/models.md.
constexpr std::array kParts = {
    ModelPart{"v3.2", "", 64, 128, 64, 2048, 1, 160 * kKi, 1, 0, 0, KeyFormat::kFp8, ScoreType::kFloat32, 64, "all 61",
              ""},
    ModelPart{"glm-5", "", 32, 128, 0, 2048, 1, kMi, 1, 0, 0, KeyFormat::kFp8, ScoreType::kFloat32, 64,
              "5.2: 1 in 4 of 78", ""},
    ModelPart{"glm-5.3-flash", "", 32, 128, 0, 512, 4, 0, 4, 0, 0, KeyFormat::kFp8, ScoreType::kFloat32, 64, "",
              "heads, key_format"},
    ModelPart{"v4-flash", "", 64, 128, 64, 512, 4, 256 * kKi, 1, 0, 0, KeyFormat::kFp8OrFp4, ScoreType::kFloat32, 64,
              "21, those of ratio 4", ""},
    ModelPart{"v4-pro", "", 64, 128, 64, 1024, 4, 256 * kKi, 1, 0, 0, KeyFormat::kFp8OrFp4, ScoreType::kFloat32, 64,
              "30", "heads, layers"},
    ModelPart{"v4.1-flash", "encoder", 32, 128, 64, 512, 2, 512 * kKi, 1, 0, 0, KeyFormat::kFp4, ScoreType::kFloat32,
              128, "2, 8, 14", ""},
    ModelPart{"v4.1-flash", "decoder source", 32, 128, 64, 512, 1, kMi, 1, 2048, 8, KeyFormat::kFp4,
              ScoreType::kFloat32, 128, "20", ""},
    // What a consumer scores: the blocks that the source has published.
    ModelPart{"v4.1-flash", "decoder consumers", 32, 128, 64, 512, 1, 2048 * 8, 1, 0, 0, KeyFormat::kFp4,
              ScoreType::kBFloat16, 128, "24, 28, 32, 36", ""},
    ModelPart{"qwen3.8-flash-next", "", 0, 0, 0, 512, 4, 64 * kKi, 4, 0, 0, KeyFormat::kUnknown, ScoreType::kFloat32, 0,
              "", ""},
};

bool is_consumer(const ModelPart& part) { return part.part == "decoder consumers"; }

// Tokens of the longest context; 0: not known.
std::int64_t most_tokens(const ModelPart& part) {
  if (!is_consumer(part)) return part.max_columns * part.ratio;
  const auto parts = parts_of_model(part.model);
  std::int64_t most = 0;
  for (const ModelPart& other : parts) most = std::max(most, other.max_columns * other.ratio);
  return most;
}

void add_line(std::string& text, const std::string& line) {
  if (!text.empty()) text += '\n';
  text += line;
}

void check_range(std::string& faults, const char* name, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return;
  add_line(faults, std::string(name) + ": expected " + std::to_string(low) + ".." + std::to_string(high) + ", got " +
                       std::to_string(value));
}

}  // namespace

std::span<const ModelPart> model_parts() { return kParts; }

std::span<const ModelPart> parts_of_model(std::string_view name) {
  const auto is_part = [name](const ModelPart& part) { return part.model == name; };
  const auto first = std::find_if(kParts.begin(), kParts.end(), is_part);
  return {first, std::find_if_not(first, kParts.end(), is_part)};
}

const char* name_of(KeyFormat format) {
  switch (format) {
    case KeyFormat::kFp8:
      return "fp8";
    case KeyFormat::kFp4:
      return "fp4";
    case KeyFormat::kFp8OrFp4:
      return "fp8_or_fp4";
    case KeyFormat::kUnknown:
      break;
  }
  return "unknown";
}

std::int32_t slot_bytes(KeyFormat format) {
  if (format == KeyFormat::kFp8) return 132;
  return format == KeyFormat::kFp4 ? 68 : 0;
}

Status problem_of_step(const ModelPart& part, const DecodeStep& step, SelectProblem& problem) {
  const std::int64_t most = most_tokens(part) > 0 ? most_tokens(part) : kMaxInt32;
  std::string faults;
  check_range(faults, "context", step.context, 1, most);
  check_range(faults, "batch", step.batch, 0, kMaxInt32);
  check_range(faults, "next_n", step.next_n, 1, kMaxInt32);
  if (faults.empty() && step.batch > kMaxInt32 / step.next_n) {
    add_line(faults, "batch: expected at most 2147483647 rows, got " + std::to_string(step.batch) +
                         " times next_n=" + std::to_string(step.next_n));
  }
  if (!faults.empty()) return Status::invalid_argument(faults);
  problem.rows = step.batch * step.next_n;
  problem.width = is_consumer(part) ? std::min(step.context, part.max_columns) : step.context / part.ratio;
  problem.k = part.k;
  problem.score_type = part.score_type;
  return {};
}

std::string model_presets_json() {
  const auto known = [](std::int64_t value) { return value != 0 ? nlohmann::ordered_json(value) : nullptr; };
  const auto text = [](std::string_view value) {
    return value.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(std::string(value));
  };
  auto all = nlohmann::ordered_json::array();
  for (const ModelPart& part : kParts) {
    all.push_back({{"model", std::string(part.model)},
                   {"part", text(part.part)},
                   {"heads", known(part.heads)},
                   {"head_dim", known(part.head_dim)},
                   {"rotary_dim", known(part.rotary_dim)},
                   {"k", part.k},
                   {"ratio", part.ratio},
                   {"max_columns", known(part.max_columns)},
                   {"max_context", known(most_tokens(part))},
                   {"expand", part.expand},
                   {"candidate_blocks", known(part.candidate_blocks)},
                   {"block_columns", known(part.block_columns)},
                   {"key_format", name_of(part.key_format)},
                   {"slot_bytes", known(slot_bytes(part.key_format))},
                   {"score_type", name_of(part.score_type)},
                   {"page_slots", known(part.page_slots)},
                   {"layers", text(part.layers)},
                   {"inferred", text(part.inferred)}});
  }
  return all.dump();
}

}  // namespace keysieve
