#include <chrono>
#include <exception>
#include <optional>

#include <nanobind/stl/string.h>
#include <nonzero/solve.hpp>

#include "module.hpp"
#include "preconditioner.hpp"

namespace nz::python {
namespace {

// Tells a Python function of the iterations, and looks now and then whether the user has pressed
// Ctrl-C. What either throws waits until the solver has ended: solvers are not torn apart.
class Listening {
 public:
  explicit Listening(nb::object function) : function_(std::move(function)) {}

  solve::Callback callback() {
    return [this](int iteration, double residual) { return hear(iteration, residual); };
  }
  void rethrow() {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  bool hear(int iteration, double residual) {
    using Clock = std::chrono::steady_clock;
    const auto now = Clock::now();
    const bool look = now - last_look_ > std::chrono::milliseconds(100);
    if (function_.is_none() && !look) return true;
    const nb::gil_scoped_acquire held;
    try {
      if (look) {
        last_look_ = now;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
      }
      return function_.is_none() || !function_(iteration, residual).is(Py_False);
    } catch (...) {
      thrown_ = std::current_exception();
      return false;
    }
  }

  nb::object function_;
  std::chrono::steady_clock::time_point last_look_ = std::chrono::steady_clock::now();
  std::exception_ptr thrown_;
};

nb::list list_of(const std::vector<double>& numbers) {
  nb::list all;
  for (const double v : numbers) all.append(v);
  return all;
}

nb::dict to_dict(const solve::Result& r) {
  nb::dict d;
  d["ok"] = r.ok();
  d["reason"] = std::string(solve::name(r.reason));
  d["iterations"] = r.iterations;
  d["residual"] = r.residual;
  d["history"] = list_of(r.history);
  d["message"] = r.message;
  d["seconds"] = r.seconds;
  return d;
}

// A solver at work: without the GIL, apart from new values of its plan and of the one that a
// preconditioner multiplies by. What a callback threw goes on from here.
template <Value T, class Work>
auto solved(const Core<T>& c, Listening& listening, Work&& work, const Inverse<T>* inverse = {}) {
  auto result = [&] {
    nb::gil_scoped_release free;
    const std::shared_lock lock(c.in_use);
    std::shared_lock<std::shared_mutex> other;
    if (inverse && inverse->by && inverse->by != &c) other = std::shared_lock(inverse->by->in_use);
    return work();
  }();
  listening.rethrow();
  return result;
}

template <Value T>
using Solver = solve::Result (*)(const Plan<T>&, std::span<const T>, std::span<T>,
                                 const solve::Options<T>&);

template <Value T>
Solver<T> solver_named(const std::string& name) {
  if constexpr (ComplexValue<T>) {
    if (name == "cg") return &solve::cg<T>;
    if (name == "bicgstab") return &solve::bicgstab<T>;
    if (name == "gmres") return &solve::gmres<T>;
  } else {
    for (const solve::Method<T>& method : solve::methods<T>())
      if (method.name == name) return method.solve;
  }
  throw nb::value_error(("no solver is called '" + name + "'").c_str());
}

// What the options of all methods share: when they end, and who is told.
template <class O>
O options_of(Listening& listening, double tolerance, int max_iterations) {
  O options;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  options.callback = listening.callback();
  return options;
}

// What solvers and LOBPCG share beyond that.
template <class O, Value T>
void set_checked(O& options, const Inverse<T>* preconditioner, bool check_symmetry) {
  if (preconditioner) options.preconditioner = preconditioner->of;
  options.check_symmetry = check_symmetry;
}

template <Value T>
nb::dict run(const Core<T>& c, const std::string& name, nb::handle b, nb::handle x,
             double tolerance, int max_iterations, const Inverse<T>* preconditioner,
             nb::object callback, int check_every, int restart, bool check_symmetry,
             std::uintptr_t stream) {
  const Device device = c.plan.device();
  const Seen right(b, "b"), unknown(x, "x");
  const auto from = input<T>(right, "b", c.plan.rows(), device);
  const auto to = output<T>(unknown, "x", c.plan.cols(), device);
  Listening listening(std::move(callback));
  auto options = options_of<solve::Options<T>>(listening, tolerance, max_iterations);
  set_checked(options, preconditioner, check_symmetry);
  options.check_every = check_every;
  options.restart = restart;
  options.stream = stream_of(device, stream);
  const auto solve = solver_named<T>(name);
  return to_dict(solved(
      c, listening, [&] { return solve(c.plan, from, to, options); }, preconditioner));
}

// Those of PageRank and of Markov chains.
template <class O>
O power_options_of(Listening& listening, double tolerance, int max_iterations, int check_every,
                   bool transposed) {
  auto options = options_of<O>(listening, tolerance, max_iterations);
  options.check_every = check_every;
  options.transposed = transposed;
  return options;
}

template <Value T>
nb::dict pagerank(const Core<T>& c, nb::handle x, double damping, nb::object personalisation,
                  double tolerance, int max_iterations, nb::object callback, int check_every,
                  bool transposed) {
  const Seen ranks(x, "out");
  const auto to = output<T>(ranks, "out", c.plan.rows(), c.plan.device());
  std::optional<Seen> start;
  Listening listening(std::move(callback));
  auto options = power_options_of<solve::PageRankOptions<T>>(listening, tolerance, max_iterations,
                                                             check_every, transposed);
  options.damping = damping;
  if (!personalisation.is_none()) {
    start.emplace(personalisation, "personalisation");
    options.personalisation = input<T>(*start, "personalisation", c.plan.rows(), cpu_device);
  }
  return to_dict(solved(c, listening, [&] { return solve::pagerank(c.plan, to, options); }));
}

template <Value T>
nb::dict stationary(const Core<T>& c, nb::handle x, double laziness, double tolerance,
                    int max_iterations, nb::object callback, int check_every, bool transposed) {
  const Seen distribution(x, "out");
  const auto to = output<T>(distribution, "out", c.plan.rows(), c.plan.device());
  Listening listening(std::move(callback));
  auto options = power_options_of<solve::StationaryOptions>(listening, tolerance, max_iterations,
                                                            check_every, transposed);
  options.laziness = laziness;
  return to_dict(solved(c, listening, [&] { return solve::stationary(c.plan, to, options); }));
}

template <Value T>
nb::dict largest_eigenvalue(const Core<T>& c, double tolerance, int max_iterations,
                            nb::object callback, int check_every, bool check_symmetry) {
  Listening listening(std::move(callback));
  auto options = options_of<solve::Options<T>>(listening, tolerance, max_iterations);
  options.check_every = check_every;
  options.check_symmetry = check_symmetry;
  const auto result =
      solved(c, listening, [&] { return solve::largest_eigenvalue(c.plan, options); });
  nb::dict d = to_dict(result);
  d["value"] = result.value;
  return d;
}

template <Value T>
nb::dict lobpcg(const Core<T>& c, nb::handle x, double tolerance, int max_iterations,
                const Inverse<T>* preconditioner, nb::object callback, bool largest, int guard,
                bool from_x, bool check_symmetry) {
  const Seen vectors(x, "x");
  const auto to = output_matrix<T>(vectors, "x", c.plan.rows(), cpu_device);
  Listening listening(std::move(callback));
  auto options = options_of<solve::EigenOptions<T>>(listening, tolerance, max_iterations);
  set_checked(options, preconditioner, check_symmetry);
  options.largest = largest;
  options.guard = guard;
  options.from_x = from_x;
  const solve::Eigenpairs result = solved(
      c, listening, [&] { return solve::lobpcg(c.plan, to, options); }, preconditioner);
  nb::dict d = to_dict(result);
  d["values"] = list_of(result.values);
  d["residuals"] = list_of(result.residuals);
  return d;
}

template <Value T>
void bind_system(nb::module_& m) {
  if constexpr (ComplexValue<T>) {  // without a preconditioner
    m.def(
        "solve",
        [](const Core<T>& c, const std::string& method, nb::handle b, nb::handle x,
           double tolerance, int max_iterations, nb::object callback, int check_every, int restart,
           bool check_symmetry, std::uintptr_t stream) {
          return run<T>(c, method, b, x, tolerance, max_iterations, nullptr, std::move(callback),
                        check_every, restart, check_symmetry, stream);
        },
        nb::arg("plan"), nb::arg("method"), nb::kw_only(), nb::arg("b"), nb::arg("x"),
        nb::arg("tolerance"), nb::arg("max_iterations"), nb::arg("callback").none(),
        nb::arg("check_every"), nb::arg("restart"), nb::arg("check_symmetry"), nb::arg("stream"));
  } else {
    m.def("solve", &run<T>, nb::arg("plan"), nb::arg("method"), nb::kw_only(), nb::arg("b"),
          nb::arg("x"), nb::arg("tolerance"), nb::arg("max_iterations"),
          nb::arg("preconditioner").none(), nb::arg("callback").none(), nb::arg("check_every"),
          nb::arg("restart"), nb::arg("check_symmetry"), nb::arg("stream"));
  }
}

template <Value T>
void bind(nb::module_& m) {
  bind_system<T>(m);
  m.def("pagerank", &pagerank<T>, nb::arg("plan"), nb::kw_only(), nb::arg("x"), nb::arg("damping"),
        nb::arg("personalisation").none(), nb::arg("tolerance"), nb::arg("max_iterations"),
        nb::arg("callback").none(), nb::arg("check_every"), nb::arg("transposed"));
  m.def("stationary", &stationary<T>, nb::arg("plan"), nb::kw_only(), nb::arg("x"),
        nb::arg("laziness"), nb::arg("tolerance"), nb::arg("max_iterations"),
        nb::arg("callback").none(), nb::arg("check_every"), nb::arg("transposed"));
  m.def("largest_eigenvalue", &largest_eigenvalue<T>, nb::arg("plan"), nb::kw_only(),
        nb::arg("tolerance"), nb::arg("max_iterations"), nb::arg("callback").none(),
        nb::arg("check_every"), nb::arg("check_symmetry"));
  m.def("lobpcg", &lobpcg<T>, nb::arg("plan"), nb::kw_only(), nb::arg("x"), nb::arg("tolerance"),
        nb::arg("max_iterations"), nb::arg("preconditioner").none(), nb::arg("callback").none(),
        nb::arg("largest"), nb::arg("guard"), nb::arg("from_x"), nb::arg("check_symmetry"));
}

}  // namespace

void bind_solve(nb::module_& m) {
  bind<float>(m);
  bind<double>(m);
  bind_system<std::complex<float>>(m);
  bind_system<std::complex<double>>(m);
}

}  // namespace nz::python
