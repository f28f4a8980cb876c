#include "cli/plan_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "cli/console.hpp"
#include "cli/option_names.hpp"
#include "keysieve/models.hpp"
#include "keysieve/select.hpp"

namespace keysieve::cli {

namespace {

nlohmann::ordered_json lines_of(const std::string& text) {
  auto lines = nlohmann::ordered_json::array();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// The library has names of its own for what the user typed.
std::string name_argument(std::string message) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kNames = {{{"profile:", "--device:"},
                                                                                    {"model:", "--model:"},
                                                                                    {"context:", "--context:"},
                                                                                    {"batch:", "--batch:"},
                                                                                    {"next_n:", "--next-n:"}}};
  for (const auto& [name, flag] : kNames) {
    if (message.starts_with(name)) return message.replace(0, name.size(), flag);
  }
  return message;
}

void write_json(const nlohmann::ordered_json& json) {
  write_stdout(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

SelectPlan plan_of(const PlanOptions& options, const SelectProblem& problem) {
  return options.profile.empty() ? make_plan(problem) : make_plan_for_profile(problem, options.profile);
}

std::string with_newline(std::string text) {
  if (text.empty() || text.back() != '\n') text += '\n';
  return text;
}

void print_plan(const PlanOptions& options) {
  const SelectPlan plan = plan_of(options, options.problem);
  write_stdout(with_newline(options.json ? to_json(plan) : describe(plan)));
}

std::int64_t score_bytes(const SelectProblem& problem) {
  return problem.rows * problem.width * (problem.score_type == ScoreType::kFloat32 ? 4 : 2);
}

std::string title_of(const nlohmann::ordered_json& preset, const SelectProblem& problem) {
  const auto text = [&](const char* name) { return preset[name].is_null() ? "" : preset[name].get<std::string>(); };
  std::string title = text("model");
  if (!preset["part"].is_null()) title += ", " + text("part");
  if (!preset["layers"].is_null()) title += ": layers " + text("layers");
  title += fmt::format("\n  {} rows of {} scores in {}, {:.1f} MiB", problem.rows, problem.width,
                       name_of(problem.score_type), static_cast<double>(score_bytes(problem)) / (1 << 20));
  if (!preset["candidate_blocks"].is_null()) {
    title += fmt::format("; publishes {} blocks of {} columns", preset["candidate_blocks"].get<int>(),
                         preset["block_columns"].get<int>());
  }
  if (preset["expand"].get<int>() > 1) {
    title += fmt::format("; a selected column stands for {} positions", preset["expand"].get<int>());
  }
  return title + '\n';
}

void print_model(const PlanOptions& options) {
  auto parts = nlohmann::ordered_json::array();
  std::string text;
  // The first call names the models where there is none of that name.
  SelectProblem first = options.problem;
  set_model_step(first, options.model, 0, options.context, options.batch, options.next_n);
  std::int32_t part = 0;
  for (const auto& preset : nlohmann::ordered_json::parse(model_presets_json())) {
    if (preset["model"] != options.model) continue;
    SelectProblem problem = options.problem;
    set_model_step(problem, options.model, part++, options.context, options.batch, options.next_n);
    if (options.score_type) problem.score_type = *options.score_type;
    const SelectPlan plan = plan_of(options, problem);
    parts.push_back({{"preset", preset},
                     {"score_bytes", score_bytes(problem)},
                     {"plan", nlohmann::ordered_json::parse(to_json(plan))}});
    text += (text.empty() ? "" : "\n") + title_of(preset, problem) + with_newline(describe(plan));
  }
  if (!options.json) {
    write_stdout(text);
    return;
  }
  write_json({{"schema", "keysieve.model_plan/1"},
              {"model", options.model},
              {"context", options.context},
              {"batch", options.batch},
              {"next_n", options.next_n},
              {"parts", parts}});
}

}  // namespace

int run_plan(const PlanOptions& options) {
  try {
    if (options.model.empty()) {
      print_plan(options);
    } else {
      print_model(options);
    }
  } catch (const Error& error) {
    if (options.json) {
      write_json({{"schema", "keysieve.plan_refused/1"}, {"supported", false}, {"unmet", lines_of(error.what())}});
    }
    print_error(name_argument(error.what()));
    return kExitBadInput;
  }
  return kExitOk;
}

}  // namespace keysieve::cli
