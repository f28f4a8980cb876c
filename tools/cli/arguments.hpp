// The command line, parsed: the only header-and-source pair that knows CLI11, which costs seconds a file.
#pragma once

#include <string>
#include <variant>

#include "cli/doctor_command.hpp"
#include "cli/plan_command.hpp"
#include "cli/select_command.hpp"

namespace keysieve::cli {

// Text that was asked for: --help or --version.
struct PrintText {
  std::string text;
};

using Command = std::variant<PrintText, SelectOptions, PlanOptions, DoctorOptions>;

// Throws UsageError.
Command parse_arguments(int argc, const char* const* argv);

}  // namespace keysieve::cli
