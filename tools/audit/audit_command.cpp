// `keysieve audit`: exit code 0 when everything that ran was right, 1 for a wrong answer, a hang or a family that ran
// nothing, 2 for a call that could not be served.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "audit/audit_arguments.hpp"
#include "audit/audit_report.hpp"
#include "audit/checker.hpp"
#include "audit/hang_guard.hpp"
#include "cli/command.hpp"
#include "cli/console.hpp"
#include "io/atomic_file.hpp"

namespace keysieve::audit {
namespace {

// A line that is rewritten on a terminal; elsewhere one now and then.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& text, double seconds) {
    constexpr double kLogSeconds = 10;
    if (quiet_) return;
    if (terminal_) {
      std::fprintf(stderr, "\r\x1b[K%s", text.c_str());
      visible_ = true;
    } else if (seconds - last_seconds_ >= kLogSeconds) {
      std::fprintf(stderr, "%s\n", text.c_str());
      last_seconds_ = seconds;
    }
  }
  void clear() {
    if (visible_) std::fputs("\r\x1b[K", stderr);
    visible_ = false;
  }

 private:
  bool quiet_, terminal_, visible_ = false;
  double last_seconds_ = 0;
};

std::string command_line() {
  std::string text;
  std::FILE* const file = std::fopen("/proc/self/cmdline", "rb");
  if (file == nullptr) return text;
  std::string word;
  const auto add = [&] {
    const bool plain =
        word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=,:") ==
        std::string::npos;
    text += (text.empty() ? "" : " ") + (plain ? word : shell_quoted(word));
    word.clear();
  };
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
    if (c == 0) {
      add();
    } else {
      word += static_cast<char>(c);
    }
  }
  std::fclose(file);
  return text;
}

void write_file(io::AtomicFile& file, const std::string& text) {
  file.write(std::as_bytes(std::span(text.data(), text.size())));
  file.sync();
  file.commit();
}

class AuditCommand final : public cli::Command {
 public:
  void add_to(CLI::App& app) override { arguments_.add_to(app); }

  int run() override {
    const AuditPlan plan = arguments_.parse();
    return plan.trials.empty() ? hunt(plan) : run_trials(plan);
  }

 private:
  static int hunt(const AuditPlan& plan) {
    // Opened now: a folder that is not there is better met before the hunt.
    std::optional<io::AtomicFile> file;
    if (!plan.json.empty()) file.emplace(plan.json);
    ProgressLine line(plan.quiet);
    const auto write_json = [&](const Outcome& outcome) {
      if (!file) return;
      const auto json = to_json(plan.request, outcome, command_line());
      write_file(*file, json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    };
    const Outcome outcome = run_audit(
        plan.request, *plan.implementation,
        [&](const Outcome& so_far) { line.show(progress_line(plan.request, so_far), so_far.seconds); },
        [&](const Outcome& hung) {
          line.clear();
          cli::write_stdout(summary_of(plan.request, hung));
          write_json(hung);
        });
    line.clear();
    cli::write_stdout(summary_of(plan.request, outcome));
    write_json(outcome);
    return outcome.is_clean() ? cli::kExitOk : cli::kExitFault;
  }

  static int run_trials(const AuditPlan& plan) {
    if (!plan.json.empty()) cli::print_warning("--json: a --case writes no file");
    HangGuard guard(1, std::chrono::seconds(plan.request.hang_seconds), [&](const Trial& trial) {
      cli::write_stdout("WRONG on " + describe(trial.setup) + ": no answer for " +
                        std::to_string(plan.request.hang_seconds) + " s\n");
      ::_exit(cli::kExitFault);
    });
    Checker checker(*plan.implementation);
    int code = cli::kExitOk;
    bool served = false;
    for (const Trial& trial : plan.trials) {
      guard.begin(0, trial);
      const Verdict verdict = checker.check(trial);
      guard.end(0);
      const std::string where = " on " + describe(trial.setup) + ", " + name_of(trial.manner);
      if (!verdict.refusal.empty()) {
        cli::print_error("refused" + where + ": " + verdict.refusal);
        continue;
      }
      served = true;
      if (verdict.difference.empty()) {
        cli::write_stdout("right" + where + "\n");
      } else {
        code = cli::kExitFault;
        cli::write_stdout("WRONG" + where + ", case " + std::to_string(verdict.case_number) + ": " +
                          verdict.difference + "\n");
      }
    }
    return served ? code : cli::kExitBadInput;
  }

  AuditArguments arguments_;
};

}  // namespace
}  // namespace keysieve::audit

namespace keysieve::cli {

std::unique_ptr<Command> make_audit_command() { return std::make_unique<audit::AuditCommand>(); }

}  // namespace keysieve::cli
