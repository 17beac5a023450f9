#include "solve/systems.hpp"

#include <limits>

#include <nonzero/error.hpp>

#include "support/message_of.hpp"

// What can go wrong is told by name, and never loops.
namespace nz::test {
namespace {

using solve::Result;
using solve::Stop;

// Of a product that cannot be promised nothing is asked.
TEST(Failures, ADeterministicPlanForNAloneIsSolved) {
  for (const std::string& place : places()) {
    const Matrix a = laplace(40, 40);
    const auto plan = nz::plan(a.view(), {.device = device_named(place), .deterministic = true});
    std::vector<double> b(1600, 1.0), x(1600, 0.0);
    EXPECT_TRUE(solve::cg(plan, b, x).ok()) << place;
    EXPECT_TRUE(solve::largest_eigenvalue(plan, {.tolerance = 1e-3}).ok()) << place;
    if (plan.supports(Op::transpose))
      EXPECT_NO_THROW(solve::bicg(plan, b, x)) << place;
    else
      EXPECT_THROW(solve::bicg(plan, b, x), InvalidArgument) << place;
  }
}

TEST(Failures, CgNamesTheFirstPairThatDiffers) {
  for (const std::string& place : places()) {
    Matrix a = laplace(9, 7);
    for (std::int64_t k = a.offsets[30]; k < a.offsets[31]; ++k)
      if (a.columns[k] == 31) a.values[k] = -1.5;
    const auto plan = nz::plan(a.view(), {.device = device_named(place)});
    std::vector<double> b(63, 1.0), x(63, 0.25);
    const Result r = solve::cg(plan, b, x);
    EXPECT_EQ(r.reason, Stop::not_symmetric);
    EXPECT_EQ(r.message,
              "CG needs a symmetric matrix: (30, 31) is -1.5 and (31, 30) is -1, counting from 0");
    EXPECT_EQ(x, std::vector<double>(63, 0.25));
    const auto e = solve::largest_eigenvalue(plan);
    EXPECT_EQ(e.reason, Stop::not_symmetric);
  }
}

TEST(Failures, CgMeetsADirectionOfNegativeCurvature) {
  const Matrix a = from_entries(3, 3, {0, 1, 2}, {0, 1, 2}, {1, -1, 2});
  std::vector<double> b(3, 1.0), x(3, 0.0);
  EXPECT_EQ(solve::cg(nz::plan(a.view()), b, x, {.max_iterations = 50}).reason, Stop::not_definite);
}

TEST(Failures, BreakdownHasAName) {
  // A rotation by a right angle: p* A p = 0 in the first step.
  const Matrix a = from_entries(2, 2, {0, 1}, {1, 0}, {1, -1});
  for (const std::string& place : places()) {
    const auto plan = nz::plan(a.view(), {.device = device_named(place)});
    for (const auto& method : solve::methods<double>()) {
      std::vector<double> b{1, 0}, x{0, 0};
      const Result r = method.solve(plan, b, x, {.max_iterations = 50});
      if (method.name == "gmres" || method.name == "lsqr")
        EXPECT_TRUE(r.ok()) << method.name << ": " << r.message;
      else
        EXPECT_EQ(r.reason, method.name == "cg" ? Stop::not_symmetric : Stop::breakdown)
            << method.name << " on " << place << ": " << r.message;
      EXPECT_LE(r.iterations, 3);
    }
  }
}

TEST(Failures, SingularSystemsEnd) {
  // Row and column 1 are empty, and b wants something there.
  const Matrix a = from_entries(3, 3, {0, 0, 2}, {0, 2, 2}, {2, 1, 1});
  for (const auto& method : solve::methods<double>()) {
    std::vector<double> b{1, 1, 1}, x{0, 0, 0};
    const Result r = method.solve(nz::plan(a.view()), b, x, {.max_iterations = 200});
    EXPECT_NE(r.reason, Stop::converged) << method.name;
    EXPECT_LE(r.iterations, 200);
  }
}

TEST(Failures, NaNIsSeenAtOnce) {
  const Matrix a = laplace(5, 5);
  for (const auto& method : solve::methods<double>()) {
    std::vector<double> b(25, 1.0), x(25, 0.0);
    b[7] = std::numeric_limits<double>::quiet_NaN();
    const Result r = method.solve(nz::plan(a.view()), b, x, {});
    EXPECT_EQ(r.reason, Stop::not_a_number) << method.name << ": " << r.message;
    EXPECT_EQ(r.iterations, 0);
  }
  Matrix broken = laplace(5, 5);
  broken.values[3] = std::numeric_limits<double>::quiet_NaN();
  for (const auto& method : solve::methods<double>()) {
    std::vector<double> b(25, 1.0), x(25, 0.0);
    const Result r = method.solve(nz::plan(broken.view()), b, x, {});
    EXPECT_EQ(r.reason, Stop::not_a_number) << method.name << ": " << r.message;
  }
}

TEST(Failures, DivergenceIsSeen) {
  // CG without its check on a matrix that is anything but symmetric.
  const Matrix a = from_entries(2, 2, {0, 0, 1, 1}, {0, 1, 0, 1}, {1, 1e12, -1e12, 1});
  std::vector<double> b{1, 2}, x{0, 0};
  const Result r = solve::cg(nz::plan(a.view()), b, x,
                             {.tolerance = 1e-12, .max_iterations = 5000, .check_symmetry = false});
  EXPECT_EQ(r.reason, Stop::diverged) << r.message;
}

TEST(Failures, LimitsAndCallbacksEnd) {
  const Matrix a = laplace();
  const auto n = static_cast<std::size_t>(a.rows);
  const auto plan = nz::plan(a.view());
  for (const auto& method : solve::methods<double>()) {
    std::vector<double> b = numbers(n), x(n, 0.0);
    Result r =
        method.solve(plan, b, x, {.tolerance = 1e-12, .max_iterations = 4, .check_every = 3});
    EXPECT_EQ(r.reason, Stop::iteration_limit) << method.name;
    EXPECT_EQ(r.iterations, 4) << method.name;
    EXPECT_LT(r.residual, 1.0) << method.name;  // but it has got somewhere
    EXPECT_NEAR(solve::true_residual(a.view(), b, x), r.residual, 1e-12) << method.name;
    std::fill(x.begin(), x.end(), 0.0);
    r = method.solve(plan, b, x, {.max_iterations = 0});
    EXPECT_EQ(r.reason, Stop::iteration_limit);
    EXPECT_EQ(r.iterations, 0);
    r = method.solve(plan, b, x, {.callback = [](int i, double) { return i < 3; }});
    EXPECT_EQ(r.reason, Stop::stopped) << method.name;
  }
}

TEST(Failures, NothingToSolve) {
  const Matrix a = laplace(4, 4);
  for (const auto& method : solve::methods<double>()) {
    std::vector<double> b(16, 0.0), x(16, 3.0);
    const Result r = method.solve(nz::plan(a.view()), b, x, {});
    EXPECT_TRUE(r.ok());
    EXPECT_EQ(x, std::vector<double>(16, 0.0)) << method.name;
    std::vector<double> none;
    const Matrix empty = from_entries(0, 0, {}, {}, {});
    EXPECT_TRUE(method.solve(nz::plan(empty.view()), none, none, {}).ok()) << method.name;
  }
}

TEST(Failures, JacobiNamesTheRow) {
  const Matrix zero = from_entries(3, 3, {0, 1, 2, 2}, {0, 1, 1, 2}, {1, 0, 1, 1});
  EXPECT_EQ(message_of<BadInput>([&] { solve::jacobi(zero.view()); }),
            "Jacobi: row 1 (counting from 0) has a zero on the diagonal");
  const Matrix empty = from_entries(3, 3, {0, 2}, {0, 2}, {1, 1});
  EXPECT_EQ(message_of<BadInput>([&] { solve::jacobi(empty.view()); }),
            "Jacobi: row 1 (counting from 0) is empty");
  EXPECT_EQ(message_of<BadInput>([&] { solve::block_jacobi(empty.view(), 2); }),
            "block Jacobi: the block of rows 0 to 1 (counting from 0) is singular");
}

TEST(Failures, WhatDoesNotFitIsRefused) {
  const Matrix a = laplace(4, 4), wide = tall();
  const auto plan = nz::plan(a.view()), no_square = nz::plan(wide.view());
  std::vector<double> b(16, 1.0), x(16), shorter(15), y(25), c(60, 1.0);
  EXPECT_THROW(solve::cg(plan, shorter, x), InvalidArgument);
  EXPECT_THROW(solve::cg(plan, b, shorter), InvalidArgument);
  EXPECT_THROW(solve::bicgstab(no_square, c, y), InvalidArgument);
  EXPECT_THROW(solve::gmres(plan, b, x, {.restart = 0}), InvalidArgument);
  EXPECT_THROW(solve::lsqr(plan, b, x, {.preconditioner = solve::jacobi(a.view())}),
               InvalidArgument);
  EXPECT_THROW(solve::cg(plan, b, x, {.preconditioner = solve::jacobi(laplace(3, 3).view())}),
               InvalidArgument);
  EXPECT_THROW(solve::cg(plan, b, x, {.max_iterations = -1}), InvalidArgument);
}

}  // namespace
}  // namespace nz::test
