// One selection problem of the shared table, as plain data: shape, values, windows, options, outputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cases/patterns.hpp"
#include "keysieve/types.hpp"

namespace keysieve::cases {

enum class LengthKind : std::int32_t {
  kNone,      // no lengths: rows reach to the end of the buffer
  kFull,      // every length is the width
  kRagged,    // 80-100 % of the width
  kShort,     // 0..k
  kEdges,     // cycles through -4, -1, 0, 1, k-1, k, k+1, width-1, width
  kExtreme,   // cycles through INT_MIN, INT_MAX, width+1, -1, width
  kExplicit,  // SelectCase::lengths
};

enum class StartKind : std::int32_t {
  kNone,
  kZero,
  kUnaligned,  // cycles through 1, 2, 3, 5, 7, 9 (at most the width)
  kPacked,     // requests one behind the other in the columns
  kEdges,      // cycles through -1, 0, 1, width-1, width, width+1, INT_MIN, INT_MAX
  kExplicit,   // SelectCase::starts
};

enum class TableLayout : std::int32_t {
  kPerRow,
  kPerRequest,     // rows / next_n lines
  kMapped,         // row_to_table, some rows -1
  kMappedOutside,  // row_to_table, some rows -1, some past the table or below -1
};

enum class PageFill : std::int32_t {
  kIdentity,
  kShuffled,  // distinct ids of a cache twice as large
  kShared,    // few ids, many positions with the same slot
  kBad,       // some ids negative, some at and past num_pages
  kOverflow,  // slots around and past 2^31 - 1
};

enum class OffsetKind : std::int32_t {
  kRowStarts,  // the window start: absolute columns (0 where the case has no starts)
  kSmall,
  kOverflow,  // results around and past 2^31 - 1
};

// Rows built against an engine, in place of the pattern and inside the window alone: see attacks.hpp.
enum class AttackKind : std::int32_t {
  kNone,
  kPeaksSeen,          // high where the sample looks: the first cutoff keeps nearly everything out
  kOnePeakPerVector,   // one peak a sampled vector: fewer lie above any cutoff than there are slots
  kLowSeenAscending,   // low where the sample looks, ascending elsewhere: the cutoff lets everything in
  kLowSeenDescending,  // the same, descending
  kNanSeen,            // NaN and -inf where the sample looks, one plateau elsewhere
  kPeaksHidden,        // the best columns where the sample does not look
  kUlpsAtCutoff,       // the k-th score, one ULP more and one ULP less, nothing else
  kOneException,       // one score everywhere but for one column, one ULP off
  kNanFlood,           // NaN of every sign and payload but for k / 2 columns
  kInfinityFlood,      // +inf and -inf and next to nothing else
  kZeroFlood,          // -0 and +0 but for k / 2 columns
};

// The guess of the k-th score that a call may bring; it must never change a result.
enum class HintKind : std::int32_t {
  kNone,
  kExact,
  kNextAbove,
  kTwiceAsHigh,  // the exponent one more
  kHighest,
  kInfinity,
  kNan,
  kNegativeNan,
  kLowest,
  kNegativeInfinity,
  kZero,
  kMixed,  // another kind for every row
};

struct SelectCase {
  std::string name;

  std::int64_t rows = 1;
  std::int64_t width = 0;
  std::int64_t k = 1;
  std::int64_t row_padding = 0;   // score row stride = width + row_padding
  std::int64_t misalignment = 0;  // of the score base, in elements
  PatternSpec pattern;
  AttackKind attack = AttackKind::kNone;
  std::int64_t attack_samples = 512;  // vectors that the attacked CUDA plan samples; 0: the CPU's sample
  ScoreType score_type = ScoreType::kFloat32;

  LengthKind length_kind = LengthKind::kNone;
  std::vector<std::int32_t> lengths;  // kExplicit: one per row
  bool as_row_ends = false;           // pass start + length in row_ends instead
  std::int64_t length_spacing = 1;    // row stride of the lengths; requests are next_n * spacing + 1 apart if > 1
  StartKind start_kind = StartKind::kNone;
  std::vector<std::int32_t> starts;  // kExplicit: one per row
  std::int32_t next_n = 1;

  IndexType index_type = IndexType::kInt32;
  IndexMode mode = IndexMode::kRaw;
  OffsetKind offset_kind = OffsetKind::kRowStarts;
  std::int64_t page_size = 64;
  TableLayout table_layout = TableLayout::kPerRow;
  PageFill page_fill = PageFill::kShuffled;
  bool num_pages_known = false;
  bool narrow_table = false;       // half of the columns that the width asks for
  std::int64_t table_padding = 0;  // extra elements between table lines

  SlotOrder order = SlotOrder::kIndex;
  Ties ties = Ties::kSmallest;
  NanPolicy nan_policy = NanPolicy::kLowest;
  bool mask_neg_inf = false;
  bool check_nan = false;
  HintKind hint = HintKind::kNone;

  bool want_values = true;
  bool want_counts = true;
  bool want_error_word = true;
  std::int64_t output_padding = 0;  // row stride of every output = k + output_padding

  bool operator==(const SelectCase&) const = default;
};

// One line: the name and the text of case_text.hpp, enough to build the case again.
std::string describe(const SelectCase& spec);

}  // namespace keysieve::cases
