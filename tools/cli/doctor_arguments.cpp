#include <CLI/CLI.hpp>

#include "cli/command.hpp"
#include "cli/doctor_command.hpp"

namespace keysieve::cli {
namespace {

class DoctorCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    app.add_flag("--json", options.json, "Print a JSON object instead of text");
  }

  int run() override { return run_doctor(options); }

 private:
  DoctorOptions options;
};

}  // namespace

std::unique_ptr<Command> make_doctor_command() { return std::make_unique<DoctorCommand>(); }

}  // namespace keysieve::cli
