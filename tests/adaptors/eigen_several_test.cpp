#ifdef NZ_HAVE_EIGEN
#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/adaptors/eigen.hpp>
#include <nonzero/truth.hpp>

#include "adaptors/eigen_matrices.hpp"
#include "support/devices.hpp"
#include "support/message_of.hpp"

// Eigen's dense matrices times operators of Eigen's sparse matrices, and complex ones by plans.
namespace nz::test {
namespace {

// 50 x 31, every seventh row empty.
Rows uneven() {
  Matrix m = numbers(50, 31, 2);
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    for (Eigen::Index j = 0; j < m.cols(); ++j)
      if (i % 7 == 3 || (3 * i + 5 * j) % 6 != 0) m(i, j) = 0;
  return m.sparseView();
}

// Every column of y is alpha op(A) x + beta before within the bound of the exact product.
testing::AssertionResult right(const Rows& a, Op op, double alpha, const Matrix& x, double beta,
                               const Matrix& before, const Matrix& y) {
  const Op real = op_for<double>(op);
  if (y.cols() != x.cols() || before.cols() != x.cols())
    return testing::AssertionFailure() << "another number of columns";
  for (Eigen::Index j = 0; j < y.cols(); ++j) {
    const Eigen::VectorXd from = x.col(j), was = before.col(j), is = y.col(j);
    const Verdict v = check_product<double, std::int32_t>(csr_of(a), real, alpha, span_of(from),
                                                          beta, span_of(was), span_of(is));
    if (!v.right()) return testing::AssertionFailure() << "column " << j << ": " << v.message();
  }
  return testing::AssertionSuccess();
}

// multiply() of both kinds and the product with X into Y of every order.
TEST(EigenSeveral, OperatorsMultiplyMatrices) {
  const Rows rows = uneven();
  const Columns columns = rows;
  const auto operators = {eigen_plan(rows, {.op = both_ops, .vectors = 4}),
                          eigen_plan(columns, {.op = both_ops, .vectors = 4}),
                          EigenOperator<double>(shifted(normal(plan(csr_of(rows))), 0))};
  for (const EigenOperator<double>& a : operators)
    for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      const bool square = a.rows() == a.cols(), turned = is_transposed(op);
      const Rows exact = square ? Rows(rows.transpose() * rows) : rows;
      // What is formed has roundings of its own.
      const auto holds = [&](double alpha, const Matrix& x, double beta, const Matrix& before,
                             const Matrix& y) -> testing::AssertionResult {
        if (!square) return right(rows, op, alpha, x, beta, before, y);
        const Matrix wanted = alpha * (exact * x) + beta * before;
        if ((y - wanted).norm() < 1e-12 * wanted.norm()) return testing::AssertionSuccess();
        return testing::AssertionFailure() << "it is " << (y - wanted).norm() << " apart";
      };
      const Eigen::Index n = turned ? a.rows() : a.cols(), m = turned ? a.cols() : a.rows();
      const Matrix x = numbers(n, 4, 1), before = numbers(m, 4, 5);
      const ByRows x_rows = x;
      const auto check = [&](const auto& from, auto&& to) {
        to = before;
        a.multiply(2, from, -0.5, to, op);
        EXPECT_TRUE(holds(2, x, -0.5, before, to));
        to.setConstant(std::nan(""));  // which beta = 0 does not read
        nz::multiply(a, 1, from, 0, to, op);
        EXPECT_TRUE(holds(1, x, 0, before, to));
      };
      const auto check_into = [&](const auto& from) {
        check(from, Matrix(m, 4));
        check(from, ByRows(m, 4));
        std::vector<double> memory(static_cast<std::size_t>(5 * m + 20), 7.0);
        check(from, Eigen::Map<Matrix>(memory.data(), m, 4));
        check(from, Eigen::Map<ByRows>(memory.data(), m, 4));
        check(from, Eigen::Map<ByRows, 0, Eigen::OuterStride<>>(memory.data(), m, 4,
                                                                Eigen::OuterStride<>(5)));
        Matrix larger = Matrix::Constant(m + 2, 6, 7);
        check(from, larger.block(1, 1, m, 4));
        EXPECT_EQ(larger.row(0), Matrix::Constant(1, 6, 7));
        EXPECT_EQ(larger.row(m + 1), Matrix::Constant(1, 6, 7));
        EXPECT_EQ(larger.rightCols(1), Matrix::Constant(m + 2, 1, 7));
        check(from, Eigen::Ref<Matrix>(larger.topLeftCorner(m, 4)));
      };
      check_into(x);
      check_into(x_rows);
      check_into(Eigen::Map<const Matrix>(x.data(), n, 4));
      check_into(Eigen::Map<const ByRows>(x_rows.data(), n, 4));
      check_into(x_rows.middleCols(0, 4));
    }
}

// As Eigen writes it: the product of an operator and whatever is a matrix.
TEST(EigenSeveral, ProductsAreExpressions) {
  const Rows rows = uneven();
  const Columns columns = rows;
  for (const EigenOperator<double>& a :
       {eigen_plan(rows, {.op = both_ops}), eigen_plan(columns, {.op = both_ops})})
    for (const Op op : all_ops) {
      const EigenOperator<double> by = op == Op::none ? a : a.adjoint();
      const Matrix x = numbers(by.cols(), 3, 1), before = numbers(by.rows(), 3, 5);
      const ByRows x_rows = x;
      Matrix y = by * x;
      EXPECT_TRUE(right(rows, op, 1, x, 0, before, y));
      y = before;
      y += by * x_rows;
      EXPECT_TRUE(right(rows, op, 1, x, 1, before, y));
      y = before;
      y.noalias() -= by * x;
      EXPECT_TRUE(right(rows, op, -1, x, 1, before, y));
      ByRows y_rows = by * x_rows;
      EXPECT_TRUE(right(rows, op, 1, x, 0, before, y_rows));
      y_rows.noalias() = by * (0.5 * x + 0.5 * x);  // an expression
      EXPECT_TRUE(right(rows, op, 1, x, 0, before, y_rows));
      Matrix wide = Matrix::Constant(by.rows(), 5, 7);
      wide.middleCols(1, 3) = by * Eigen::Map<const Matrix>(x.data(), by.cols(), 3);
      EXPECT_TRUE(right(rows, op, 1, x, 0, before, wide.middleCols(1, 3)));
      EXPECT_EQ(wide.col(0), Matrix::Constant(by.rows(), 1, 7));
      EXPECT_EQ(wide.col(4), Matrix::Constant(by.rows(), 1, 7));
      // The transpose of a matrix that stores rows is one that stores columns, and the other way.
      const Matrix flat = x.transpose();
      EXPECT_TRUE(right(rows, op, 1, x, 0, before, by * flat.transpose()));
      // Elements that are apart are brought together first.
      Matrix apart = Matrix::Zero(2 * by.cols(), 3);
      const Eigen::Map<Matrix, 0, Steps> every_other(apart.data(), by.cols(), 3,
                                                     Steps(2 * by.cols(), 2));
      apart(Eigen::seqN(0, by.cols(), 2), Eigen::all) = x;
      EXPECT_TRUE(right(rows, op, 1, x, 0, before, by * every_other));
      // A vector into a matrix of one column, and back.
      const Eigen::VectorXd one = x.col(1);
      const Matrix into = by * one;
      EXPECT_TRUE(right(rows, op, 1, one, 0, before.col(0), into));
      const Eigen::VectorXd back = by * x.middleCols(1, 1);
      EXPECT_TRUE(right(rows, op, 1, one, 0, before.col(0), back));
    }
}

// Lengths that are known when it is compiled, for which Eigen takes other ways to a product.
TEST(EigenSeveral, SidesThatTheCompilerKnows) {
  const Rows rows = uneven();
  const EigenOperator<double> a = eigen_plan(rows, {.op = both_ops});
  const Eigen::Matrix<double, 31, 2> x = numbers(31, 2, 1);
  const Eigen::Matrix<double, 50, 2> y = a * x;
  EXPECT_TRUE(right(rows, Op::none, 1, x, 0, Matrix::Zero(50, 2), y));
  const Rows small = Matrix(numbers(3, 3, 4)).sparseView();
  const EigenOperator<double> b = eigen_plan(small);
  const Eigen::Vector3d u = numbers(3, 1, 1), v = b * u;
  EXPECT_TRUE(right(small, Op::none, 1, u, 0, Matrix::Zero(3, 1), v));
  const Eigen::Matrix3d p = numbers(3, 3, 1), q = b * p;
  EXPECT_TRUE(right(small, Op::none, 1, p, 0, Matrix::Zero(3, 3), q));
  // A column of one matrix by a row of another.
  const Rows column = Matrix(numbers(5, 1, 4)).sparseView();
  const Eigen::RowVector4d row = numbers(1, 4, 1);
  const Matrix outer = eigen_plan(column) * row;
  EXPECT_TRUE(right(column, Op::none, 1, row, 0, Matrix::Zero(5, 4), outer));
}

TEST(EigenSeveral, FloatsAndDevices) {
  const Eigen::SparseMatrix<float> m = uneven().cast<float>();
  const Eigen::MatrixXf x = numbers(31, 3, 1).cast<float>();
  const Eigen::MatrixXf y = eigen_plan(m) * x, expected = m * x;
  EXPECT_LT((y - expected).norm(), 1e-6f * expected.norm());
  NZ_NEEDS_EMULATOR();
  const Eigen::MatrixXf far = eigen_plan(m, {.device = emulator_device}) * x;
  EXPECT_LT((far - expected).norm(), 1e-6f * expected.norm());
}

TEST(EigenSeveral, WhatDoesNotFitIsRefused) {
  const Rows rows = uneven();
  const Columns columns = rows;
  for (const EigenOperator<double>& a :
       {eigen_plan(rows, {.op = both_ops}), eigen_plan(columns, {.op = both_ops})}) {
    const Matrix x = Matrix::Ones(31, 4), high = Matrix::Ones(50, 4);
    Matrix y = Matrix::Ones(50, 4), shorter(49, 4), fewer(50, 3);
    const auto says = [&](const auto& from, auto&& to, Op op = Op::none) {
      const std::string by_member =
          message_of<InvalidArgument>([&] { a.multiply(1, from, 0, to, op); });
      EXPECT_EQ(message_of<InvalidArgument>([&] { nz::multiply(a, 1, from, 0, to, op); }),
                by_member);
      return by_member;
    };
    EXPECT_EQ(says(high, y), "X has 50 rows, needs 31");
    EXPECT_EQ(says(x, y, Op::transpose), "X has 31 rows, needs 50");
    EXPECT_EQ(says(high, y, Op::transpose), "Y has 50 rows, needs 31");
    EXPECT_EQ(says(x, shorter), "Y has 49 rows, needs 50");
    EXPECT_EQ(says(x, fewer), "X has 4 columns, Y 3");
    EXPECT_EQ(says(y.topRows(31), y), "X and Y overlap");
    EXPECT_EQ(says(x, Eigen::Map<Matrix, 0, Steps>(y.data(), 50, 2, Steps(100, 2))),
              "a matrix of Eigen whose elements do not lie one behind the other");
    EXPECT_EQ(message_of<InvalidArgument>([&] { y = a * high; }), "X has 50 rows, needs 31");
    EXPECT_EQ(message_of<InvalidArgument>([&] { y = a.transpose() * x; }),
              "X has 31 rows, needs 50");
#ifdef NDEBUG  // else Eigen asserts
    EXPECT_EQ(message_of<InvalidArgument>([&] { fewer.noalias() += a * x; }),
              "X has 4 columns, Y 3");
#endif
    const Eigen::VectorXd one = Eigen::VectorXd::Ones(50);
    EXPECT_EQ(message_of<InvalidArgument>([&] { y.col(0) = a * one; }), "X has 50 rows, needs 31");
    EXPECT_EQ(y, Matrix::Ones(50, 4));
  }
}

// Operators are real, and say so before the linker would.
template <class M>
concept HasEigenPlan = requires(const M& m) {
  eigen_plan(m);
};
template <class T>
concept HasEigenOperator = requires {
  typename EigenOperator<T>;
};
static_assert(HasEigenPlan<Eigen::SparseMatrix<float>> && HasEigenPlan<Rows>);
static_assert(HasEigenOperator<float> && HasEigenOperator<double>);
static_assert(!HasEigenPlan<Eigen::SparseMatrix<std::complex<double>>>);
static_assert(!HasEigenPlan<Eigen::SparseMatrix<std::complex<float>, Eigen::RowMajor>>);
static_assert(!HasEigenOperator<std::complex<double>>);

// A plan of the arrays takes complex matrices: N, T, H and the conjugate, one vector and several.
TEST(EigenSeveral, ComplexMatricesHavePlans) {
  using Complex = std::complex<double>;
  using Sparse = Eigen::SparseMatrix<Complex, Eigen::RowMajor>;
  const Sparse m = uneven().cast<Complex>() * Complex(0.6, 0.8) + uneven().cast<Complex>();
  const auto p = nz::plan(csr_of(m), {.op = both_ops});
  for (const Op op : all_complex_ops) {
    const Sparse exact = op == Op::none        ? m
                         : op == Op::transpose ? Sparse(m.transpose())
                         : op == Op::conjugate ? Sparse(m.conjugate())
                                               : Sparse(m.adjoint());
    const Eigen::MatrixXcd x = numbers(exact.cols(), 3, 1) * Complex(1, 0.5);
    Eigen::MatrixXcd y = Eigen::MatrixXcd::Ones(exact.rows(), 3);
    multiply(p, Complex(2, 1), x, Complex(0, 1), y, op);
    const Eigen::MatrixXcd wanted =
        Complex(2, 1) * (exact * x) + Complex(0, 1) * Eigen::MatrixXcd::Ones(exact.rows(), 3);
    EXPECT_LT((y - wanted).norm(), 1e-13 * wanted.norm()) << name(op);
    Eigen::VectorXcd one = Eigen::VectorXcd::Ones(exact.rows());
    multiply(p, Complex(2, 1), Eigen::VectorXcd(x.col(1)), Complex(0, 1), one, op);
    EXPECT_LT((one - wanted.col(1)).norm(), 1e-13 * wanted.norm()) << name(op);
  }
}

}  // namespace
}  // namespace nz::test
#endif
