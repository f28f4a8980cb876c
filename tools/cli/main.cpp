// keysieve: select, plan, doctor. Exit code 0 good, 1 ran and found a fault, 2 bad input or usage; every
// failure is one line on stderr.
#include <exception>
#include <new>
#include <variant>

#include "cli/arguments.hpp"
#include "cli/console.hpp"
#include "cli/signals.hpp"

namespace {

using namespace keysieve::cli;

struct Run {
  int operator()(const PrintText& print) const {
    write_stdout(print.text);
    return kExitOk;
  }
  int operator()(const SelectOptions& options) const { return run_select(options); }
  int operator()(const PlanOptions& options) const { return run_plan(options); }
  int operator()(const DoctorOptions& options) const { return run_doctor(options); }
};

}  // namespace

int main(int argc, char** argv) {
  install_signal_handlers();
  try {
    return std::visit(Run{}, parse_arguments(argc, argv));
  } catch (const std::bad_alloc&) {
    print_error("memory: expected enough for one batch of rows, found none left");
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  return kExitBadInput;
}
