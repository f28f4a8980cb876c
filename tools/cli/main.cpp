// The `keysieve` command. Exit code 0 good, 1 ran and found a fault, 2 bad input or usage; every
// failure is one line on stderr.
#include <exception>
#include <new>

#include "cli/arguments.hpp"
#include "cli/console.hpp"
#include "cli/signals.hpp"

using namespace keysieve::cli;

int main(int argc, char** argv) {
  install_signal_handlers();
  try {
    return parse_arguments(argc, argv)->run();
  } catch (const std::bad_alloc&) {
    print_error("memory: expected enough for one batch of rows, found none left");
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  return kExitBadInput;
}
