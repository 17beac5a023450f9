#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/solve.hpp>
#include <nonzero/wide.hpp>

#include "plan/wide_parts.hpp"
#include "solve/systems.hpp"

// Solvers on matrices with 64-bit rows and columns, few enough for vectors of solvers.
namespace nz::test {
namespace {

// Cut into parts as a large one is.
WidePlan<double> wide(const Matrix& a, const std::string& place) {
  Array<std::int64_t> rows(a.values.size()), columns(a.values.size());
  for (index_t i = 0; i < a.rows; ++i)
    for (std::int64_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
      rows[static_cast<std::size_t>(k)] = i;
      columns[static_cast<std::size_t>(k)] = a.columns[k];
    }
  const WideCooView<double> view{a.rows,      a.cols,         a.nnz(),
                                 rows.data(), columns.data(), a.values.data()};
  return wide_plan(view, {.device = device_named(place), .op = both_ops},
                   WideCut{a.rows / 2 + 1, a.cols / 3 + 1});
}

std::vector<double> fresh(std::size_t n) {
  static std::mt19937_64 random(std::random_device{}());
  std::vector<double> v(n);
  for (double& x : v) x = std::uniform_real_distribution<double>(-1, 1)(random);
  return v;
}

// |b - A x| / |b| by the matrix itself, or for least squares that of the normal equations.
double residual(const Matrix& a, const std::vector<double>& x, const std::vector<double>& b,
                bool normal) {
  std::vector<double> r = b, t(static_cast<std::size_t>(a.cols)), of_b = t;
  for (index_t i = 0; i < a.rows; ++i)
    for (std::int64_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
      r[static_cast<std::size_t>(i)] -= a.values[k] * x[static_cast<std::size_t>(a.columns[k])];
  for (index_t i = 0; i < a.rows; ++i)
    for (std::int64_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
      t[static_cast<std::size_t>(a.columns[k])] += a.values[k] * r[static_cast<std::size_t>(i)];
      of_b[static_cast<std::size_t>(a.columns[k])] += a.values[k] * b[static_cast<std::size_t>(i)];
    }
  const auto norm = [](const std::vector<double>& v) {
    double sum = 0;
    for (const double e : v) sum += e * e;
    return std::sqrt(sum);
  };
  return normal ? norm(t) / norm(of_b) : norm(r) / norm(b);
}

TEST(WideOperator, Solves) {
  for (const std::string& place : places()) {
    const bool slow = place == "emu";
    const Matrix spd = slow ? laplace(6, 5) : laplace(), any = slow ? wind(6, 5) : wind(),
                 high = slow ? tall(30, 12) : tall();
    const auto expect_solved = [&](const char* name, const Matrix& a, auto solver) {
      SCOPED_TRACE(fmt::format("{} on {}", name, place));
      const WidePlan<double> plan = wide(a, place);
      EXPECT_GT(plan.parts(), 1u);
      const std::vector<double> b = fresh(static_cast<std::size_t>(a.rows));
      std::vector<double> x(static_cast<std::size_t>(a.cols));
      const solve::Result r = solver(LinearOperator(plan), b, x);
      EXPECT_TRUE(r.ok()) << r.message;
      EXPECT_LE(residual(a, x, b, a.rows != a.cols), 1e-8);
    };
    const solve::Options<double> options{.tolerance = 1e-10};
    expect_solved("CG", spd, [&](const auto& a, const auto& b, auto& x) {
      return solve::cg(a, b, x, options);
    });
    expect_solved("GMRES", any, [&](const auto& a, const auto& b, auto& x) {
      return solve::gmres(a, b, x, options);
    });
    expect_solved("LSQR", high, [&](const auto& a, const auto& b, auto& x) {
      return solve::lsqr(a, b, x, options);
    });
  }
}

TEST(WideOperator, IsThePlan) {
  const Matrix a = wind(7, 5);
  for (const std::string& place : places()) {
    const auto plan = std::make_shared<WidePlan<double>>(wide(a, place));
    const LinearOperator op(plan);
    EXPECT_EQ(op.name(), "a wide matrix");
    EXPECT_EQ(op.device().name(), place);
    EXPECT_EQ(op.threads(), plan->threads());
    EXPECT_EQ(op.rows(), a.rows);
    EXPECT_TRUE(op.supports(Op::none) && op.supports(Op::transpose));
    EXPECT_EQ(op.repeats(Op::none), plan->repeats(Op::none));
    EXPECT_EQ(op.captures(), op.device().kind != Device::Kind::cuda);
    const std::vector<double> x = fresh(35 * 3);
    for (const Layout layout : {Layout::row_major, Layout::column_major}) {
      std::vector<double> y = fresh(35 * 3), z = y;
      const DenseView<const double> from(x.data(), 35, 3, layout);
      plan->multiply(2, from, -1, DenseView<double>(y.data(), 35, 3, layout));
      op.multiply(2, from, -1, DenseView<double>(z.data(), 35, 3, layout));
      if (op.repeats(Op::none)) {
        EXPECT_EQ(y, z);
      }
    }
  }
  const LinearOperator<double> owned(wide(a, "cpu"));
  const std::vector<double> x = fresh(35);
  std::vector<double> y(35, std::nan("")), of_another(35, std::nan(""));
  owned.multiply(1, x, 0, y);
  wide(a, "cpu").multiply(1, x, 0, of_another);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], of_another[i], 1e-12) << i;
  EXPECT_EQ(sum(wide(a, "cpu"), owned).cols(), 35);
}

TEST(WideOperator, OfMoreThanSolversCount) {
  const WideCoo<float> a{3, 5'000'000'000, Array<std::int64_t>{0}, Array<std::int64_t>{7},
                         Array<float>{1}};
  const WidePlan<float> plan = wide_plan(a.view());
  try {
    const LinearOperator op(plan);
    FAIL() << "it was taken";
  } catch (const InvalidArgument& e) {
    EXPECT_STREQ(e.what(),
                 "a wide matrix of 3 x 5000000000 as a linear operator: those have at most "
                 "2147483647 rows and columns");
  }
  EXPECT_THROW(LinearOperator<float>(std::shared_ptr<const WidePlan<float>>()), InvalidArgument);
}

}  // namespace
}  // namespace nz::test
