// The hunt: cases of all families, on all workers, until enough have been judged or one is wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "audit/families.hpp"
#include "audit/implementation.hpp"
#include "audit/minimiser.hpp"
#include "audit/setups.hpp"

namespace keysieve::audit {

inline constexpr std::int64_t kDefaultForcedCases = 6500;
inline constexpr std::int64_t kDefaultDispatchCases = 1500;

struct Request {
  Selection selection;
  std::vector<Family> families;
  std::string peer_library;  // for the commands
  // Until so many runs on forced routes and so many of the final dispatch have been judged; 0: no such goal.
  std::int64_t forced_cases = kDefaultForcedCases;
  std::int64_t dispatch_cases = kDefaultDispatchCases;
  double seconds = 0;  // or until then, if it is not 0
  std::uint64_t seed = 20261130;
  std::int64_t max_scores = std::int64_t{1} << 23;  // of a case; larger ones are left out
  int workers = 1;
  int hang_seconds = 25;
  bool keep_going = false;
  MinimiserLimits limits;
};

// One judged case on one setup is one count.
struct FamilyCount {
  std::string name;
  std::int64_t bundles = 0;
  std::map<std::string, std::int64_t> forced;    // by route or peer
  std::map<std::string, std::int64_t> dispatch;  // by the route that was chosen
  std::int64_t refused = 0;                      // the setup cannot serve the case: no case
  std::int64_t skipped = 0;                      // larger than max_scores: no case
  std::int64_t failed = 0;
  std::int64_t wrong_rows = 0;

  std::int64_t num_forced() const;
  std::int64_t num_dispatch() const;
  std::int64_t num_cases() const { return num_forced() + num_dispatch(); }
};

struct Failure {
  std::string family;
  std::uint64_t number = 0;  // of the bundle
  Trial trial;
  std::string difference;
  bool hang = false;
  bool lost = false;  // an error that outlives the case, such as one of the device
  bool minimised = false;
  Minimised smallest;

  // The trial to hand on: the smallest that fails.
  const Trial& best() const { return minimised && !smallest.difference.empty() ? smallest.trial : trial; }
};

// At most so many are kept, and minimised.
inline constexpr std::size_t kMostFailures = 5;

struct Outcome {
  std::vector<FamilyCount> families;
  std::vector<Failure> failures;  // the first ones
  std::string stopped;            // why: "cases", "seconds", "failure", "lost", "hang", "exhausted"
  double seconds = 0;

  std::int64_t num_forced() const;
  std::int64_t num_dispatch() const;
  std::int64_t num_failed() const;
  std::int64_t num_wrong_rows() const;
  bool families_may_refuse = false;  // a peer serves what it serves

  // Families in the request that judged nothing, and should have.
  std::vector<std::string> idle_families() const;
  bool is_clean() const;
};

// `progress` is called now and then from one thread. `on_hang` gets the counts so far with the hanging trial as the
// last failure; the process ends after it.
Outcome run_audit(const Request& request, const Implementation& implementation,
                  const std::function<void(const Outcome&)>& progress,
                  const std::function<void(const Outcome&)>& on_hang);

}  // namespace keysieve::audit
