#include "cases/select_case.hpp"

namespace keysieve::cases {
namespace {

template <typename Value>
void add(std::string& text, const char* name, Value value, Value usual) {
  if (value != usual) text += std::string(" ") + name + "=" + std::to_string(static_cast<std::int64_t>(value));
}

}  // namespace

std::string describe(const SelectCase& spec) {
  const SelectCase usual;
  std::string text = spec.name + ": " + std::to_string(spec.rows) + " x " + std::to_string(spec.width) +
                     " k=" + std::to_string(spec.k) + " " + describe(spec.pattern);
  add(text, "first_row", spec.pattern.first_row, usual.pattern.first_row);
  add(text, "score_type", spec.score_type, usual.score_type);
  add(text, "row_padding", spec.row_padding, usual.row_padding);
  add(text, "misalignment", spec.misalignment, usual.misalignment);
  add(text, "length_kind", spec.length_kind, usual.length_kind);
  add(text, "as_row_ends", spec.as_row_ends, usual.as_row_ends);
  add(text, "length_spacing", spec.length_spacing, usual.length_spacing);
  add(text, "start_kind", spec.start_kind, usual.start_kind);
  add(text, "next_n", spec.next_n, usual.next_n);
  add(text, "index_type", spec.index_type, usual.index_type);
  add(text, "mode", spec.mode, usual.mode);
  add(text, "offset_kind", spec.offset_kind, usual.offset_kind);
  add(text, "page_size", spec.page_size, usual.page_size);
  add(text, "table_layout", spec.table_layout, usual.table_layout);
  add(text, "page_fill", spec.page_fill, usual.page_fill);
  add(text, "num_pages_known", spec.num_pages_known, usual.num_pages_known);
  add(text, "narrow_table", spec.narrow_table, usual.narrow_table);
  add(text, "table_padding", spec.table_padding, usual.table_padding);
  add(text, "order", spec.order, usual.order);
  add(text, "ties", spec.ties, usual.ties);
  add(text, "nan_policy", spec.nan_policy, usual.nan_policy);
  add(text, "mask_neg_inf", spec.mask_neg_inf, usual.mask_neg_inf);
  add(text, "check_nan", spec.check_nan, usual.check_nan);
  add(text, "values", spec.want_values, usual.want_values);
  add(text, "counts", spec.want_counts, usual.want_counts);
  add(text, "error_word", spec.want_error_word, usual.want_error_word);
  add(text, "output_padding", spec.output_padding, usual.output_padding);
  return text;
}

}  // namespace keysieve::cases
