#include "cli/select_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/console.hpp"
#include "cli/device_selection.hpp"
#include "cli/option_names.hpp"
#include "cli/progress.hpp"
#include "cli/select_check.hpp"
#include "cli/selection.hpp"
#include "keysieve/select.hpp"

namespace keysieve::cli {

namespace {

// Large enough that a batch fills all threads, small enough that outputs fit in memory and the bar moves.
constexpr std::int64_t kBatchBytes = std::int64_t{256} << 20;
constexpr std::int64_t kMaxBatchRows = std::int64_t{1} << 20;

struct Result {
  SelectPlan plan;  // of the first batch
  std::int64_t batches = 0;
  // Inside the library, the files' pages coming in included; on a GPU its own time, copies left out.
  double seconds = 0;
  std::uint32_t error_word = 0;
  CheckReport check;
};

struct ErrorBit {
  std::uint32_t bit;
  const char* name;
  const char* meaning;
};
constexpr ErrorBit kErrorBits[] = {
    {kErrorBadPage, "bad_page", "a page id is negative or past --num-pages; its slot is -1"},
    {kErrorLengthClamped, "length_clamped", "a length is negative or reaches past the scores; it was clamped"},
    {kErrorStartOutside, "start_outside", "a row start lies outside the scores; its row is empty"},
    {kErrorIndexOverflow, "index_overflow", "a result does not fit int32; its slot is -1 (see --index-dtype int64)"},
    {kErrorNanSeen, "nan_seen", "a live score is NaN"},
};

// The problem of the whole file.
SelectProblem make_problem(const SelectOptions& options, const SelectInputs& inputs) {
  SelectProblem problem = options.problem;
  problem.rows = inputs.rows;
  problem.width = inputs.width;
  problem.score_type = inputs.score_type;
  return problem;
}

std::int64_t rows_per_batch(const SelectProblem& problem, bool values) {
  const std::int64_t score_bytes = problem.width * size_bytes(problem.score_type);
  std::int64_t slot_bytes = size_bytes(problem.index_type) * (problem.mode == IndexMode::kDual ? 2 : 1);
  if (values) slot_bytes += size_bytes(problem.score_type);
  const std::int64_t row_bytes = std::max<std::int64_t>({1, score_bytes, problem.k * slot_bytes});
  return std::clamp<std::int64_t>(kBatchBytes / row_bytes, 1, kMaxBatchRows);
}

// Runs one problem batch by batch.
class Job {
 public:
  Job(const SelectOptions& options, const SelectInputs& inputs, const SelectProblem& problem)
      : options_(options), inputs_(inputs), problem_(problem) {
    values_ = !options.outputs.values.empty() || (options.check && problem.ties == Ties::kAny);
    if (problem.device_type == DeviceType::kCuda) device_runner_.emplace(DeviceBuffers::open(problem.device_ordinal));
  }

  Result run(SelectOutputs& files) {
    const std::int64_t step = rows_per_batch(problem_, values_);
    SelectProblem batch = problem_;
    batch.rows = std::min(step, problem_.rows);
    // Before any work: what cannot run is refused, for an empty file too.
    result_.plan = make_plan(batch);
    if (device_runner_) {
      // Now and not in the first batch, whose time would show it.
      detail::throw_if_failed(detail::to_status(keysieve_prepare(KEYSIEVE_DEVICE_CUDA, problem_.device_ordinal)));
    }
    Progress progress(inputs_.rows * inputs_.width * size_bytes(inputs_.score_type));
    for (std::int64_t row = 0; row < problem_.rows; row += step) {
      batch.rows = std::min(step, problem_.rows - row);
      run_batch(batch, row);
      files.append(got_, batch);
      ++result_.batches;
      progress.advance(batch.rows * batch.width * size_bytes(batch.score_type));
    }
    return result_;
  }

 private:
  void run_batch(const SelectProblem& batch, std::int64_t row) {
    const SelectPlan plan = batch == result_.plan.problem ? result_.plan : make_plan(batch);
    const SelectArgs args = make_args(batch, row);
    got_.prepare(batch, values_, std::byte{0x5a});
    result_.seconds += device_runner_ ? device_runner_->run(plan, args, got_) : runner_.run(plan, args, got_);
    result_.error_word |= got_.error_word;
    if (!options_.check) return;
    SelectProblem reference = batch;
    reference.device_type = DeviceType::kCpu;
    reference.device_ordinal = 0;
    reference.backend = Backend::kReference;
    reference.route = Route::kAuto;
    reference.threads = reference.split = kAuto;
    expected_.prepare(batch, values_, std::byte{0xa5});
    runner_.run(make_plan(reference), args, expected_);
    compare_batch(batch, args, got_, expected_, row, result_.check);
  }

  SelectArgs make_args(const SelectProblem& batch, std::int64_t row) {
    SelectArgs args;
    args.scores = batch_scores(batch, row);
    if (inputs_.lengths.given) args.lengths = inputs_.lengths.values.data() + row;
    if (inputs_.row_starts.given) args.row_starts = inputs_.row_starts.values.data() + row;
    if (batch.mode == IndexMode::kOffset) {
      args.out_offsets = inputs_.out_offsets.given ? inputs_.out_offsets.values.data() + row : args.row_starts;
    }
    if (batch.mode == IndexMode::kPaged || batch.mode == IndexMode::kDual) {
      args.page_table = inputs_.page_table.values.data();
      args.page_table_rows = inputs_.table_lines;
      args.page_table_columns = inputs_.table_columns;
      args.page_size = inputs_.page_size;
      args.num_pages = options_.num_pages;
      // A map of rows to lines of the whole table, since a batch may begin inside a request.
      const std::int64_t rows_per_line = inputs_.table_lines == inputs_.rows ? 1 : inputs_.next_n;
      row_to_table_.resize(static_cast<std::size_t>(batch.rows));
      for (std::int64_t i = 0; i < batch.rows; ++i) {
        row_to_table_[static_cast<std::size_t>(i)] = static_cast<std::int32_t>((row + i) / rows_per_line);
      }
      args.row_to_table = row_to_table_.data();
    }
    return args;
  }

  // In place, or a copy of this batch where the file puts the data at an odd address.
  const void* batch_scores(const SelectProblem& batch, std::int64_t row) {
    const std::int64_t element = size_bytes(batch.score_type);
    const std::byte* scores = inputs_.scores.data() + row * batch.width * element;
    if (reinterpret_cast<std::uintptr_t>(scores) % static_cast<std::uintptr_t>(element) == 0) return scores;
    aligned_.assign(scores, scores + batch.rows * batch.width * element);
    return aligned_.data();
  }

  const SelectOptions& options_;
  const SelectInputs& inputs_;
  SelectProblem problem_;
  bool values_ = false;
  Result result_;
  Runner runner_;
  std::optional<DeviceRunner> device_runner_;  // where the problem's device is a GPU
  Outputs got_, expected_;
  std::vector<std::int32_t> row_to_table_;
  std::vector<std::byte> aligned_;
};

std::vector<NamedPath> named_inputs(const InputPaths& paths) {
  std::vector<NamedPath> inputs = {{"SCORES", paths.scores}};
  for (const NamedPath& each :
       {NamedPath{"--lengths", paths.lengths}, NamedPath{"--row-starts", paths.row_starts},
        NamedPath{"--page-table", paths.page_table}, NamedPath{"--out-offsets", paths.out_offsets}}) {
    if (!each.path.empty()) inputs.push_back(each);
  }
  return inputs;
}

std::string time_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.2f} s", seconds);
}

double gigabytes_per_second(std::int64_t bytes, double seconds) {
  return seconds > 0 ? static_cast<double>(bytes) * 1e-9 / seconds : 0;
}

std::string device_name(const SelectProblem& problem) {
  return problem.device_type == DeviceType::kCuda ? fmt::format("cuda:{}", problem.device_ordinal) : "cpu";
}

std::string text_summary(const SelectOptions& options, const SelectInputs& inputs, const Result& result) {
  std::string line =
      fmt::format("rows {}, columns {}, k {}, backend {}, route {}, {}, {:.2f} GB/s", inputs.rows, inputs.width,
                  options.problem.k, name_of(result.plan.backend), name_of(result.plan.route),
                  time_text(result.seconds), gigabytes_per_second(inputs.live_bytes(), result.seconds));
  if (options.check) {
    line += result.check.ok() ? ", check ok" : fmt::format(", check failed in {} rows", result.check.rows_wrong);
  }
  return line + '\n';
}

std::string json_summary(const SelectOptions& options, const SelectInputs& inputs, const Result& result) {
  const std::int64_t live_bytes = inputs.live_bytes();
  nlohmann::ordered_json json = {
      {"schema", "keysieve.select/1"},
      {"rows", inputs.rows},
      {"columns", inputs.width},
      {"k", options.problem.k},
      {"score_type", name_of(inputs.score_type)},
      {"index_type", name_of(options.problem.index_type)},
      {"mode", name_of(options.problem.mode)},
      {"order", name_of(options.problem.order)},
      {"device", device_name(result.plan.problem)},
      {"backend", name_of(result.plan.backend)},
      {"route", name_of(result.plan.route)},
      {"threads", result.plan.threads},
      {"chunks_per_row", result.plan.chunks_per_row},
      {"batches", result.batches},
      {"seconds", result.seconds},
      {"live_bytes", live_bytes},
      {"gigabytes_per_second", gigabytes_per_second(live_bytes, result.seconds)},
      {"error_word", result.error_word},
      {"error_bits", nlohmann::ordered_json::array()},
      {"check", nullptr},
      {"outputs", {{"indices", options.outputs.indices}}},
  };
  for (const ErrorBit& bit : kErrorBits) {
    if ((result.error_word & bit.bit) != 0) json["error_bits"].push_back(bit.name);
  }
  if (!options.outputs.raw_indices.empty()) json["outputs"]["raw_indices"] = options.outputs.raw_indices;
  if (!options.outputs.values.empty()) json["outputs"]["values"] = options.outputs.values;
  if (!options.outputs.counts.empty()) json["outputs"]["counts"] = options.outputs.counts;
  if (options.check) {
    json["check"] = {
        {"ok", result.check.ok()}, {"rows", result.check.rows_checked}, {"rows_wrong", result.check.rows_wrong}};
    if (!result.check.ok()) {
      json["check"]["first_row"] = result.check.first_row;
      json["check"]["first_fault"] = result.check.first_fault;
      json["outputs"] = nlohmann::ordered_json::object();  // a result known to be wrong is not written
    }
  }
  // A path need not be UTF-8; what is not becomes U+FFFD.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace

int run_select(const SelectOptions& options) {
  const SelectInputs inputs = open_inputs(options.inputs);
  SelectProblem problem = make_problem(options, inputs);
  SelectOutputs files(options.outputs, named_inputs(options.inputs), problem);
  // Slots past the width are padding in every row: the writer adds them, so that a huge k costs no memory.
  problem.k = std::min(problem.k, std::max<std::int64_t>(problem.width, 1));

  const Result result = Job(options, inputs, problem).run(files);
  const bool good = !options.check || result.check.ok();
  if (good) files.finish();
  // The last step that can fail for lack of space is over; only then is success announced, and only where the
  // announcement arrived are the files put in place.
  write_stdout(options.json ? json_summary(options, inputs, result) : text_summary(options, inputs, result));
  for (const ErrorBit& bit : kErrorBits) {
    if ((result.error_word & bit.bit) != 0) {
      print_warning(fmt::format("error word 0x{:x}: {}", bit.bit, bit.meaning));
    }
  }
  if (!good) {
    print_error(fmt::format("check: {} of {} rows differ from the reference; first row {}, {}; nothing was written",
                            result.check.rows_wrong, result.check.rows_checked, result.check.first_row,
                            result.check.first_fault));
    return kExitFault;
  }
  files.commit();
  return kExitOk;
}

}  // namespace keysieve::cli
