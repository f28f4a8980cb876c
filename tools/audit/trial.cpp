#include "audit/trial.hpp"

#include "cases/case_text.hpp"

namespace keysieve::audit {

const char* name_of(Manner manner) {
  switch (manner) {
    case Manner::kGraph:
      return "graph";
    case Manner::kStreams:
      return "streams";
    case Manner::kOnce:
      break;
  }
  return "once";
}

std::string label_of(const Setup& setup) {
  return setup.implementation.empty() ? name_of(setup.route) : setup.implementation;
}

bool is_forced(const Setup& setup) { return setup.route != Route::kAuto || !setup.implementation.empty(); }

std::string describe(const Setup& setup) {
  std::string text = std::string(name_of(setup.backend)) + " " + label_of(setup);
  if (setup.split != kAuto) text += ", split " + std::to_string(setup.split);
  if (setup.threads != kAuto) text += ", " + std::to_string(setup.threads) + " threads";
  return text;
}

std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

std::string command_of(const Trial& trial, const std::string& peer_library) {
  std::string text = "keysieve audit";
  for (const cases::SelectCase& spec : trial.cases) text += " --case " + shell_quoted(cases::to_text(spec));
  const Setup& setup = trial.setup;
  text += std::string(" --backend ") + name_of(setup.backend);
  if (!setup.implementation.empty()) {
    text += " --peer " + shell_quoted(peer_library) + " --implementation " + shell_quoted(setup.implementation);
  }
  if (setup.route != Route::kAuto) text += std::string(" --route ") + name_of(setup.route);
  if (setup.split != kAuto) text += " --split " + std::to_string(setup.split);
  if (setup.threads != kAuto) text += " --threads " + std::to_string(setup.threads);
  if (trial.manner != Manner::kOnce) text += std::string(" --manner ") + name_of(trial.manner);
  return text;
}

}  // namespace keysieve::audit
