#pragma once
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "solve/preconditioner.hpp"
#include "solve/systems.hpp"

// Small dense matrices, to hold preconditioners against.
namespace nz::test {

struct Dense {
  std::size_t n = 0;
  std::vector<double> values;

  explicit Dense(std::size_t size) : n(size), values(size * size, 0.0) {}
  double& operator()(std::size_t i, std::size_t j) { return values[i * n + j]; }
  double operator()(std::size_t i, std::size_t j) const { return values[i * n + j]; }

  static Dense identity(std::size_t n) {
    Dense d(n);
    for (std::size_t i = 0; i < n; ++i) d(i, i) = 1;
    return d;
  }
  Dense transposed() const {
    Dense d(n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) d(j, i) = (*this)(i, j);
    return d;
  }
};

inline Dense operator*(const Dense& a, const Dense& b) {
  Dense c(a.n);
  for (std::size_t i = 0; i < a.n; ++i)
    for (std::size_t k = 0; k < a.n; ++k)
      for (std::size_t j = 0; j < a.n; ++j) c(i, j) += a(i, k) * b(k, j);
  return c;
}

// x a + y b.
inline Dense combined(double x, const Dense& a, double y, const Dense& b) {
  Dense c(a.n);
  for (std::size_t k = 0; k < c.values.size(); ++k) c.values[k] = x * a.values[k] + y * b.values[k];
  return c;
}

inline Dense dense(const Matrix& a) {
  Dense d(static_cast<std::size_t>(a.rows));
  for (index_t i = 0; i < a.rows; ++i)
    for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k) d(i, a.columns[k]) += a.values[k];
  return d;
}

// a x = b by elimination with row exchanges.
inline std::vector<double> solved(Dense a, std::vector<double> b) {
  const std::size_t n = a.n;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    for (std::size_t j = 0; j < n; ++j) std::swap(a(k, j), a(pivot, j));
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double f = a(i, k) / a(k, k);
      for (std::size_t j = k; j < n; ++j) a(i, j) -= f * a(k, j);
      b[i] -= f * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a(k, j) * b[j];
    b[k] /= a(k, k);
  }
  return b;
}

inline Dense inverse(const Dense& a) {
  Dense m(a.n);
  for (std::size_t j = 0; j < a.n; ++j) {
    std::vector<double> unit(a.n, 0.0);
    unit[j] = 1;
    const std::vector<double> x = solved(a, unit);
    for (std::size_t i = 0; i < a.n; ++i) m(i, j) = x[i];
  }
  return m;
}

// What a preconditioner makes of the unit vectors.
template <class T>
Dense dense(const solve::Preconditioner<T>& m, Op op = Op::none) {
  const auto& inside = *m.inside();
  const auto n = static_cast<std::size_t>(inside.rows);
  Dense d(n);
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<T> unit(n, T(0)), y(n, T(0));
    unit[j] = 1;
    if (inside.by)
      inside.by.multiply(T(1), unit, T(0), y, op);
    else if (inside.device == cpu_device)
      y[j] = inside.host[j];
    else
      inside.far.download(y);
    for (std::size_t i = 0; i < n; ++i) d(i, j) = inside.by || i == j ? y[i] : 0;
  }
  return d;
}

inline double largest_difference(const Dense& a, const Dense& b) {
  double most = 0;
  for (std::size_t k = 0; k < a.values.size(); ++k) {
    const double d = std::abs(a.values[k] - b.values[k]);
    if (!(d <= most)) most = d;  // NaN, too
  }
  return most;
}

}  // namespace nz::test
