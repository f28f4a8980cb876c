// The flags of `keysieve audit`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "audit/audit.hpp"

namespace CLI {
class App;
}

namespace keysieve::audit {

struct AuditPlan {
  Request request;
  std::vector<Trial> trials;  // of --case: these and nothing else
  std::unique_ptr<Implementation> implementation;
  std::string json;  // file, or empty
  bool quiet = false;
};

class AuditArguments {
 public:
  void add_to(CLI::App& app);
  // Throws cli::UsageError.
  AuditPlan parse() const;

 private:
  Backend parse_backend_here() const;
  void parse_selection(AuditPlan& plan) const;
  void parse_families(AuditPlan& plan) const;
  void parse_goals(AuditPlan& plan) const;
  void parse_trial(AuditPlan& plan) const;

  std::string cases, dispatch, seconds, seed, backend, routes, families, peer, implementation, max_scores, workers,
      hang_seconds, json;
  std::vector<std::string> case_texts;
  std::string route, split, threads, manner;
  bool keep_going = false, quiet = false;
};

}  // namespace keysieve::audit
