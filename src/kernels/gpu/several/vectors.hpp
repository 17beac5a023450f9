#pragma once
#include <cstdint>

#include "kernels/gpu/parts/output.hpp"
#include "simt/launch_sizes.hpp"
#include "simt/simt.hpp"

// Several vectors as kernels see them, and what brings them into another layout.
namespace nz::NZ_HOME {

// Element (i, j) lies at data[i * row + j * column].
template <class T>
struct Several {
  T* data = nullptr;
  std::int64_t row = 0, column = 0;
  int columns = 0;
  NZ_DEVICE T* at(std::int64_t i, std::int64_t j) const { return data + i * row + j * column; }
};

// What a product of several vectors writes.
template <class T>
struct SeveralOutput {
  T alpha, beta;
  Several<T> y;
  int whole = 1;  // elements of a row that may be stored at once

  NZ_DEVICE void put(std::int64_t i, int j, T sum) const {
    T* const to = y.at(i, j);
    *to = combine(alpha, sum, beta, to);
  }
  // `pack` columns from the given one on; those behind the last are dropped.
  template <int pack>
  NZ_DEVICE void put(std::int64_t i, int first, const T (&sum)[pack]) const {
    if (whole == pack) {
      auto* const to = reinterpret_cast<Pack<T, pack>*>(y.at(i, first));
      Pack<T, pack> all;
      if (beta == T(0)) {
        NZ_UNROLL
        for (int q = 0; q < pack; ++q) all.at[q] = alpha * sum[q];
      } else {
        all = *to;
        NZ_UNROLL
        for (int q = 0; q < pack; ++q) all.at[q] = alpha * sum[q] + beta * all.at[q];
      }
      *to = all;
      return;
    }
    NZ_UNROLL
    for (int q = 0; q < pack; ++q)
      if (first + q < y.columns) put(i, first + q, sum[q]);
  }
};

// Whether rows are whole packs of n elements, each at a multiple of its size.
template <class T>
bool has_packs(const Several<T>& v, int n) {
  return v.column == 1 && v.columns % n == 0 && v.row % n == 0 &&
         reinterpret_cast<std::uintptr_t>(v.data) % (static_cast<std::uintptr_t>(n) * sizeof(T)) ==
             0;
}

// alpha v. A complex 1 times an infinity would be a NaN in the other part.
template <class T>
NZ_DEVICE T scaled(T alpha, T v) {
  if constexpr (!RealValue<T>)
    if (alpha == T(1)) return v;
  return alpha * v;
}

// to = alpha from + beta to, element by element, in tiles of rows that go through shared memory:
// each side is walked as it lies, so that both touch whole lines however few the columns are.
// Columns of `to` beyond those of `from` become 0. `fill`: to = alpha, and nothing is read.
template <class T>
struct CopySeveral {
  static constexpr const char* name = "several vectors in another layout";
  static constexpr int max_threads = 256, min_blocks = 6;
  static constexpr int most_columns = 32, room = 2048, items = room / max_threads;
  std::int64_t rows;
  T alpha;
  Several<const T> from;
  T beta;
  Several<T> to;
  bool fill;
  // Of a tile, powers of 2: columns, those behind the last are left out, and rows.
  int wide, high;

  static int width(int columns) {
    int w = 1;
    while (w < columns && w < most_columns) w *= 2;
    return w;
  }
  static int height(int columns) { return room / width(columns); }
  static std::int64_t tiles(std::int64_t rows, int columns) {
    const int high = height(columns), wide = width(columns);
    return (rows + high - 1) / high * ((columns + wide - 1) / wide);
  }
  static std::size_t shared_bytes(int columns) {
    return sizeof(T) * static_cast<std::size_t>(width(columns) * (height(columns) + 1));
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> tile = t.shared<T>(wide * (high + 1));
    const int across = (to.columns + wide - 1) / wide;
    const std::int64_t first = t.block() / across * std::int64_t{high};
    const int column = t.block() % across * wide;
    const int n = static_cast<int>(rows - first < high ? rows - first : high);
    const int m = to.columns - column < wide ? to.columns - column : wide;
    const int there = from.columns - column < m ? from.columns - column : m;
    // All that a thread reads is on its way before any of it is used.
    T v[items];
    const Walk in(t, from, first, column, wide, high);
    NZ_UNROLL
    for (int k = 0; k < items; ++k) {
      v[k] = fill ? alpha : T(0);
      if (!fill && in.row(k) < n && in.column(k) < there) v[k] = scaled(alpha, *in.at(from, k));
    }
    NZ_UNROLL
    for (int k = 0; k < items; ++k) tile[in.column(k) * (high + 1) + in.row(k)] = v[k];
    t.sync();
    const Walk out(t, to, first, column, wide, high);
    if (beta != T(0)) {
      NZ_UNROLL
      for (int k = 0; k < items; ++k)
        if (out.row(k) < n && out.column(k) < m) v[k] = beta * *out.at(to, k);
    }
    NZ_UNROLL
    for (int k = 0; k < items; ++k) {
      if (out.row(k) >= n || out.column(k) >= m) continue;
      const T s = tile[out.column(k) * (high + 1) + out.row(k)];
      *out.at(to, k) = beta == T(0) ? s : s + v[k];
    }
  }

 private:
  // The elements of a thread, in the order in which they lie: neighbours go along a row, or along a
  // column. The k-th is `down` rows and `right` columns, k times, behind the first; where a column
  // is longer than the block, only every `turns`-th step goes right, and the others down.
  struct Walk {
    std::int64_t place;
    int i, j, down, right, turns;
    template <class V>
    NZ_DEVICE Walk(Thread& t, const Several<V>& s, std::int64_t first, int column, int wide,
                   int high)
        : i(s.column == 1 ? t.index() / wide : t.index() % high),
          j(s.column == 1 ? t.index() % wide : t.index() / high),
          down(s.column == 1           ? t.block_size() / wide
               : high > t.block_size() ? t.block_size()
                                       : 0),
          right(s.column == 1           ? 0
                : high > t.block_size() ? 1
                                        : t.block_size() / high),
          turns(s.column != 1 && high > t.block_size() ? high / t.block_size() : 1) {
      place = (first + i) * s.row + (column + j) * s.column;
    }
    NZ_DEVICE int row(int k) const { return i + (turns > 1 ? k % turns : k) * down; }
    NZ_DEVICE int column(int k) const { return j + (turns > 1 ? k / turns : k) * right; }
    template <class V>
    NZ_DEVICE V* at(const Several<V>& s, int k) const {
      return s.data + (place + (row(k) - i) * s.row + (column(k) - j) * s.column);
    }
  };
};

template <class T>
void copy_several(CUstream_st* stream, std::int64_t rows, T alpha, const Several<const T>& from,
                  T beta, const Several<T>& to, bool fill = false) {
  using K = CopySeveral<T>;
  launch({.blocks = static_cast<int>(K::tiles(rows, to.columns)),
          .threads = 256,
          .shared_bytes = K::shared_bytes(to.columns),
          .stream = stream},
         K{rows, alpha, from, beta, to, fill, K::width(to.columns), K::height(to.columns)});
}

// y = beta y.
template <class T>
struct ScaleSeveral {
  static constexpr const char* name = "scale several vectors";
  std::int64_t rows;
  T beta;
  Several<T> y;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t inner = y.column == 1 ? y.columns : rows;
    for (std::int64_t k = t.global_index(); k < rows * y.columns; k += t.global_size()) {
      T* const at = y.column == 1 ? y.at(k / inner, k % inner) : y.at(k % inner, k / inner);
      *at = beta == T(0) ? T(0) : beta * *at;
    }
  }
};

template <class T>
void scale_several(CUstream_st* stream, std::int64_t rows, T beta, const Several<T>& y) {
  if (beta == T(1)) return;
  launch({.blocks = blocks_for(rows * y.columns, 256, 1 << 16), .threads = 256, .stream = stream},
         ScaleSeveral<T>{rows, beta, y});
}

}  // namespace nz::NZ_HOME
