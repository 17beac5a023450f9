#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/preconditioners.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "solve/host_matrix.hpp"
#include "solve/preconditioner.hpp"

// Sparse approximate inverses by least squares (Grote and Huckle's, places given). Row k of M is
// the combination of rows of A that comes nearest to the unit vector k.
namespace nz::solve {
namespace {

constexpr const char* who = "SPAI";
constexpr std::size_t most_places = 100;

struct Room {
  std::vector<index_t> places, reached;
  std::vector<std::size_t> order, kept;
  std::vector<index_t> where;  // of each column in the small system, or -1
  std::vector<double> dense, right, row;
};

void find_places(const DoubleView& a, index_t i, Room& r) {
  const auto begin = a.offsets[i];
  const auto n = static_cast<std::size_t>(a.offsets[i + 1] - begin);
  r.order.resize(n);
  std::iota(r.order.begin(), r.order.end(), std::size_t(0));
  if (n > most_places) {
    const double* values = a.values + begin;
    std::stable_sort(r.order.begin(), r.order.end(), [&](std::size_t x, std::size_t y) {
      return std::abs(values[x]) > std::abs(values[y]);
    });
    r.order.resize(most_places);
    std::sort(r.order.begin(), r.order.end());
  }
  r.places.clear();
  for (const std::size_t k : r.order)
    r.places.push_back(a.columns[begin + static_cast<std::int64_t>(k)]);
}

// The least squares of `dense` (m rows, n columns, one after the other) times row = right, by
// Householder's reflections. Columns that depend on those before them, but for rounding, get 0.
void least_squares(Room& r, std::size_t m, std::size_t n) {
  const auto column = [&](std::size_t j) { return r.dense.data() + j * m; };
  const auto rest = [&](const double* v, std::size_t from) {
    return std::sqrt(dot_of(v + from, v + from, m - from));
  };
  r.kept.clear();
  r.row.assign(n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    double* v = column(j);
    const std::size_t k = r.kept.size();
    const double norm = k < m ? rest(v, k) : 0;
    if (!(norm > 1e-12 * rest(v, 0))) continue;  // reflections keep the length of all of it
    const double diagonal = v[k] > 0 ? -norm : norm;
    v[k] -= diagonal;
    const double half = -diagonal * v[k];  // half the square of the reflection's length
    const auto reflect = [&](double* to) {
      const double dot = dot_of(v + k, to + k, m - k) / half;
      if (dot == 0) return;
      for (std::size_t i = k; i < m; ++i) to[i] -= dot * v[i];
    };
    for (std::size_t l = j + 1; l < n; ++l) reflect(column(l));
    reflect(r.right.data());
    v[k] = diagonal;
    r.kept.push_back(j);
  }
  for (std::size_t k = r.kept.size(); k-- > 0;) {
    const double* v = column(r.kept[k]);
    const double solved = r.row[r.kept[k]] = r.right[k] / v[k];
    for (std::size_t i = 0; i < k; ++i) r.right[i] -= solved * v[i];
  }
}

// Row i of M; false where it is all zeros.
bool solve_row(const DoubleView& a, index_t i, Room& r) {
  r.reached.clear();
  for (const index_t p : r.places)
    for (auto k = a.offsets[p]; k < a.offsets[p + 1]; ++k)
      if (index_t& at = r.where[static_cast<std::size_t>(a.columns[k])]; at < 0) {
        at = static_cast<index_t>(r.reached.size());
        r.reached.push_back(a.columns[k]);
      }
  const std::size_t m = r.reached.size(), n = r.places.size();
  r.dense.assign(m * n, 0.0);
  r.right.assign(m, 0.0);
  for (std::size_t j = 0; j < n; ++j)
    for (auto k = a.offsets[r.places[j]]; k < a.offsets[r.places[j] + 1]; ++k)
      r.dense[j * m + static_cast<std::size_t>(r.where[static_cast<std::size_t>(a.columns[k])])] =
          a.values[k];
  if (const index_t at = r.where[static_cast<std::size_t>(i)]; at >= 0)
    r.right[static_cast<std::size_t>(at)] = 1;
  for (const index_t j : r.reached) r.where[static_cast<std::size_t>(j)] = -1;
  least_squares(r, m, n);
  return std::any_of(r.row.begin(), r.row.end(), [](double v) { return v != 0; });
}

[[noreturn]] void throw_zero_row(const DoubleView& a, index_t i) {
  throw BadInput(fmt::format("{}: row {} (counting from 0) {}", who, i,
                             a.offsets[i] == a.offsets[i + 1]
                                 ? "is empty"
                                 : "of the approximate inverse would be all zeros"));
}

DoubleMatrix with_places_of(const DoubleView& a) {
  const auto room = [&] {
    Room r;
    r.where.assign(static_cast<std::size_t>(a.rows), -1);
    return r;
  };
  std::vector<index_t> counts(static_cast<std::size_t>(a.rows));
  for (index_t i = 0; i < a.rows; ++i)
    counts[static_cast<std::size_t>(i)] = static_cast<index_t>(
        std::min(most_places, static_cast<std::size_t>(a.offsets[i + 1] - a.offsets[i])));
  DoubleMatrix m;
  m.rows = m.cols = a.rows;
  m.offsets = offsets_of(counts);
  m.columns = Array<index_t>(static_cast<std::size_t>(m.offsets.back()));
  m.values = Array<double>(static_cast<std::size_t>(m.offsets.back()));
  const index_t bad = each_row(a.rows, room, [&](index_t i, Room& r) {
    find_places(a, i, r);
    if (!solve_row(a, i, r)) return false;
    const auto at = m.offsets[static_cast<std::size_t>(i)];
    std::copy(r.places.begin(), r.places.end(), m.columns.begin() + at);
    std::copy(r.row.begin(), r.row.end(), m.values.begin() + at);
    return true;
  });
  if (bad >= 0) throw_zero_row(a, bad);
  return m;
}

template <RealValue T>
Array<T> on_the_diagonal(const DoubleView& a) {
  Array<T> m(static_cast<std::size_t>(a.rows));
  for (index_t i = 0; i < a.rows; ++i) {
    // Divided by the largest first: squares of what is very large or small are not finite or 0.
    double largest = 0, diagonal = 0, squares = 0;
    for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
      largest = std::max(largest, std::abs(a.values[k]));
    for (auto k = a.offsets[i]; k < a.offsets[i + 1] && largest > 0; ++k) {
      const double v = a.values[k] / largest;
      squares += v * v;
      if (a.columns[k] == i) diagonal = v;
    }
    if (diagonal == 0) throw_zero_row(a, i);
    const auto value = static_cast<T>(diagonal / squares / largest);
    if (!std::isfinite(value) || value == 0)
      throw BadInput(
          fmt::format("{}: row {} (counting from 0) has an inverse out of range", who, i));
    m[static_cast<std::size_t>(i)] = value;
  }
  return m;
}

}  // namespace

template <RealValue T, Offset O>
Preconditioner<T> spai(const CsrView<T, O>& a, int level, Device device) try {
  if (level != 0 && level != 1)
    throw InvalidArgument(fmt::format("{}: level 0 or 1, not {}", who, level));
  const HostMatrix from(a, who);
  if (level == 0) return of_diagonal(on_the_diagonal<T>(from.view()), device);
  return preconditioner(
      LinearOperator<T>(plan(narrowed<T>(with_places_of(from.view()), who), {.device = device})));
}
NZ_OR_NO_MEMORY("a preconditioner")

#define NZ_INSTANTIATE(T, O) template Preconditioner<T> spai(const CsrView<T, O>&, int, Device);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::solve
