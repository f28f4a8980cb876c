// keysieve models: what is known of the indexers of models.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command.hpp"
#include "cli/console.hpp"
#include "keysieve/models.hpp"

namespace keysieve::cli {
namespace {

// "-" where nothing is known.
std::string field(const nlohmann::json& value) {
  if (value.is_null()) return "-";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

class ModelsCommand final : public Command {
 public:
  void add_to(CLI::App& app) override { app.add_flag("--json", json_, "Print a JSON object (keysieve.models/1)"); }

  int run() override {
    const auto parts = nlohmann::ordered_json::parse(model_presets_json());
    if (json_) {
      write_stdout(nlohmann::ordered_json{{"schema", "keysieve.models/1"}, {"parts", parts}}.dump(2) + '\n');
      return kExitOk;
    }
    std::string text = fmt::format("{:<20}{:<19}{:>6}{:>5}{:>6}{:>7}{:>12}{:>9}  {:<11}{}\n", "model", "part", "heads",
                                   "dim", "k", "ratio", "max tokens", "scores", "keys", "layers");
    for (const auto& part : parts) {
      const std::string model = field(part["model"]) + (part["inferred"].is_null() ? "" : "*");
      text += fmt::format("{:<20}{:<19}{:>6}{:>5}{:>6}{:>7}{:>12}{:>9}  {:<11}{}\n", model, field(part["part"]),
                          field(part["heads"]), field(part["head_dim"]), field(part["k"]), field(part["ratio"]),
                          field(part["max_context"]), field(part["score_type"]), field(part["key_format"]),
                          field(part["layers"]));
    }
    write_stdout(text + "* some fields were worked out and not published: --json names them\n");
    return kExitOk;
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_models_command() { return std::make_unique<ModelsCommand>(); }

}  // namespace keysieve::cli
