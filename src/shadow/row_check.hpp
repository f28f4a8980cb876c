// The verdict on one row: what the reference says about the same inputs, compared bit for bit.
//
//  - Order "any": the chosen slots of the row are compared as a set of (index, raw index, value).
//  - Ties "any": every column better than the worst chosen one must be there, the others must be columns as good as
//  that
//    one, each slot with the index, raw index and value of such a column. The order of the slots is checked where they
//    show positions, which they do not in mode paged.
//  - The error word belongs to no row and is not looked at.
#pragma once

#include <cstdint>
#include <string>

#include "keysieve/shadow.hpp"
#include "shadow/call_copy.hpp"

namespace keysieve::shadow {

struct RowFault {
  ShadowOutput output = ShadowOutput::kNone;  // kNone: the row is right
  std::int64_t slot = -1;
  std::int64_t expected = 0;
  std::int64_t got = 0;
  std::string text;  // "slot 3 of indices: expected 5, got 6"
};

// Allocates what the reference's answer takes. `view` has outputs of the call under test.
RowFault check_row(const RowView& view);

}  // namespace keysieve::shadow
