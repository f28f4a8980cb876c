// What the indexers of known models select, as data: shapes by which a selection is planned before there is a tensor.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "keysieve/status.hpp"
#include "keysieve/types.hpp"

namespace keysieve {

// How the keys of an indexer lie in the cache, a slot each.
enum class KeyFormat : std::int32_t {
  kUnknown,
  kFp8,       // 132 bytes: 128 e4m3 and an FP32 scale
  kFp4,       // 68 bytes: 128 e2m1 and four UE8M0 exponents
  kFp8OrFp4,  // FP8 where the GPU has no FP4 matrix units, else FP4
};

// One selection of a model. 0 or empty: not known, or there is none.
struct ModelPart {
  std::string_view model;
  std::string_view part;  // empty: the model has one
  std::int32_t heads;
  std::int32_t head_dim;
  std::int32_t rotary_dim;
  std::int32_t k;
  std::int32_t ratio;             // tokens a key stands for: a row has floor(tokens / ratio) columns
  std::int64_t max_columns;       // of a row
  std::int32_t expand;            // positions that a selected column becomes in the output; 1: itself
  std::int32_t candidate_blocks;  // blocks that a source layer publishes for later layers to score
  std::int32_t block_columns;
  KeyFormat key_format;
  ScoreType score_type;       // of the scores that are selected from
  std::int32_t page_slots;    // of the cache, as engines set it
  std::string_view layers;    // those with an indexer
  std::string_view inferred;  // fields that were worked out and not published
};

std::span<const ModelPart> model_parts();

// The parts of the model of that name, in the order of its layers; empty where there is none.
std::span<const ModelPart> parts_of_model(std::string_view name);

const char* name_of(KeyFormat format);
// Bytes of a slot; 0 where they are not known or depend on the GPU.
std::int32_t slot_bytes(KeyFormat format);

// A decode step of `batch` requests that have `context` tokens each, `next_n` rows a request.
struct DecodeStep {
  std::int64_t context = 0;
  std::int64_t batch = 1;
  std::int32_t next_n = 1;
};

// The selection that `part` makes in that step, into rows, width, k and score_type of `problem`; the rest is left as it
// is. Every unmet condition in the status.
Status problem_of_step(const ModelPart& part, const DecodeStep& step, SelectProblem& problem);

// A JSON array, an object a part.
std::string model_presets_json();

}  // namespace keysieve
