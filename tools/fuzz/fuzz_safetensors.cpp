#include <cstddef>
#include <cstdint>
#include <span>

#include "fuzz/check_tensor.hpp"
#include "io/file_error.hpp"
#include "io/safetensors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace keysieve::io;
  const auto file = std::as_bytes(std::span(data, size));
  try {
    for (const NamedTensor& named : parse_safetensors(file, "input.safetensors")) check_tensor(named.tensor, file);
  } catch (const FileError& error) {
    check_message(error.what());
  }
  return 0;
}
