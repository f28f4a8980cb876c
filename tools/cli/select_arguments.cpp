#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "cli/problem_arguments.hpp"
#include "cli/select_command.hpp"

namespace keysieve::cli {
namespace {

class SelectCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
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
    app.add_flag("--json", options.json, "Print a JSON object instead of a line");
  }

  int run() override { return run_select(parse()); }

 private:
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

  SelectOptions options;
  ProblemTexts problem;
  std::string mode, page_size, num_pages = "auto", device;
};

}  // namespace

std::unique_ptr<Command> make_select_command() { return std::make_unique<SelectCommand>(); }

}  // namespace keysieve::cli
