// Checks of the tensors that Python passes. Only what describes a tensor is looked at, never its elements: they may
// lie on a GPU that is still writing them. Each failure names the argument, what was expected (with symbolic
// sizes) and what was given, as in
//   lengths: expected [rows=128] int32 on cpu, got [64] int32 on cpu
#pragma once

#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/optional.h>

#include <cstdint>
#include <initializer_list>
#include <string>

#include "keysieve/c_api.h"

namespace keysieve::ffi {

using ::tvm::ffi::Optional;
using ::tvm::ffi::TensorView;

// Any size fits.
inline constexpr std::int64_t kAnySize = -1;

struct Dim {
  const char* symbol;
  std::int64_t size;
};

// Element types that an argument takes. The 16-bit ones also take 16-bit integers that hold the bits, as NumPy
// has no bfloat16; kErrorBits also takes int32, as torch before 2.3 has no uint32.
enum class Element { kInt32, kInt64, kFloat32, kFloat16, kBFloat16, kErrorBits, kByte };

Element element_of_score(std::int32_t score_type);
Element element_of_index(std::int32_t index_type);

// The device and the shape that a call's tensors share.
struct Place {
  DLDevice device;
};

Place place_of(const keysieve_select_problem& problem);

std::string text_of(DLDevice device);

// Throws unless the tensor lies on the device with this type and shape.
void expect_tensor(const char* name, const TensorView& tensor, Element element, const Place& place,
                   std::initializer_list<Dim> shape);

// Row stride of a checked 2-D tensor, in elements: the columns of a row must be adjacent. KEYSIEVE_AUTO where
// no two rows exist, as a stride says nothing then.
std::int64_t row_stride_of(const char* name, const TensorView& tensor);

// Throws unless a checked 1-D tensor is contiguous.
void expect_contiguous(const char* name, const TensorView& tensor);

void* data_of(const TensorView& tensor);

// An optional contiguous 1-D tensor, one entry a row (int32 unless said); nullptr when absent.
void* per_row(const char* name, const Optional<TensorView>& tensor, Element element, const Place& place,
              std::int64_t rows);
std::int32_t* per_row(const char* name, const Optional<TensorView>& tensor, const Place& place, std::int64_t rows);

// Fills the page table of either argument struct; leaves it empty when the tensor is absent.
template <typename Args>
void set_page_table(const Optional<TensorView>& tensor, const Place& place, Args& args) {
  if (!tensor.has_value()) return;
  const TensorView& table = *tensor;
  expect_tensor("page_table", table, Element::kInt32, place, {{"table_rows", kAnySize}, {"pages_per_row", kAnySize}});
  args.page_table = static_cast<const std::int32_t*>(data_of(table));
  args.page_table_rows = table.size(0);
  args.page_table_columns = table.size(1);
  args.page_table_row_stride = row_stride_of("page_table", table);
}

// An optional error word: one 32-bit element.
std::uint32_t* error_word_of(const Optional<TensorView>& tensor, const Place& place);

// The stream on which the caller's framework works, as tvm-ffi noted it for this call when it converted the first
// tensor on a GPU; nullptr on the CPU.
void* stream_of(const Place& place);

}  // namespace keysieve::ffi
