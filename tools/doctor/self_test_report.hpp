// What the self-test found, as plain data.
#pragma once

#include <string>
#include <vector>

namespace keysieve::doctor {

// Cases of one kind: "options", "graph", "clusters of 16".
struct CaseGroup {
  std::string name;
  int cases = 0;
  int failed = 0;
  int left_out = 0;  // the time limit came first
  double seconds = 0;
  std::string unavailable;  // why no case of the group could run; not a failure
};

struct RouteReport {
  std::string backend;
  std::string route;
  std::vector<CaseGroup> groups;
  std::string first_fault;  // which case, and what differs
  std::string unavailable;  // why nothing of the route could run; not a failure

  std::string name() const { return backend + "/" + route; }
  int cases() const { return sum(&CaseGroup::cases); }
  int failed() const { return sum(&CaseGroup::failed); }
  int left_out() const { return sum(&CaseGroup::left_out); }
  double seconds() const {
    double total = 0;
    for (const CaseGroup& group : groups) total += group.seconds;
    return total;
  }

 private:
  int sum(int CaseGroup::*member) const {
    int total = 0;
    for (const CaseGroup& group : groups) total += group.*member;
    return total;
  }
};

struct SelfTestReport {
  double seconds = 0;
  double limit_seconds = 0;
  std::vector<RouteReport> routes;
};

}  // namespace keysieve::doctor
