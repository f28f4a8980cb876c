// Cases of the kernels around selection: a call with tensors of its own, between canaries, outputs poisoned. One list
// of cases an operation serves every judge: reference, CPU backend, CUDA sources on the host, a GPU.
#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "cases/guarded_buffer.hpp"
#include "operation/operation.hpp"

namespace keysieve::cases {

// Memory of the tensors of a case. Buffers do not move when more are added.
class TensorStore {
 public:
  // `strides` in elements, empty: contiguous. `offset_bytes` from a 64-byte boundary. The contents are `fill` until the
  // caller writes them; gaps keep it.
  keysieve_tensor make(std::int32_t element, std::initializer_list<std::int64_t> shape,
                       std::initializer_list<std::int64_t> strides = {}, std::size_t offset_bytes = 0,
                       std::uint8_t fill = 0xEE);

  // What is wrong with the canaries; empty when nothing is.
  std::string damaged() const;
  // Points `tensor`, one of another store's, at the same place in this copy of that store.
  void adopt(keysieve_tensor& tensor, const TensorStore& other) const;

  TensorStore() = default;
  TensorStore copy() const;

 private:
  struct Piece {
    GuardedBuffer buffer;
    std::size_t offset_bytes;
  };
  std::vector<Piece> pieces_;
};

template <typename Operation>
struct OperationCase {
  std::string name;
  typename Operation::Args args{};
  TensorStore store;
  // Bits that the call leaves in an error word that was 0.
  std::uint32_t expected_errors = 0;
};

// Defined for each operation beside its cases.
template <typename Operation>
std::vector<OperationCase<Operation>> operation_cases();

// A case made ready to run once: its own copy of every tensor, outputs filled with `poison`, an error word.
template <typename Operation>
class OperationRound {
 public:
  OperationRound(const OperationCase<Operation>& from, std::uint8_t poison)
      : store_(from.store.copy()), args_(from.args) {
    std::vector<const void*> inputs;
    Operation::tensors(args_, [&](const char*, const keysieve_tensor& tensor, Access access) {
      if (access == Access::kRead) inputs.push_back(tensor.data);
    });
    Faults faults;
    Operation::tensors(args_, [&](const char* name, keysieve_tensor& tensor, Access access) {
      const bool in_place = std::find(inputs.begin(), inputs.end(), tensor.data) != inputs.end();
      store_.adopt(tensor, from.store);
      resolve_strides(name, tensor, faults);
      if (access == Access::kWrite && !in_place && tensor.data != nullptr) {
        std::memset(tensor.data, poison, static_cast<std::size_t>(extent_bytes(tensor)));
      }
    });
    args_.call.error_word = &error_word_;
  }
  OperationRound(const OperationRound&) = delete;
  OperationRound& operator=(const OperationRound&) = delete;

  typename Operation::Args& args() { return args_; }
  std::uint32_t error_word() const { return error_word_; }
  std::uint32_t& error_word() { return error_word_; }
  std::string damaged() const { return store_.damaged(); }

  // Empty, or the first difference in any tensor, gaps included: outputs must be the same bytes, inputs untouched.
  std::string difference(OperationRound& expected) {
    std::vector<keysieve_tensor> theirs;
    Operation::tensors(expected.args_, [&](const char*, keysieve_tensor& tensor, Access) { theirs.push_back(tensor); });
    std::string text;
    std::size_t i = 0;
    Operation::tensors(args_, [&](const char* name, keysieve_tensor& mine, Access) {
      const keysieve_tensor& other = theirs[i++];
      const auto* a = static_cast<const std::uint8_t*>(other.data);
      const auto* b = static_cast<const std::uint8_t*>(mine.data);
      const std::int64_t bytes = extent_bytes(mine);
      for (std::int64_t at = 0; text.empty() && at < bytes; ++at) {
        if (a[at] != b[at]) {
          text = std::string(name) + " byte " + std::to_string(at) + ": expected " + std::to_string(a[at]) + ", got " +
                 std::to_string(b[at]);
        }
      }
    });
    if (text.empty() && error_word_ != expected.error_word_) {
      text = "error word: expected " + std::to_string(expected.error_word_) + ", got " + std::to_string(error_word_);
    }
    return text;
  }

 private:
  TensorStore store_;
  typename Operation::Args args_;
  std::uint32_t error_word_ = 0;
};

}  // namespace keysieve::cases
