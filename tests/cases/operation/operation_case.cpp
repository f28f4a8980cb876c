#include "cases/operation/operation_case.hpp"

#include <algorithm>
#include <stdexcept>

namespace keysieve::cases {

keysieve_tensor TensorStore::make(std::int32_t element, std::initializer_list<std::int64_t> shape,
                                  std::initializer_list<std::int64_t> strides, std::size_t offset_bytes,
                                  std::uint8_t fill) {
  keysieve_tensor tensor{};
  tensor.element = element;
  tensor.rank = static_cast<std::int32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), tensor.shape);
  std::fill_n(tensor.strides, KEYSIEVE_MAX_RANK, std::int64_t{KEYSIEVE_AUTO});
  std::copy(strides.begin(), strides.end(), tensor.strides);
  keysieve_tensor resolved = tensor;
  Faults faults;
  if (!resolve_strides("tensor", resolved, faults)) throw std::logic_error(faults.lines());
  GuardedBuffer buffer(static_cast<std::size_t>(extent_bytes(resolved)), offset_bytes);
  buffer.fill(fill);
  tensor.data = buffer.data();
  pieces_.push_back({std::move(buffer), offset_bytes});
  return tensor;
}

std::string TensorStore::damaged() const {
  for (const Piece& piece : pieces_) {
    if (std::string text = piece.buffer.damaged(); !text.empty()) return text;
  }
  return {};
}

TensorStore TensorStore::copy() const {
  TensorStore copy;
  for (const Piece& piece : pieces_) {
    GuardedBuffer buffer(piece.buffer.size(), piece.offset_bytes);
    std::memcpy(buffer.data(), piece.buffer.data(), piece.buffer.size());
    copy.pieces_.push_back({std::move(buffer), piece.offset_bytes});
  }
  return copy;
}

void TensorStore::adopt(keysieve_tensor& tensor, const TensorStore& other) const {
  const auto* data = static_cast<const std::byte*>(tensor.data);
  for (std::size_t i = 0; i < other.pieces_.size(); ++i) {
    const GuardedBuffer& theirs = other.pieces_[i].buffer;
    if (data >= theirs.data() && data <= theirs.data() + theirs.size()) {
      tensor.data = const_cast<std::byte*>(pieces_[i].buffer.data()) + (data - theirs.data());
      return;
    }
  }
}

}  // namespace keysieve::cases
