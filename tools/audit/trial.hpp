// What the audit runs: cases, the way in which they run, and both as one command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cases/select_case.hpp"
#include "cli/option_names.hpp"
#include "keysieve/types.hpp"

namespace keysieve::audit {

enum class Manner : std::int32_t {
  kOnce,     // one call for each case, one after the other
  kGraph,    // one plan, on CUDA one captured graph, for all cases; they differ in contents only
  kStreams,  // every case on a stream or thread of its own, at the same time, a few times over
};

// Who is to answer, and how.
struct Setup {
  Backend backend = Backend::kCpu;  // of a peer: where the tensors are
  Route route = Route::kAuto;
  std::int32_t split = kAuto;
  std::int32_t threads = kAuto;
  std::string implementation;  // of a peer library; empty: keysieve itself

  bool operator==(const Setup&) const = default;
};

struct Trial {
  std::vector<cases::SelectCase> cases;
  Setup setup;
  Manner manner = Manner::kOnce;
};

using cli::name_of;
const char* name_of(Manner manner);

// Under what the runs of a setup are counted: the route, or the peer's name.
std::string label_of(const Setup& setup);
// A literal route or a peer; else the choice is the planner's.
bool is_forced(const Setup& setup);
std::string describe(const Setup& setup);

// For a shell, inside single quotes.
std::string shell_quoted(const std::string& text);

// The command that runs the trial again. `peer_library` is needed where the setup names an implementation.
std::string command_of(const Trial& trial, const std::string& peer_library);

}  // namespace keysieve::audit
