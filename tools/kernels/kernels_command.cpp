// keysieve kernels: times the kernels around selection against byte floors of the same run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "bench/options.hpp"
#include "cli/command.hpp"
#include "cli/console.hpp"
#include "cli/option_names.hpp"
#include "io/atomic_file.hpp"
#include "kernels/measure.hpp"

namespace keysieve::cli {
namespace {

class KernelsCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    app.add_option("--kernels", names_, "Only these")->type_name("LIST")->delimiter(',');
    app.add_flag("--list", list_, "Print what would be timed and end");
    app.add_option("--samples", samples_, "Timed samples a number, 20 or more")->type_name("N")->capture_default_str();
    app.add_option("--revision", revision_, "Revision of the build, for the report (the build's own)")
        ->type_name("TEXT");
    app.add_option("-o,--out", output_, "The report, JSON (stdout)")->type_name("FILE");
  }

  int run() override {
    if (samples_ < 20) throw_usage("--samples", "20 or more", std::to_string(samples_));
    if (list_) {
      write_stdout(kernel_bench::list(names_));
      return kExitOk;
    }
    bench::Options options;
    options.revision = revision_;
    kernel_bench::Measured measured = kernel_bench::measure(names_, samples_, options);
    nlohmann::ordered_json report{{"schema", "keysieve.kernels/1"},
                                  {"fingerprint", measured.fingerprint},
                                  {"samples", samples_},
                                  {"launch_us", measured.launch_us},
                                  {"cells", measured.cells},
                                  {"failed", measured.failed}};
    const std::string text = report.dump(1) + "\n";
    if (output_.empty()) {
      write_stdout(text);
    } else {
      io::AtomicFile file(output_);
      file.write(std::as_bytes(std::span(text)));
      file.commit();
    }
    return measured.failed.empty() ? kExitOk : kExitFault;
  }

 private:
  std::vector<std::string> names_;
  bool list_ = false;
  int samples_ = 21;
  std::string revision_;
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> make_kernels_command() { return std::make_unique<KernelsCommand>(); }

}  // namespace keysieve::cli
