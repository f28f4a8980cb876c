#include "cpu/emit.hpp"

#include <algorithm>
#include <functional>

#include "core/slot.hpp"

namespace keysieve::cpu {
namespace {

std::uint16_t negative_infinity_16(ScoreType type) {
  return type == ScoreType::kFloat16 ? Float16Bits::kSignMask | Float16Bits::kInfinity
                                     : BFloat16Bits::kSignMask | BFloat16Bits::kInfinity;
}

void put_in_order(SlotOrder order, const ChosenColumns& chosen, std::uint64_t* sort_buffer) {
  if (chosen.columns == nullptr) return;
  std::uint32_t* end = chosen.columns + chosen.size;
  if (order == SlotOrder::kIndex && chosen.descending) std::reverse(chosen.columns, end);
  if (order != SlotOrder::kScore) return;
  // Descending composites of key and inverted column: score first, then the smaller column.
  for (std::int64_t i = 0; i < chosen.size; ++i) {
    sort_buffer[i] = (std::uint64_t{chosen.keys[i]} << 32) | static_cast<std::uint32_t>(~chosen.columns[i]);
  }
  std::sort(sort_buffer, sort_buffer + chosen.size, std::greater<>());
  std::transform(sort_buffer, sort_buffer + chosen.size, chosen.columns,
                 [](std::uint64_t composite) { return ~static_cast<std::uint32_t>(composite); });
}

// Calls write(slot, position) for every chosen column.
template <typename Write>
void for_each_slot(const ChosenColumns& chosen, Write&& write) {
  for (std::int64_t slot = 0; slot < chosen.size; ++slot) {
    write(slot, chosen.columns == nullptr ? slot : std::int64_t{chosen.columns[slot]});
  }
}

template <typename Bits>
void emit_values(const SelectProblem& problem, const SelectArgs& args, std::int64_t row, const RowGeometry& geometry,
                 Bits padding, const ChosenColumns& chosen) {
  Bits* values = static_cast<Bits*>(args.values) + row * args.values_row_stride;
  const Bits* scores = static_cast<const Bits*>(args.scores) + row * args.score_row_stride + geometry.start;
  for_each_slot(chosen, [&](std::int64_t slot, std::int64_t position) { values[slot] = scores[position]; });
  std::fill(values + chosen.size, values + problem.k, padding);
}

template <typename Index>
std::uint32_t emit_indices(const SelectProblem& problem, const SelectArgs& args, std::int64_t row,
                           const RowGeometry& geometry, const ChosenColumns& chosen) {
  std::uint32_t errors = 0;
  Index* indices = static_cast<Index*>(args.indices) + row * args.indices_row_stride;
  if (problem.mode == IndexMode::kRaw) {
    for_each_slot(chosen,
                  [&](std::int64_t slot, std::int64_t position) { indices[slot] = static_cast<Index>(position); });
  } else if (problem.mode == IndexMode::kOffset) {
    const std::int64_t offset = args.out_offsets[row];
    for_each_slot(chosen, [&](std::int64_t slot, std::int64_t position) {
      indices[slot] = narrow_slot<Index>(position + offset, errors);
    });
  } else {
    const PageLine pages(args.page_table, args.page_table_rows, args.page_table_columns, args.page_table_row_stride,
                         args.page_size, args.num_pages, geometry.table_line);
    Index* raw = static_cast<Index*>(args.raw_indices);
    if (raw != nullptr) raw += row * args.raw_indices_row_stride;
    for_each_slot(chosen, [&](std::int64_t slot, std::int64_t position) {
      indices[slot] = narrow_slot<Index>(pages.slot(position, errors), errors);
      if (raw != nullptr) raw[slot] = static_cast<Index>(position);
    });
    if (raw != nullptr) std::fill(raw + chosen.size, raw + problem.k, static_cast<Index>(kNoSlot));
  }
  std::fill(indices + chosen.size, indices + problem.k, static_cast<Index>(kNoSlot));
  return errors;
}

}  // namespace

std::uint32_t emit_row(const SelectProblem& problem, const SelectArgs& args, std::int64_t row,
                       const RowGeometry& geometry, const ChosenColumns& chosen, std::uint64_t* sort_buffer) {
  put_in_order(problem.order, chosen, sort_buffer);
  const std::uint32_t errors = problem.index_type == IndexType::kInt32
                                   ? emit_indices<std::int32_t>(problem, args, row, geometry, chosen)
                                   : emit_indices<std::int64_t>(problem, args, row, geometry, chosen);
  if (args.values != nullptr) {
    if (problem.score_type == ScoreType::kFloat32) {
      emit_values<std::uint32_t>(problem, args, row, geometry, Float32Bits::kSignMask | Float32Bits::kInfinity, chosen);
    } else {
      emit_values<std::uint16_t>(problem, args, row, geometry, negative_infinity_16(problem.score_type), chosen);
    }
  }
  if (args.counts != nullptr) args.counts[row] = static_cast<std::int32_t>(chosen.size);
  return errors;
}

}  // namespace keysieve::cpu
