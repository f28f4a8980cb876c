#include "device_tensors.hpp"

#include <algorithm>
#include <cstring>

namespace keysieve::test {
namespace {

constexpr std::uint8_t kCanary = 0xC3;

}  // namespace

void DeviceTensors::move_to_device(const char* name, keysieve_tensor& tensor) {
  auto* host = static_cast<std::byte*>(tensor.data);
  if (host == nullptr) return;
  const auto bytes = static_cast<std::size_t>(extent_bytes(tensor));
  for (const Piece& piece : pieces_) {
    if (piece.host == host && piece.bytes == bytes && bytes > 0) {
      tensor.data = piece.memory.data() + piece.offset;
      return;
    }
  }
  const std::size_t offset = kGuardBytes + reinterpret_cast<std::uintptr_t>(host) % 64;
  PooledMemory memory(PooledMemory::Kind::kDevice, offset + bytes + kGuardBytes);
  check(cudaMemsetAsync(memory.data(), kCanary, offset + bytes + kGuardBytes, stream_), "cudaMemsetAsync");
  tensor.data = memory.data() + offset;
  pieces_.push_back({name, host, bytes, offset, std::move(memory)});
}

std::uint32_t* DeviceTensors::error_word(std::uint32_t& host) {
  keysieve_tensor word{};
  word.data = &host;
  word.element = KEYSIEVE_ELEMENT_INT32;
  word.rank = 1;
  word.shape[0] = word.strides[0] = 1;
  move_to_device("error word", word);
  return static_cast<std::uint32_t*>(word.data);
}

void DeviceTensors::upload() {
  for (const Piece& piece : pieces_) {
    if (piece.bytes == 0) continue;
    check(cudaMemcpyAsync(piece.memory.data() + piece.offset, piece.host, piece.bytes, cudaMemcpyHostToDevice, stream_),
          "cudaMemcpyAsync");
  }
}

std::string DeviceTensors::download() {
  wait_for(stream_, "a kernel around selection");
  std::string fault;
  std::vector<std::byte> whole;
  for (const Piece& piece : pieces_) {
    whole.resize(piece.offset + piece.bytes + kGuardBytes);
    check(cudaMemcpy(whole.data(), piece.memory.data(), whole.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    const auto intact = [](std::byte each) { return each == std::byte{kCanary}; };
    const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(piece.offset);
    const auto end = begin + static_cast<std::ptrdiff_t>(piece.bytes);
    if (!std::all_of(whole.begin(), begin, intact) || !std::all_of(end, whole.end(), intact)) {
      fault = std::string("written beside ") + piece.name;
    }
    if (piece.bytes > 0) std::memcpy(piece.host, whole.data() + piece.offset, piece.bytes);
  }
  return fault;
}

}  // namespace keysieve::test
