#include "solve/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace nz::solve {
namespace {

// Turns a into the orthogonal matrix that makes it tridiagonal: d is the diagonal, e[1 ...] what
// stands beside it. After EISPACK's tred2.
void to_tridiagonal(SmallMatrix& a, std::vector<double>& d, std::vector<double>& e) {
  const std::size_t n = a.rows;
  for (std::size_t j = 0; j < n; ++j) d[j] = a(n - 1, j);
  for (std::size_t i = n - 1; i > 0; --i) {
    double scale = 0, h = 0;
    for (std::size_t k = 0; k < i; ++k) scale += std::abs(d[k]);
    if (scale == 0) {
      e[i] = d[i - 1];
      for (std::size_t j = 0; j < i; ++j) {
        d[j] = a(i - 1, j);
        a(i, j) = a(j, i) = 0;
      }
    } else {
      for (std::size_t k = 0; k < i; ++k) {
        d[k] /= scale;
        h += d[k] * d[k];
      }
      const double last = d[i - 1], g = last > 0 ? -std::sqrt(h) : std::sqrt(h);
      e[i] = scale * g;
      h -= last * g;
      d[i - 1] = last - g;
      std::fill_n(e.begin(), i, 0.0);
      for (std::size_t j = 0; j < i; ++j) {
        const double f = d[j], *v = a.column(j);
        a(j, i) = f;
        double sum = e[j] + v[j] * f;
        for (std::size_t k = j + 1; k < i; ++k) {
          sum += v[k] * d[k];
          e[k] += v[k] * f;
        }
        e[j] = sum;
      }
      double f = 0;
      for (std::size_t j = 0; j < i; ++j) {
        e[j] /= h;
        f += e[j] * d[j];
      }
      const double half = f / (h + h);
      for (std::size_t j = 0; j < i; ++j) e[j] -= half * d[j];
      for (std::size_t j = 0; j < i; ++j) {
        double* v = a.column(j);
        for (std::size_t k = j; k < i; ++k) v[k] -= d[j] * e[k] + e[j] * d[k];
        d[j] = a(i - 1, j);
        a(i, j) = 0;
      }
    }
    d[i] = h;
  }
  // The reflections one after the other.
  for (std::size_t i = 0; i + 1 < n; ++i) {
    a(n - 1, i) = a(i, i);
    a(i, i) = 1;
    const double h = d[i + 1];
    double* next = a.column(i + 1);
    if (h != 0) {
      for (std::size_t k = 0; k <= i; ++k) d[k] = next[k] / h;
      for (std::size_t j = 0; j <= i; ++j) {
        double *v = a.column(j), g = 0;
        for (std::size_t k = 0; k <= i; ++k) g += next[k] * v[k];
        for (std::size_t k = 0; k <= i; ++k) v[k] -= g * d[k];
      }
    }
    std::fill_n(next, i + 1, 0.0);
  }
  for (std::size_t j = 0; j < n; ++j) {
    d[j] = a(n - 1, j);
    a(n - 1, j) = 0;
  }
  a(n - 1, n - 1) = 1;
  e[0] = 0;
}

// Turns d into the eigenvalues of the tridiagonal matrix, and a's columns with it. After tql2.
bool ql(SmallMatrix& a, std::vector<double>& d, std::vector<double>& e) {
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  constexpr int most_rounds = 80;
  const std::size_t n = a.rows;
  std::rotate(e.begin(), e.begin() + 1, e.end());  // e[0] is 0, and ends the last block now
  double shifted = 0, size = 0;
  for (std::size_t l = 0; l < n; ++l) {
    size = std::max(size, std::abs(d[l]) + std::abs(e[l]));
    std::size_t m = l;
    while (std::abs(e[m]) > rounding * size) ++m;
    for (int round = 0; m > l && std::abs(e[l]) > rounding * size; ++round) {
      if (round == most_rounds) return false;
      const double g0 = d[l], half = (d[l + 1] - g0) / (2 * e[l]);
      const double r0 = half < 0 ? -std::hypot(half, 1.0) : std::hypot(half, 1.0);
      d[l] = e[l] / (half + r0);
      d[l + 1] = e[l] * (half + r0);
      const double after = d[l + 1], shift = g0 - d[l], beside = e[l + 1];
      for (std::size_t i = l + 2; i < n; ++i) d[i] -= shift;
      shifted += shift;
      double p = d[m], c = 1, c2 = 1, c3 = 1, s = 0, s2 = 0;
      for (std::size_t i = m; i-- > l;) {
        c3 = c2;
        c2 = c;
        s2 = s;
        const double g = c * e[i], h = c * p, r = std::hypot(p, e[i]);
        e[i + 1] = s * r;
        s = e[i] / r;
        c = p / r;
        p = c * d[i] - s * g;
        d[i + 1] = h + s * (c * g + s * d[i]);
        double *left = a.column(i), *right = a.column(i + 1);
        for (std::size_t k = 0; k < n; ++k) {
          const double t = right[k];
          right[k] = s * left[k] + c * t;
          left[k] = c * left[k] - s * t;
        }
      }
      p = -s * s2 * c3 * beside * e[l] / after;
      e[l] = s * p;
      d[l] = c * p;
    }
    d[l] += shifted;
    e[l] = 0;
  }
  return true;
}

}  // namespace

bool symmetric_eigen(SmallMatrix& a, std::vector<double>& values) {
  const std::size_t n = a.rows;
  values.assign(n, 0.0);
  if (n == 0) return true;
  double largest = 0;
  for (const double v : a.values) {
    if (!std::isfinite(v)) return false;
    largest = std::max(largest, std::abs(v));
  }
  // Squares of what is very large or very small stay numbers.
  const double scale = largest > 0 ? std::ldexp(1.0, -std::ilogb(largest)) : 1;
  for (double& v : a.values) v *= scale;
  std::vector<double> beside(n, 0.0);
  to_tridiagonal(a, values, beside);
  if (!ql(a, values, beside)) return false;
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return values[i] < values[j] || (values[i] == values[j] && i < j);
  });
  SmallMatrix sorted(n, n);
  std::vector<double> rising(n);
  for (std::size_t j = 0; j < n; ++j) {
    rising[j] = values[order[j]] / scale;
    std::copy_n(a.column(order[j]), n, sorted.column(j));
  }
  a = std::move(sorted);
  values = std::move(rising);
  return true;
}

}  // namespace nz::solve
