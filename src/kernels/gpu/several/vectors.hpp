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
  NZ_DEVICE void put(std::int64_t i, int j, T sum) const {
    T* const to = y.at(i, j);
    *to = combine(alpha, sum, beta, to);
  }
};

// How many elements a lane takes at once of rows that begin at multiples of so many bytes.
template <class T>
int pack_for(std::int64_t bytes) {
  int pack = 16 / int(sizeof(T));
  while (pack > 1 && bytes % (pack * std::int64_t{sizeof(T)}) != 0) pack /= 2;
  return pack;
}

// to = alpha from + beta to, element by element, through tiles of 32 x 32 in shared memory where
// one side goes by rows and the other by columns: both then touch whole lines. Columns of `to`
// beyond those of `from` become 0. `fill`: to = alpha, and nothing is read.
template <class T>
struct CopySeveral {
  static constexpr const char* name = "several vectors in another layout";
  static constexpr int max_threads = 256;
  static constexpr int side = 32;
  std::int64_t rows;
  T alpha;
  Several<const T> from;
  T beta;
  Several<T> to;
  bool fill;

  static std::size_t shared_bytes() { return sizeof(T) * side * (side + 1); }

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> tile = t.shared<T>(side * (side + 1));
    const int across = (to.columns + side - 1) / side;
    const std::int64_t tiles = (rows + side - 1) / side * across;
    const bool by_rows = from.column == 1;
    const int lane = t.lane(), warps = t.warps();
    NZ_ROLLED
    for (std::int64_t which = t.block(); which < tiles; which += t.grid_size()) {
      const std::int64_t first = which / across * side;
      const int column = static_cast<int>(which % across) * side;
      NZ_ROLLED
      for (int k = t.warp(); k < side; k += warps) {
        const int i = by_rows ? k : lane, j = by_rows ? lane : k;
        if (first + i < rows && column + j < to.columns)
          tile[i * (side + 1) + j] = fill ? alpha
                                     : column + j < from.columns
                                         ? alpha * *from.at(first + i, column + j)
                                         : T(0);
      }
      t.sync();
      NZ_ROLLED
      for (int k = t.warp(); k < side; k += warps) {
        const int i = to.column == 1 ? k : lane, j = to.column == 1 ? lane : k;
        if (first + i < rows && column + j < to.columns) {
          T* const y = to.at(first + i, column + j);
          const T s = tile[i * (side + 1) + j];
          *y = beta == T(0) ? s : s + beta * *y;
        }
      }
      t.sync();
    }
  }
};

template <class T>
void copy_several(CUstream_st* stream, std::int64_t rows, T alpha, const Several<const T>& from,
                  T beta, const Several<T>& to, bool fill = false) {
  constexpr int side = CopySeveral<T>::side;
  const std::int64_t across = (to.columns + side - 1) / side;
  launch({.blocks = blocks_for((rows + side - 1) / side * across, 1, 1 << 16),
          .threads = 256,
          .shared_bytes = CopySeveral<T>::shared_bytes(),
          .stream = stream},
         CopySeveral<T>{rows, alpha, from, beta, to, fill});
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
