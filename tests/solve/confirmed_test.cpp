#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <random>

#include <nonzero/linear_operator.hpp>
#include <nonzero/preconditioners.hpp>

#include "solve/systems.hpp"
#include "support/seed.hpp"

// A method carries its residual along, and rounding parts it from b - A x. x is called right by
// b - A x alone.
namespace nz::test {
namespace {

using solve::Options;
using solve::Result;
using solve::Stop;

bool repeats(const Plan<double>& plan, const solve::Method<double>& method) {
  return plan.repeats(Op::none) && (!method.transposes || plan.repeats(Op::transpose));
}

// What the rounding of b - A x in the precision of x may make of |b - A x| / |b|.
template <class T, class O>
double rounding(const CsrView<T, O>& a, const std::vector<T>& b, const std::vector<T>& x) {
  using R = decltype(std::abs(T()));
  double all = 0, size = 0;
  for (index_t i = 0; i < a.rows; ++i) {
    const double entries = static_cast<double>(a.offsets[i + 1] - a.offsets[i]),
                 right = std::abs(b[static_cast<std::size_t>(i)]);
    double sum = right;
    for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
      sum += static_cast<double>(std::abs(a.values[k])) *
             std::abs(x[static_cast<std::size_t>(a.columns[k])]);
    const double row = (2 * entries + 3) * std::numeric_limits<R>::epsilon() / 2 * sum;
    all += row * row;
    size += right * right;
  }
  return std::sqrt(all / size);
}

// What a result says of x, and what is so.
template <class T, class O>
void expect_honest(const CsrView<T, O>& a, const std::vector<T>& b, const std::vector<T>& x,
                   const Result& r, double tolerance, const std::string& what) {
  ASSERT_EQ(r.history.size(), static_cast<std::size_t>(r.iterations) + 1) << what;
  EXPECT_EQ(r.history.back(), r.residual) << what;
  if (!r.ok() && r.reason != Stop::stagnated) return;
  EXPECT_EQ(r.ok(), r.residual <= tolerance) << what << ": " << r.message;
  const double truth = solve::true_residual(a, b, std::span<const T>(x));
  EXPECT_NEAR(r.residual, truth, rounding(a, b, x)) << what;
}

// Single precision does not solve a grid to 1e-8, whatever the recurrence comes to.
TEST(Confirmed, SinglePrecisionDoesNotCallItselfDouble) {
  for (const std::string& place : places()) {
    const auto whole = place == "emu" ? laplace(9, 8) : laplace();
    const auto a = csr_cast<float, std::int64_t>(whole.view());
    const auto n = static_cast<std::size_t>(a.rows);
    const std::vector<float> b = cast<float>(numbers(n));
    const auto plan = nz::plan(a.view(), {.device = device_named(place)});
    for (const auto& method : solve::methods<float>()) {
      const std::string what = std::string(method.name) + " on " + place;
      std::vector<float> x(n, 0.0F);
      std::vector<double> heard;
      const Result r = method.solve(plan, b, x,
                                    {.tolerance = 1e-8,
                                     .max_iterations = method.name == "qmr" ? 200 : 1500,
                                     .callback = [&](int, double e) {
                                       heard.push_back(e);
                                       return true;
                                     }});
      EXPECT_FALSE(r.ok()) << what << ": " << r.message;
      // QMR's own residual stops falling, too, and so it goes on to the limit.
      if (method.name != "qmr") {
        EXPECT_EQ(r.reason, Stop::stagnated) << what << ": " << r.message;
        EXPECT_TRUE(r.message.starts_with("stagnated after ")) << r.message;
        EXPECT_LT(r.iterations, 1500) << what;
        EXPECT_LT(r.residual, 1e-5) << what << " has got as far as float does";
      }
      expect_honest(a.view(), b, x, r, 1e-8, what);
      EXPECT_EQ(heard, r.history) << what;
    }
  }
}

// From a start of 1e8 the first r has 1e8 times the rounding of one at the solution: the recurrence
// gets to the tolerance, x does not, and a restart from b - A x does the rest.
TEST(Confirmed, ARestartMakesGoodWhatRoundingLost) {
  int on_the_way = 0;
  for (const std::string& place : places())
    for (const auto& method : solve::methods<double>()) {
      if (method.name == "qmr") continue;  // its own residual has the same rounding
      const bool symmetric = method.name == "cg";
      const Matrix a = place == "emu" ? (symmetric ? laplace(9, 8) : wind(9, 7))
                                      : (symmetric ? laplace() : wind());
      const auto n = static_cast<std::size_t>(a.rows);
      const std::vector<double> b = numbers(n);
      const auto plan = nz::plan(a.view(), {.device = device_named(place)});
      for (const bool preconditioned : {false, true}) {
        if (preconditioned && method.name == "lsqr") continue;
        const std::string what = std::string(method.name) + " on " + place;
        Options<double> options{.tolerance = 1e-12, .max_iterations = 2000};
        if (preconditioned) options.preconditioner = solve::jacobi(a.view(), plan.device());
        std::vector<double> x(n, 1e8);
        const Result r = method.solve(plan, b, x, options);
        EXPECT_EQ(r.reason, Stop::converged) << what << ": " << r.message;
        expect_honest(a.view(), b, x, r, 1e-12, what);
        EXPECT_LT(solve::true_residual(a.view(), b, x), 1.01e-12) << what;
        if (method.name == "gmres") continue;  // its cycles are restarts, each of which mends it
        EXPECT_LT(r.residual, 0.51e-12) << what << " aims lower the second time";
        // Where the recurrence was content, the history has what b - A x was: it jumps.
        std::size_t at = 1;
        const auto jumps = [&](std::size_t i) {
          return r.history[i - 1] < 1e-10 && r.history[i] > 100 * r.history[i - 1];
        };
        while (at < r.history.size() && !jumps(at)) ++at;
        ASSERT_LT(at, r.history.size()) << what << " had nothing to mend";
        // The limit counts before the restart, and x is not right then.
        if (!repeats(plan, method)) continue;
        options.max_iterations = static_cast<int>(at);
        std::vector<double> y(n, 1e8);
        const Result limited = method.solve(plan, b, y, options);
        EXPECT_EQ(limited.reason, Stop::iteration_limit) << what;
        EXPECT_EQ(limited.iterations, options.max_iterations) << what;
        EXPECT_EQ(limited.residual, r.history[at]) << what;
        EXPECT_NEAR(limited.residual, solve::true_residual(a.view(), b, y),
                    rounding(a.view(), b, y))
            << what;
        EXPECT_GT(limited.residual, 1e-10) << what;
        // The limit may come on the way from the tolerance to half of it: x is right then.
        while (++at < r.history.size() && !(r.history[at] > 0.51e-12 && r.history[at] < 0.99e-12)) {
        }
        if (at == r.history.size()) continue;
        ++on_the_way;
        options.max_iterations = static_cast<int>(at);
        std::fill(y.begin(), y.end(), 1e8);
        const Result right = method.solve(plan, b, y, options);
        EXPECT_EQ(right.reason, Stop::converged) << what << ": " << right.message;
        EXPECT_EQ(right.iterations, options.max_iterations) << what;
      }
    }
  EXPECT_GT(on_the_way, 0);
}

// Rows and columns of any scale and a start far away, where methods break down or do not get there:
// whatever comes of it, nobody calls an x right that is not.
TEST(Confirmed, BadScalesAreNotCalledSolved) {
  std::mt19937_64 random(seed());
  SCOPED_TRACE("NZ_TEST_SEED=" + std::to_string(seed()));
  std::uniform_real_distribution<double> exponent(-2, 2);
  for (const std::string& place : places())
    for (const bool preconditioned : {false, true}) {
      Matrix a = place == "emu" ? wind(5, 4, 2) : wind(11, 9, 2);
      const auto n = static_cast<std::size_t>(a.rows);
      std::vector<double> scale(n);
      for (double& s : scale) s = std::pow(10, exponent(random));
      for (std::size_t i = 0; i < n; ++i)
        for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
          a.values[k] *= scale[i] * scale[n - 1 - static_cast<std::size_t>(a.columns[k])];
      const std::vector<double> b = numbers(n);
      const auto plan = nz::plan(a.view(), {.device = device_named(place)});
      for (const auto& method : solve::methods<double>()) {
        if (method.name == "cg" || (preconditioned && method.name == "lsqr")) continue;
        Options<double> options{.tolerance = 1e-8, .max_iterations = place == "emu" ? 200 : 1000};
        if (preconditioned) options.preconditioner = solve::spai(a.view(), 0, plan.device());
        std::vector<double> x(n, 1e8);
        const Result r = method.solve(plan, b, x, options);
        const std::string what = std::string(method.name) + " on " + place + ": " + r.message;
        if (r.reason != Stop::least_squares) expect_honest(a.view(), b, x, r, 1e-8, what);
      }
    }
}

// How often the host looks changes nothing, restarts included.
TEST(Confirmed, LooksDoNotChangeRestarts) {
  for (const std::string& place : places()) {
    const Matrix a = place == "emu" ? laplace(9, 8) : laplace();
    const auto n = static_cast<std::size_t>(a.rows);
    const auto plan = nz::plan(a.view(), {.device = device_named(place)});
    const std::vector<double> b = numbers(n);
    for (const auto& method : solve::methods<double>()) {
      if (method.name == "qmr" || !repeats(plan, method)) continue;
      std::vector<double> first(n, 1e8), other(n, 1e8);
      Options<double> options{.tolerance = 1e-12, .max_iterations = 2000, .check_every = 1};
      const Result r = method.solve(plan, b, first, options);
      options.check_every = 9;
      const Result s = method.solve(plan, b, other, options);
      EXPECT_TRUE(r.ok()) << method.name << " on " << place << ": " << r.message;
      EXPECT_EQ(first, other) << method.name << " on " << place;
      EXPECT_EQ(r.history, s.history) << method.name << " on " << place;
    }
  }
}

// All is well: one product more than the method itself takes, at the end.
TEST(Confirmed, CostsAProduct) {
  const Matrix a = wind(), symmetric = laplace();
  for (const auto& method : solve::methods<double>()) {
    const Matrix& m = method.name == "cg" ? symmetric : a;
    const auto n = static_cast<std::size_t>(m.rows);
    const auto plan = nz::plan(m.view());
    std::map<Op, int> products;
    const auto counting =
        matrix_free<double>({.rows = m.rows, .cols = m.cols, .name = "counting", .ops = both_ops},
                            [&](std::span<const double> x, std::span<double> y, Op op) {
                              ++products[op];
                              plan.multiply(1, x, 0, y, op);
                            });
    const std::vector<double> b = numbers(n);
    std::vector<double> x(n, 0.0);
    // One cycle of GMRES, so that no others are counted.
    Options<double> options{.restart = 100, .check_symmetry = false};
    const Result r = method.solve_operator(counting, b, x, options);
    ASSERT_EQ(r.reason, Stop::converged) << method.name << ": " << r.message;
    ASSERT_LE(r.iterations, method.name == "gmres" ? 100 : 1000);
    const int each = method.name == "bicgstab" ? 2 : 1;
    EXPECT_EQ(products[Op::none], 1 + each * r.iterations + 1) << method.name;
    EXPECT_EQ(products[Op::transpose],
              !method.transposes ? 0 : r.iterations + (method.name == "lsqr" ? 1 : 0))
        << method.name;
    // What is solved already needs the first of them alone.
    products.clear();
    EXPECT_EQ(method.solve_operator(counting, b, x, options).iterations, 0) << method.name;
    EXPECT_EQ(products[Op::none], 1) << method.name;
    EXPECT_EQ(products[Op::transpose], 0) << method.name;
  }
}

// The same rule for least squares: |A^T r| / (|A| |r|) is computed, not carried.
TEST(Confirmed, LeastSquares) {
  for (const std::string& place : places()) {
    const Matrix whole = tall();
    const auto a = csr_cast<float, std::int64_t>(whole.view());
    const std::vector<float> b = cast<float>(numbers(static_cast<std::size_t>(a.rows)));
    const auto plan = nz::plan(a.view(), {.device = device_named(place)});
    const auto solved = [&](double tolerance) {
      std::vector<float> x(static_cast<std::size_t>(a.cols), 0.0F);
      const Result r = solve::lsqr(plan, b, x, {.tolerance = tolerance});
      EXPECT_NEAR(r.residual, solve::true_residual(a.view(), b, std::span<const float>(x)),
                  rounding(a.view(), b, x))
          << place;
      return r.reason;
    };
    EXPECT_EQ(solved(1e-5), Stop::least_squares) << place;
    EXPECT_EQ(solved(1e-12), Stop::stagnated) << place;
  }
}

// Hermitian, 2.2 on the diagonal: a chain in a magnetic field; with `shift` i it is not.
template <class T>
Csr<T, std::int32_t> chain(index_t n, double shift) {
  using R = typename T::value_type;
  std::vector<index_t> row, column;
  std::vector<T> value;
  const auto put = [&](index_t i, index_t j, T v) {
    row.push_back(i), column.push_back(j), value.push_back(v);
  };
  const T right(static_cast<R>(-0.8), static_cast<R>(-0.6));
  for (index_t i = 0; i < n; ++i) {
    put(i, i, T(static_cast<R>(2.2), static_cast<R>(shift)));
    if (i + 1 < n) put(i, i + 1, right);
    if (i > 0) put(i, i - 1, std::conj(right));
  }
  return csr_from_triplets<T, std::int32_t>(n, n, row, column, value);
}

template <class T>
using ComplexSolver = Result (*)(const Plan<T>&, std::span<const T>, std::span<T>,
                                 const Options<T>&);
template <class T>
std::map<std::string, ComplexSolver<T>> complex_solvers() {
  return {{"cg", &solve::cg<T>}, {"bicgstab", &solve::bicgstab<T>}, {"gmres", &solve::gmres<T>}};
}

TEST(Confirmed, ComplexSystems) {
  using F = std::complex<float>;
  using D = std::complex<double>;
  for (const std::string& place : places()) {
    const index_t n = place == "emu" ? 20 : 90;
    for (const auto& [name, solver] : complex_solvers<F>()) {
      const auto a = chain<F>(n, name == "cg" ? 0 : 0.9);
      const auto plan = nz::plan(a.view(), {.device = device_named(place), .op = both_ops});
      const std::vector<F> b(static_cast<std::size_t>(n), F(1, 2));
      std::vector<F> x(b.size(), F(0));
      std::vector<double> heard;
      const Result r = solver(plan, b, x, {.tolerance = 1e-10, .callback = [&](int, double e) {
                                             heard.push_back(e);
                                             return true;
                                           }});
      EXPECT_EQ(r.reason, Stop::stagnated) << name << " on " << place << ": " << r.message;
      EXPECT_EQ(heard, r.history) << name;
      expect_honest(a.view(), b, x, r, 1e-10, name);
    }
    for (const auto& [name, solver] : complex_solvers<D>()) {
      const auto a = chain<D>(n, name == "cg" ? 0 : 0.9);
      const auto plan = nz::plan(a.view(), {.device = device_named(place), .op = both_ops});
      const std::vector<D> b(static_cast<std::size_t>(n), D(1, 2));
      std::vector<D> x(b.size(), D(1e8));
      const Result r = solver(plan, b, x, {.tolerance = 1e-12});
      EXPECT_EQ(r.reason, Stop::converged) << name << " on " << place << ": " << r.message;
      expect_honest(a.view(), b, x, r, 1e-12, name);
      EXPECT_LT(solve::true_residual(a.view(), b, std::span<const D>(x)), 1.01e-12) << name;
      // The same x again: it is what it was called.
      EXPECT_EQ(solver(plan, b, x, {.tolerance = 1.01e-12}).iterations, 0) << name;
    }
  }
}

// A cycle of GMRES begins from b - A x. Where cycles are short, none comes to the tolerance, and
// the next one begins where this one did: that is seen, too.
template <class T, class Solve>
void expect_cycles_end(const Csr<T, std::int32_t>& a, const std::string& place, Solve&& solve) {
  const auto plan = nz::plan(a.view(), {.device = device_named(place)});
  const std::vector<T> b(static_cast<std::size_t>(a.rows), T(1));
  std::vector<T> x(b.size(), T(0));
  std::vector<double> heard;
  Options<T> options{.tolerance = 1e-12, .max_iterations = 5000, .restart = 5};
  options.callback = [&](int, double e) {
    heard.push_back(e);
    return true;
  };
  const Result r = solve(plan, b, x, options);
  EXPECT_EQ(r.reason, Stop::stagnated) << place << ": " << r.message;
  EXPECT_EQ(r.iterations % 5, 0) << place;
  EXPECT_EQ(heard, r.history) << place;
  expect_honest(a.view(), b, x, r, 1e-12, place);
}
TEST(Confirmed, ShortCyclesEnd) {
  const auto gmres = [](const auto& plan, const auto& b, auto& x, const auto& options) {
    return solve::gmres(plan, b, x, options);
  };
  for (const std::string& place : places()) {
    expect_cycles_end(csr_cast<float, std::int32_t>(wind(7, 6).view()), place, gmres);
    expect_cycles_end(chain<std::complex<float>>(30, 0.9), place, gmres);
  }
}

// A callback that ends it where a restart would have been is heard.
TEST(Confirmed, ACallbackEndsItAtARestart) {
  const Matrix a = laplace();
  const auto n = static_cast<std::size_t>(a.rows);
  const auto plan = nz::plan(a.view());
  const std::vector<double> b = numbers(n);
  std::vector<double> x(n, 1e8), before;
  const Result r = solve::cg(plan, b, x, {.tolerance = 1e-12, .callback = [&](int, double e) {
                                            before.push_back(e);
                                            const std::size_t k = before.size();
                                            return k < 2 || before[k - 2] > 1e-9 || e < 1e-9;
                                          }});
  EXPECT_EQ(r.reason, Stop::stopped) << r.message;
  EXPECT_EQ(r.history, before);
  EXPECT_NEAR(r.residual, solve::true_residual(a.view(), b, x), rounding(a.view(), b, x));
  EXPECT_GT(r.residual, 1e-10);
}

}  // namespace
}  // namespace nz::test
