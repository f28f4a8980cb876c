// The unmet conditions of a call, all of them: what can_use prints and what a refused call says.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "keysieve/status.hpp"

namespace keysieve {

class Faults {
 public:
  // What no backend and no device accepts.
  void invalid(std::string text) {
    any_invalid_ = true;
    texts_.push_back(std::move(text));
  }
  // Legal, and not served here.
  void unsupported(std::string text) { texts_.push_back(std::move(text)); }

  bool empty() const { return texts_.empty(); }
  const std::vector<std::string>& texts() const { return texts_; }
  std::string lines() const { return joined("\n"); }
  Status status() const {
    if (empty()) return {};
    return any_invalid_ ? Status::invalid_argument(joined("; ")) : Status::unsupported(joined("; "));
  }

 private:
  std::string joined(const char* separator) const {
    std::string all;
    for (const std::string& text : texts_) all += (all.empty() ? "" : separator) + text;
    return all;
  }

  std::vector<std::string> texts_;
  bool any_invalid_ = false;
};

}  // namespace keysieve
