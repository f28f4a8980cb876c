// keysieve tune: measures where one route takes over from another and writes what the library reads when it prepares
// the device. With --from the times are those of a file and no GPU is needed.
#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/command.hpp"
#include "cli/console.hpp"
#include "cli/option_names.hpp"
#include "io/atomic_file.hpp"
#include "keysieve/select.hpp"
#include "tune/device_meter.hpp"
#include "tune/report.hpp"
#include "tune/result_file.hpp"
#include "tune/sampler.hpp"

namespace keysieve::cli {
namespace {

constexpr std::int64_t kMaxSeconds = 3600;
constexpr std::int64_t kDefaultSeconds = 100;  // fitting and starting up fit into the rest of two minutes

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

class TuneCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    app.add_option("-o,--output", output_, "Tuning file to write (where the library looks for it)")->type_name("FILE");
    app.add_option("--device", device_, "Number of the GPU (0)")->type_name("N");
    app.add_option("--seconds", seconds_, "Time to measure for, 1 to 3600 (100)")->type_name("S");
    app.add_flag("--dry-run", dry_run_, "Measure and report, write nothing");
    app.add_flag("--json", json_, "Print a JSON object with every time instead of text");
    app.add_option("--from", from_, "Take the times of a result of keysieve bench or tune instead of measuring")
        ->type_name("FILE");
    app.add_option("--emit-table", table_, "With --from: print the entry of the compiled-in table under that name")
        ->type_name("NAME");
  }

  int run() override {
    check();
    return from_.empty() ? measure() : refit();
  }

 private:
  void check() {
    if (from_.empty()) {
      if (!table_.empty()) throw UsageError("--emit-table: expected --from FILE beside it, found none");
      budget_.seconds = static_cast<double>(seconds_.empty() ? kDefaultSeconds
                                                             : parse_integer("--seconds", seconds_, 1, kMaxSeconds));
      ordinal_ = device_.empty() ? 0 : static_cast<std::int32_t>(parse_integer("--device", device_, 0, 63));
      return;
    }
    if (!device_.empty()) throw UsageError("--device: expected none with --from, found '" + device_ + "'");
    if (!seconds_.empty()) throw UsageError("--seconds: expected none with --from, found '" + seconds_ + "'");
    if (!table_.empty() && (json_ || !output_.empty())) {
      throw UsageError("--emit-table: expected neither --json nor -o beside it");
    }
  }

  int refit() {
    result_ = tune::read_result(from_);
    // A table does not depend on the one that it replaces.
    if (!table_.empty()) result_.profile.tuning = {};
    const std::vector<tune::Point> points = comparable_points();
    if (std::none_of(points.begin(), points.end(), [](const tune::Point& p) { return p.candidates.size() > 1; })) {
      throw UsageError(from_ + ": cells: expected shapes with at least two routes or splits, found none");
    }
    const tune::Fit fit = tune::fit_tuning(points, result_.profile);
    if (!table_.empty()) {
      write_stdout(tune::table_entry(result_, fit.tuning, table_));
      return kExitOk;
    }
    std::optional<io::AtomicFile> file;
    if (!output_.empty() && !dry_run_) file.emplace(output_);
    return finish(points, fit, tune::Summary{}, file);
  }

  int measure() {
    const std::string system = detail::read_text(
        [](char* buffer, std::size_t size, std::size_t* needed) { return keysieve_system_json(buffer, size, needed); });
    result_ = tune::result_of_device(system, ordinal_);
    result_.date = now_text();
    std::optional<io::AtomicFile> file;
    if (!dry_run_) file.emplace(make_output_folder());

    const auto start = std::chrono::steady_clock::now();
    const tune::Seconds clock = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    tune::Summary summary;
    try {
      const std::unique_ptr<tune::DeviceMeter> meter = tune::DeviceMeter::open(ordinal_, result_.key.num_sms);
      budget_.num_sms = result_.key.num_sms;
      budget_.max_score_bytes = meter->max_score_bytes();
      meter->measure({result_.key.num_sms, 65536, 2048});  // brings the clocks up; the times do not count
      tune::Sample sample = tune::sample_crossovers(
          budget_, [&](const tune::Shape& shape) { return meter->measure(shape); }, clock);
      result_.measured = std::move(sample.measured);
      summary.complete = sample.coarse_done;
    } catch (const tune::ResultsDiffer& error) {
      print_error(std::string("results differ: ") + error.what());
      return kExitFault;
    }
    summary.seconds = clock();
    const std::vector<tune::Point> points = comparable_points();
    if (points.empty()) throw UsageError("--seconds: expected time for one shape at least, found '" + seconds_ + "'");
    return finish(points, tune::fit_tuning(points, result_.profile), summary, file);
  }

  std::vector<tune::Point> comparable_points() const {
    return tune::comparable_points(tune::points_of(result_.measured), result_.profile);
  }

  // Where the library will look, unless -o says otherwise. Only that folder is made: a mistyped -o is an error.
  std::string make_output_folder() {
    if (!output_.empty()) return output_;
    output_ = tuning_path(result_.key, read_tuning_environment());
    if (output_.empty()) {
      throw UsageError("-o: expected a file: neither KEYSIEVE_TUNING_FILE, XDG_CACHE_HOME nor HOME names a place");
    }
    std::error_code ignored;  // AtomicFile says what is wrong with the folder
    std::filesystem::create_directories(std::filesystem::path(output_).parent_path(), ignored);
    return output_;
  }

  int finish(std::span<const tune::Point> points, const tune::Fit& fit, tune::Summary summary,
             std::optional<io::AtomicFile>& file) {
    summary.points = points.size();
    for (const tune::Point& point : points) summary.candidates += point.candidates.size();
    if (file) {
      const std::string text = dump(tune::tuning_json(result_, fit, summary, /*cells=*/false));
      file->write(std::as_bytes(std::span(text)));
      file->commit();
    }
    if (json_) {
      write_stdout(dump(tune::tuning_json(result_, fit, summary, /*cells=*/true)));
      return kExitOk;
    }
    std::string text = tune::describe_fit(result_, points, fit, summary);
    text += file ? "written: " + file->path() + "\n" : "nothing written\n";
    write_stdout(text);
    return kExitOk;
  }

  static std::string dump(const nlohmann::ordered_json& json) {
    return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
  }

  std::string output_, device_, seconds_, from_, table_;
  bool dry_run_ = false;
  bool json_ = false;
  std::int32_t ordinal_ = 0;
  tune::Budget budget_;
  tune::Result result_;
};

}  // namespace

std::unique_ptr<Command> make_tune_command() { return std::make_unique<TuneCommand>(); }

}  // namespace keysieve::cli
