#include <algorithm>
#include <charconv>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/solve.hpp>

#include "cli/commands.hpp"
#include "cli/parser.hpp"
#include "cli/session.hpp"
#include "cli/solving.hpp"
#include "cli/vector_file.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {
namespace {

struct Options {
  std::string matrix, method = "cg", rhs = "ones", start, preconditioner = "none", kernel;
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

// "none", "jacobi" or "block:N".
template <Value T>
solve::Preconditioner<T> preconditioner(const std::string& name, const CsrView<T, std::int64_t>& a,
                                        Device device) {
  if (name == "none") return {};
  if (name == "jacobi") return solve::jacobi(a, device);
  int block = 0;
  const char* end = name.data() + name.size();
  if (!name.starts_with("block:") || std::from_chars(name.data() + 6, end, block).ptr != end ||
      block < 1)
    throw InvalidArgument(
        fmt::format("no preconditioner '{}'; there are none, jacobi and block:N", name));
  return solve::block_jacobi(a, block, device);
}

template <Value T>
int run(const Session& session, const Options& o) {
  check_outputs(o.iteration);
  const solve::Method<T>& method = method_named<T>(o.method);
  const Device device = session.where();
  lab::Source source = session.load(o.matrix);
  nlohmann::ordered_json record = describe(source);
  const Csr<T, std::int64_t> a = [&] {
    if constexpr (std::same_as<T, double>)
      return std::move(source.matrix);
    else
      return csr_cast<T, std::int64_t>(source.matrix.view());
  }();
  const Array<T> b = o.rhs == "ones" ? Array<T>(static_cast<std::size_t>(a.rows), T(1))
                                     : vector_of_length<T>(o.rhs, a.rows, "rhs");
  Array<T> x = o.start.empty() ? Array<T>(static_cast<std::size_t>(a.cols), T(0))
                               : vector_of_length<T>(o.start, a.cols, "start");
  const Plan<T> p = plan(
      a.view(),
      {.kernel = o.kernel, .device = device, .op = method.transposes ? both_ops : Use(Op::none)});
  solve::Options<T> options{.tolerance = o.iteration.tolerance,
                            .max_iterations = o.iteration.max_iterations,
                            .preconditioner = preconditioner<T>(o.preconditioner, a.view(), device),
                            .check_every = o.iteration.check_every,
                            .restart = o.restart};
  session.say("{:<9} {} ({} x {}, {} nonzeros)\n", "matrix", lab::label(source),
              lab::count_text(a.rows), lab::count_text(a.cols), lab::count_text(a.nnz()));
  session.say("{:<9} {}, {}\n", "method", method.name, method.summary);
  session.say("{:<9} {} on {}\n", "kernel", p.kernel().id(), p.device().name());
  const solve::Result r = [&] {
    ResidualLine line(o.method);
    options.callback = line.callback();
    return method.solve(p, b, x, options);
  }();
  record["method"] = o.method;
  record["preconditioner"] = o.preconditioner;
  record["type"] = o.type;
  record["kernel"] = p.kernel().id();
  record["device"] = p.device().name();
  record["tolerance"] = o.iteration.tolerance;
  if (r.reason != solve::Stop::not_symmetric) {
    const double truth =
        solve::true_residual(a.view(), std::span<const T>(b), std::span<const T>(x));
    session.say("{:<9} |b - A x| / |b| = {:.3g}\n", "truth", truth);
    record["true_residual"] = truth;
  }
  return conclude<T>(session, o.iteration, fmt::format("{} on {}", o.method, lab::label(source)), r,
                     x, record);
}

}  // namespace

void add_solve(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  std::string help;
  for (const auto& m : solve::methods<double>())
    help += fmt::format("{}{}{}", help.empty() ? "" : ", ", m.name,
                        m.name == o->method ? " (default)" : "");
  Command c = parser.add("solve", "Solve A x = b by iteration");
  c.needs("MATRIX", o->matrix, "A file, gen:SPEC or like:NAME")
      .option("--method", "M", o->method, help.c_str())
      .option("--rhs", "B", o->rhs,
              "The right side b: a file (.mtx array or .npy) or ones (default)")
      .option("--start", "FILE", o->start, "The x to begin with (default: zeros)")
      .option("--preconditioner", "P", o->preconditioner, "none (default), jacobi or block:N")
      .number("--restart", "N", o->restart, 1, 100, "Vectors that GMRES keeps (default 30)")
      .choice("--type", "T", o->type, {"f32", "f64"}, "Compute in f32 or f64 (default)")
      .option("--kernel", "ID", o->kernel,
              "A kernel of 'nonzero list' (default: the plan chooses)");
  add_iteration_options(c, o->iteration, "Of |b - A x| / |b| (default 1e-8)",
                        "Write x to FILE (.mtx or .npy)")
      .device()
      .json()
      .memory_limit()
      .threads()
      .notes(
          "Examples:\n"
          "  nonzero solve A.mtx --method cg --rhs ones -o x.mtx\n"
          "  nonzero solve gen:grid:nx=50,ny=50 --preconditioner jacobi --plot convergence.svg\n"
          "  nonzero solve like:cant --method gmres --restart 50 --history residuals.csv\n"
          "docs/solvers.md says which method suits which matrix.")
      .runs([&session, o] {
        return o->type == "f32" ? run<float>(session, *o) : run<double>(session, *o);
      });
}

}  // namespace nz::cli
