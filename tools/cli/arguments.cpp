#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <limits>
#include <string_view>

#include "cli/option_names.hpp"
#include "keysieve/c_api.h"

namespace keysieve::cli {

namespace {

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();

std::int32_t parse_ordinal(std::string_view text) {
  return static_cast<std::int32_t>(parse_integer("--device", text, 0, kMaxInt32));
}

// Values as typed: they are turned into numbers and enums here and not by CLI11, so that every refusal names
// the argument, what was expected and what was found.
struct ProblemTexts {
  std::string k, order = "index", index_dtype = "int32", nan = "lowest", ties = "smallest";
  std::string backend = "auto", route = "auto", threads = "auto", split = "auto";
  bool mask_neg_inf = false;

  void add_to(CLI::App& app) {
    app.add_option("-k", k, "Slots per row, 1 or more; may exceed the columns")->required()->type_name("K");
    app.add_option("--order", order, "Order of a row's slots: index|score|any (index)")->type_name("ORDER");
    app.add_option("--index-dtype", index_dtype, "Type of the indices: int32|int64 (int32)")->type_name("TYPE");
    app.add_option("--nan", nan, "Where NaN ranks: lowest|highest (lowest)")->type_name("RANK");
    app.add_option("--ties", ties, "Which of equal scores are kept: smallest|largest|any index (smallest)")
        ->type_name("RULE");
    app.add_flag("--mask-neg-inf", mask_neg_inf, "-inf and NaN scores count as absent");
    app.add_option("--backend", backend, backend_names() + " (auto)")->type_name("NAME");
    app.add_option("--route", route, route_names() + " (auto)")->type_name("NAME");
    app.add_option("--threads", threads, "CPU threads (auto: all), or threads of a CTA on a GPU (auto)")
        ->type_name("N");
    app.add_option("--split", split, "CTAs that share a row, with --route split or wide (auto)")->type_name("N");
  }

  SelectProblem parse() const {
    SelectProblem problem;
    problem.k = parse_integer("-k", k, 1, kMaxInt32);
    problem.order = parse_order("--order", order);
    problem.index_type = parse_index_type("--index-dtype", index_dtype);
    problem.nan_policy = parse_nan("--nan", nan);
    problem.ties = parse_ties("--ties", ties);
    problem.backend = parse_backend("--backend", backend);
    problem.route = parse_route("--route", route);
    if (threads != "auto") problem.threads = static_cast<std::int32_t>(parse_integer("--threads", threads, 1, 4096));
    if (split != "auto") problem.split = static_cast<std::int32_t>(parse_integer("--split", split, 1, kMaxInt32));
    problem.mask_neg_inf = mask_neg_inf ? 1 : 0;
    return problem;
  }
};

struct SelectTexts {
  SelectOptions options;
  ProblemTexts problem;
  std::string mode, page_size, num_pages = "auto", device;

  void add_to(CLI::App& app) {
    app.add_option("SCORES", options.inputs.scores, "Scores, (rows, columns) or (columns,): .npy or .safetensors")
        ->required()
        ->type_name("");
    app.add_option("-o,--out", options.outputs.indices, "Indices or slots, (rows, k), .npy")
        ->required()
        ->type_name("FILE");
    problem.add_to(app);
    app.add_option("--device", device, "Which GPU runs it, with --backend cuda (0)")->type_name("N");
    app.add_option("--tensor", options.inputs.tensor, "Which tensor of a .safetensors file")->type_name("NAME");
    app.add_option("--lengths", options.inputs.lengths, "Live columns, (rows,) or (requests, next_n) (all)")
        ->type_name("FILE");
    app.add_option("--row-starts", options.inputs.row_starts, "First column of each row's window, (rows,) (0)")
        ->type_name("FILE");
    app.add_option("--page-table", options.inputs.page_table, "Page ids, (rows, pages) or (requests, pages)")
        ->type_name("FILE");
    app.add_option("--page-size", page_size, "Slots per page, with --page-table")->type_name("P");
    app.add_option("--num-pages", num_pages, "Page ids from here on are bad (auto: not checked)")->type_name("N");
    app.add_option("--out-offsets", options.inputs.out_offsets, "Added to a row's indices, (rows,) (its start)")
        ->type_name("FILE");
    app.add_option("--mode", mode, "raw|offset|paged|dual (paged with a page table, offset with offsets, else raw)")
        ->type_name("MODE");
    app.add_option("--raw-out", options.outputs.raw_indices, "Positions, (rows, k), .npy; mode dual")
        ->type_name("FILE");
    app.add_option("--values", options.outputs.values, "Chosen scores, (rows, k), .npy; bfloat16 as float32")
        ->type_name("FILE");
    app.add_option("--counts", options.outputs.counts, "Chosen columns of each row, (rows,), .npy")->type_name("FILE");
    app.add_flag("--check", options.check, "Compare with the reference; exit 1 and write nothing where they differ");
  }

  SelectOptions parse() {
    options.problem = problem.parse();
    const InputPaths& in = options.inputs;
    const bool table = !in.page_table.empty();
    const bool offsets = !in.out_offsets.empty();
    IndexMode& chosen = options.problem.mode;
    chosen = !mode.empty() ? parse_mode("--mode", mode)
             : table       ? IndexMode::kPaged
             : offsets     ? IndexMode::kOffset
                           : IndexMode::kRaw;
    const std::string where = std::string("mode ") + name_of(chosen);
    const bool paged = chosen == IndexMode::kPaged || chosen == IndexMode::kDual;
    require(paged == table, paged, "--page-table", where);
    require(paged == !page_size.empty(), paged, "--page-size", where);
    require(paged || num_pages == "auto", paged, "--num-pages", where);
    require(!offsets || chosen == IndexMode::kOffset, false, "--out-offsets", where);
    require((chosen == IndexMode::kDual) == !options.outputs.raw_indices.empty(), chosen == IndexMode::kDual,
            "--raw-out", where);
    if (chosen == IndexMode::kOffset && !offsets && in.row_starts.empty()) {
      throw UsageError(
          "--out-offsets: expected a file (or --row-starts, which then serve as offsets) in mode offset, "
          "found neither");
    }
    if (paged) options.inputs.page_size = parse_integer("--page-size", page_size, 1, kMaxInt32);
    const bool cuda = options.problem.backend == Backend::kCuda;
    require(cuda || device.empty(), cuda, "--device", std::string("backend ") + name_of(options.problem.backend));
    if (cuda) options.problem.device_type = DeviceType::kCuda;
    if (!device.empty()) options.problem.device_ordinal = parse_ordinal(device);
    if (num_pages != "auto") options.num_pages = parse_integer("--num-pages", num_pages, 0, kMaxInt32);
    return options;
  }

  static void require(bool good, bool needed, const char* flag, const std::string& where) {
    if (good) return;
    throw UsageError(std::string(flag) + (needed ? ": expected a value in " : ": expected none in ") + where +
                     (needed ? ", found none" : ", found one"));
  }
};

struct PlanTexts {
  PlanOptions options;
  ProblemTexts problem;
  std::string rows, width, score_dtype = "float32", mode = "raw", device;

  void add_to(CLI::App& app) {
    app.add_option("--rows", rows, "Rows of scores, 0 or more")->required()->type_name("R");
    app.add_option("--width", width, "Columns of the score buffer, 0 or more")->required()->type_name("W");
    problem.add_to(app);
    app.add_option("--dtype,--score-dtype", score_dtype, score_type_names() + " (float32)")->type_name("TYPE");
    app.add_option("--mode", mode, "raw|offset|paged|dual (raw)")->type_name("MODE");
    app.add_option("--device", device,
                   "cpu, cuda or cuda:N: of this machine; h200, a100: the plan that such a GPU would get (cuda with "
                   "--backend cuda, else cpu)")
        ->type_name("NAME");
  }

  PlanOptions parse() {
    options.problem = problem.parse();
    options.problem.rows = parse_integer("--rows", rows, 0, kMaxInt32);
    options.problem.width = parse_integer("--width", width, 0, kMaxInt32);
    options.problem.score_type = parse_score_type("--dtype", score_dtype);
    options.problem.mode = parse_mode("--mode", mode);
    if (device.empty()) device = options.problem.backend == Backend::kCuda ? "cuda" : "cpu";
    if (device == "cpu") return options;
    options.problem.device_type = DeviceType::kCuda;
    constexpr std::string_view kNumbered = "cuda:";
    if (device.starts_with(kNumbered)) {
      options.problem.device_ordinal = parse_ordinal(std::string_view(device).substr(kNumbered.size()));
    } else if (device != "cuda") {
      options.profile = device;
    }
    return options;
  }
};

// CLI11's own words do not name a command that it does not know.
void check_command_name(int argc, const char* const* argv) {
  constexpr std::string_view kExpected = "one of select, plan, doctor";
  if (argc < 2) throw UsageError("command: expected " + std::string(kExpected) + ", found none (see keysieve --help)");
  const std::string_view name = argv[1];
  if (name.starts_with('-') || name == "select" || name == "plan" || name == "doctor") return;
  throw_usage("command", kExpected, name);
}

std::string version_text() { return std::string(keysieve_build_info()) + '\n'; }

}  // namespace

Command parse_arguments(int argc, const char* const* argv) {
  CLI::App app("Exact top-k selection over ragged rows of scores, turned into cache slots.", "keysieve");
  app.require_subcommand(1);
  app.footer("Exit codes: 0 good, 1 ran and found a fault, 2 bad input or usage.");
  app.set_version_flag("--version", version_text(), "Print the version and exit");
  CLI::App* select = app.add_subcommand("select", "Select the k largest scores of every row of a file");
  CLI::App* plan = app.add_subcommand("plan", "Show how a selection of some shape would run");
  CLI::App* doctor = app.add_subcommand("doctor", "Report what this machine offers and test every route on it");
  SelectTexts select_texts;
  PlanTexts plan_texts;
  DoctorOptions doctor_options;
  select_texts.add_to(*select);
  plan_texts.add_to(*plan);
  select->add_flag("--json", select_texts.options.json, "Print a JSON object instead of a line");
  plan->add_flag("--json", plan_texts.options.json, "Print a JSON object instead of text");
  doctor->add_flag("--json", doctor_options.json, "Print a JSON object instead of text");
  for (CLI::App* each : {select, plan, doctor}) {
    each->set_version_flag("--version", version_text(), "Print the version and exit");
  }

  check_command_name(argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    for (const CLI::App* each : {select, plan, doctor}) {
      if (each->parsed()) return PrintText{each->help("keysieve")};
    }
    return PrintText{app.help()};
  } catch (const CLI::CallForVersion&) {
    return PrintText{version_text()};
  } catch (const CLI::RequiredError& error) {
    std::string message = error.what();
    constexpr std::string_view kTail = " is required";
    if (message.ends_with(kTail)) {
      message.replace(message.size() - kTail.size(), kTail.size(), ": expected a value, found none");
    }
    throw UsageError(message + " (see keysieve --help)");
  } catch (const CLI::ParseError& error) {
    throw UsageError(std::string(error.what()) + " (see keysieve --help)");
  }
  if (select->parsed()) return select_texts.parse();
  if (plan->parsed()) return plan_texts.parse();
  return doctor_options;
}

}  // namespace keysieve::cli
