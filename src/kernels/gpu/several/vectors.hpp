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

// to = alpha from + beta to, element by element, in tiles of rows that go through shared memory:
// each side is walked as it lies, so that both touch whole lines however few the columns are.
// Columns of `to` beyond those of `from` become 0. `fill`: to = alpha, and nothing is read.
template <class T>
struct CopySeveral {
  static constexpr const char* name = "several vectors in another layout";
  static constexpr int max_threads = 256;
  static constexpr int most_columns = 32, room = 2048;
  std::int64_t rows;
  T alpha;
  Several<const T> from;
  T beta;
  Several<T> to;
  bool fill;

  static int width(int columns) { return columns < most_columns ? columns : most_columns; }
  // Rows of a tile, a multiple of 32.
  static int height(int columns) { return room / width(columns) / 32 * 32; }
  static std::int64_t tiles(std::int64_t rows, int columns) {
    const int high = height(columns), wide = width(columns);
    return (rows + high - 1) / high * ((columns + wide - 1) / wide);
  }
  static std::size_t shared_bytes(int columns) {
    return sizeof(T) * static_cast<std::size_t>(width(columns) * (height(columns) + 1));
  }
  int wide, high;

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> tile = t.shared<T>(wide * (high + 1));
    const int across = (to.columns + wide - 1) / wide;
    const std::int64_t first = t.block() / across * std::int64_t{high};
    const int column = t.block() % across * wide;
    const int n = static_cast<int>(rows - first < high ? rows - first : high);
    const int m = to.columns - column < wide ? to.columns - column : wide;
    each(t, n, m, from.column == 1, [&](int i, int j) {
      T v = alpha;
      if (!fill) v = column + j < from.columns ? alpha * *from.at(first + i, column + j) : T(0);
      tile[j * (high + 1) + i] = v;
    });
    t.sync();
    each(t, n, m, to.column == 1, [&](int i, int j) {
      T* const y = to.at(first + i, column + j);
      const T s = tile[j * (high + 1) + i];
      *y = beta == T(0) ? s : s + beta * *y;
    });
  }

 private:
  // body(i, j) for n rows of m columns, in the order in which they lie: lanes go along columns, or
  // along rows one behind the other. k / m is (k times 2^16 / m, rounded up) / 2^16, exact for all
  // k below `room`.
  template <class Body>
  NZ_DEVICE static void each(Thread& t, int n, int m, bool by_rows, Body&& body) {
    if (by_rows) {
      const unsigned inverse = 65536u / static_cast<unsigned>(m) + 1;
      NZ_UNROLL_BY(8)
      for (int k = t.index(); k < n * m; k += t.block_size()) {
        const int i = static_cast<int>(static_cast<unsigned>(k) * inverse >> 16);
        body(i, k - i * m);
      }
      return;
    }
    for (int j = t.warp(); j < m; j += t.warps()) {
      NZ_UNROLL_BY(8)
      for (int i = t.lane(); i < n; i += 32) body(i, j);
    }
  }
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
