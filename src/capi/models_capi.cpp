#include <bit>
#include <string>

#include "capi/barrier.hpp"
#include "models/model_presets.hpp"

using keysieve::Status;
namespace capi = keysieve::capi;

namespace {

// "v3.2, glm-5, ...", each model once.
std::string model_names() {
  std::string names;
  std::string_view last;
  for (const keysieve::ModelPart& part : keysieve::model_parts()) {
    if (part.model == last) continue;
    last = part.model;
    if (!names.empty()) names += ", ";
    names += last;
  }
  return names;
}

}  // namespace

extern "C" {

keysieve_status keysieve_model_presets_json(char* buffer, size_t size, size_t* needed) {
  return capi::guarded([&] { return capi::write_text(keysieve::model_presets_json(), buffer, size, needed); });
}

keysieve_status keysieve_model_problem(const char* model, int32_t part, int64_t context, int64_t batch, int32_t next_n,
                                       keysieve_select_problem* problem) {
  return capi::guarded([&]() -> Status {
    if (model == nullptr) return Status::invalid_argument("model: expected a name, got NULL");
    if (problem == nullptr) return Status::invalid_argument("problem: expected a pointer, got NULL");
    const auto parts = keysieve::parts_of_model(model);
    if (parts.empty()) {
      return Status::invalid_argument("model: expected one of " + model_names() + ", got '" + model + "'");
    }
    if (part < 0 || static_cast<std::size_t>(part) >= parts.size()) {
      return Status::invalid_argument("part: expected 0.." + std::to_string(parts.size() - 1) + " of model " + model +
                                      ", got " + std::to_string(part));
    }
    auto made = std::bit_cast<keysieve::SelectProblem>(*problem);
    Status status = keysieve::problem_of_step(parts[static_cast<std::size_t>(part)], {context, batch, next_n}, made);
    if (status.ok()) *problem = std::bit_cast<keysieve_select_problem>(made);
    return status;
  });
}

}  // extern "C"
