// Measures every way of a shape on a GPU, through the public API alone.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "tune/measured.hpp"

namespace keysieve::tune {

// Two ways gave different slots for the same scores: a fault of the library or of the machine.
class ResultsDiffer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class DeviceMeter {
 public:
  // Throws std::runtime_error where the build has no device code or the device fails.
  static std::unique_ptr<DeviceMeter> open(std::int32_t ordinal, std::int32_t num_sms);

  virtual ~DeviceMeter() = default;
  DeviceMeter(const DeviceMeter&) = delete;
  DeviceMeter& operator=(const DeviceMeter&) = delete;

  // Scores of a larger shape do not fit into the memory that was taken.
  virtual std::int64_t max_score_bytes() const = 0;

  // Scores N(0,1), lengths 80 to 100 % of the width, slot order `index`. Every way's slots are compared with the first
  // one's before it is timed; throws ResultsDiffer.
  virtual std::vector<Measured> measure(const Shape& shape) = 0;

 protected:
  DeviceMeter() = default;
};

}  // namespace keysieve::tune
