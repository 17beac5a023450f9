#include <chrono>
#include <exception>
#include <optional>

#include <nanobind/stl/string.h>
#include <nonzero/solve.hpp>

#include "module.hpp"
#include "plan.hpp"

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

nb::dict to_dict(const solve::Result& r) {
  nb::dict d;
  nb::list history;
  for (const double v : r.history) history.append(v);
  d["ok"] = r.ok();
  d["reason"] = std::string(solve::name(r.reason));
  d["iterations"] = r.iterations;
  d["residual"] = r.residual;
  d["history"] = history;
  d["message"] = r.message;
  d["seconds"] = r.seconds;
  return d;
}

template <Value T>
using Preconditioner = solve::Preconditioner<T>;

// A solver at work: without the GIL, apart from new values. What a callback threw goes on from
// here.
template <Value T, class Work>
auto solved(const Core<T>& c, Listening& listening, Work&& work) {
  auto result = [&] {
    nb::gil_scoped_release free;
    const std::shared_lock lock(c.in_use);
    return work();
  }();
  listening.rethrow();
  return result;
}

template <Value T>
nb::dict run(const Core<T>& c, const std::string& name, nb::handle b, nb::handle x,
             double tolerance, int max_iterations, const Preconditioner<T>* preconditioner,
             nb::object callback, int check_every, int restart, bool check_symmetry,
             std::uintptr_t stream) {
  const Device device = c.plan.device();
  const Seen right(b), unknown(x);
  const auto from = input<T>(right, "b", c.plan.rows(), device);
  const auto to = output<T>(unknown, "x", c.plan.cols(), device);
  Listening listening(std::move(callback));
  solve::Options<T> options;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  if (preconditioner) options.preconditioner = *preconditioner;
  options.callback = listening.callback();
  options.check_every = check_every;
  options.restart = restart;
  options.check_symmetry = check_symmetry;
  options.stream = stream_of(device, stream);
  for (const solve::Method<T>& method : solve::methods<T>())
    if (method.name == name) {
      return to_dict(solved(c, listening, [&] { return method.solve(c.plan, from, to, options); }));
    }
  throw nb::value_error(("no solver is called '" + name + "'").c_str());
}

template <class O>
void set_power(O& options, Listening& listening, double tolerance, int max_iterations,
               int check_every, bool transposed) {
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  options.callback = listening.callback();
  options.check_every = check_every;
  options.transposed = transposed;
}

template <Value T>
nb::dict pagerank(const Core<T>& c, nb::handle x, double damping, nb::object personalisation,
                  double tolerance, int max_iterations, nb::object callback, int check_every,
                  bool transposed) {
  const Seen ranks(x);
  const auto to = output<T>(ranks, "x", c.plan.rows(), c.plan.device());
  std::optional<Seen> start;
  Listening listening(std::move(callback));
  solve::PageRankOptions<T> options;
  set_power(options, listening, tolerance, max_iterations, check_every, transposed);
  options.damping = damping;
  if (!personalisation.is_none()) {
    start.emplace(personalisation);
    options.personalisation = input<T>(*start, "personalisation", c.plan.rows(), cpu_device);
  }
  return to_dict(solved(c, listening, [&] { return solve::pagerank(c.plan, to, options); }));
}

template <Value T>
nb::dict stationary(const Core<T>& c, nb::handle x, double laziness, double tolerance,
                    int max_iterations, nb::object callback, int check_every, bool transposed) {
  const Seen distribution(x);
  const auto to = output<T>(distribution, "x", c.plan.rows(), c.plan.device());
  Listening listening(std::move(callback));
  solve::StationaryOptions options;
  set_power(options, listening, tolerance, max_iterations, check_every, transposed);
  options.laziness = laziness;
  return to_dict(solved(c, listening, [&] { return solve::stationary(c.plan, to, options); }));
}

template <Value T>
nb::dict largest_eigenvalue(const Core<T>& c, double tolerance, int max_iterations,
                            nb::object callback, int check_every, bool check_symmetry) {
  Listening listening(std::move(callback));
  solve::Options<T> options;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  options.callback = listening.callback();
  options.check_every = check_every;
  options.check_symmetry = check_symmetry;
  const auto result =
      solved(c, listening, [&] { return solve::largest_eigenvalue(c.plan, options); });
  nb::dict d = to_dict(result);
  d["value"] = result.value;
  return d;
}

// Jacobi where block is 1.
template <Value T>
Preconditioner<T> inverse_blocks(std::int64_t rows, std::int64_t cols, nb::handle data,
                                 nb::handle indices, nb::handle indptr, std::int64_t first,
                                 std::int64_t last, int block, const std::string& device) {
  const Device there = device_named(device);
  return with_view<T>(rows, cols, data, indices, indptr, first, last, [&](const auto& a) {
    nb::gil_scoped_release free;
    return block == 1 ? solve::jacobi(a, there) : solve::block_jacobi(a, block, there);
  });
}

template <Value T>
void bind(nb::module_& m, const char* preconditioner) {
  nb::class_<Preconditioner<T>>(m, preconditioner)
      .def_static("make", &inverse_blocks<T>, nb::kw_only(), nb::arg("rows"), nb::arg("cols"),
                  nb::arg("data"), nb::arg("indices"), nb::arg("indptr"), nb::arg("first"),
                  nb::arg("last"), nb::arg("block"), nb::arg("device"));
  m.def("solve", &run<T>, nb::arg("plan"), nb::arg("method"), nb::kw_only(), nb::arg("b"),
        nb::arg("x"), nb::arg("tolerance"), nb::arg("max_iterations"),
        nb::arg("preconditioner").none(), nb::arg("callback").none(), nb::arg("check_every"),
        nb::arg("restart"), nb::arg("check_symmetry"), nb::arg("stream"));
  m.def("pagerank", &pagerank<T>, nb::arg("plan"), nb::kw_only(), nb::arg("x"), nb::arg("damping"),
        nb::arg("personalisation").none(), nb::arg("tolerance"), nb::arg("max_iterations"),
        nb::arg("callback").none(), nb::arg("check_every"), nb::arg("transposed"));
  m.def("stationary", &stationary<T>, nb::arg("plan"), nb::kw_only(), nb::arg("x"),
        nb::arg("laziness"), nb::arg("tolerance"), nb::arg("max_iterations"),
        nb::arg("callback").none(), nb::arg("check_every"), nb::arg("transposed"));
  m.def("largest_eigenvalue", &largest_eigenvalue<T>, nb::arg("plan"), nb::kw_only(),
        nb::arg("tolerance"), nb::arg("max_iterations"), nb::arg("callback").none(),
        nb::arg("check_every"), nb::arg("check_symmetry"));
}

}  // namespace

void bind_solve(nb::module_& m) {
  bind<float>(m, "PreconditionerF32");
  bind<double>(m, "PreconditionerF64");
}

}  // namespace nz::python
