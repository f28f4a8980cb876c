#include "cli/plan_command.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/console.hpp"
#include "keysieve/select.hpp"

namespace keysieve::cli {

namespace {

nlohmann::ordered_json lines_of(const std::string& text) {
  auto lines = nlohmann::ordered_json::array();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// The library calls the device's name "profile"; the user typed --device.
std::string name_argument(std::string message) {
  constexpr std::string_view kProfile = "profile:";
  if (message.starts_with(kProfile)) message.replace(0, kProfile.size(), "--device:");
  return message;
}

}  // namespace

int run_plan(const PlanOptions& options) {
  SelectPlan plan;
  try {
    plan =
        options.profile.empty() ? make_plan(options.problem) : make_plan_for_profile(options.problem, options.profile);
  } catch (const Error& error) {
    if (options.json) {
      const nlohmann::ordered_json json = {
          {"schema", "keysieve.plan_refused/1"}, {"supported", false}, {"unmet", lines_of(error.what())}};
      write_stdout(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
    }
    print_error(name_argument(error.what()));
    return kExitBadInput;
  }
  std::string text = options.json ? to_json(plan) : describe(plan);
  if (text.empty() || text.back() != '\n') text += '\n';
  write_stdout(text);
  return kExitOk;
}

}  // namespace keysieve::cli
