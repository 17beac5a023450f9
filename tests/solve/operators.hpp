#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <nonzero/linear_operator.hpp>

#include "solve/systems.hpp"

// Operators without a matrix, and matrices formed to judge operators by.
namespace nz::test {

// laplace(nx, ny) as a function.
inline LinearOperator<double> free_laplacian(int nx, int ny) {
  const auto f = [=](std::span<const double> x, std::span<double> y) {
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        const int at = j * nx + i;
        const auto near = [&](bool there, int step) { return there ? x[at + step] : 0.0; };
        y[at] = 4 * x[at] - near(i > 0, -1) - near(i + 1 < nx, 1) - near(j > 0, -nx) -
                near(j + 1 < ny, nx);
      }
  };
  return matrix_free<double>({.rows = nx * ny, .cols = nx * ny, .name = "Laplacian"}, f);
}

// A matrix that was formed, and beside each element the sum of the sizes of what it was made of:
// the componentwise bound of a product is a small multiple of the unit roundoff times these sums
// times |x|, however the operator comes to its result.
struct Formed {
  std::size_t rows = 0, cols = 0;
  std::vector<long double> value{}, size{};

  Formed(std::size_t r, std::size_t c) : rows(r), cols(c), value(r * c), size(r * c) {}
  explicit Formed(const Matrix& a)
      : Formed(static_cast<std::size_t>(a.rows), static_cast<std::size_t>(a.cols)) {
    for (index_t i = 0; i < a.rows; ++i)
      for (std::int64_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
        const std::size_t at = static_cast<std::size_t>(i) * cols + a.columns[k];
        value[at] += a.values[k];
        size[at] += std::abs(a.values[k]);
      }
  }

  Formed shifted(double by) const {
    Formed f = *this;
    for (std::size_t i = 0; i < rows; ++i) {
      f.value[i * cols + i] -= by;
      f.size[i * cols + i] += std::abs(by);
    }
    return f;
  }
  Formed plus(double factor, const Formed& b) const {
    Formed f = *this;
    for (std::size_t i = 0; i < value.size(); ++i) {
      f.value[i] += factor * b.value[i];
      f.size[i] += std::abs(factor) * b.size[i];
    }
    return f;
  }
  Formed transposed() const {
    Formed f(cols, rows);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < cols; ++j) {
        f.value[j * rows + i] = value[i * cols + j];
        f.size[j * rows + i] = size[i * cols + j];
      }
    return f;
  }
  Formed times(const Formed& b) const {
    Formed f(rows, b.cols);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < cols; ++k) {
        if (size[i * cols + k] == 0) continue;
        for (std::size_t j = 0; j < b.cols; ++j) {
          f.value[i * b.cols + j] += value[i * cols + k] * b.value[k * b.cols + j];
          f.size[i * b.cols + j] += size[i * cols + k] * b.size[k * b.cols + j];
        }
      }
    return f;
  }
  void place(std::size_t row, std::size_t column, const Formed& b) {
    for (std::size_t i = 0; i < b.rows; ++i)
      for (std::size_t j = 0; j < b.cols; ++j) {
        value[(row + i) * cols + column + j] = b.value[i * b.cols + j];
        size[(row + i) * cols + column + j] = b.size[i * b.cols + j];
      }
  }

  // The first row of y = alpha A x + beta before that is outside its bound, and by how much; empty
  // where none is. `operations`: how many roundings lie on the way to an element at most.
  std::string wrong(const std::vector<double>& y, double alpha, const std::vector<double>& x,
                    double beta, const std::vector<double>& before, int operations) const {
    if (y.size() != rows || x.size() != cols) return "the lengths are wrong";
    const long double u = std::numeric_limits<double>::epsilon() / 2;
    for (std::size_t i = 0; i < rows; ++i) {
      long double exact = 0, sizes = 0;
      for (std::size_t j = 0; j < cols; ++j) {
        exact += value[i * cols + j] * x[j];
        sizes += size[i * cols + j] * std::abs(x[j]);
      }
      exact *= alpha, sizes *= std::abs(alpha);
      if (beta != 0) {
        exact += static_cast<long double>(beta) * before[i];
        sizes += std::abs(static_cast<long double>(beta) * before[i]);
      }
      if (!(std::abs(y[i] - exact) <= operations * u * sizes))
        return "row " + std::to_string(i) + " is " + std::to_string(y[i]) + ", exact " +
               std::to_string(static_cast<double>(exact));
    }
    return "";
  }
};

}  // namespace nz::test
