#pragma once
#include <cstdint>

#include "kernels/gpu/several/vectors.hpp"

// Several vectors from columns into rows, or back, which is what products of columns do before and
// after: as CopySeveral, but all that says where an element goes is known when it is compiled. With
// sizes that are not, the indices of an element take longer than the element.
namespace nz::NZ_HOME {

// to = alpha from + beta to; columns of `to` beyond those of `from` become 0. Of a tile, `wide`
// columns, and as many rows as make `room`.
template <class T, int wide, bool into_rows>
struct TransposeSeveral {
  static constexpr const char* name = "several vectors transposed";
  static constexpr int max_threads = 256, min_blocks = sizeof(T) > 8 ? 3 : 5;
  static constexpr int room = 2048, high = room / wide, items = room / max_threads;
  std::int64_t rows;
  T alpha;
  Several<const T> from;
  T beta;
  Several<T> to;

  static std::int64_t tiles(std::int64_t rows, int columns) {
    return (rows + high - 1) / high * ((columns + wide - 1) / wide);
  }
  static constexpr std::size_t shared_bytes = sizeof(T) * std::size_t{wide * (high + 1)};

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> tile = t.shared<T>(wide * (high + 1));
    const int across = (to.columns + wide - 1) / wide;
    const std::int64_t first = t.block() / across * std::int64_t{high};
    const int column = t.block() % across * wide;
    const int n = static_cast<int>(rows - first < high ? rows - first : high);
    const int m = to.columns - column < wide ? to.columns - column : wide;
    const int there = from.columns - column < m ? from.columns - column : m;
    // All that a thread reads is on its way before any of it is used.
    const T* const in = from.data + first * from.row + column * from.column;
    T v[items];
    NZ_UNROLL
    for (int k = 0; k < items; ++k) {
      const int i = row<!into_rows>(t, k), j = column_of<!into_rows>(t, k);
      v[k] = 0;
      if (i < n && j < there)
        v[k] = scaled(alpha, into_rows ? in[i + j * from.column] : in[i * from.row + j]);
    }
    NZ_UNROLL
    for (int k = 0; k < items; ++k)
      tile[column_of<!into_rows>(t, k) * (high + 1) + row<!into_rows>(t, k)] = v[k];
    t.sync();
    T* const out = to.data + first * to.row + column * to.column;
    const auto at = [&](int k) {
      const int i = row<into_rows>(t, k), j = column_of<into_rows>(t, k);
      return into_rows ? out + i * to.row + j : out + i + j * to.column;
    };
    if (beta != T(0)) {
      NZ_UNROLL
      for (int k = 0; k < items; ++k)
        if (row<into_rows>(t, k) < n && column_of<into_rows>(t, k) < m) v[k] = beta * *at(k);
    }
    NZ_UNROLL
    for (int k = 0; k < items; ++k) {
      const int i = row<into_rows>(t, k), j = column_of<into_rows>(t, k);
      if (i >= n || j >= m) continue;
      const T s = tile[j * (high + 1) + i];
      *at(k) = beta == T(0) ? s : s + v[k];
    }
  }

 private:
  // The k-th element of a thread, neighbours side by side in a row, or in a column.
  template <bool in_rows>
  static NZ_DEVICE int row(Thread& t, int k) {
    const int e = k * max_threads + t.index();
    return in_rows ? e / wide : e % high;
  }
  template <bool in_rows>
  static NZ_DEVICE int column_of(Thread& t, int k) {
    const int e = k * max_threads + t.index();
    return in_rows ? e % wide : e / high;
  }
};

// Whether these are that, and so many that it is worth a kernel of their own.
template <class T>
bool transposes(const Several<const T>& from, const Several<T>& to) {
  const bool in = from.row == 1 && to.column == 1, back = from.column == 1 && to.row == 1;
  return in != back && to.columns > 2;
}

template <class T>
void transpose_several(CUstream_st* stream, std::int64_t rows, T alpha,
                       const Several<const T>& from, T beta, const Several<T>& to) {
  const auto with = [&]<int wide, bool into_rows>() {
    using K = TransposeSeveral<T, wide, into_rows>;
    launch({.blocks = static_cast<int>(K::tiles(rows, to.columns)),
            .threads = K::max_threads,
            .shared_bytes = K::shared_bytes,
            .stream = stream},
           K{rows, alpha, from, beta, to});
  };
  const auto by_width = [&]<bool into_rows>() {
    if (to.columns <= 4)
      with.template operator()<4, into_rows>();
    else if (to.columns <= 8)
      with.template operator()<8, into_rows>();
    else if (to.columns <= 16)
      with.template operator()<16, into_rows>();
    else
      with.template operator()<32, into_rows>();
  };
  if (from.row == 1)
    by_width.template operator()<true>();
  else
    by_width.template operator()<false>();
}

}  // namespace nz::NZ_HOME
