#ifdef NZ_HAVE_EIGEN
#include <complex>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <nonzero/adaptors/eigen.hpp>

#include "adaptors/eigen_matrices.hpp"
#include "support/message_of.hpp"

// Eigen's expressions of and around products: rows, what has no memory, numbers before products,
// sides of zero, and what is refused.
namespace nz::test {
namespace {

using Vector = Eigen::VectorXd;
using Row = Eigen::RowVectorXd;

Rows sparse(Eigen::Index rows, Eigen::Index columns) {
  Matrix m = numbers(rows, columns, 2);
  for (Eigen::Index i = 0; i < m.size(); ++i)
    if (i % 3 == 1) m(i) = 0;
  return m.sparseView();
}

template <class Y, class Wanted>
testing::AssertionResult close(const Y& y, const Wanted& wanted) {
  if (y.rows() != wanted.rows() || y.cols() != wanted.cols())
    return testing::AssertionFailure() << "it is " << y.rows() << " x " << y.cols();
  const double apart = (Matrix(y) - Matrix(wanted)).norm();
  if (apart <= 1e-13 * (1 + Matrix(wanted).norm())) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "it is " << apart << " apart";
}

// X without memory, or with elements that are apart, is copied, whatever of it is known when it is
// compiled; where it can stay, it stays.
TEST(EigenExpressions, MultiplyCopiesWhatHasNoMemory) {
  const Rows m = sparse(20, 12);
  const Columns columns = m;
  const auto plan = nz::plan(csr_of(m), {.op = both_ops});
  for (const EigenOperator<double>& a :
       {eigen_plan(m, {.op = both_ops}), eigen_plan(columns, {.op = both_ops})}) {
    const Matrix one = numbers(12, 1, 1), three = numbers(12, 3, 1);
    const Vector before = numbers(20, 1, 5);
    const Matrix several = numbers(20, 3, 5);
    const auto check = [&](const auto& x, const auto& was) {
      const Matrix from = x, wanted = 2 * (m * from) - 0.5 * Matrix(was);
      auto y = was;
      a.multiply(2, x, -0.5, y);
      EXPECT_TRUE(close(y, wanted));
      y = was;
      nz::multiply(a, 2, x, -0.5, y);
      EXPECT_TRUE(close(y, wanted));
      y = was;
      nz::multiply(plan, 2, x, -0.5, y);
      EXPECT_TRUE(close(y, wanted));
    };
    check(one * 2.0, before);  // a column at run time alone
    check(Matrix::Ones(12, 1), before);
    check(Vector::Ones(12), Matrix(before));
    check(one.array() * 2, before.array().eval());
    check(one, before);
    check(three * 2.0 + Matrix::Ones(12, 3), several);
    check(three * 2.0, ByRows(several));
    check(three.array(), several);
    check(three.array() * 2, several);
    check(three.rowwise().reverse(), several);
    Matrix apart = numbers(24, 3, 4);
    check(Eigen::Map<Matrix, 0, Steps>(apart.data(), 12, 3, Steps(24, 2)), several);
    check(Eigen::Map<const Matrix, 0, Steps>(apart.data(), 12, 3, Steps(24, 1)), several);
    Vector turned = numbers(12, 1, 5);
    const Vector was = turned, long_one = numbers(20, 1, 3);
    a.multiply(1, Matrix(long_one) * 3.0, 1, turned, Op::transpose);
    EXPECT_TRUE(close(turned, was + 3 * (m.transpose() * long_one)));
    // A copy shares nothing with Y. What is used where it is does.
    Matrix y = numbers(24, 1, 4);
    const Matrix wanted = m * Matrix(y(Eigen::seqN(0, 12, 2), Eigen::all));
    const Eigen::Map<Matrix, 0, Steps> every_other(y.data(), 12, 1, Steps(24, 2));
    a.multiply(1, every_other, 0, y.topRows(20));
    EXPECT_TRUE(close(y.topRows(20), wanted));
    const Eigen::Map<Matrix, 0, Steps> every(y.data(), 12, 1, Steps(24, 1));
    EXPECT_EQ(message_of<InvalidArgument>([&] { a.multiply(1, every, 0, y.topRows(20)); }),
              "X and Y overlap");
    EXPECT_EQ(message_of<InvalidArgument>([&] { a.multiply(1, several * 2.0, 0, y); }),
              "X has 20 rows, needs 12");
  }
}

TEST(EigenExpressions, ComplexPlansTakeThemToo) {
  using Complex = std::complex<double>;
  const Eigen::SparseMatrix<Complex, Eigen::RowMajor> m =
      sparse(20, 12).cast<Complex>() * Complex(0.6, 0.8);
  const auto plan = nz::plan(csr_of(m));
  const Eigen::MatrixXcd x = numbers(12, 3, 1) * Complex(1, 0.5);
  Eigen::MatrixXcd y = Eigen::MatrixXcd::Ones(20, 3);
  nz::multiply(plan, Complex(2, 1), x * Complex(0, 1), 0, y);
  const Eigen::MatrixXcd exact = m * x, wanted = Complex(-1, 2) * exact;
  EXPECT_LT((y - wanted).norm(), 1e-13 * wanted.norm());
}

// A column by rows of every kind, of which Eigen makes outer products.
TEST(EigenExpressions, ColumnsTimesRows) {
  const Rows m = sparse(5, 1);
  const Columns columns = m;
  const Vector column = Matrix(m);
  for (const EigenOperator<double>& a : {eigen_plan(m), eigen_plan(columns)}) {
    const Row r = numbers(1, 7, 1);
    const auto outer = [&](const auto& row) -> Matrix { return column * Row(row); };
    const Matrix y = a * r;
    EXPECT_TRUE(close(y, outer(r)));
    const ByRows y_rows = a * r;
    EXPECT_TRUE(close(y_rows, outer(r)));
    const Eigen::Matrix<double, 1, 20> fixed = numbers(1, 20, 3);
    Eigen::Matrix<double, 5, 20> wide = a * fixed;
    EXPECT_TRUE(close(wide, outer(fixed)));
    wide.noalias() -= a * fixed;
    EXPECT_EQ(wide, (Eigen::Matrix<double, 5, 20>::Zero()));
    const Eigen::RowVector4d few = r.head(4);
    const Eigen::Matrix<double, 1, 1> single = r.head(1);
    const Matrix of_few = a * few, of_single = a * single;
    EXPECT_TRUE(close(of_few, outer(few)));
    EXPECT_TRUE(close(of_single, outer(single)));
    const Matrix from = numbers(3, 7, 4);  // its rows are apart
    const ByRows from_rows = from;
    const auto check = [&](const auto& row) {
      Matrix z = Matrix::Constant(5, row.cols(), 3);
      z.noalias() = a * row;
      EXPECT_TRUE(close(z, outer(row)));
      z += a * row;
      EXPECT_TRUE(close(z, 2 * outer(row)));
      z = z - a * row;
      EXPECT_TRUE(close(z, outer(row)));
    };
    check(from.row(1));
    check(from_rows.row(1));
    check(from_rows.row(1).segment(2, 3));
    check(from.col(0).transpose());
    check(2 * r);
    check(Row::Ones(6));
    check(Eigen::Map<const Row>(from.data(), 4));
    check(Eigen::Map<const Row, 0, Eigen::InnerStride<2>>(from.data(), 4));
    check(Eigen::Ref<const Row>(r));
    const auto kept = a * from.row(2);  // what it is made of is gone when it is evaluated
    EXPECT_TRUE(close(Matrix(kept), outer(from.row(2))));
    EXPECT_EQ(Matrix(a * Row(0)).cols(), 0);
    EXPECT_EQ(message_of<InvalidArgument>([&] { Matrix(a.transpose() * r); }),
              "X has 1 rows, needs 5");
  }
  const Rows number = sparse(1, 1);
  Row r = numbers(1, 7, 1);
  const Row was = r;
  r = eigen_plan(number) * r;
  EXPECT_TRUE(close(r, number.coeff(0, 0) * was));
}

// They are evaluated into what held something else.
TEST(EigenExpressions, SidesOfZero) {
  for (const auto& [rows, columns] : {std::pair(5, 0), {0, 5}, {0, 0}, {5, 3}}) {
    const Rows m(rows, columns);
    const Columns turned(rows, columns);
    for (const EigenOperator<double>& a : {eigen_plan(m), eigen_plan(turned)})
      for (const int several : {0, 1, 3}) {
        const Matrix x = Matrix::Ones(columns, several), zero = Matrix::Zero(rows, several);
        const Matrix fresh = a * x;
        EXPECT_EQ(fresh.rows(), rows);
        EXPECT_EQ(fresh.cols(), several);
        EXPECT_EQ(fresh, zero);
        Matrix y = Matrix::Constant(7, 2, std::nan(""));
        y = a * x;
        EXPECT_EQ(y.rows(), rows);
        EXPECT_EQ(y.cols(), several);
        EXPECT_EQ(y, zero);
        y.setConstant(std::nan(""));
        y.noalias() = a * x;
        EXPECT_EQ(y, zero);
        ByRows z = ByRows::Ones(rows, several);
        z += a * x;
        EXPECT_EQ(z, ByRows::Ones(rows, several));
        z.noalias() = 2 * (a * x);
        EXPECT_EQ(z, zero);
      }
    Vector y = Vector::Constant(rows, std::nan(""));
    y.noalias() = eigen_plan(m) * Vector::Ones(columns);
    EXPECT_EQ(y, Vector::Zero(rows));
  }
}

// Y is written by the product alone.
TEST(EigenExpressions, WhatIsRefusedLeavesItsDestination) {
  const Rows m = sparse(8, 8);
  const Columns turned = m;
  for (const EigenOperator<double>& a : {eigen_plan(m), eigen_plan(turned)}) {
    const Matrix x = numbers(8, 3, 1), before = numbers(8, 3, 5);
    Vector one = before.col(0);
    EXPECT_EQ(message_of<InvalidArgument>([&] { one.noalias() = a * one; }), "x and y overlap");
    EXPECT_EQ(one, before.col(0));
    Matrix y = before;
    EXPECT_EQ(message_of<InvalidArgument>([&] { y.noalias() = a * y; }), "X and Y overlap");
    EXPECT_EQ(y, before);
    EXPECT_EQ(message_of<InvalidArgument>([&] { y.leftCols(2).noalias() = a * y.rightCols(2); }),
              "X and Y overlap");
    EXPECT_EQ(y, before);
    Matrix memory = numbers(16, 3, 7);
    const Matrix was = memory;
    Eigen::Map<Matrix, 0, Steps> apart(memory.data(), 8, 3, Steps(16, 2));
    EXPECT_EQ(message_of<InvalidArgument>([&] { apart.noalias() = a * x; }),
              "a matrix of Eigen whose elements do not lie one behind the other");
    EXPECT_EQ(memory, was);
    apart = a * x;  // by way of a matrix
    EXPECT_TRUE(close(apart, m * x));
    // What is never refused: a copy, an expression, a destination that is copied into.
    y.noalias() = a * (1.0 * y);
    EXPECT_TRUE(close(y, m * before));
    y = before;
    y = a * y;
    EXPECT_TRUE(close(y, m * before));
    one = before.col(0) - a * one;
    EXPECT_TRUE(close(one, before.col(0) - m * before.col(0)));
  }
}

// Matrices and vectors get the size of the product, others are refused, and nothing is written
// beyond them.
TEST(EigenExpressions, DestinationsOfOtherSizes) {
  const Rows m = sparse(5, 4);
  const Columns turned = m;
  for (const EigenOperator<double>& a : {eigen_plan(m), eigen_plan(turned)})
    for (const Eigen::Index size : {0, 2, 4, 9}) {
      SCOPED_TRACE(size);
      const Vector x = numbers(4, 1, 1);
      const Matrix several = numbers(4, 2, 3);
      Vector y = Vector::Ones(size);
      y.noalias() = a * x;
      EXPECT_TRUE(close(y, m * x));
      y = Vector::Ones(size);
      y.noalias() = 2 * (a * x);
      EXPECT_TRUE(close(y, 2 * (m * x)));
      y = Vector::Ones(size);
      y.noalias() = a * (x + x);  // an expression
      EXPECT_TRUE(close(y, 2 * (m * x)));
      Matrix z = Matrix::Ones(size, 3);
      z.noalias() = a * several;
      EXPECT_TRUE(close(z, m * several));
      z = Matrix::Ones(size, 3);
      z.noalias() = a * x;
      EXPECT_TRUE(close(z, m * x));
      Vector memory = Vector::Ones(size + 20);
      const Vector was = memory;
      Eigen::Map<Vector> map(memory.data() + 10, size);
      Eigen::Map<Matrix> wide(memory.data() + 10, size / 2, 2);
      const auto refused = [&](auto&& assign) {
        EXPECT_FALSE(message_of<InvalidArgument>(assign).empty());
        EXPECT_EQ(memory, was);
      };
      refused([&] { map.noalias() = 2 * (a * x); });
      refused([&] { map += 2 * (a * x); });
      refused([&] { memory.segment(10, size).noalias() = 2 * (a * x); });
      refused([&] { wide.noalias() = 2 * (a * several); });
#ifdef NDEBUG  // else Eigen asserts
      refused([&] { map.noalias() = a * x; });
      refused([&] { map.noalias() += a * x; });
      refused([&] { memory.segment(10, size).noalias() = a * x; });
      refused([&] { wide.noalias() = a * several; });
      Eigen::Ref<Vector> part(map);
      refused([&] { part.noalias() = a * x; });
#endif
    }
  // Nobody reads what was freed: a product is refused that would give its x another size.
  const EigenOperator<double> a = eigen_plan(m);
  const Vector before = numbers(4, 1, 1);
  const Matrix all = numbers(4, 3, 1);
  Vector y = before;
  EXPECT_EQ(message_of<InvalidArgument>([&] { y.noalias() = a * y; }), "X and Y overlap");
  EXPECT_EQ(message_of<InvalidArgument>([&] { y.noalias() = a * y.head(4); }), "X and Y overlap");
  EXPECT_EQ(y, before);
  Matrix z = all;
  EXPECT_EQ(message_of<InvalidArgument>([&] { z.noalias() = a * z.rightCols(2); }),
            "X and Y overlap");
  EXPECT_EQ(z, all);
  z.noalias() = a * (2 * z);  // an expression is copied before
  EXPECT_TRUE(close(z, 2 * (m * all)));
  y = a * y;
  EXPECT_TRUE(close(y, m * before));
  y = before;
  y = 2 * (a * y);
  EXPECT_TRUE(close(y, 2 * (m * before)));
  Eigen::Matrix<double, 9, 1> fixed = Eigen::Matrix<double, 9, 1>::Ones();
  EXPECT_EQ(message_of<InvalidArgument>([&] { fixed.noalias() = 2 * (a * before); }),
            "Y is 9 x 1, the product 5 x 1");
  EXPECT_EQ(fixed.sum(), 9);
}

// beta is 0 in an assignment: neither what is there nor what is not a number counts.
TEST(EigenExpressions, AssignmentsReadNothing) {
  const Rows m = sparse(8, 8);
  const EigenOperator<double> a = eigen_plan(m);
  const Vector x = numbers(8, 1, 1);
  Vector y = Vector::Constant(8, std::numeric_limits<double>::infinity());
  y.noalias() = a * x;
  EXPECT_TRUE(close(y, m * x));
  Matrix several = Matrix::Constant(8, 2, std::nan(""));
  several.noalias() = a * numbers(8, 2, 1);
  EXPECT_TRUE(close(several, m * numbers(8, 2, 1)));
}

TEST(EigenExpressions, NumbersTimesProducts) {
  const Rows m = sparse(8, 8);
  const Columns turned = m;
  for (const EigenOperator<double>& a : {eigen_plan(m), eigen_plan(turned)}) {
    const Vector x = numbers(8, 1, 1), before = numbers(8, 1, 5), product = m * x;
    Vector y = 2 * (a * x);
    EXPECT_TRUE(close(y, 2 * product));
    y += 0.5 * (a * x);
    EXPECT_TRUE(close(y, 2.5 * product));
    y.noalias() -= 3 * (a * x);
    EXPECT_TRUE(close(y, -0.5 * product));
    y = before - 2 * (a * x);
    EXPECT_TRUE(close(y, before - 2 * product));
    y = 2 * (3 * (a * x)) + (a * x) * 4 - (a * x) / 2;
    EXPECT_TRUE(close(y, 9.5 * product));
    y = x;
    y = 2 * (a * y);
    EXPECT_TRUE(close(y, 2 * product));
    y = x;
    y.noalias() = 2 * (a * y);  // A * y has memory of its own here
    EXPECT_TRUE(close(y, 2 * product));
    y = a * (2 * (a * x));
    EXPECT_TRUE(close(y, 2 * (m * product)));
    EXPECT_NEAR(x.dot(2 * (a * x)), 2 * x.dot(product), 1e-13);
    const Matrix several = numbers(8, 3, 1), of_several = m * several;
    Matrix z(2, 2);
    z = 2 * (a * several);
    EXPECT_TRUE(close(z, 2 * of_several));
    ByRows z_rows = ByRows::Ones(8, 3);
    z_rows += 2.f * (a * several);
    EXPECT_TRUE(close(z_rows, 2 * of_several + Matrix::Ones(8, 3)));
    const Eigen::Matrix<double, 8, 1> fixed = x, of_fixed = 2 * (a * fixed);
    EXPECT_TRUE(close(of_fixed, 2 * product));
    EXPECT_EQ(message_of<InvalidArgument>([&] { y = 2 * (a * Vector::Ones(7)); }),
              "X has 7 rows, needs 8");
  }
  const Rows column = sparse(5, 1);
  const Row r = numbers(1, 4, 1);
  const Matrix outer = 2 * (eigen_plan(column) * r);
  EXPECT_TRUE(close(outer, 2 * (column * Matrix(r))));
}

}  // namespace
}  // namespace nz::test
#endif
