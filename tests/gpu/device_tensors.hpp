// The tensors of a call around selection, on the device: copies of host tensors between canaries, at the same address
// modulo 64.
#pragma once

#include <string>
#include <vector>

#include "gpu_support.hpp"
#include "operation/tensor_check.hpp"

namespace keysieve::test {

class DeviceTensors {
 public:
  static constexpr std::size_t kGuardBytes = 256;

  explicit DeviceTensors(cudaStream_t stream) : stream_(stream) {}

  // Copies `tensor` (strides resolved) and points it at the copy. A second tensor of the same memory gets the same
  // copy.
  void move_to_device(const char* name, keysieve_tensor& tensor);
  // A word in device memory that starts as 0 and comes back to `host` with download.
  std::uint32_t* error_word(std::uint32_t& host);

  // Puts the host's bytes back in place, before another run.
  void upload();
  // Waits and copies everything to the host's memory. Empty, or which canary was written.
  std::string download();

 private:
  struct Piece {
    const char* name;
    std::byte* host;
    std::size_t bytes;
    std::size_t offset;  // of the copy in the memory
    PooledMemory memory;
  };

  cudaStream_t stream_;
  std::vector<Piece> pieces_;
};

}  // namespace keysieve::test
