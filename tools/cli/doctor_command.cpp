#include "cli/doctor_command.hpp"

#include <charconv>
#include <chrono>
#include <cstdlib>

#include "cli/console.hpp"
#include "cli/hang_guard.hpp"
#include "cli/option_names.hpp"
#include "cli/self_test.hpp"
#include "doctor/findings.hpp"
#include "doctor/json.hpp"
#include "doctor/text.hpp"
#include "keysieve/select.hpp"

namespace keysieve::cli {

namespace {

// A step takes well under a second; a first use of several GPUs takes some.
constexpr std::chrono::seconds kHangLimit{60};
constexpr double kMaxSelfTestSeconds = 600;

double parse_seconds(const std::string& text) {
  double seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc() || stop != end || !(seconds >= 0 && seconds <= kMaxSelfTestSeconds)) {
    throw_usage("--self-test-seconds", "a number from 0 to 600", text);
  }
  return seconds;
}

nlohmann::ordered_json read_system() {
  const std::string text = detail::read_text(
      [](char* buffer, std::size_t size, std::size_t* needed) { return keysieve_system_json(buffer, size, needed); });
  return nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
}

const char* variable(const char* name) { return std::getenv(name); }

// The order matters: processes are counted before this one uses a GPU, clocks are read and mapped libraries listed
// after it has.
doctor::Facts collect(double self_test_seconds) {
  HangGuard guard(kHangLimit);
  doctor::Facts facts;
  guard.begin("reading the GPUs' state");
  const doctor::Nvml nvml;
  const doctor::GpuSurvey before = nvml.read();
  guard.begin("the library's report of this machine");
  facts.system = read_system();
  facts.self_test =
      run_self_test(self_test_seconds, [&](const std::string& route) { guard.begin("self-test of " + route); });
  guard.begin("reading the GPUs' state again");
  facts.gpus = doctor::merge_surveys(before, nvml.read());
  guard.begin("looking for libraries");
  const char* library_path = variable("LD_LIBRARY_PATH");
  facts.libraries = doctor::collect_libraries({"", library_path != nullptr ? library_path : ""});
  facts.environment = doctor::collect_environment("", variable);
  return facts;
}

}  // namespace

int run_doctor(const DoctorOptions& options) {
  const doctor::Facts facts = collect(parse_seconds(options.self_test_seconds));
  const doctor::Findings findings = doctor::find_faults(facts);
  if (options.json) {
    const nlohmann::ordered_json json = doctor::to_json(facts, findings);
    write_stdout(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
  } else {
    write_stdout(doctor::to_text(facts, findings));
  }
  return findings.ok() ? kExitOk : kExitFault;
}

}  // namespace keysieve::cli
