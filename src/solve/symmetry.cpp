#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/instantiate.hpp"
#include "solve/system.hpp"

namespace nz::solve {
namespace {

// Between 0.5 and 1.5, by the place alone.
template <class T>
T odd_number(std::size_t i) {
  std::uint64_t h = (i + 1) * 0x9e3779b97f4a7c15u;
  h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9u;
  return static_cast<T>(0.5 + static_cast<double>(h >> 40) / (1 << 24));
}

// But for rounding: that of the numbers themselves, or of what cancelled in a row whose largest
// entry is that.
template <Value T>
bool same(T a, T b, double largest) {
  const double close = sizeof(T) == 8 ? 1e-10 : 1e-4, lost = sizeof(T) == 8 ? 1e-10 : 1e-6;
  const auto x = static_cast<double>(a), y = static_cast<double>(b);
  return x == y || std::abs(x - y) <= close * std::max(std::abs(x), std::abs(y)) ||
         std::abs(x - y) <= lost * largest || (std::isnan(x) && std::isnan(y));
}

}  // namespace

// A v and A^T v differ where a row and its column do, unless that cancels by chance; the row and
// the column of the first such place are then products with a unit vector, exact ones.
template <Value T>
std::string why_not_symmetric(SolverWorkspace<T>& m, const LinearOperator<T>& a) {
  const auto n = static_cast<std::size_t>(a.rows());
  if (n == 0 || !a.supports(Op::transpose)) return {};
  const Slot difference = m.scalar(), total = m.scalar();
  T *v = m.vector(n), *down = m.vector(n), *across = m.vector(n);
  std::vector<T> start(n);
  for (std::size_t i = 0; i < n; ++i) start[i] = odd_number<T>(i);
  m.put(v, start);
  m.multiply(a, Op::none, v, down);
  m.multiply(a, Op::transpose, v, across);
  m.pass(n)
      .dot(down, down, total)
      .update(across, 1.0, down, -1.0)
      .dot(across, across, difference)
      .then();
  const double rounding = sizeof(T) == 8 ? 1e-13 : 1e-5;
  if (!(m.read(difference) > rounding * rounding * m.read(total))) return {};

  // Which rows: by their share of the difference, so that rounding elsewhere is not looked at.
  const std::vector<T> off = m.fetch(across, n), rows = m.fetch(down, n);
  int looks = 16;
  std::vector<T> unit(n, T(0));
  for (std::size_t i = 0; i < n && looks > 0; ++i) {
    const double scale = std::max(std::abs(static_cast<double>(rows[i])), 1e-300);
    if (!(std::abs(static_cast<double>(off[i])) > 10 * rounding * scale)) continue;
    --looks;
    unit[i] = T(1);
    m.put(v, unit);
    unit[i] = T(0);
    m.multiply(a, Op::none, v, down);
    m.multiply(a, Op::transpose, v, across);
    const std::vector<T> column = m.fetch(down, n), row = m.fetch(across, n);
    double largest = 0;
    for (const T value : row) largest = std::max(largest, std::abs(static_cast<double>(value)));
    for (std::size_t j = 0; j < n; ++j)
      if (!same(row[j], column[j], largest))
        return fmt::format("({}, {}) is {} and ({}, {}) is {}, counting from 0", i, j, row[j], j, i,
                           column[j]);
  }
  return {};
}

#define NZ_INSTANTIATE(T) \
  template std::string why_not_symmetric(SolverWorkspace<T>&, const LinearOperator<T>&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::solve
