#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>

#include "cli/commands.hpp"
#include "cli/parser.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "lab/solve/solver_bench.hpp"

namespace nz::cli {
namespace {

struct Options {
  std::vector<std::string> methods;
  std::string scale = "full";
  std::string kernel;
  int samples = 5;
  int iterations = 100;
};

int run(const Session& session, const Options& o) {
  lab::SolverBench what{.device = session.where(),
                        .small = o.scale == "small",
                        .kernel = o.kernel,
                        .only = o.methods,
                        .samples = o.samples,
                        .iterations = o.iterations};
  lab::GrowingFile file = session.growing();
  bool kept = true;  // until a disk is full; the end tells it again
  const auto record = lab::run_solver_bench(what, [&](const nlohmann::ordered_json& so_far) {
    const auto& last = so_far["results"].back();
    status("{} on {}: {}", last["method"].get<std::string>(), last["matrix"].get<std::string>(),
           last["status"].get<std::string>());
    try {
      file.write(json_text(so_far));
    } catch (const Error& e) {
      if (std::exchange(kept, false)) complain("note: no record for now: {}", e.what());
    }
  });
  session.print(lab::solver_table(record));
  if (session.json == "-")
    session.write(record);
  else
    file.finish(json_text(record));
  for (const auto& r : record["results"])
    if (r["status"] != "ok") return check_failed;
  return ok;
}

}  // namespace

void add_bench_solve(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  parser.add("bench-solve", "Time the iterations of solvers, on a GPU against cuSPARSE and cuBLAS")
      .option("--method", "NAME", o->methods,
              "cg, bicg or pagerank; may be repeated (default: all)")
      .choice("--scale", "S", o->scale, {"full", "small"},
              "full (default), or small matrices to see that all works")
      .option("--kernel", "ID", o->kernel, "A kernel of 'nonzero list' (default: the plan chooses)")
      .number("--samples", "N", o->samples, 1, 100, "Samples of each (default 5)")
      .number("--iterations", "N", o->iterations, 100, 1000,
              "Iterations of a sample, of which the second half is timed (default 100)")
      .device()
      .json()
      .threads()
      .notes(
          "Examples:\n"
          "  nonzero bench-solve --device cuda:0 --json solve.json\n"
          "  nonzero bench-solve --scale small --device emu")
      .runs([&session, o] { return run(session, *o); });
}

}  // namespace nz::cli
