// keysieve with a fault of a known kind, for the tests of whoever has to find it.
#pragma once

#include <atomic>
#include <memory>

#include "audit/implementation.hpp"

namespace keysieve::test {

enum class Wrong {
  kNot,
  kDropsTheLast,      // the last slot of a row that has more columns than slots is left empty
  kTiesToTheLarger,   // of equal scores
  kSwapsRows,         // the first two rows of a call change places
  kWritesPastK,       // one element between a row's slots and the next row's
  kOnlyWideOnChunks,  // the first slot, from 4097 columns on and on route cpu_chunks
  kOnlyOnReuse,       // the first slot, from the second call of a plan on
  kOnlyTogether,      // the first slot, while another call runs
};

class WrongImplementation final : public audit::Implementation {
 public:
  explicit WrongImplementation(Wrong wrong) : wrong_(wrong), right_(audit::make_keysieve()) {}

  audit::PreparedCall prepare(const SelectProblem& problem, const audit::Setup& setup) const override;

 private:
  Wrong wrong_;
  std::unique_ptr<audit::Implementation> right_;
  mutable std::atomic<int> running_{0};
};

}  // namespace keysieve::test
