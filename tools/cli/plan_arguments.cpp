#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "cli/plan_command.hpp"
#include "cli/problem_arguments.hpp"

namespace keysieve::cli {
namespace {

class PlanCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    app.add_option("--rows", rows, "Rows of scores, 0 or more")->required()->type_name("R");
    app.add_option("--width", width, "Columns of the score buffer, 0 or more")->required()->type_name("W");
    problem.add_to(app);
    app.add_option("--dtype,--score-dtype", score_dtype, score_type_names() + " (float32)")->type_name("TYPE");
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
    options.problem = problem.parse();
    options.problem.rows = parse_integer("--rows", rows, 0, kMaxInt32);
    options.problem.width = parse_integer("--width", width, 0, kMaxInt32);
    options.problem.score_type = parse_score_type("--dtype", score_dtype);
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

  PlanOptions options;
  ProblemTexts problem;
  std::string rows, width, score_dtype = "float32", mode = "raw", device;
};

}  // namespace

std::unique_ptr<Command> make_plan_command() { return std::make_unique<PlanCommand>(); }

}  // namespace keysieve::cli
