#include <string>
#include <string_view>
#include <utility>

#include "cli/command.hpp"
#include "cli/plan_command.hpp"
#include "cli/problem_arguments.hpp"

namespace keysieve::cli {
namespace {

class PlanCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    app.add_option("--rows", rows, "Rows of scores, 0 or more")->type_name("R");
    app.add_option("--width", width, "Columns of the score buffer, 0 or more")->type_name("W");
    problem.add_to(app);
    app.get_option("-k")->required(false);
    app.add_option("--model", options.model,
                   "In place of --rows, --width and -k: what a known model selects in a decode step (keysieve models)")
        ->type_name("NAME");
    app.add_option("--context", context, "With --model: tokens of each request, 128K and 1M for example")
        ->type_name("TOKENS");
    app.add_option("--batch", batch, "With --model: requests of the step (1)")->type_name("N");
    app.add_option("--next-n", next_n, "With --model: rows a request, more than 1 with draft tokens (1)")
        ->type_name("N");
    app.parse_complete_callback([this] {
      if (!options.model.empty()) return;
      for (const auto& [flag, text] : {std::pair{"--rows", &rows}, {"--width", &width}, {"-k", &problem.k}}) {
        if (text->empty()) throw CLI::RequiredError(flag);
      }
    });
    app.add_option("--dtype,--score-dtype", score_dtype, score_type_names() + " (float32, or the model's)")
        ->type_name("TYPE");
    app.add_option("--mode", mode, "raw|offset|paged|dual (raw)")->type_name("MODE");
    app.add_option("--device", device,
                   "cpu, cuda or cuda:N: of this machine; h200, a100: the plan that such a GPU would get (cuda with "
                   "--backend cuda, else cpu)")
        ->type_name("NAME");
    app.add_flag("--json", options.json, "Print a JSON object instead of text");
  }

  int run() override { return run_plan(parse()); }

 private:
  PlanOptions parse() {
    if (options.model.empty()) {
      for (const auto& [flag, text] : {std::pair{"--context", &context}, {"--batch", &batch}, {"--next-n", &next_n}}) {
        if (!text->empty()) throw_usage(flag, "it beside --model alone", *text);
      }
      options.problem = problem.parse();
      options.problem.rows = parse_integer("--rows", rows, 0, kMaxInt32);
      options.problem.width = parse_integer("--width", width, 0, kMaxInt32);
    } else {
      parse_step();
    }
    if (!score_dtype.empty()) options.score_type = parse_score_type("--dtype", score_dtype);
    options.problem.score_type = options.score_type.value_or(ScoreType::kFloat32);
    options.problem.mode = parse_mode("--mode", mode);
    if (device.empty()) device = options.problem.backend == Backend::kCuda ? "cuda" : "cpu";
    if (device == "cpu") return options;
    options.problem.device_type = DeviceType::kCuda;
    constexpr std::string_view kNumbered = "cuda:";
    if (device.starts_with(kNumbered)) {
      options.problem.device_ordinal = parse_ordinal(std::string_view(device).substr(kNumbered.size()));
    } else if (device != "cuda") {
      options.profile = device;
    }
    return options;
  }

  void parse_step() {
    for (const auto& [flag, text] : {std::pair{"--rows", &rows}, {"--width", &width}, {"-k", &problem.k}}) {
      if (!text->empty()) throw_usage(flag, "it to be left to --model", *text);
    }
    if (context.empty()) throw UsageError("--context: expected tokens of each request beside --model, found none");
    problem.k = "1";  // the model's is set for each of its parts
    options.problem = problem.parse();
    options.context = parse_count("--context", context, 1, kMaxInt32);
    if (!batch.empty()) options.batch = parse_integer("--batch", batch, 0, kMaxInt32);
    if (!next_n.empty()) options.next_n = static_cast<std::int32_t>(parse_integer("--next-n", next_n, 1, kMaxInt32));
  }

  PlanOptions options;
  ProblemTexts problem;
  std::string rows, width, score_dtype, mode = "raw", device, context, batch, next_n;
};

}  // namespace

std::unique_ptr<Command> make_plan_command() { return std::make_unique<PlanCommand>(); }

}  // namespace keysieve::cli
