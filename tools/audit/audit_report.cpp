#include "audit/audit_report.hpp"

#include <fmt/format.h>

#include <ctime>

#include "cases/case_text.hpp"
#include "keysieve/select.hpp"

namespace keysieve::audit {
namespace {

using Json = nlohmann::ordered_json;

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Json system_report() {
  try {
    return Json::parse(detail::read_text([](char* buffer, std::size_t size, std::size_t* needed) {
      return keysieve_system_json(buffer, size, needed);
    }));
  } catch (const std::exception&) {
    return Json::object();  // the result matters more than where it was made
  }
}

Json value_at(const Json& json, const std::string& pointer) {
  const Json::json_pointer place(pointer);
  return json.contains(place) ? json.at(place) : Json();
}

std::string revision_of(const std::string& build) {
  const std::size_t open = build.find('('), close = build.find(')');
  return open == std::string::npos || close == std::string::npos || close < open
             ? std::string()
             : build.substr(open + 1, close - open - 1);
}

// The keys of the benchmarks' fingerprint.
Json fingerprint(const Request& request, const std::string& command) {
  const Json system = system_report();
  const std::string build = keysieve_build_info();
  const bool on_cuda = request.selection.cuda ||
                       (!request.selection.peers.empty() && request.selection.peers.front().backend == Backend::kCuda);
  Json json = {{"revision", revision_of(build)},
               {"build", build},
               {"date", utc_now()},
               {"command", command},
               {"device", on_cuda ? "cuda" : "cpu"}};
  if (on_cuda) {
    json["gpu"] = value_at(system, "/cuda/devices/0/name");
    for (const char* key : {"compute_capability", "num_sms", "l2_bytes", "memory_bytes"}) {
      json[key] = value_at(system, std::string("/cuda/devices/0/") + key);
    }
    json["driver"] = value_at(system, "/cuda/driver");
    json["toolkit"] = value_at(system, "/cuda/toolkit");
  }
  json["threads"] = value_at(system, "/cpu/threads");
  json["simd_target"] = value_at(system, "/cpu/target");
  return json;
}

Json requested(const Request& request) {
  Json backends = Json::array(), routes = Json::array(), families = Json::array();
  if (request.selection.reference) backends.push_back("reference");
  if (request.selection.cpu) backends.push_back("cpu");
  if (request.selection.cuda) backends.push_back("cuda");
  for (const Setup& peer : request.selection.peers) backends.push_back("peer " + peer.implementation);
  for (const Route route : request.selection.routes) routes.push_back(name_of(route));
  for (const Family& family : request.families) families.push_back(family.name);
  return {{"backends", backends},
          {"routes", routes},
          {"families", families},
          {"forced", request.forced_cases},
          {"dispatch", request.dispatch_cases},
          {"seconds", request.seconds},
          {"max_scores", request.max_scores},
          {"workers", request.workers},
          {"peer_library", request.peer_library}};
}

Json to_json(const FamilyCount& family) {
  return {{"name", family.name},
          {"bundles", family.bundles},
          {"cases", family.num_cases()},
          {"forced", family.num_forced()},
          {"forced_by_route", family.forced},
          {"dispatch", family.num_dispatch()},
          {"dispatch_by_route", family.dispatch},
          {"refused", family.refused},
          {"skipped", family.skipped},
          {"failed", family.failed},
          {"wrong_rows", family.wrong_rows}};
}

Json texts_of(const Trial& trial) {
  Json texts = Json::array();
  for (const cases::SelectCase& spec : trial.cases) texts.push_back(cases::to_text(spec));
  return texts;
}

Json to_json(const Failure& failure, const std::string& peer_library) {
  const bool again = failure.minimised && !failure.smallest.difference.empty();
  return {{"family", failure.family},
          {"number", failure.number},
          {"setup", describe(failure.trial.setup)},
          {"difference", failure.difference},
          {"command", command_of(failure.best(), peer_library)},
          {"cases", texts_of(failure.best())},
          {"smallest_difference", again ? failure.smallest.difference : ""},
          {"original_command", command_of(failure.trial, peer_library)},
          {"original_cases", texts_of(failure.trial)},
          {"failed_again", again},
          {"minimiser_checks", failure.smallest.checks},
          {"hang", failure.hang}};
}

Json totals(const Outcome& outcome) {
  std::map<std::string, std::int64_t> forced, dispatch;
  std::int64_t refused = 0, skipped = 0;
  for (const FamilyCount& family : outcome.families) {
    for (const auto& [label, count] : family.forced) forced[label] += count;
    for (const auto& [label, count] : family.dispatch) dispatch[label] += count;
    refused += family.refused;
    skipped += family.skipped;
  }
  return {{"cases", outcome.num_forced() + outcome.num_dispatch()},
          {"forced", outcome.num_forced()},
          {"forced_by_route", forced},
          {"dispatch", outcome.num_dispatch()},
          {"dispatch_by_route", dispatch},
          {"refused", refused},
          {"skipped", skipped},
          {"failed", outcome.num_failed()},
          {"wrong_rows", outcome.num_wrong_rows()}};
}

}  // namespace

Json to_json(const Request& request, const Outcome& outcome, const std::string& command) {
  Json families = Json::array(), failures = Json::array();
  for (const FamilyCount& family : outcome.families) families.push_back(to_json(family));
  for (const Failure& failure : outcome.failures) failures.push_back(to_json(failure, request.peer_library));
  return {{"schema", "keysieve.audit/1"},
          {"fingerprint", fingerprint(request, command)},
          {"seed", request.seed},
          {"requested", requested(request)},
          {"ok", outcome.is_clean()},
          {"stopped", outcome.stopped},
          {"totals", totals(outcome)},
          {"families", families},
          {"idle_families", outcome.idle_families()},
          {"failures", failures},
          {"seconds", outcome.seconds}};
}

std::string summary_of(const Request& request, const Outcome& outcome) {
  std::string text = fmt::format("{:<12} {:>8} {:>8} {:>8} {:>8} {:>7} {:>10}\n", "family", "forced", "dispatch",
                                 "refused", "skipped", "failed", "wrong rows");
  for (const FamilyCount& family : outcome.families) {
    text += fmt::format("{:<12} {:>8} {:>8} {:>8} {:>8} {:>7} {:>10}\n", family.name, family.num_forced(),
                        family.num_dispatch(), family.refused, family.skipped, family.failed, family.wrong_rows);
  }
  const Json sums = totals(outcome);
  const auto routes = [](const Json& counts) {
    std::string list;
    for (const auto& [label, count] : counts.items()) list += fmt::format(" {} {}", label, count.get<std::int64_t>());
    return list.empty() ? " none" : list;
  };
  text += "forced by route:  " + routes(sums["forced_by_route"]) + "\n";
  text += "dispatch by route:" + routes(sums["dispatch_by_route"]) + "\n";
  for (const Failure& failure : outcome.failures) {
    text += fmt::format("WRONG, {} {} on {}: {}\n", failure.family.empty() ? "case" : failure.family, failure.number,
                        describe(failure.trial.setup), failure.difference);
    if (failure.minimised && failure.smallest.difference.empty()) {
      text += "  it did not fail again; as it was:\n";
    } else if (failure.minimised) {
      text += fmt::format("  smallest, after {} checks: {}\n", failure.smallest.checks, failure.smallest.difference);
    }
    text += "  " + command_of(failure.best(), request.peer_library) + "\n";
  }
  for (const std::string& name : outcome.idle_families()) text += "family " + name + " ran no case\n";
  text += fmt::format("seed {}, {} forced and {} final-dispatch cases, {} wrong, {:.1f} s, stopped by {}: {}\n",
                      request.seed, outcome.num_forced(), outcome.num_dispatch(), outcome.num_failed(), outcome.seconds,
                      outcome.stopped, outcome.is_clean() ? "clean" : "NOT CLEAN");
  return text;
}

std::string progress_line(const Request& request, const Outcome& outcome) {
  std::string goal;
  if (request.forced_cases > 0) goal = fmt::format(" of {}", request.forced_cases);
  return fmt::format("audit: {}{} forced, {} final dispatch, {} wrong, {:.0f} s", outcome.num_forced(), goal,
                     outcome.num_dispatch(), outcome.num_failed(), outcome.seconds);
}

}  // namespace keysieve::audit
