// CPU selection against the read floor of the same thread, in one run, on the data that matters: N(0,1), and the
// kinds of rows that hurt other selectors. Prints JSON. Every result is checked against the reference before it
// is timed.
//
//   keysieve_cpu_bench [--rows N] [--width N] [-k N] [--threads N] [--samples N]
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "keysieve/select.hpp"
#include "read_floor.hpp"

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::int64_t rows = 64;
  std::int64_t width = 131072;
  std::int64_t k = 2048;
  int threads = 1;
  int samples = 21;
};

Options parse(int argc, char** argv) {
  Options options;
  const std::map<std::string, std::function<void(std::int64_t)>> setters = {
      {"--rows", [&](std::int64_t v) { options.rows = v; }},
      {"--width", [&](std::int64_t v) { options.width = v; }},
      {"-k", [&](std::int64_t v) { options.k = v; }},
      {"--threads", [&](std::int64_t v) { options.threads = static_cast<int>(v); }},
      {"--samples", [&](std::int64_t v) { options.samples = static_cast<int>(v); }},
  };
  for (int i = 1; i < argc; i += 2) {
    const auto setter = setters.find(argv[i]);
    if (setter == setters.end() || i + 1 == argc) {
      std::fprintf(stderr, "usage: keysieve_cpu_bench [--rows N] [--width N] [-k N] [--threads N] [--samples N]\n");
      std::exit(2);
    }
    setter->second(std::atoll(argv[i + 1]));
  }
  return options;
}

using Generator = std::function<float(std::int64_t row, std::int64_t column, std::mt19937& random)>;

std::vector<std::pair<std::string, Generator>> patterns(std::int64_t width) {
  const auto normal = [](std::mt19937& random) { return std::normal_distribution<float>()(random); };
  return {
      {"normal", [=](auto, auto, std::mt19937& random) { return normal(random); }},
      {"constant", [](auto, auto, auto&) { return 0.5f; }},
      {"ascending", [](auto, std::int64_t column, auto&) { return static_cast<float>(column); }},
      {"descending", [=](auto, std::int64_t column, auto&) { return static_cast<float>(width - column); }},
      // A tenth of the scores are positive, the rest exactly 0.
      {"relu_plateau", [=](auto, auto, std::mt19937& random) { return std::max(0.0f, normal(random) - 1.28f); }},
      // Fewer positives than k: the boundary lies inside the plateau.
      {"relu_deep_plateau", [=](auto, auto, std::mt19937& random) { return std::max(0.0f, normal(random) - 2.6f); }},
      {"narrow", [=](auto, auto, std::mt19937& random) { return 1.0f + 1e-5f * normal(random); }},
  };
}

struct Timing {
  double median_us;
  double low_us;   // 10 % quantile
  double high_us;  // 90 % quantile
};

Timing summarise(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto quantile = [&](double q) {
    return times[static_cast<std::size_t>(q * static_cast<double>(times.size() - 1) + 0.5)];
  };
  return {quantile(0.5), quantile(0.1), quantile(0.9)};
}

// The floor, the selection and the floor again, by turns: a machine that slows down for a while slows all three.
// The second floor is the noise check.
template <typename Floor, typename Select>
std::array<Timing, 3> measure(int samples, Floor&& floor, Select&& select) {
  std::array<std::vector<double>, 3> times;
  const auto timed = [](auto&& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  };
  floor();
  select();
  for (int i = 0; i < samples; ++i) {
    times[0].push_back(timed(floor));
    times[1].push_back(timed(select));
    times[2].push_back(timed(floor));
  }
  return {summarise(times[0]), summarise(times[1]), summarise(times[2])};
}

Json to_json(const Timing& timing, double bytes) {
  return {{"median_us", timing.median_us},
          {"p10_us", timing.low_us},
          {"p90_us", timing.high_us},
          {"gb_per_s", bytes / timing.median_us * 1e-3}};
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  const auto num_scores = static_cast<std::size_t>(options.rows * options.width);
  const auto num_slots = static_cast<std::size_t>(options.rows * options.k);
  const double bytes = static_cast<double>(num_scores) * 4.0;

  keysieve::SelectProblem problem;
  problem.rows = options.rows;
  problem.width = options.width;
  problem.k = options.k;
  problem.threads = options.threads;
  problem.backend = keysieve::Backend::kCpu;
  const keysieve::SelectPlan plan = keysieve::make_plan(problem);
  std::vector<std::byte> workspace(static_cast<std::size_t>(plan.workspace_bytes));

  std::vector<float> scores(num_scores);
  std::vector<std::int32_t> indices(num_slots), expected(num_slots);
  keysieve::SelectArgs args;
  args.scores = scores.data();
  args.indices = indices.data();
  args.workspace = workspace.data();
  args.workspace_bytes = plan.workspace_bytes;

  Json report = {{"schema", "keysieve.cpu_bench/1"},
                 {"build", keysieve_build_info()},
                 {"rows", options.rows},
                 {"width", options.width},
                 {"k", options.k},
                 {"threads", plan.threads},
                 {"samples", options.samples},
                 {"plan", Json::parse(keysieve::to_json(plan))},
                 {"patterns", Json::object()}};
  bool all_right = true;
  double normal_us = 0.0;
  for (const auto& [name, generate] : patterns(options.width)) {
    std::mt19937 random(20261129);
    for (std::size_t i = 0; i < num_scores; ++i) {
      const auto at = static_cast<std::int64_t>(i);
      scores[i] = generate(at / options.width, at % options.width, random);
    }
    problem.backend = keysieve::Backend::kReference;
    keysieve::SelectArgs reference_args = args;
    reference_args.indices = expected.data();
    keysieve::run(keysieve::make_plan(problem), reference_args);
    keysieve::run(plan, args);
    const bool right = indices == expected;
    all_right = all_right && right;

    const std::span<const std::uint32_t> words(reinterpret_cast<const std::uint32_t*>(scores.data()), num_scores);
    std::uint32_t sink = 0;
    const auto [floor, select, floor_again] = measure(
        options.samples, [&] { sink ^= keysieve::bench::read_once(words); }, [&] { keysieve::run(plan, args); });
    if (name == "normal") normal_us = select.median_us;
    report["patterns"][name] = {{"right", right},
                                {"select", to_json(select, bytes)},
                                {"read_floor", to_json(floor, bytes)},
                                {"read_floor_again", to_json(floor_again, bytes)},
                                {"share_of_read_bandwidth", floor.median_us / select.median_us},
                                {"ratio_to_normal", select.median_us / normal_us},
                                {"checksum", sink}};
  }
  std::printf("%s\n", report.dump(2).c_str());
  return all_right ? 0 : 1;
}
