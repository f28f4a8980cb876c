// The value types of the C++ face. Each struct has the layout of its C twin in c_api.h (checked below), so
// crossing the C ABI is a bit_cast and a field added on one side only does not compile.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "keysieve/c_api.h"

namespace keysieve {

enum class DeviceType : std::int32_t { kCpu = KEYSIEVE_DEVICE_CPU, kCuda = KEYSIEVE_DEVICE_CUDA };

enum class Backend : std::int32_t {
  kAuto = KEYSIEVE_BACKEND_AUTO,
  kReference = KEYSIEVE_BACKEND_REFERENCE,
  kCpu = KEYSIEVE_BACKEND_CPU,
  kCuda = KEYSIEVE_BACKEND_CUDA,
};

// See c_api.h and docs/algorithms/ for what each route does.
enum class Route : std::int32_t {
  kAuto = KEYSIEVE_ROUTE_AUTO,
  kReference = KEYSIEVE_ROUTE_REFERENCE,
  kCpuRows = KEYSIEVE_ROUTE_CPU_ROWS,
  kCpuChunks = KEYSIEVE_ROUTE_CPU_CHUNKS,
  kTile = KEYSIEVE_ROUTE_TILE,
  kSieve = KEYSIEVE_ROUTE_SIEVE,
  kSplit = KEYSIEVE_ROUTE_SPLIT,
  kWide = KEYSIEVE_ROUTE_WIDE,
  kTrivial = KEYSIEVE_ROUTE_TRIVIAL,
};

enum class ScoreType : std::int32_t {
  kFloat32 = KEYSIEVE_FLOAT32,
  kBFloat16 = KEYSIEVE_BFLOAT16,
  kFloat16 = KEYSIEVE_FLOAT16,
};

enum class IndexType : std::int32_t { kInt32 = KEYSIEVE_INT32, kInt64 = KEYSIEVE_INT64 };

enum class IndexMode : std::int32_t {
  kRaw = KEYSIEVE_MODE_RAW,
  kOffset = KEYSIEVE_MODE_OFFSET,
  kPaged = KEYSIEVE_MODE_PAGED,
  kDual = KEYSIEVE_MODE_DUAL,
};

enum class SlotOrder : std::int32_t {
  kIndex = KEYSIEVE_ORDER_INDEX,
  kScore = KEYSIEVE_ORDER_SCORE,
  kAny = KEYSIEVE_ORDER_ANY,
};

enum class Ties : std::int32_t {
  kSmallest = KEYSIEVE_TIES_SMALLEST,
  kLargest = KEYSIEVE_TIES_LARGEST,
  kAny = KEYSIEVE_TIES_ANY,
};

enum class NanPolicy : std::int32_t { kLowest = KEYSIEVE_NAN_LOWEST, kHighest = KEYSIEVE_NAN_HIGHEST };

// In tuning and layout fields: let keysieve choose. Any other number is literal.
inline constexpr std::int32_t kAuto = KEYSIEVE_AUTO;

inline constexpr std::uint32_t kErrorBadPage = KEYSIEVE_ERROR_BAD_PAGE;
inline constexpr std::uint32_t kErrorLengthClamped = KEYSIEVE_ERROR_LENGTH_CLAMPED;
inline constexpr std::uint32_t kErrorStartOutside = KEYSIEVE_ERROR_START_OUTSIDE;
inline constexpr std::uint32_t kErrorIndexOverflow = KEYSIEVE_ERROR_INDEX_OVERFLOW;
inline constexpr std::uint32_t kErrorNanSeen = KEYSIEVE_ERROR_NAN_SEEN;

constexpr std::int64_t size_bytes(ScoreType type) { return type == ScoreType::kFloat32 ? 4 : 2; }
constexpr std::int64_t size_bytes(IndexType type) { return type == IndexType::kInt32 ? 4 : 8; }

// What a plan depends on: shapes and options, no pointers. Field meanings: keysieve_select_problem.
struct SelectProblem {
  std::uint32_t struct_size = sizeof(SelectProblem);
  DeviceType device_type = DeviceType::kCpu;
  std::int32_t device_ordinal = 0;
  Backend backend = Backend::kAuto;
  Route route = Route::kAuto;
  std::int32_t threads = kAuto;
  std::int64_t rows = 0;
  std::int64_t width = 0;
  std::int64_t k = 0;
  ScoreType score_type = ScoreType::kFloat32;
  IndexType index_type = IndexType::kInt32;
  IndexMode mode = IndexMode::kRaw;
  SlotOrder order = SlotOrder::kIndex;
  Ties ties = Ties::kSmallest;
  NanPolicy nan_policy = NanPolicy::kLowest;
  std::int32_t mask_neg_inf = 0;
  std::int32_t check_nan = 0;
  std::int32_t split = kAuto;
  std::int32_t reserved = 0;

  bool operator==(const SelectProblem&) const = default;
};

// The tensors of one call. Shapes, strides and defaults: keysieve_select_args.
struct SelectArgs {
  std::uint32_t struct_size = sizeof(SelectArgs);
  std::int32_t next_n = 1;
  const void* scores = nullptr;
  std::int64_t score_row_stride = kAuto;
  const std::int32_t* lengths = nullptr;
  std::int64_t length_request_stride = kAuto;
  std::int64_t length_row_stride = kAuto;
  const std::int32_t* row_starts = nullptr;
  const std::int32_t* row_ends = nullptr;
  const std::int32_t* out_offsets = nullptr;
  const std::int32_t* page_table = nullptr;
  std::int64_t page_table_rows = 0;
  std::int64_t page_table_columns = 0;
  std::int64_t page_table_row_stride = kAuto;
  std::int64_t page_size = 0;
  std::int64_t num_pages = kAuto;
  const std::int32_t* row_to_table = nullptr;
  void* indices = nullptr;
  std::int64_t indices_row_stride = kAuto;
  void* raw_indices = nullptr;
  std::int64_t raw_indices_row_stride = kAuto;
  void* values = nullptr;
  std::int64_t values_row_stride = kAuto;
  std::int32_t* counts = nullptr;
  std::uint32_t* error_word = nullptr;
  void* workspace = nullptr;
  std::int64_t workspace_bytes = 0;
  const void* hint = nullptr;
  std::int32_t* row_counters = nullptr;
  std::int32_t dependent_launch = 0;
  std::int32_t reserved = 0;
};

// A decision: printable, comparable, serialisable. Field meanings: keysieve_select_plan.
struct SelectPlan {
  std::uint32_t struct_size = sizeof(SelectPlan);
  Backend backend = Backend::kAuto;
  Route route = Route::kAuto;
  std::int32_t reason = 0;
  std::int32_t threads = 0;
  std::int32_t chunks_per_row = 0;
  std::int32_t runnable = 0;
  std::int32_t reserved = 0;
  std::int64_t workspace_bytes = 0;
  SelectProblem problem;
  std::int32_t shared_bytes = 0;
  std::int32_t candidate_capacity = 0;
  std::int32_t sample_vectors = 0;
  std::int32_t device_ordinal = 0;

  bool operator==(const SelectPlan&) const = default;
};

// Index transform alone. Field meanings: keysieve_transform_args.
struct TransformArgs {
  std::uint32_t struct_size = sizeof(TransformArgs);
  IndexMode mode = IndexMode::kPaged;
  IndexType index_type = IndexType::kInt32;
  std::int32_t next_n = 1;
  std::int64_t rows = 0;
  std::int64_t k = 0;
  const void* positions = nullptr;
  std::int64_t positions_row_stride = kAuto;
  const std::int32_t* out_offsets = nullptr;
  const std::int32_t* page_table = nullptr;
  std::int64_t page_table_rows = 0;
  std::int64_t page_table_columns = 0;
  std::int64_t page_table_row_stride = kAuto;
  std::int64_t page_size = 0;
  std::int64_t num_pages = kAuto;
  const std::int32_t* row_to_table = nullptr;
  void* out = nullptr;
  std::int64_t out_row_stride = kAuto;
  std::uint32_t* error_word = nullptr;
};

static_assert(sizeof(SelectProblem) == sizeof(keysieve_select_problem));
static_assert(sizeof(SelectArgs) == sizeof(keysieve_select_args));
static_assert(sizeof(SelectPlan) == sizeof(keysieve_select_plan));
static_assert(sizeof(TransformArgs) == sizeof(keysieve_transform_args));
static_assert(offsetof(SelectProblem, k) == offsetof(keysieve_select_problem, k));
static_assert(offsetof(SelectProblem, split) == offsetof(keysieve_select_problem, split));
static_assert(offsetof(SelectArgs, page_size) == offsetof(keysieve_select_args, page_size));
static_assert(offsetof(SelectArgs, error_word) == offsetof(keysieve_select_args, error_word));
static_assert(offsetof(SelectArgs, dependent_launch) == offsetof(keysieve_select_args, dependent_launch));
static_assert(offsetof(SelectPlan, problem) == offsetof(keysieve_select_plan, problem));
static_assert(offsetof(SelectPlan, device_ordinal) == offsetof(keysieve_select_plan, device_ordinal));
static_assert(offsetof(TransformArgs, row_to_table) == offsetof(keysieve_transform_args, row_to_table));

}  // namespace keysieve
