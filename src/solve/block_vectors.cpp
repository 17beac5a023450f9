#include "solve/block_vectors.hpp"

#include <algorithm>
#include <vector>

#include "base/instantiate.hpp"

namespace nz::solve {
namespace {

constexpr std::size_t grain = 1 << 14;  // fewer elements are not worth a thread

int parts_for(index_t rows, std::size_t columns, int threads) {
  const std::size_t worth = static_cast<std::size_t>(rows) * columns / grain;
  return static_cast<int>(std::clamp<std::size_t>(worth, 1, static_cast<std::size_t>(threads)));
}

std::vector<double> by_rows(const SmallMatrix& m) {
  std::vector<double> all(m.rows * m.columns);
  for (std::size_t i = 0; i < m.rows; ++i)
    for (std::size_t j = 0; j < m.columns; ++j) all[i * m.columns + j] = m(i, j);
  return all;
}

// made = x times the factors, row by row: some neighbours at a time, whose sums stay in registers.
template <class T>
void combination(const T* x, std::size_t n, const std::vector<double>& factors,
                 std::vector<double>& made) {
  constexpr std::size_t some = 8;
  const std::size_t m = made.size();
  std::size_t j = 0;
  for (; j + some <= m; j += some) {
    double sum[some] = {};
    const double* f = factors.data() + j;
    for (std::size_t k = 0; k < n; ++k, f += m) {
      const auto v = static_cast<double>(x[k]);
      for (std::size_t q = 0; q < some; ++q) sum[q] += v * f[q];
    }
    std::copy_n(sum, some, made.begin() + static_cast<std::ptrdiff_t>(j));
  }
  for (; j < m; ++j) {
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += static_cast<double>(x[k]) * factors[k * m + j];
    made[j] = sum;
  }
}

}  // namespace

template <Value T>
BlockVectors<T>::BlockVectors(index_t rows, std::size_t columns, int threads)
    : rows_(rows),
      width_(columns),
      parts_(parts_for(rows, columns, std::max(threads, 1))),
      values_(static_cast<std::size_t>(rows) * columns) {
  // Each thread places the rows that are its own later on.
  each_part([&](index_t begin, index_t end, int) { std::fill(row(begin), row(end), T(0)); });
}

template <Value T>
DenseView<T> BlockVectors<T>::view(Columns c) {
  return row_major(values_.data() + c.first, rows_, static_cast<index_t>(c.count),
                   static_cast<std::int64_t>(width_));
}

template <Value T>
DenseView<const T> BlockVectors<T>::view(Columns c) const {
  return row_major(values_.data() + c.first, rows_, static_cast<index_t>(c.count),
                   static_cast<std::int64_t>(width_));
}

template <Value T>
SmallMatrix BlockVectors<T>::products(Columns mine, const BlockVectors& other,
                                      Columns theirs) const {
  const std::size_t size = mine.count * theirs.count;
  std::vector<std::vector<double>> sums(static_cast<std::size_t>(parts_));
  each_part([&](index_t begin, index_t end, int part) {
    std::vector<double> sum(size, 0.0), of_mine(4 * mine.count), of_theirs(4 * theirs.count);
    // Four rows at a time: their sums are added to once.
    for (index_t i = begin; i < end; i += 4) {
      for (std::size_t r = 0; r < 4; ++r) {
        const bool there = i + static_cast<index_t>(r) < end;
        const T* u = there ? row(i + static_cast<index_t>(r)) + mine.first : nullptr;
        const T* v = there ? other.row(i + static_cast<index_t>(r)) + theirs.first : nullptr;
        for (std::size_t a = 0; a < mine.count; ++a) of_mine[4 * a + r] = u ? u[a] : T(0);
        for (std::size_t b = 0; b < theirs.count; ++b)
          of_theirs[r * theirs.count + b] = v ? v[b] : T(0);
      }
      const double *v0 = of_theirs.data(), *v1 = v0 + theirs.count, *v2 = v1 + theirs.count,
                   *v3 = v2 + theirs.count;
      // Two columns of mine at a time share what they read of theirs.
      std::size_t a = 0;
      for (; a + 2 <= mine.count; a += 2) {
        const double *u = &of_mine[4 * a], *w = u + 4;
        double *s = &sum[a * theirs.count], *r = s + theirs.count;
        for (std::size_t b = 0; b < theirs.count; ++b) {
          const double y0 = v0[b], y1 = v1[b], y2 = v2[b], y3 = v3[b];
          s[b] += (u[0] * y0 + u[1] * y1) + (u[2] * y2 + u[3] * y3);
          r[b] += (w[0] * y0 + w[1] * y1) + (w[2] * y2 + w[3] * y3);
        }
      }
      for (; a < mine.count; ++a) {
        const double* u = &of_mine[4 * a];
        double* s = &sum[a * theirs.count];
        for (std::size_t b = 0; b < theirs.count; ++b)
          s[b] += (u[0] * v0[b] + u[1] * v1[b]) + (u[2] * v2[b] + u[3] * v3[b]);
      }
    }
    sums[static_cast<std::size_t>(part)] = std::move(sum);
  });
  SmallMatrix g(mine.count, theirs.count);
  for (const std::vector<double>& sum : sums)
    for (std::size_t a = 0; a < mine.count; ++a)
      for (std::size_t b = 0; b < theirs.count; ++b) g(a, b) += sum[a * theirs.count + b];
  return g;
}

template <Value T>
void BlockVectors<T>::combine(Columns from, const SmallMatrix& by, std::size_t to) {
  const std::vector<double> factors = by_rows(by);
  each_part([&](index_t begin, index_t end, int) {
    std::vector<double> made(by.columns);
    for (index_t i = begin; i < end; ++i) {
      T* r = row(i);
      combination(r + from.first, from.count, factors, made);
      for (std::size_t j = 0; j < by.columns; ++j) r[to + j] = static_cast<T>(made[j]);
    }
  });
}

template <Value T>
void BlockVectors<T>::subtract(Columns from, const SmallMatrix& by, Columns to) {
  const std::vector<double> factors = by_rows(by);
  each_part([&](index_t begin, index_t end, int) {
    std::vector<double> made(by.columns);
    for (index_t i = begin; i < end; ++i) {
      T* r = row(i);
      combination(r + from.first, from.count, factors, made);
      for (std::size_t j = 0; j < to.count; ++j)
        r[to.first + j] = static_cast<T>(static_cast<double>(r[to.first + j]) - made[j]);
    }
  });
}

#define NZ_INSTANTIATE(T) template class BlockVectors<T>;
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::solve
