#ifdef NZ_HAVE_EIGEN
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#if __has_include(<unsupported/Eigen/IterativeSolvers>)
#include <unsupported/Eigen/IterativeSolvers>
#define NZ_HAVE_EIGEN_GMRES
#endif

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/adaptors/eigen.hpp>
#include <nonzero/solve.hpp>
#include <nonzero/truth.hpp>

#include "support/devices.hpp"

namespace nz::test {
namespace {

using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Columns = Eigen::SparseMatrix<double>;

template <class M>
M random_matrix(int rows, int cols, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<Eigen::Triplet<typename M::Scalar>> all;
  for (int i = 0; i < rows; ++i) {
    if (i % 7 == 3) continue;  // some rows are empty
    for (int k = 0; k < 4; ++k)
      all.emplace_back(i, static_cast<int>(random() % static_cast<unsigned>(cols)),
                       static_cast<typename M::Scalar>(number(random)));
  }
  M m(rows, cols);
  m.setFromTriplets(all.begin(), all.end());
  return m;
}

// 5 points; with a wind it is not symmetric.
template <class M>
M grid(int side, double wind = 0) {
  std::vector<Eigen::Triplet<double>> all;
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) {
      const int at = j * side + i;
      all.emplace_back(at, at, 4.1);
      if (i > 0) all.emplace_back(at, at - 1, -1 - wind);
      if (i + 1 < side) all.emplace_back(at, at + 1, -1 + wind);
      if (j > 0) all.emplace_back(at, at - side, -1);
      if (j + 1 < side) all.emplace_back(at, at + side, -1);
    }
  M m(side * side, side * side);
  m.setFromTriplets(all.begin(), all.end());
  return m;
}

Eigen::VectorXd numbers(Eigen::Index n) {
  Eigen::VectorXd v(n);
  for (Eigen::Index i = 0; i < n; ++i) v[i] = std::sin(1.7 * static_cast<double>(i + 1)) + 0.3;
  return v;
}

TEST(Eigen, ArraysAreUsedInPlace) {
  const Rows rows = random_matrix<Rows>(40, 23, 1);
  const auto view = csr_of(rows);
  EXPECT_EQ(view.rows, 40);
  EXPECT_EQ(view.cols, 23);
  EXPECT_EQ(view.nnz, rows.nonZeros());
  EXPECT_EQ(view.values, rows.valuePtr());
  EXPECT_EQ(view.columns, rows.innerIndexPtr());
  EXPECT_EQ(view.offsets, rows.outerIndexPtr());
  validate(view);
  const Columns columns = random_matrix<Columns>(40, 23, 1);
  const auto turned = csr_of(columns);
  EXPECT_EQ(turned.rows, 23);
  EXPECT_EQ(turned.cols, 40);
  EXPECT_EQ(turned.values, columns.valuePtr());
  // Values that are written in place are those of the next product.
  Rows mine = random_matrix<Rows>(30, 30, 2);
  const EigenOperator<double> a = eigen_plan(mine, {.kernel = "cpu/csr/serial"});
  const Eigen::VectorXd x = numbers(30);
  const Eigen::VectorXd before = a * x;
  mine *= 2;
  const Eigen::VectorXd after = a * x;
  EXPECT_EQ(after, 2 * before);
  EXPECT_NE(before, Eigen::VectorXd::Zero(30));
}

// Rows and columns, N and T, every kind of vector; within the bound of the exact product.
TEST(Eigen, ProductsAreRight) {
  const Rows rows = random_matrix<Rows>(50, 31, 3);
  const Columns columns = rows;
  const Eigen::Map<const Rows> mapped(rows.rows(), rows.cols(), rows.nonZeros(),
                                      rows.outerIndexPtr(), rows.innerIndexPtr(), rows.valuePtr());
  const auto exact = csr_of(rows);
  for (const Op op : all_ops) {
    const Eigen::VectorXd x = numbers(op == Op::none ? 31 : 50);
    const Eigen::VectorXd before = numbers(op == Op::none ? 50 : 31) * 3;
    const auto right = [&](const auto& y, double alpha, double beta) {
      const Eigen::VectorXd copy = y;
      return check_product<double, std::int32_t>(exact, op, alpha, span_of(x), beta,
                                                 span_of(before), span_of(copy))
          .right();
    };
    for (const EigenOperator<double>& a : {eigen_plan(rows, {.op = both_ops}), eigen_plan(columns),
                                           eigen_plan(columns, {.op = op}), eigen_plan(mapped)}) {
      Eigen::VectorXd y = before;
      a.multiply(2, x, -0.5, y, op);
      EXPECT_TRUE(right(y, 2, -0.5));
      std::vector<double> memory(before.data(), before.data() + before.size());
      Eigen::Map<Eigen::VectorXd> map(memory.data(), before.size());
      a.multiply(1, Eigen::Map<const Eigen::VectorXd>(x.data(), x.size()), 1, map, op);
      EXPECT_TRUE(right(map, 1, 1));
      Eigen::MatrixXd several(before.size(), 2);
      several.col(1) = before;
      a.multiply(1, x, 0.25, several.col(1), op);
      EXPECT_TRUE(right(several.col(1), 1, 0.25));
      // Every other element of something longer is copied.
      Eigen::VectorXd longer = Eigen::VectorXd::Zero(2 * x.size());
      const Eigen::Map<Eigen::VectorXd, 0, Eigen::InnerStride<2>> strided(longer.data(), x.size(),
                                                                          Eigen::InnerStride<2>());
      longer(Eigen::seqN(0, x.size(), 2)) = x;
      y = before;
      a.multiply(1, strided, 1, y, op);
      EXPECT_TRUE(right(y, 1, 1));
      // As Eigen writes it, with expressions.
      const EigenOperator<double> b = op == Op::none ? a : a.transpose();
      Eigen::VectorXd z = b * x;
      EXPECT_TRUE(right(z, 1, 0));
      z = before;
      z += b * x;
      EXPECT_TRUE(right(z, 1, 1));
      z = before;
      z.noalias() -= b * (0.5 * x + 0.5 * x);
      EXPECT_TRUE(right(z, -1, 1));
    }
    const auto plan = nz::plan(exact, {.op = both_ops});
    Eigen::VectorXd y = before;
    multiply(plan, 2, x, 0.5, y, op);
    EXPECT_TRUE(right(y, 2, 0.5));
  }
}

template <class X, class Y>
void multiplies_several(const X& x, Y&& y, Op op) {
  const Rows rows = random_matrix<Rows>(50, 31, 6);
  const auto exact = csr_of(rows);
  const auto plan = nz::plan(exact, {.op = both_ops, .vectors = 4});
  const Eigen::MatrixXd before = y;
  multiply(plan, 2, x, -0.5, y, op);
  for (Eigen::Index j = 0; j < y.cols(); ++j) {
    const Eigen::VectorXd from = x.col(j), was = before.col(j), is = y.col(j);
    EXPECT_TRUE((check_product<double, std::int32_t>(exact, op, 2, span_of(from), -0.5,
                                                     span_of(was), span_of(is))
                     .right()))
        << j;
  }
}

// Both orders, parts of larger matrices, and a vector beside a matrix of one column.
TEST(Eigen, SeveralVectorsAreRight) {
  using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  for (const Op op : all_ops) {
    const Eigen::Index n = op == Op::none ? 31 : 50, m = 81 - n;
    const Eigen::MatrixXd x = Eigen::Map<const Eigen::MatrixXd>(numbers(n * 4).data(), n, 4);
    const ByRows x_rows = x;
    Eigen::MatrixXd y = Eigen::MatrixXd::Constant(m, 4, 3);
    ByRows y_rows = y;
    multiplies_several(x, y, op);
    multiplies_several(x_rows, y_rows, op);
    EXPECT_TRUE(y.isApprox(y_rows, 1e-13));
    multiplies_several(x, y_rows, op);
    multiplies_several(Eigen::Map<const ByRows>(x.data(), n, 4), y, op);
    ByRows wide = ByRows::Constant(m + 2, 9, 7);
    multiplies_several(x_rows, wide.block(1, 2, m, 4), op);
    EXPECT_EQ(wide.row(0), ByRows::Constant(1, 9, 7));
    EXPECT_EQ(wide.leftCols(2), ByRows::Constant(m + 2, 2, 7));
    EXPECT_EQ(wide.rightCols(3), ByRows::Constant(m + 2, 3, 7));
    multiplies_several(x.leftCols(3), Eigen::Ref<Eigen::MatrixXd>(y).rightCols(3), op);
    const Eigen::VectorXd one = x.col(2);
    multiplies_several(one, y.leftCols(1), op);
  }
}

TEST(Eigen, MatricesThatDoNotFitAreRefused) {
  const Rows rows = random_matrix<Rows>(50, 31, 7);
  const auto plan = nz::plan(csr_of(rows));
  const Eigen::MatrixXd x = Eigen::MatrixXd::Ones(31, 4);
  Eigen::MatrixXd y = Eigen::MatrixXd::Ones(50, 4), shorter(49, 4), fewer(50, 3);
  EXPECT_THROW(multiply(plan, 1, x, 0, shorter), InvalidArgument);
  EXPECT_THROW(multiply(plan, 1, x, 0, fewer), InvalidArgument);
  EXPECT_THROW(multiply(plan, 1, y.topRows(31), 0, y), InvalidArgument);
  using Steps = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
  const Eigen::Map<const Eigen::MatrixXd, 0, Steps> apart(y.data(), 31, 2, Steps(100, 2));
  EXPECT_THROW(dense_of(apart), InvalidArgument);
  EXPECT_EQ(y, Eigen::MatrixXd::Ones(50, 4));
  Eigen::MatrixXd none(50, 0);
  multiply(plan, 1, Eigen::MatrixXd(31, 0), 0, none);
}

TEST(Eigen, FloatsToo) {
  const auto m = random_matrix<Eigen::SparseMatrix<float>>(20, 20, 5);
  const Eigen::VectorXf x = numbers(20).cast<float>();
  const Eigen::VectorXf y = eigen_plan(m) * x, expected = m * x;
  EXPECT_LT((y - expected).norm(), 1e-6f * (1 + expected.norm()));
}

template <class Solver, class Matrix>
void solves(const Matrix& m, double tolerance = 1e-10) {
  const Eigen::VectorXd b = numbers(m.rows());
  const EigenOperator<double> a = eigen_plan(m);
  Solver solver;
  solver.setTolerance(tolerance);
  solver.setMaxIterations(2000);
  solver.compute(a);
  const Eigen::VectorXd x = solver.solve(b);
  EXPECT_EQ(solver.info(), Eigen::Success);
  EXPECT_LT((b - m * x).norm(), 10 * tolerance * b.norm());
  EXPECT_GT(solver.iterations(), 3);
}

TEST(Eigen, ItsSolversTakePlans) {
  using Free = EigenOperator<double>;
  using CG =
      Eigen::ConjugateGradient<Free, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner>;
  using Stabilised = Eigen::BiCGSTAB<Free, Eigen::IdentityPreconditioner>;
  solves<CG>(grid<Rows>(17));
  solves<CG>(grid<Columns>(17));
  solves<Stabilised>(grid<Rows>(17, 0.4));
  solves<Stabilised>(grid<Columns>(17, 0.4));
#ifdef NZ_HAVE_EIGEN_GMRES
  solves<Eigen::GMRES<Free, Eigen::IdentityPreconditioner>>(grid<Columns>(17, 0.4));
  solves<Eigen::MINRES<Free, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner>>(
      grid<Rows>(17));
#endif
}

// Step by step the same as with Eigen's own product.
TEST(Eigen, PlansAndMatricesAgree) {
  const Columns m = grid<Columns>(15);
  const Eigen::VectorXd b = numbers(m.rows());
  Eigen::ConjugateGradient<Columns, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner>
      theirs(m);
  const EigenOperator<double> a = eigen_plan(m);
  Eigen::ConjugateGradient<EigenOperator<double>, Eigen::Lower | Eigen::Upper,
                           Eigen::IdentityPreconditioner>
      ours(a);
  theirs.setMaxIterations(20);
  ours.setMaxIterations(20);
  const Eigen::VectorXd x = theirs.solve(b), y = ours.solve(b);
  EXPECT_LT((x - y).norm(), 1e-11 * x.norm());
}

// The other way around: operators that are put together in Eigen's solvers, Eigen's matrices in
// ours.
TEST(Eigen, OperatorsGoBothWays) {
  const Columns m = grid<Columns>(13), wide = random_matrix<Columns>(169, 40, 9);
  const EigenOperator<double> a = eigen_plan(m), w = eigen_plan(wide, {.op = both_ops});
  const Eigen::VectorXd b = numbers(m.rows());
  const EigenOperator<double> moved = shifted(a.linear_operator(), -2);
  Eigen::ConjugateGradient<EigenOperator<double>, Eigen::Lower | Eigen::Upper,
                           Eigen::IdentityPreconditioner>
      solver(moved);
  solver.setTolerance(1e-11);
  const Eigen::VectorXd x = solver.solve(b);
  EXPECT_LT((b - m * x - 2 * x).norm(), 1e-9 * b.norm());

  Eigen::VectorXd y = Eigen::VectorXd::Zero(m.rows());
  EXPECT_TRUE(
      solve::cg(moved.linear_operator(), span_of(b), span_of(y), {.tolerance = 1e-11}).ok());
  EXPECT_LT((x - y).norm(), 1e-8 * x.norm());
  // Least squares of Eigen ask for the adjoint.
  Eigen::LeastSquaresConjugateGradient<EigenOperator<double>, Eigen::IdentityPreconditioner> least(
      w);
  least.setTolerance(1e-12);
  const Eigen::VectorXd z = least.solve(b);
  EXPECT_LT((wide.transpose() * (b - wide * z)).norm(), 1e-9 * b.norm());
}

TEST(Eigen, DevicesWorkForIt) {
  NZ_NEEDS_EMULATOR();
  const Rows m = grid<Rows>(6);
  const EigenOperator<double> a = eigen_plan(m, {.device = emulator_device});
  const Eigen::VectorXd x = numbers(36);
  const Eigen::VectorXd y = a * x, expected = m * x;
  EXPECT_LT((y - expected).norm(), 1e-14 * expected.norm());
}

TEST(Eigen, WhatDoesNotFitIsRefused) {
  Rows open(4, 4);
  open.insert(1, 2) = 3;
  EXPECT_FALSE(open.isCompressed());
  try {
    eigen_plan(open);
    FAIL() << "it was taken";
  } catch (const InvalidArgument& e) {
    EXPECT_STREQ(e.what(), "the matrix of Eigen is not compressed: call makeCompressed() first");
  }
  open.makeCompressed();
  const EigenOperator<double> a = eigen_plan(open);
  const Eigen::VectorXd x = numbers(4);
  Eigen::VectorXd y = a * x, shorter(3);
  EXPECT_EQ(y[1], 3 * x[2]);
  try {
    a.multiply(1, x, 0, shorter);
    FAIL() << "it was taken";
  } catch (const InvalidArgument& e) {
    EXPECT_STREQ(e.what(), "y has 3 elements, needs 4");
  }
  EXPECT_THROW(a.multiply(1, y, 0, y), InvalidArgument);
  EXPECT_THROW(EigenOperator<double>().rows(), InvalidArgument);
  const Eigen::Map<const Eigen::VectorXd, 0, Eigen::InnerStride<2>> apart(x.data(), 2);
  EXPECT_THROW(span_of(apart), InvalidArgument);
  const Rows none(0, 0);
  EXPECT_EQ(eigen_plan(none).rows(), 0);
}

}  // namespace
}  // namespace nz::test
#endif
