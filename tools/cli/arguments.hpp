// The command line, parsed.
#pragma once

#include <memory>

#include "cli/command.hpp"

namespace keysieve::cli {

// The command that was asked for, its flags filled in; --help and --version are commands that print. Throws UsageError.
std::unique_ptr<Command> parse_arguments(int argc, const char* const* argv);

}  // namespace keysieve::cli
