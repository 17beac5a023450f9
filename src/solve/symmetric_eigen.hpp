#pragma once
#include <cstddef>
#include <vector>

namespace nz::solve {

// A small dense matrix, column by column.
struct SmallMatrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values{};

  SmallMatrix() = default;
  SmallMatrix(std::size_t r, std::size_t c) : rows(r), columns(c), values(r * c, 0.0) {}
  double& operator()(std::size_t i, std::size_t j) { return values[j * rows + i]; }
  double operator()(std::size_t i, std::size_t j) const { return values[j * rows + i]; }
  double* column(std::size_t j) { return values.data() + j * rows; }
  const double* column(std::size_t j) const { return values.data() + j * rows; }
};

// The eigenvalues of a symmetric matrix, rising; its columns become their vectors, of length 1 and
// at right angles to each other. Householder's reduction and the implicit QL method. False where a
// number is not finite or QL does not end, which finite numbers have not been seen to do.
bool symmetric_eigen(SmallMatrix& a, std::vector<double>& values);

}  // namespace nz::solve
