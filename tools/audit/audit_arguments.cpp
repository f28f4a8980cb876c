#include "audit/audit_arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <string_view>
#include <thread>
#include <utility>

#include "audit/executor.hpp"
#include "audit/peer_implementation.hpp"
#include "cases/case_text.hpp"
#include "cli/option_names.hpp"
#include "peer_library.hpp"

namespace keysieve::audit {
namespace {

constexpr std::int64_t kMostCases = 1'000'000'000;
constexpr std::int64_t kMostSeconds = 1'000'000;

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::int64_t number_or(std::string_view flag, const std::string& text, std::int64_t usual, std::int64_t low,
                       std::int64_t high) {
  return text.empty() ? usual : cli::parse_integer(flag, text, low, high);
}

std::string family_names() {
  std::string names;
  for (const Family& family : all_families()) names += (names.empty() ? "" : ",") + family.name;
  return names;
}

// Whether one plan and one set of buffers serve both: they differ in contents alone.
bool is_same_shape(const cases::SelectCase& first, cases::SelectCase other) {
  if ((first.hint == cases::HintKind::kNone) != (other.hint == cases::HintKind::kNone)) return false;
  other.name = first.name;
  other.pattern = first.pattern;
  other.attack = first.attack;
  other.attack_samples = first.attack_samples;
  other.lengths = first.lengths;
  other.starts = first.starts;
  other.hint = first.hint;
  return first == other;
}

}  // namespace

void AuditArguments::add_to(CLI::App& app) {
  app.add_option("--cases", cases, "Forced-route cases to judge (6500; no limit with --seconds alone)")->type_name("N");
  app.add_option("--dispatch", dispatch, "Final-dispatch cases to judge (3 for 13 forced ones)")->type_name("N");
  app.add_option("--seconds", seconds, "Stop after so many seconds")->type_name("S");
  app.add_option("--seed", seed, "Of everything that is drawn (20261130)")->type_name("N");
  app.add_option("--backend", backend, "cpu|reference|cuda|all-here (cuda where there is a GPU, else cpu)")
      ->type_name("NAME");
  app.add_option("--routes", routes, "Only these routes, comma-separated; auto is the final dispatch (all)")
      ->type_name("LIST");
  app.add_option("--families", families, "Some of " + family_names() + " (all)")->type_name("LIST");
  app.add_option("--peer", peer, "Audit the implementations of this library (keysieve/peer.h) instead of keysieve")
      ->type_name("LIB");
  app.add_option("--implementation", implementation, "Only this implementation of the peer library")->type_name("NAME");
  app.add_option("--max-scores", max_scores, "Leave out cases with more scores than this (8388608)")->type_name("N");
  app.add_option("--workers", workers, "Host threads (one for every CPU, at most 64)")->type_name("N");
  app.add_option("--hang-seconds", hang_seconds, "A run without an answer for so long is a fault (25)")->type_name("S");
  app.add_option("--json", json, "Write the result, schema keysieve.audit/1, to this file")->type_name("FILE");
  app.add_flag("--keep-going", keep_going, "Do not stop at the first wrong answer");
  app.add_flag("--quiet", quiet, "No progress on stderr");
  app.add_option("--case", case_texts, "Run this case instead, as a failure prints it; repeatable")->type_name("TEXT");
  app.add_option("--route", route, "With --case: the route (auto)")->type_name("NAME");
  app.add_option("--split", split, "With --case: CTAs that share a row (auto)")->type_name("N");
  app.add_option("--threads", threads, "With --case: threads, of a CTA or of the CPU (auto)")->type_name("N");
  app.add_option("--manner", manner, "With --case: once|graph|streams (once)")->type_name("NAME");
}

Backend AuditArguments::parse_backend_here() const {
  if (backend.empty() || backend == "all-here") return Backend::kAuto;
  for (const Backend known : {Backend::kCpu, Backend::kReference, Backend::kCuda}) {
    if (backend == name_of(known)) return known;
  }
  cli::throw_usage("--backend", "one of cpu, reference, cuda, all-here", backend);
}

void AuditArguments::parse_selection(AuditPlan& plan) const {
  Selection& selection = plan.request.selection;
  const Backend asked = parse_backend_here();
  const bool is_all = backend == "all-here";
  const std::string missing = asked == Backend::kCuda || asked == Backend::kAuto ? cuda_missing() : "";
  if (asked == Backend::kCuda && !missing.empty()) {
    throw cli::UsageError("--backend: expected one that can run here, found cuda: " + missing);
  }
  const bool has_cuda = (asked == Backend::kCuda || asked == Backend::kAuto) && missing.empty();
  if (!peer.empty()) {
    if (asked == Backend::kReference || is_all) cli::throw_usage("--backend", "cpu or cuda with --peer", backend);
    if (!routes.empty()) cli::throw_usage("--routes", "none with --peer", routes);
    const Backend place = has_cuda && asked != Backend::kCpu ? Backend::kCuda : Backend::kCpu;
    try {
      plan.implementation = load_peer(peer, implementation, place, selection.peers);
    } catch (const peer::PeerError& error) {
      throw cli::UsageError(std::string("--peer: ") + error.what());
    } catch (const std::runtime_error& error) {
      throw cli::UsageError(error.what());
    }
    plan.request.peer_library = peer;
    return;
  }
  if (!implementation.empty()) cli::throw_usage("--implementation", "a --peer that has it", implementation);
  plan.implementation = make_keysieve();
  selection.cuda = has_cuda;
  selection.cpu = asked == Backend::kCpu || is_all || (asked == Backend::kAuto && !has_cuda);
  selection.reference = asked == Backend::kReference || is_all;
  if (routes.empty()) return;
  for (const std::string& name : split_list(routes)) {
    selection.routes.push_back(cli::parse_route("--routes", name));
  }
  if (draw_setups(selection, 0).empty()) {
    cli::throw_usage("--routes", "routes of the backend", routes);
  }
}

void AuditArguments::parse_families(AuditPlan& plan) const {
  std::vector<Family> known = all_families();
  if (families.empty()) {
    plan.request.families = std::move(known);
    return;
  }
  for (const std::string& name : split_list(families)) {
    const auto found = std::find_if(known.begin(), known.end(), [&name](const Family& f) { return f.name == name; });
    if (found == known.end()) cli::throw_usage("--families", "some of " + family_names(), name);
    const auto same = [&name](const Family& f) { return f.name == name; };
    if (std::any_of(plan.request.families.begin(), plan.request.families.end(), same)) {
      cli::throw_usage("--families", "every family once", name);
    }
    plan.request.families.push_back(*found);
  }
}

void AuditArguments::parse_goals(AuditPlan& plan) const {
  Request& request = plan.request;
  request.seconds = static_cast<double>(number_or("--seconds", seconds, 0, 1, kMostSeconds));
  const bool by_time_alone = request.seconds > 0 && cases.empty() && dispatch.empty();
  request.forced_cases = by_time_alone ? 0 : number_or("--cases", cases, kDefaultForcedCases, 0, kMostCases);
  const std::int64_t share = request.forced_cases * kDefaultDispatchCases / kDefaultForcedCases;
  request.dispatch_cases = number_or("--dispatch", dispatch, share, 0, kMostCases);
  if (!request.selection.has_dispatch()) request.dispatch_cases = 0;
  if (request.selection.forced_labels().empty()) request.forced_cases = 0;
  if (request.forced_cases + request.dispatch_cases == 0 && request.seconds == 0) {
    cli::throw_usage("--cases", "some number of cases that the routes can run", cases);
  }
}

void AuditArguments::parse_trial(AuditPlan& plan) const {
  if (case_texts.empty()) {
    for (const auto& [flag, text] :
         {std::pair("--route", &route), {"--split", &split}, {"--threads", &threads}, {"--manner", &manner}}) {
      if (!text->empty()) cli::throw_usage(flag, "a --case to go with", *text);
    }
    return;
  }
  Trial trial;
  for (const std::string& text : case_texts) {
    try {
      trial.cases.push_back(cases::parse_case(text));
    } catch (const cases::CaseTextError& error) {
      throw cli::UsageError(std::string("--case: ") + error.what());
    }
    if (manner == "graph" && !is_same_shape(trial.cases.front(), trial.cases.back()))
      cli::throw_usage("--case", "one shape for all cases of a graph", text);
  }
  const std::int64_t most = std::numeric_limits<std::int32_t>::max();
  trial.setup.split = static_cast<std::int32_t>(number_or("--split", split, kAuto, 1, most));
  trial.setup.threads = static_cast<std::int32_t>(number_or("--threads", threads, kAuto, 1, most));
  if (!route.empty()) trial.setup.route = cli::parse_route("--route", route);
  if (manner == name_of(Manner::kGraph)) {
    trial.manner = Manner::kGraph;
  } else if (manner == name_of(Manner::kStreams)) {
    trial.manner = Manner::kStreams;
  } else if (!manner.empty() && manner != name_of(Manner::kOnce)) {
    cli::throw_usage("--manner", "one of once, graph, streams", manner);
  }
  const Selection& selection = plan.request.selection;
  std::vector<Setup> setups = selection.peers;
  if (setups.empty()) {
    if (selection.reference) setups.push_back({Backend::kReference, Route::kReference, kAuto, kAuto, {}});
    if (selection.cpu) setups.push_back({Backend::kCpu, Route::kAuto, kAuto, kAuto, {}});
    if (selection.cuda) setups.push_back({Backend::kCuda, Route::kAuto, kAuto, kAuto, {}});
  }
  for (const Setup& setup : setups) {
    Trial one = trial;
    one.setup.backend = setup.backend;
    one.setup.implementation = setup.implementation;
    if (route.empty()) one.setup.route = setup.route;
    plan.trials.push_back(std::move(one));
  }
}

AuditPlan AuditArguments::parse() const {
  AuditPlan plan;
  Request& request = plan.request;
  parse_selection(plan);
  parse_families(plan);
  parse_goals(plan);
  parse_trial(plan);
  request.seed = static_cast<std::uint64_t>(
      number_or("--seed", seed, static_cast<std::int64_t>(request.seed), 0, std::numeric_limits<std::int64_t>::max()));
  request.max_scores = number_or("--max-scores", max_scores, request.max_scores, 1, std::int64_t{1} << 36);
  const std::int64_t cpus = std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1, 64);
  request.workers = static_cast<int>(number_or("--workers", workers, cpus, 1, 256));
  request.hang_seconds = static_cast<int>(number_or("--hang-seconds", hang_seconds, request.hang_seconds, 1, 86400));
  request.keep_going = keep_going;
  plan.json = json;
  plan.quiet = quiet;
  return plan;
}

}  // namespace keysieve::audit
