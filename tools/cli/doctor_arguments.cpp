#include <CLI/CLI.hpp>

#include "cli/command.hpp"
#include "cli/doctor_command.hpp"

namespace keysieve::cli {
namespace {

class DoctorCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    app.add_flag("--json", options.json, "Print a JSON object instead of text (keysieve.doctor/1)");
    app.add_option("--self-test-seconds", options.self_test_seconds,
                   "Cases of the self-test that would start later than this are left out (0 to 600)")
        ->type_name("SECONDS")
        ->capture_default_str();
  }

  int run() override { return run_doctor(options); }

 private:
  DoctorOptions options;
};

}  // namespace

std::unique_ptr<Command> make_doctor_command() { return std::make_unique<DoctorCommand>(); }

}  // namespace keysieve::cli
