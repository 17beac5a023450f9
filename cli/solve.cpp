#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/solve.hpp>

#include "cli/commands.hpp"
#include "cli/parser.hpp"
#include "cli/preconditioning.hpp"
#include "cli/session.hpp"
#include "cli/solving.hpp"
#include "cli/vector_file.hpp"
#include "lab/report/text.hpp"
#include "lab/solve/choose_method.hpp"

namespace nz::cli {
namespace {

struct Options {
  std::string matrix, method, rhs = "ones", preconditioner = "none", kernel;  // method "": chosen
  std::string type = "f64";
  int restart = 30;
  IterationOptions iteration{.tolerance = 1e-8};
};

template <Value T>
const solve::Method<T>& method_named(const std::string& name) {
  std::string all;
  for (const solve::Method<T>& m : solve::methods<T>()) {
    if (m.name == name) return m;
    all += (all.empty() ? "" : ", ") + std::string(m.name);
  }
  throw InvalidArgument(fmt::format("no method '{}'; there are {}", name, all));
}

// As many as CG needs in exact arithmetic and again as many, within reason.
int usual_limit(index_t unknowns) {
  constexpr std::int64_t least = 1000, most = 20'000;
  return static_cast<int>(std::clamp(2 * static_cast<std::int64_t>(unknowns), least, most));
}

lab::MethodChoice method_of(const Options& o, const CsrView<double, std::int64_t>& a,
                            const lab::SystemTraits& traits, const std::string& preconditioner) {
  lab::MethodChoice choice{o.method, ""};
  if (o.method.empty()) choice = lab::choose_method(traits, preconditioner);
  if (choice.method == "cg" && preconditioner == "spai1")
    throw InvalidArgument(
        "cg needs a symmetric preconditioner, which spai1 is not: --method bicgstab, or fsai");
  // Before a plan is made.
  if (a.rows != a.cols && choice.method != "lsqr")
    throw InvalidArgument(
        fmt::format("{} needs a square matrix, {} is {} x {}: --method lsqr takes any shape",
                    choice.method, o.matrix, a.rows, a.cols));
  if (choice.method == "lsqr" && o.preconditioner != "none")
    throw InvalidArgument(fmt::format("lsqr takes no preconditioner{}",
                                      o.method.empty() ? ", and " + choice.why : std::string()));
  return choice;
}

// After a solver that found b - A x larger than its own residual, and no way to make it smaller.
template <Value T>
std::string advice_where_stagnated(const std::string& method, bool square) {
  if (std::same_as<T, float>) return "--type f64: f32 may get no nearer";
  const bool other = square && method != "gmres";
  return fmt::format("{}a larger --tolerance: f64 may get no nearer",
                     other ? "--method gmres, or " : "");
}

template <Value T>
int run(const Session& session, Options o) {
  check_options(session, o.iteration,
                {{"MATRIX", file_of_matrix(o.matrix)}, {"--rhs", o.rhs == "ones" ? "" : o.rhs}});
  if (!o.method.empty()) method_named<T>(o.method);
  if (!o.kernel.empty()) find_kernel(o.kernel);
  const Device device = session.where();
  const PreconditionerChoice wanted = parse_preconditioner(o.preconditioner, device);
  lab::Source source = session.load(o.matrix);
  nlohmann::ordered_json record = describe(source);
  const lab::SystemTraits traits = lab::system_traits(source.matrix.view());
  const lab::MethodChoice choice = method_of(o, source.matrix.view(), traits, wanted.kind);
  const bool negated = choice.method == "cg" && traits.symmetric && traits.negative_diagonal;
  if (negated)  // as definite as A, and what CG takes
    for (double& v : source.matrix.values) v = -v;
  const solve::Method<T>& method = method_named<T>(choice.method);
  const Csr<T, std::int64_t> a = [&] {
    if constexpr (std::same_as<T, double>)
      return std::move(source.matrix);
    else
      return csr_cast<T, std::int64_t>(source.matrix.view());
  }();
  Array<T> b = o.rhs == "ones" ? Array<T>(static_cast<std::size_t>(a.rows), T(1))
                               : vector_of_length<T>(o.rhs, a.rows, "rhs");
  if (negated)
    for (T& v : b) v = -v;
  Array<T> x = o.iteration.x0.empty() ? Array<T>(static_cast<std::size_t>(a.cols), T(0))
                                      : vector_of_length<T>(o.iteration.x0, a.cols, "x0");
  const Plan<T> p = plan(
      a.view(),
      {.kernel = o.kernel, .device = device, .op = method.transposes ? both_ops : Use(Op::none)});
  const auto begun = std::chrono::steady_clock::now();
  const solve::Preconditioner<T> near_inverse = make_preconditioner<T>(wanted, p, a.view(), traits);
  const double made_in =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  solve::Options<T> options{.tolerance = o.iteration.tolerance,
                            .max_iterations = o.iteration.max_iterations < 0
                                                  ? usual_limit(a.cols)
                                                  : o.iteration.max_iterations,
                            .preconditioner = near_inverse,
                            .check_every = o.iteration.check_every,
                            .restart = o.restart};
  std::string about =
      fmt::format("{:<9} {} ({} x {}, {})\n", "matrix", lab::label(source), lab::count_text(a.rows),
                  lab::count_text(a.cols), lab::plural(a.nnz(), "nonzero", "nonzeros"));
  about += fmt::format("{:<9} {}, {}\n", "method", method.name, method.summary);
  if (!choice.why.empty())
    about += fmt::format("{:<9} {}\n", "", choice.why);
  else if (negated)
    about += fmt::format("{:<9} of -A x = -b: the diagonal is below 0\n", "");
  about += fmt::format("{:<9} {} on {}\n", "kernel", p.kernel().id(), p.device().name());
  if (near_inverse)
    about += fmt::format("{:<9} {}, made in {}\n", "precond.", o.preconditioner,
                         lab::seconds_text(made_in));
  session.print(about, writes_files(o.iteration));
  const Iterated done = [&] {
    Watched<T> watched(choice.method, o.iteration, device, x);
    options.callback = watched.callback();
    return watched.finish(method.solve(p, b, watched.x(), options));
  }();
  const solve::Result& r = done.result;
  record["method"] = choice.method;
  record["why_method"] = choice.why;
  record["negated"] = negated;
  record["preconditioner"] = o.preconditioner;
  record["preconditioner_seconds"] = near_inverse ? made_in : 0.0;
  record["type"] = o.type;
  record["kernel"] = p.kernel().id();
  record["device"] = p.device().name();
  record["tolerance"] = o.iteration.tolerance;
  record["max_iterations"] = options.max_iterations;
  Told told{.title = fmt::format("{} on {}", choice.method, title_of(source)),
            .lines = "",
            .advice = lab::advice_after(r, choice.method, wanted.kind, traits)};
  if (r.reason != solve::Stop::not_symmetric) {
    // Solvers compute it too before they end, by the plan's products, in their own precision.
    const bool stagnated = r.reason == solve::Stop::stagnated;
    const double truth =
        solve::true_residual(a.view(), std::span<const T>(b), std::span<const T>(x));
    record["true_residual"] = truth;
    told.lines = fmt::format("{:<9} |b - A x| / |b| = {:.3g}{}\n", "truth", truth,
                             stagnated ? ": x is not what the iteration takes it for" : "");
    if (stagnated && told.advice.empty())
      told.advice = advice_where_stagnated<T>(choice.method, traits.square);
  }
  return conclude<T>(session, o.iteration, told, done, x, record);
}

}  // namespace

void add_solve(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  std::string help;
  for (const auto& m : solve::methods<double>())
    help += fmt::format("{}{}", help.empty() ? "" : ", ", m.name);
  help += " (default: by the matrix)";
  Command c = parser.add("solve", "Solve A x = b by iteration");
  c.needs("MATRIX", o->matrix, "A file, gen:SPEC or like:NAME")
      .option("--method", "M", o->method, help.c_str())
      .option("--rhs", "B", o->rhs,
              "The right side b: a file (.mtx array or .npy), - for stdin, or ones\n(default)")
      .option("--preconditioner", "P", o->preconditioner, preconditioner_names())
      .number("--restart", "N", o->restart, 1, 100, "Vectors that GMRES keeps (default 30)")
      .choice("--type", "T", o->type, {"f32", "f64"}, "Compute in f32 or f64 (default)")
      .option("--kernel", "ID", o->kernel,
              "A kernel of 'nonzero list' (default: the plan chooses)");
  add_iteration_options(c, o->iteration, "Of |b - A x| / |b| (default 1e-8)",
                        "Give up after N iterations (default 1000, for large matrices twice\n"
                        "the unknowns, at most 20000)",
                        "Write x to FILE (.mtx or .npy), or to stdout (-), as .mtx")
      .device()
      .json()
      .memory_limit()
      .threads()
      .notes(
          "Without --method: cg where the matrix is symmetric with a positive diagonal, or a\n"
          "negative one (-A x = -b is solved then), gmres where it is neither, bicgstab where\n"
          "the matrix is square, lsqr where it is not. Ctrl-C stops the iteration and writes\n"
          "what there is; --x0 goes on from it.\n\n"
          "Examples:\n"
          "  nonzero solve A.mtx --method cg --rhs ones -o x.mtx\n"
          "  nonzero solve gen:grid:nx=50,ny=50 --preconditioner jacobi --plot cg.svg\n"
          "  nonzero solve gen:grid:nx=50,ny=50 --preconditioner fsai:2\n"
          "  nonzero solve gen:fem --checkpoint x.npy --every 5m\n"
          "  nonzero solve gen:fem --x0 x.npy --method gmres --restart 50 --history r.csv\n"
          "docs/solvers.md says which method suits which matrix.")
      .runs([&session, o] {
        session.stdout_has_data = puts_data_on_stdout(o->iteration);
        return o->type == "f32" ? run<float>(session, *o) : run<double>(session, *o);
      });
}

}  // namespace nz::cli
