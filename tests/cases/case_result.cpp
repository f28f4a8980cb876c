#include <string>
#include <utility>

#include "cases/case_data.hpp"

namespace keysieve::cases {
namespace {

// The last row carries no gap, so that a write of a whole stride there hits the canary.
GuardedBuffer output_buffer(bool wanted, std::int64_t rows, std::int64_t k, std::int64_t stride,
                            std::int64_t element_bytes) {
  const std::int64_t elements = wanted && rows > 0 ? (rows - 1) * stride + k : 0;
  // Off 64-byte alignment by one element: outputs need the alignment of their type only.
  return GuardedBuffer(static_cast<std::size_t>(elements * element_bytes), static_cast<std::size_t>(element_bytes));
}

}  // namespace

CaseResult::CaseResult(const CaseInputs& inputs, std::int64_t workspace_bytes, std::uint8_t poison)
    : rows_(inputs.spec().rows),
      k_(inputs.spec().k),
      stride_(inputs.spec().k + inputs.spec().output_padding),
      score_type_(inputs.spec().score_type),
      index_type_(inputs.spec().index_type),
      has_raw_(inputs.spec().mode == IndexMode::kDual),
      has_values_(inputs.spec().want_values),
      has_counts_(inputs.spec().want_counts),
      has_error_word_(inputs.spec().want_error_word),
      poison_(poison),
      indices_(output_buffer(true, rows_, k_, stride_, size_bytes(index_type_))),
      raw_indices_(output_buffer(has_raw_, rows_, k_, stride_, size_bytes(index_type_))),
      values_(output_buffer(has_values_, rows_, k_, stride_, size_bytes(score_type_))),
      counts_(output_buffer(has_counts_, rows_, 1, 1, 4)),
      error_word_(4, 4),
      workspace_(static_cast<std::size_t>(workspace_bytes), 1) {
  for (GuardedBuffer* buffer : {&indices_, &raw_indices_, &values_, &counts_, &workspace_}) buffer->fill(poison);
  *error_word_.as<std::uint32_t>() = kCallerErrorBit;
}

void CaseResult::add_to(SelectArgs& args) {
  const bool padded = stride_ != k_;
  args.indices = indices_.data();
  if (padded) args.indices_row_stride = stride_;
  if (has_raw_) {
    args.raw_indices = raw_indices_.data();
    if (padded) args.raw_indices_row_stride = stride_;
  }
  if (has_values_) {
    args.values = values_.data();
    if (padded) args.values_row_stride = stride_;
  }
  if (has_counts_) args.counts = counts_.as<std::int32_t>();
  if (has_error_word_) args.error_word = error_word_.as<std::uint32_t>();
  args.workspace_bytes = static_cast<std::int64_t>(workspace_.size());
  args.workspace = workspace_.size() > 0 ? workspace_.data() : nullptr;
}

std::string CaseResult::damaged() const {
  const std::pair<const char*, const GuardedBuffer*> buffers[] = {
      {"indices", &indices_}, {"raw_indices", &raw_indices_}, {"values", &values_},
      {"counts", &counts_},   {"error_word", &error_word_},   {"workspace", &workspace_},
  };
  for (const auto& [name, buffer] : buffers) {
    if (const std::string fault = buffer->damaged(); !fault.empty()) return std::string(name) + ": " + fault;
  }
  return {};
}

std::string CaseResult::gap_written() const {
  const auto written = [this](const char* name, const GuardedBuffer& buffer, std::int64_t element) {
    const auto* bytes = buffer.as<std::uint8_t>();
    for (std::int64_t row = 0; row + 1 < rows_ && buffer.size() > 0; ++row) {
      for (std::int64_t byte = (row * stride_ + k_) * element; byte < (row + 1) * stride_ * element; ++byte) {
        if (bytes[byte] != poison_) {
          return std::string(name) + ": written between rows " + std::to_string(row) + " and " +
                 std::to_string(row + 1);
        }
      }
    }
    return std::string();
  };
  std::string fault = written("indices", indices_, size_bytes(index_type_));
  if (fault.empty()) fault = written("raw_indices", raw_indices_, size_bytes(index_type_));
  if (fault.empty()) fault = written("values", values_, size_bytes(score_type_));
  return fault;
}

std::uint32_t CaseResult::value(std::int64_t row, std::int64_t slot) const {
  return load_bits(score_type_, values_.data(), row * stride_ + slot);
}

void CaseResult::set_value(std::int64_t row, std::int64_t slot, std::uint32_t bits) {
  store_bits(score_type_, values_.data(), row * stride_ + slot, bits);
}

std::int64_t CaseResult::load_index(const GuardedBuffer& buffer, std::int64_t row, std::int64_t slot) const {
  const std::int64_t element = row * stride_ + slot;
  return index_type_ == IndexType::kInt32 ? buffer.as<std::int32_t>()[element] : buffer.as<std::int64_t>()[element];
}

void CaseResult::store_index(GuardedBuffer& buffer, std::int64_t row, std::int64_t slot, std::int64_t value) {
  const std::int64_t element = row * stride_ + slot;
  if (index_type_ == IndexType::kInt32) {
    buffer.as<std::int32_t>()[element] = static_cast<std::int32_t>(value);
  } else {
    buffer.as<std::int64_t>()[element] = value;
  }
}

std::string run_plan(const SelectPlan& plan, const CaseInputs& inputs, CaseResult& result) {
  const std::uint64_t before = inputs.checksum();
  SelectArgs args = inputs.args();
  result.add_to(args);
  if (const Status status = try_run(plan, args); !status.ok()) return "run failed: " + status.message();
  if (inputs.checksum() != before) return "an input was written";
  if (std::string fault = inputs.damaged(); !fault.empty()) return "input " + fault;
  if (std::string fault = result.damaged(); !fault.empty()) return "output " + fault;
  return result.gap_written();
}

}  // namespace keysieve::cases
