#pragma once
#include <Eigen/SparseCore>

#include <cmath>

// What the tests with Eigen call its matrices, and numbers for them.
namespace nz::test {

using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Columns = Eigen::SparseMatrix<double>;
using Matrix = Eigen::MatrixXd;
using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Steps = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;

// Numbers without a pattern, another one at each place.
inline Matrix numbers(Eigen::Index rows, Eigen::Index columns, double shift) {
  Matrix m(rows, columns);
  for (Eigen::Index i = 0; i < m.size(); ++i)
    m(i) = std::sin(1.7 * static_cast<double>(i + 1) + shift);
  return m;
}

}  // namespace nz::test
