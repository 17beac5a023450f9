#include <cstdint>
#include <limits>
#include <memory>

#include <nonzero/error.hpp>
#include <nonzero/linear_operator.hpp>
#include <nonzero/threads.hpp>
#include <nonzero/truth.hpp>

#include "simt/backend.hpp"
#include "solve/operator_inside.hpp"
#include "solve/operators.hpp"

// Solvers on operators that are no plans.
namespace nz::test {
namespace {

using solve::Result;

template <class T>
std::vector<T> product_of(const LinearOperator<T>& a, std::span<const T> x, Op op) {
  std::vector<T> y(static_cast<std::size_t>(op == Op::none ? a.rows() : a.cols()));
  a.multiply(T(1), x, T(0), y, op);
  return y;
}

TEST(Operator, OfAPlanIsThePlan) {
  for (const std::string& place : places()) {
    const Matrix a = place == "emu" ? wind(7, 5) : wind();
    const auto plan = nz::plan(a.view(), {.device = device_named(place)});
    const LinearOperator op(plan);
    EXPECT_EQ(op.name(), plan.kernel().id());
    EXPECT_EQ(op.device(), plan.device());
    EXPECT_EQ(op.threads(), plan.team());
    EXPECT_EQ(op.rows(), a.rows);
    EXPECT_TRUE(op.captures());
    EXPECT_EQ(op.repeats(Op::none), plan.repeats(Op::none));
    EXPECT_TRUE(op.supports(Op::transpose));
    const auto n = static_cast<std::size_t>(a.rows);
    const std::vector<double> x = numbers(n);
    for (const Op o : all_ops) {
      std::vector<double> y = numbers(n, 2), z = y;
      plan.multiply(1.5, x, -0.5, y, o);
      op.multiply(1.5, x, -0.5, z, o);
      if (op.repeats(o)) {
        EXPECT_EQ(y, z);
      }
    }
    // The same bits and the same steps, whichever way it comes in.
    for (const auto& method : solve::methods<double>()) {
      if (method.name == "cg" || !op.repeats(Op::transpose)) continue;
      std::vector<double> one(n, 0.0), two(n, 0.0);
      const Result r = method.solve(plan, x, one, {.tolerance = 1e-9});
      const Result s = method.solve_operator(op, x, two, {.tolerance = 1e-9});
      EXPECT_TRUE(r.ok()) << r.message;
      EXPECT_EQ(one, two) << method.name << " on " << place;
      EXPECT_EQ(r.history, s.history);
    }
  }
}

TEST(Operator, OwnsPlansThatAreGivenAway) {
  const Matrix a = laplace(5, 4);
  const std::vector<double> x = numbers(20);
  const auto expected =
      product_of(LinearOperator<double>(nz::plan(a.view())), std::span(x), Op::none);
  const auto shared = std::make_shared<Plan<double>>(nz::plan(a.view()));
  const LinearOperator held(shared);
  EXPECT_EQ(shared.use_count(), 2);
  EXPECT_EQ(product_of(held, std::span(x), Op::none), expected);
  const LinearOperator copy = held;
  EXPECT_EQ(shared.use_count(), 2);  // copies share what it consists of
  EXPECT_EQ(product_of(copy, std::span(x), Op::none), expected);
}

// The function does what the plan does, to the bound of the product; the solutions are the same.
TEST(Operator, MatrixFreeLaplacianSolves) {
  const int nx = 31, ny = 22;
  const Matrix a = laplace(nx, ny);
  const auto n = static_cast<std::size_t>(a.rows);
  const LinearOperator<double> free = free_laplacian(nx, ny);
  const std::vector<double> b = numbers(n);
  const std::vector<double> y = product_of(free, std::span(b), Op::none);
  EXPECT_TRUE((check_product<double, std::int64_t>(a.view(), Op::none, 1, b, 0, {}, y).right()));
  const auto plan = nz::plan(a.view());
  for (const auto& method : solve::methods<double>()) {
    if (method.transposes) continue;
    std::vector<double> x(n, 0.0), other(n, 0.0);
    const Result r = method.solve_operator(free, b, x, {.tolerance = 1e-11});
    EXPECT_TRUE(r.ok()) << method.name << ": " << r.message;
    EXPECT_FALSE(r.replayed);
    EXPECT_LT(solve::true_residual(a.view(), b, x), 1.01e-11) << method.name;
    EXPECT_TRUE(method.solve(plan, b, other, {.tolerance = 1e-11}).ok());
    // |x - y| <= |A^-1| (|r| + |s|), and the smallest eigenvalue of this grid is above 0.027.
    double apart = 0, norm = 0;
    for (std::size_t i = 0; i < n; ++i) {
      apart += (x[i] - other[i]) * (x[i] - other[i]);
      norm += b[i] * b[i];
    }
    EXPECT_LT(std::sqrt(apart), 2.02e-11 * std::sqrt(norm) / 0.027) << method.name;
  }
  // A preconditioner is taken from whatever is near.
  std::vector<double> x(n, 0.0);
  EXPECT_TRUE(solve::cg(free, b, x, {.preconditioner = solve::jacobi(a.view())}).ok());
  EXPECT_LT(solve::true_residual(a.view(), b, x), 1.01e-8);
  const auto largest = solve::largest_eigenvalue(free, {.tolerance = 1e-9});
  EXPECT_NEAR(largest.value, solve::largest_eigenvalue(plan, {.tolerance = 1e-9}).value, 1e-7);
}

TEST(Operator, FloatsSolve) {
  const int nx = 12, ny = 9;
  const auto a = csr_cast<float, std::int64_t>(laplace(nx, ny).view());
  const auto n = static_cast<std::size_t>(a.rows);
  const auto plan = nz::plan(a.view());
  const auto more = nz::shifted(plan, -0.5);
  const std::vector<float> b = cast<float>(numbers(n));
  std::vector<float> x(n, 0.0f), y(n);
  EXPECT_TRUE(solve::cg(more, b, x, {.tolerance = 1e-5}).ok());
  more.multiply(1, x, 0, y);
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(y[i], b[i], 1e-3);
}

// The scalars of a function that only knows y = A x are the library's.
TEST(Operator, ScalarsMeanWhatTheFormulaSays) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const int nx = 6, ny = 5;
  const Matrix a = laplace(nx, ny);
  const std::vector<double> x = numbers(30), before = numbers(30, 4);
  const LinearOperator<double> free = free_laplacian(nx, ny);
  for (const double alpha : {0.0, 1.0, -2.5})
    for (const double beta : {0.0, 1.0, 0.75}) {
      std::vector<double> y = before;
      free.multiply(alpha, x, beta, y);
      EXPECT_TRUE(
          (check_product<double, std::int64_t>(a.view(), Op::none, alpha, x, beta, before, y)
               .right()))
          << alpha << " " << beta;
    }
  std::vector<double> y(30, nan);
  free.multiply(2, x, 0, y);  // y is not read
  EXPECT_TRUE((check_product<double, std::int64_t>(a.view(), Op::none, 2, x, 0, {}, y).right()));
  free.multiply(0, std::vector<double>(30, nan), 0, y);  // nor is x
  EXPECT_EQ(y, std::vector<double>(30, 0.0));
}

// Whatever a function takes, it is called in that way.
TEST(Operator, FunctionsOfEveryKind) {
  const std::vector<double> x{1, 2, 3};
  const auto twice = [](std::span<const double> in, std::span<double> out) {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = 2 * in[i];
  };
  const auto by_op = [](std::span<const double> in, std::span<double> out, Op op) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = (op == Op::none ? 2 : 5) * in[i];
  };
  const auto by_stream = [&](std::span<const double> in, std::span<double> out, Op op, StreamView) {
    by_op(in, out, op);
  };
  const auto whole = [](double alpha, std::span<const double> in, double beta,
                        std::span<double> out, Op op, StreamView) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = alpha * (op == Op::none ? 2 : 5) * in[i] + (beta == 0 ? 0 : beta * out[i]);
  };
  const OperatorInfo one{.rows = 3, .cols = 3}, two{.rows = 3, .cols = 3, .ops = both_ops};
  for (const auto& a : {matrix_free<double>(one, twice), matrix_free<double>(two, by_op),
                        matrix_free<double>(two, by_stream), matrix_free<double>(two, whole)})
    for (const Op op : all_ops) {
      if (!a.supports(op)) continue;
      std::vector<double> y{1, 1, 1};
      a.multiply(3, x, -1, y, op);
      const double f = op == Op::none ? 6 : 15;
      EXPECT_EQ(y, (std::vector<double>{f - 1, 2 * f - 1, 3 * f - 1}));
    }
}

// A class with the members that it needs, and one with all of them.
struct Diagonal {
  using value_type = double;
  std::vector<double> d;
  index_t rows() const { return static_cast<index_t>(d.size()); }
  index_t cols() const { return rows(); }
  void multiply(double alpha, std::span<const double> x, double beta, std::span<double> y, Op,
                StreamView) const {
    for (std::size_t i = 0; i < d.size(); ++i)
      y[i] = alpha * d[i] * x[i] + (beta == 0 ? 0 : beta * y[i]);
  }
};
struct ToldDiagonal : Diagonal {
  bool supports(Op) const { return true; }
  bool repeats(Op op) const { return op == Op::none; }
  int threads() const { return 3; }
  Device device() const { return cpu_device; }
  bool captures() const { return true; }
  std::string name() const { return "diagonal"; }
};
static_assert(OperatorClass<Diagonal, double>);
static_assert(!OperatorClass<Diagonal, std::string>);
static_assert(OperatorClass<Plan<double>, double>);
static_assert(!OperatorClass<std::vector<double>, double>);
static_assert(!OperatorFunction<int, double>);

TEST(Operator, ClassesOfOnesOwn) {
  const LinearOperator plain(Diagonal{{2, 4, 8}});
  EXPECT_FALSE(plain.supports(Op::transpose));
  EXPECT_EQ(plain.threads(), nz::threads());
  const LinearOperator told(ToldDiagonal{{{2, 4, 8}}});
  EXPECT_TRUE(told.supports(Op::transpose));
  EXPECT_FALSE(told.repeats(Op::transpose));
  EXPECT_EQ(told.threads(), 3);
  EXPECT_EQ(told.name(), "diagonal");
  const std::vector<double> b{2, 2, 2};
  for (const auto& method : solve::methods<double>()) {
    std::vector<double> x(3, 0.0);
    EXPECT_TRUE(method.solve_operator(told, b, x, {}).ok()) << method.name;
    EXPECT_NEAR(x[0], 1, 1e-6);
    EXPECT_NEAR(x[2], 0.25, 1e-6);
  }
  std::vector<double> x(3, 0.0);
  EXPECT_TRUE(solve::cg(plain, b, x).ok());
  EXPECT_NEAR(x[1], 0.5, 1e-6);
}

TEST(Operator, WalksTakeOperators) {
  const Matrix p = from_entries(2, 2, {0, 0, 1}, {0, 1, 0}, {0.5, 0.5, 1});
  const auto plan = nz::plan(p.view(), {.op = both_ops});
  std::vector<double> x(2), y(2);
  // Once by itself, and as the transpose of its transpose.
  ASSERT_TRUE(solve::stationary(LinearOperator(plan), x).ok());
  EXPECT_NEAR(x[0], 2.0 / 3, 1e-9);
  ASSERT_TRUE(solve::stationary(transposed(transposed(plan)), y).ok());
  EXPECT_EQ(x, y);
  ASSERT_TRUE(solve::pagerank(plan, x).ok());
  ASSERT_TRUE(solve::pagerank(LinearOperator(plan), y).ok());
  EXPECT_EQ(x, y);
}

// A function on a device gets device memory and the solver's stream, and its device is current.
TEST(Operator, FunctionsOnDevices) {
  for (const std::string& place : places()) {
    if (place == "cpu") continue;
    const Device device = device_named(place);
    const Matrix a = laplace(9, 7);
    const auto n = static_cast<std::size_t>(a.rows);
    const auto plan = nz::plan(a.view(), {.device = device});
    const std::vector<double> b = numbers(n);
    for (const bool captures : {false, true}) {
      int calls = 0;
      const auto f = [&](std::span<const double> x, std::span<double> y, Op op, StreamView stream) {
        ++calls;
        EXPECT_TRUE(simt::backend(device).owns(x.data()));
        EXPECT_TRUE(simt::backend(device).owns(y.data()));
        plan.multiply(1, x, 0, y, op, stream);
      };
      const auto free = matrix_free<double>(
          {.rows = a.rows, .cols = a.cols, .ops = both_ops, .device = device, .captures = captures},
          f);
      EXPECT_EQ(free.captures(), captures || place == "emu");
      std::vector<double> x(n, 0.0), y(n, 0.0);
      const Result r = solve::cg(free, b, x, {.tolerance = 1e-10, .check_every = 5});
      EXPECT_TRUE(r.ok()) << r.message;
      // One that cannot be captured is called for every iteration, and nothing is replayed.
      EXPECT_EQ(r.replayed, captures && place != "emu") << place;
      if (!r.replayed) {
        EXPECT_GE(calls, r.iterations);
      }
      EXPECT_TRUE(solve::cg(plan, b, y, {.tolerance = 1e-10, .check_every = 5}).ok());
      if (plan.repeats(Op::none)) {
        EXPECT_EQ(x, y);
      }
      // Host memory goes there and back.
      std::vector<double> z = numbers(n, 2), expected = z;
      free.multiply(2, b, 0.5, z);
      plan.multiply(2, b, 0.5, expected);
      for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(z[i], expected[i], 1e-13);
    }
  }
}

TEST(Operator, SeveralVectorsAreTheirColumns) {
  const Matrix a = wind(5, 4);
  const index_t n = a.rows, k = 3;
  const auto length = static_cast<std::size_t>(n);
  const std::vector<double> x = numbers(length * k);
  for (const std::string& place : places()) {
    const auto plan = nz::plan(a.view(), {.device = device_named(place), .op = both_ops});
    const LinearOperator<double> free =
        matrix_free<double>({.rows = n, .cols = n, .name = "own", .ops = both_ops},
                            [&a](std::span<const double> in, std::span<double> out, Op op) {
                              nz::plan(a.view()).multiply(1, in, 0, out, op);
                            });
    const std::vector<LinearOperator<double>> all{
        plan,
        shifted(plan, 0.7),
        transposed(plan),
        sum(plan, scaled(-2, plan)),
        product(plan, plan),
        place == "cpu" ? free : LinearOperator<double>(plan)};
    for (const auto& op : all)
      for (const Op o : {Op::none, Op::transpose})
        for (const Layout layout : {Layout::column_major, Layout::row_major})
          for (const double beta : {0.0, -0.5}) {
            const std::int64_t gap = layout == Layout::row_major ? k + 2 : n + 1;
            std::vector<double> y((length + 1) * (k + 2), beta == 0 ? NAN : 3);
            // X by columns, and once as Y is; in whole rows where Y has gaps.
            const bool alike = layout == Layout::row_major && beta == 0;
            std::vector<double> rows(length * k);
            for (index_t i = 0; i < n; ++i)
              for (index_t j = 0; j < k; ++j)
                row_major(rows.data(), n, k)(i, j) = x[j * length + i];
            const auto in = alike ? row_major<const double>(rows.data(), n, k)
                                  : column_major<const double>(x.data(), n, k);
            const DenseView<double> out(y.data(), n, k, layout, gap);
            const bool one_by_one = op.device() != cpu_device && !op.inside()->takes_host() &&
                                    layout == Layout::row_major;
            if (one_by_one) {
              EXPECT_THROW(op.multiply(1.5, in, beta, out, o), InvalidArgument);
              continue;
            }
            op.multiply(1.5, in, beta, out, o);
            for (index_t j = 0; j < k; ++j) {
              std::vector<double> one(length, 3);
              op.multiply(
                  1.5,
                  std::span<const double>(x).subspan(length * static_cast<std::size_t>(j), length),
                  beta, one, o);
              for (index_t i = 0; i < n; ++i)
                EXPECT_NEAR(out(i, j), one[static_cast<std::size_t>(i)], 1e-13)
                    << op.name() << ' ' << place;
            }
          }
  }
  const LinearOperator<double> op = identity<double>(n);
  std::vector<double> y(x.size());
  EXPECT_THROW(op.multiply(1, column_major(x.data(), n, 2), 0, column_major(y.data(), n, 3)),
               InvalidArgument);
  EXPECT_THROW(op.multiply(1, column_major(x.data(), n, 2, n - 1), 0, column_major(y.data(), n, 2)),
               InvalidArgument);
  EXPECT_THROW(op.multiply(1, column_major<const double>(y.data(), n, 2), 0,
                           column_major(y.data() + 1, n, 2)),
               InvalidArgument);
}

// What an operator throws reaches the caller, whatever it is.
TEST(Operator, ThatThrowsEndsTheSolver) {
  struct Odd {};
  int calls = 0;
  const auto failing = [&](std::span<const double> x, std::span<double> y) {
    if (++calls == 6) throw Odd{};
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = static_cast<double>(i + 1) * x[i];
  };
  const auto a = matrix_free<double>({.rows = 40, .cols = 40}, failing);
  const std::vector<double> b(40, 1.0);
  std::vector<double> x(40, 0.0);
  EXPECT_THROW(solve::cg(a, b, x), Odd);
  EXPECT_EQ(calls, 6);
}

}  // namespace
}  // namespace nz::test
