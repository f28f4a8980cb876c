#include <cstddef>
#include <cstdint>
#include <span>

#include "fuzz/check_tensor.hpp"
#include "io/file_error.hpp"
#include "io/npy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace keysieve::io;
  const auto file = std::as_bytes(std::span(data, size));
  try {
    const Tensor tensor = parse_npy(file, "input.npy");
    check_tensor(tensor, file);
    // What was read can be written and read again.
    const std::string header = npy_header(tensor.type, tensor.shape);
    require(header.size() % 64 == 0);
  } catch (const FileError& error) {
    check_message(error.what());
  }
  return 0;
}
