// What the indexers of known models select, as data, and the selection of a decode step. Header-only over the C ABI.
//
//   keysieve::SelectProblem problem;                             // device and options
//   keysieve::set_model_step(problem, "v4.1-flash", 0, 1 << 20, 64);
//   const keysieve::SelectPlan plan = keysieve::make_plan(problem);
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "keysieve/select.hpp"

namespace keysieve {

// A JSON array, an object for each part of a model: docs/models.md.
inline std::string model_presets_json() {
  return detail::read_text([](char* buffer, std::size_t size, std::size_t* needed) {
    return keysieve_model_presets_json(buffer, size, needed);
  });
}

// Sets rows, width, k and score_type: what part `part` of the model selects in a decode step of `batch` requests with
// `context` tokens each and `next_n` rows a request. Throws with every unmet condition; `problem` is as before then.
inline void set_model_step(SelectProblem& problem, const std::string& model, std::int32_t part, std::int64_t context,
                           std::int64_t batch, std::int32_t next_n = 1) {
  auto c_problem = std::bit_cast<keysieve_select_problem>(problem);
  detail::throw_if_failed(
      detail::to_status(keysieve_model_problem(model.c_str(), part, context, batch, next_n, &c_problem)));
  problem = std::bit_cast<SelectProblem>(c_problem);
}

}  // namespace keysieve
