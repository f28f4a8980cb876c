#include <algorithm>

#include "cases/case_table.hpp"
#include "cases/random.hpp"

namespace keysieve::cases {
namespace {

std::int64_t random_width(Random& random) {
  switch (random.between(0, 9)) {
    case 0:
      return random.between(0, 8);
    case 1:
    case 2:
    case 3:
      return random.between(1, 130);
    case 4:
      return (std::int64_t{1} << random.between(0, 13)) + random.between(-1, 1);
    case 5:
      return random.between(5000, 40000);
    default:
      return random.between(1, 3000);
  }
}

std::int64_t random_k(Random& random, std::int64_t width) {
  const std::int64_t around = width + random.between(-2, 2);
  switch (random.between(0, 5)) {
    case 0:
      return random.between(1, 4);
    case 1:
      return std::max<std::int64_t>(around, 1);
    case 2:
      return random.between(1, width + 10);
    default:
      return random.between(1, std::min<std::int64_t>(600, width + 5));
  }
}

}  // namespace

SelectCase random_case(std::uint64_t seed) {
  Random random(seed);
  SelectCase spec;
  spec.name = "random/" + std::to_string(seed);
  spec.width = random_width(random);
  spec.k = random_k(random, spec.width);
  spec.next_n = random.chance(25) ? static_cast<std::int32_t>(random.between(2, 5)) : 1;
  spec.rows = spec.next_n * random.between(spec.width > 4000 ? 1 : 0, spec.width > 4000 ? 2 : 9);
  spec.row_padding = random.chance(50) ? 0 : random.between(1, 40);
  spec.misalignment = random.between(0, 8);
  spec.pattern.kind = kAllPatterns[static_cast<std::size_t>(random.between(0, std::ssize(kAllPatterns) - 1))];
  spec.pattern.parameter = random.between(0, spec.width);
  spec.pattern.first_row = static_cast<std::uint32_t>(random.next());
  spec.score_type = random.one_of({ScoreType::kFloat32, ScoreType::kBFloat16, ScoreType::kFloat16});

  spec.length_kind = random.one_of({LengthKind::kNone, LengthKind::kFull, LengthKind::kRagged, LengthKind::kRagged,
                                    LengthKind::kShort, LengthKind::kEdges, LengthKind::kExtreme});
  spec.as_row_ends = random.chance(20);
  spec.length_spacing = random.chance(20) ? random.between(2, 5) : 1;
  spec.start_kind = random.one_of({StartKind::kNone, StartKind::kNone, StartKind::kNone, StartKind::kUnaligned,
                                   StartKind::kPacked, StartKind::kEdges});

  spec.index_type = random.one_of({IndexType::kInt32, IndexType::kInt64});
  spec.mode = random.one_of({IndexMode::kRaw, IndexMode::kOffset, IndexMode::kPaged, IndexMode::kDual});
  spec.offset_kind = random.one_of({OffsetKind::kRowStarts, OffsetKind::kSmall, OffsetKind::kOverflow});
  spec.page_size = random.chance(50) ? std::int64_t{1} << random.between(0, 10) : random.between(1, 200);
  spec.table_layout = random.one_of(
      {TableLayout::kPerRow, TableLayout::kPerRequest, TableLayout::kMapped, TableLayout::kMappedOutside});
  spec.page_fill =
      random.one_of({PageFill::kIdentity, PageFill::kShuffled, PageFill::kShared, PageFill::kBad, PageFill::kOverflow});
  spec.num_pages_known = random.chance(50);
  spec.narrow_table = random.chance(15);
  spec.table_padding = random.chance(30) ? random.between(1, 20) : 0;

  spec.order = random.one_of({SlotOrder::kIndex, SlotOrder::kScore, SlotOrder::kAny});
  spec.ties = random.one_of({Ties::kSmallest, Ties::kSmallest, Ties::kLargest, Ties::kAny});
  // Free ties can only be judged where the positions are visible.
  if (spec.ties == Ties::kAny && spec.mode == IndexMode::kPaged) spec.mode = IndexMode::kDual;
  if (spec.ties == Ties::kAny && spec.mode == IndexMode::kOffset) spec.offset_kind = OffsetKind::kSmall;
  spec.nan_policy = random.one_of({NanPolicy::kLowest, NanPolicy::kLowest, NanPolicy::kHighest});
  spec.mask_neg_inf = random.chance(30);
  spec.check_nan = random.chance(30);

  spec.want_values = random.chance(60);
  spec.want_counts = random.chance(60);
  spec.want_error_word = random.chance(70);
  spec.output_padding = random.chance(25) ? random.between(1, 9) : 0;
  return spec;
}

}  // namespace keysieve::cases
