#pragma once
#include <algorithm>
#include <cstring>

#include <nonzero/types.hpp>

#include "kernels/cpu/cpu_product.hpp"
#include "kernels/cpu/several.hpp"
#include "kernels/cpu/vector/lanes.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

// Vectors of columns whose sums registers hold at once. The last one may begin before the end of
// the one before it, so as not to read beyond X: only its lanes from `skip` to `stop` count.
struct ColumnGroup {
  index_t first = 0;  // column of the first vector
  index_t last = 0;   // and of the last
  int skip = 0, stop = 0;
};

template <int n>
struct Count {};

// body(j) for the vectors of a group. Not a loop, in which the compiler would keep them in memory.
template <int n, class Body>
NZ_INLINE void for_vectors(Body&& body) {
  body(0);
  if constexpr (n > 1) body(1);
  if constexpr (n > 2) {
    body(2);
    body(3);
  }
  if constexpr (n > 4) {
    body(4);
    body(5);
    body(6);
    body(7);
  }
  static_assert(n == 1 || n == 2 || n == 4 || n == 8);
}

// use(Count<n>, group) for groups of `most` vectors of w lanes, and of fewer at the end. Where rows
// of X are neither padded nor as long as a vector, that vector must be loaded in part (can_cut).
template <int w, int most, class Use>
NZ_INLINE void for_groups(index_t columns, bool padded, Use&& use) {
  const index_t vectors = (columns + w - 1) / w;
  index_t v = 0;
  const auto group = [&](index_t n) {
    ColumnGroup g{v * w, (v + n - 1) * w, 0, w};
    v += n;
    if (v < vectors || columns % w == 0) return g;
    if (padded || columns < w) {
      g.stop = static_cast<int>(columns - g.last);
    } else {
      g.skip = static_cast<int>(g.last - (columns - w));
      g.last = columns - w;
    }
    return g;
  };
  while (v + most <= vectors) use(Count<most>{}, group(most));
  if constexpr (most > 4)
    if (v + 4 <= vectors) use(Count<4>{}, group(4));
  if constexpr (most > 2)
    if (v + 2 <= vectors) use(Count<2>{}, group(2));
  if constexpr (most > 1)
    if (v < vectors) use(Count<1>{}, group(1));
}

template <class T, int n>
struct PackVector {
  typedef T Vector __attribute__((vector_size(n * sizeof(T))));
};
template <class T>
struct PackVector<T, 1> {
  using Vector = T;
};

// n numbers side by side as one of the compiler's vectors, no longer than a register.
template <class T, int n>
struct Pack {
  using Vector = typename PackVector<T, n>::Vector;

  static NZ_INLINE Vector load(const T* p) {
    Vector v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  static NZ_INLINE void store(T* p, Vector v) { std::memcpy(p, &v, sizeof v); }
  // y = alpha v + beta y, of `count` elements of a row of Y, `apart` from one to the next.
  static NZ_INLINE void put(T* y, std::int64_t apart, index_t count, T alpha, Vector v, T beta) {
    if (apart == 1 && count >= n)
      return store(y, beta == T(0) ? alpha * v : alpha * v + beta * load(y));
    T some[n];
    store(some, v);
    for (index_t j = 0; j < std::min<index_t>(n, count); ++j)
      cpu::store(y[j * apart], alpha, some[j], beta);
  }
};

// use(Count<n>, first) for all columns in packs of n, as few as there can be: with what they are
// padded with, where rows of X are.
template <class T, int n, class Use>
NZ_INLINE void for_packs_of(index_t first, index_t columns, Use&& use) {
  for (; first + n <= columns; first += n) use(Count<n>{}, first);
  if constexpr (n > 1) for_packs_of<T, n / 2>(first, columns, use);
}
template <class T, class Use>
NZ_INLINE void for_packs(const cpu::Several<T>& s, Use&& use) {
  constexpr int w = Lanes<T>::width;
  const auto all = s.padded ? cpu::padded_columns(s.columns, w) : s.columns;
  for_packs_of<T, w>(0, static_cast<index_t>(all), use);
}

// Writes sums of a group to a row of Y, where those of its columns lie side by side.
template <int n, class T>
NZ_INLINE void put_row(const ColumnGroup& g, const typename Lanes<T>::Vector* sums, T alpha, T beta,
                       T* y) {
  using L = Lanes<T>;
  for_vectors<n>([&](int j) NZ_INLINE_LAMBDA {
    T* const to = y + (j == n - 1 ? g.last : g.first + j * L::width);
    if (j < n - 1 || g.stop - g.skip == L::width) {
      L::store(to, beta == T(0)
                       ? L::mul(L::all(alpha), sums[j])
                       : L::fma(L::all(alpha), sums[j], L::mul(L::all(beta), L::load(to))));
    } else {
      alignas(64) T some[L::width];
      L::store(some, sums[j]);
      for (int l = g.skip; l < g.stop; ++l) cpu::store(to[l], alpha, some[l], beta);
    }
  });
}

// Writes sums of a group, rows of them from `sums` on, to columns of Y: row(i) is the row of Y.
template <int n, class T, class Row>
NZ_INLINE void put_columns(const ColumnGroup& g, const T* sums, index_t rows, T alpha, T beta,
                           const DenseView<T>& y, Row&& row) {
  constexpr int w = Lanes<T>::width;
  for (int j = 0; j < n; ++j) {
    const bool last = j == n - 1;
    const index_t column = last ? g.last : g.first + j * w;
    for (int l = last ? g.skip : 0; l < (last ? g.stop : w); ++l) {
      T* const to = y.data() + (column + l) * y.column_stride();
      const T* const from = sums + j * w + l;
      const std::int64_t stride = y.row_stride();
      for (index_t i = 0; i < rows; ++i)
        cpu::store(to[row(i) * stride], alpha, from[i * n * w], beta);
    }
  }
}

#include "kernels/cpu/vector/isa_end.hpp"
