// A subcommand of `keysieve`: its flags and what it does. A new one is a make_ function here and a line in the table of
// arguments.cpp.
#pragma once

#include <memory>

namespace CLI {
class App;
}

namespace keysieve::cli {

class Command {
 public:
  virtual ~Command() = default;

  // Binds the flags to members; values stay text where a refusal has to name what was expected and what was found.
  virtual void add_to(CLI::App& app) = 0;

  // After the command line was parsed. Returns the exit code, throws UsageError for values that are off.
  virtual int run() = 0;
};

std::unique_ptr<Command> make_select_command();
std::unique_ptr<Command> make_plan_command();
std::unique_ptr<Command> make_models_command();
std::unique_ptr<Command> make_doctor_command();
std::unique_ptr<Command> make_audit_command();
std::unique_ptr<Command> make_tune_command();
std::unique_ptr<Command> make_bench_command();
std::unique_ptr<Command> make_kernels_command();
std::unique_ptr<Command> make_report_command();

}  // namespace keysieve::cli
