#include "cli/self_test.hpp"

#include <cstring>
#include <exception>
#include <limits>
#include <optional>

#include "cli/device_selection.hpp"
#include "cli/option_names.hpp"
#include "cli/select_check.hpp"
#include "cli/selection.hpp"
#include "keysieve/select.hpp"

namespace keysieve::cli {

namespace {

constexpr std::int64_t kRows = 5;
constexpr std::int64_t kWidth = 700;
constexpr std::int64_t kPageSize = 16;
constexpr std::int64_t kPages = (kWidth + kPageSize - 1) / kPageSize;

enum class Pattern { kRandom, kEqual, kFewValues, kNan, kInfinities, kZeros, kAscending };
constexpr Pattern kPatterns[] = {Pattern::kRandom,     Pattern::kEqual, Pattern::kFewValues, Pattern::kNan,
                                 Pattern::kInfinities, Pattern::kZeros, Pattern::kAscending};
constexpr const char* kPatternNames[] = {"random", "equal", "few values", "NaN", "infinities", "zeros", "ascending"};

// xorshift64*: the same numbers on every machine.
class Random {
 public:
  std::uint32_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<std::uint32_t>((state_ * 0x2545f4914f6cdd1dULL) >> 32);
  }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15ULL;
};

// Bits in the middle of the type's range with a random sign, so that every type gets finite, distinct scores.
std::uint32_t score_bits(Pattern pattern, std::int64_t column, ScoreType type, Random& random) {
  const bool wide = type == ScoreType::kFloat32;
  const std::uint32_t sign = wide ? 0x80000000u : 0x8000u;
  const std::uint32_t infinity = wide ? 0x7f800000u : type == ScoreType::kBFloat16 ? 0x7f80u : 0x7c00u;
  const std::uint32_t draw = random.next();
  const std::uint32_t finite = draw % infinity;
  switch (pattern) {
    case Pattern::kRandom:
      return finite | (draw & 0x80000000u ? sign : 0);
    case Pattern::kEqual:
      return infinity / 2;
    case Pattern::kFewValues:
      return infinity / 2 + draw % 3;
    case Pattern::kNan:
      return draw % 4 != 0 ? finite : (draw % 8 == 0 ? sign : 0u) | infinity | (1u + draw % 7);
    case Pattern::kInfinities:
      return draw % 3 == 0 ? infinity | sign : draw % 5 == 0 ? infinity : finite;
    case Pattern::kZeros:
      return draw % 2 == 0 ? 0u : sign;
    case Pattern::kAscending:
      return infinity / 2 + static_cast<std::uint32_t>(column);
  }
  return 0;
}

std::vector<std::byte> make_scores(Pattern pattern, ScoreType type) {
  Random random;
  const auto element = static_cast<std::size_t>(size_bytes(type));
  std::vector<std::byte> scores(static_cast<std::size_t>(kRows * kWidth) * element);
  for (std::size_t i = 0; i < scores.size() / element; ++i) {
    const std::uint32_t bits = score_bits(pattern, static_cast<std::int64_t>(i) % kWidth, type, random);
    std::memcpy(scores.data() + i * element, &bits, element);  // the low bytes: little-endian
  }
  return scores;
}

struct Case {
  SelectProblem problem;
  SelectArgs args;
  std::string name;
};

struct Tensors {
  std::vector<std::int32_t> lengths = {700, 3, 0, -7, 100000};
  std::vector<std::int32_t> row_starts = {0, 17, 700, 5, 650};
  std::vector<std::int32_t> out_offsets = {0, 1000, -5, 7, std::numeric_limits<std::int32_t>::max() - 10};
  std::vector<std::int32_t> page_table;

  Tensors() {
    for (std::int64_t i = 0; i < kRows * kPages; ++i) {
      page_table.push_back(static_cast<std::int32_t>((i * 37) % (kRows * kPages)));
    }
    page_table[3] = -1;  // a bad page is an ordinary input
  }
};

// Options turn over with the number of the case, each at its own pace, so that few cases meet many pairs.
Case make_case(Pattern pattern, ScoreType type, int number, const Tensors& tensors,
               const std::vector<std::byte>& scores) {
  Case out;
  SelectProblem& problem = out.problem;
  problem.rows = kRows;
  problem.width = kWidth;
  constexpr std::int64_t kSlots[] = {64, 1, 300, 900};
  problem.k = kSlots[number % 4];
  problem.score_type = type;
  problem.mode = static_cast<IndexMode>(number % 4);
  problem.order = number % 3 == 0 ? SlotOrder::kIndex : number % 3 == 1 ? SlotOrder::kScore : SlotOrder::kAny;
  problem.ties = number % 5 == 4 ? Ties::kLargest : Ties::kSmallest;
  problem.nan_policy = number % 7 == 3 ? NanPolicy::kHighest : NanPolicy::kLowest;
  problem.mask_neg_inf = number % 6 == 5 ? 1 : 0;
  problem.index_type = number % 2 == 0 ? IndexType::kInt32 : IndexType::kInt64;
  SelectArgs& args = out.args;
  args.scores = scores.data();
  if (number % 5 != 0) args.lengths = tensors.lengths.data();
  if (number % 3 != 0) args.row_starts = tensors.row_starts.data();
  if (problem.mode == IndexMode::kOffset) args.out_offsets = tensors.out_offsets.data();
  if (problem.mode == IndexMode::kPaged || problem.mode == IndexMode::kDual) {
    args.page_table = tensors.page_table.data();
    args.page_table_rows = kRows;
    args.page_table_columns = kPages;
    args.page_size = kPageSize;
  }
  out.name = std::string(kPatternNames[static_cast<int>(pattern)]) + ", " + name_of(type) + ", k " +
             std::to_string(problem.k) + ", mode " + name_of(problem.mode) + ", order " + name_of(problem.order);
  return out;
}

void count_fault(RouteReport& report, const std::string& name, const std::string& fault) {
  if (report.failed++ == 0) report.first_fault = name + ": " + fault;
}

// `device`: where the case runs; null on the CPU.
void run_case(const Case& each, DeviceRunner* device, RouteReport& report) {
  SelectProblem problem = each.problem;
  problem.backend = report.backend;
  problem.route = report.route;
  if (device == nullptr) {
    problem.threads = 2;
  } else {
    problem.device_type = DeviceType::kCuda;
    if (!supports(problem).empty()) return;  // a route for other shapes
  }
  ++report.cases;
  try {
    Runner runner;
    Outputs got, expected;
    SelectProblem reference = each.problem;
    reference.backend = Backend::kReference;
    expected.prepare(reference, true, std::byte{0xa5});
    runner.run(make_plan(reference), each.args, expected);
    got.prepare(problem, true, std::byte{0x5a});
    const SelectPlan plan = make_plan(problem);
    static_cast<void>(device != nullptr ? device->run(plan, each.args, got) : runner.run(plan, each.args, got));
    CheckReport check;
    compare_batch(problem, each.args, got, expected, 0, check);
    if (!check.ok())
      count_fault(report, each.name, "row " + std::to_string(check.first_row) + ", " + check.first_fault);
  } catch (const Error& error) {
    count_fault(report, each.name, error.what());
  }
}

// The reference judges all others, so it is itself held against an answer worked out by hand.
RouteReport test_reference() {
  RouteReport report;
  report.backend = Backend::kReference;
  report.route = Route::kReference;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const float scores[] = {nan, 1, 3, -infinity, 3, -0.0f, 0.0f, 3};
  const struct {
    SlotOrder order;
    Ties ties;
    std::int32_t expected[9];
    std::int64_t k;
  } cases[] = {
      {SlotOrder::kIndex, Ties::kSmallest, {2, 4}, 2},
      {SlotOrder::kIndex, Ties::kLargest, {4, 7}, 2},
      {SlotOrder::kScore, Ties::kSmallest, {2, 4, 7, 1, 5, 6, 3, 0, -1}, 9},
      {SlotOrder::kIndex, Ties::kSmallest, {0, 1, 2, 3, 4, 5, 6, 7, -1}, 9},
      {SlotOrder::kIndex, Ties::kSmallest, {1, 2, 3, 4, 5, 6, 7}, 7},
  };
  for (const auto& each : cases) {
    ++report.cases;
    const std::string name = "worked example with k " + std::to_string(each.k);
    try {
      SelectProblem problem;
      problem.backend = Backend::kReference;
      problem.rows = 1;
      problem.width = 8;
      problem.k = each.k;
      problem.order = each.order;
      problem.ties = each.ties;
      SelectArgs args;
      args.scores = scores;
      Outputs got;
      got.prepare(problem, false, std::byte{0x5a});
      Runner().run(make_plan(problem), args, got);
      if (std::memcmp(got.indices.data(), each.expected, got.indices.size()) != 0) {
        count_fault(report, name, "wrong indices");
      }
    } catch (const Error& error) {
      count_fault(report, name, error.what());
    }
  }
  return report;
}

RouteReport test_route(Backend backend, Route route) {
  RouteReport report;
  report.backend = backend;
  report.route = route;
  std::optional<DeviceRunner> device;
  SelectProblem probe;
  probe.rows = kRows;
  probe.width = kWidth;
  probe.k = 1;
  probe.backend = backend;
  probe.route = route;
  if (backend == Backend::kCuda) {
    try {
      device.emplace(DeviceBuffers::open(0));
    } catch (const std::exception& error) {
      report.cases = 1;
      count_fault(report, "opening the device", error.what());
      return report;
    }
  } else {
    report.unavailable = supports(probe);
    if (!report.unavailable.empty()) return report;
  }
  const Tensors tensors;
  int number = 0;
  for (const Pattern pattern : kPatterns) {
    for (const ScoreType type : {ScoreType::kFloat32, ScoreType::kBFloat16, ScoreType::kFloat16}) {
      const std::vector<std::byte> scores = make_scores(pattern, type);
      for (int i = 0; i < 2; ++i)
        run_case(make_case(pattern, type, number++, tensors, scores), device ? &*device : nullptr, report);
    }
  }
  if (report.cases == 0) report.unavailable = "it serves none of the shapes tested here, or not on this device";
  return report;
}

// On a machine without a GPU there is nothing to say about the GPU's routes.
bool gpu_can_select() {
  SelectProblem probe;
  probe.device_type = DeviceType::kCuda;
  probe.rows = kRows;
  probe.width = kWidth;
  probe.k = 1;
  return supports(probe).empty();
}

}  // namespace

std::vector<RouteReport> run_self_test() {
  std::vector<RouteReport> reports = {test_reference()};
  for (const Route route : {Route::kCpuRows, Route::kCpuChunks}) reports.push_back(test_route(Backend::kCpu, route));
  if (gpu_can_select()) {
    for (const Route route : {Route::kTrivial, Route::kTile, Route::kSieve, Route::kSplit, Route::kWide}) {
      reports.push_back(test_route(Backend::kCuda, route));
    }
  }
  return reports;
}

}  // namespace keysieve::cli
