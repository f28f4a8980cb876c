// A stream that holds some SMs, as another tenant of the GPU would.
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <cstdint>

namespace keysieve::bench {

class BusySms {
 public:
  // The spinning kernel ends after this even if nobody tells it to; a watchdog has to be more patient.
  static constexpr std::chrono::seconds kLimit{15};

  BusySms();
  BusySms(const BusySms&) = delete;
  BusySms& operator=(const BusySms&) = delete;
  ~BusySms();

  // Returns once every CTA runs: one an SM, with all of its shared memory and registers. Until stop() nothing may be
  // called that waits for the whole device, such as cudaFree: it would wait for kLimit.
  void start(std::int32_t sms);

  // False where the SMs were not held all the time: what was timed meanwhile counts for nothing.
  bool stop();

 private:
  struct Shared;

  cudaStream_t stream_ = nullptr;
  Shared* shared_ = nullptr;
  void* device_shared_ = nullptr;
  int shared_bytes_ = 0;
  int num_sms_ = 0;
  bool running_ = false;
};

}  // namespace keysieve::bench
