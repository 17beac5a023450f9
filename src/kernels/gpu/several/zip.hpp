#pragma once
#include <cstdint>

#include "kernels/gpu/several/vectors.hpp"

// A few vectors by columns into rows of as many elements, or of 4 where they are 3: a thread reads
// an element of each column, side by side with its neighbours, and writes a row. No tile, no
// barrier.
namespace nz::NZ_HOME {

inline constexpr int most_zipped = 4;

template <class T, int wide>
struct ZipSeveral {
  static constexpr const char* name = "a few vectors zipped into rows";
  static constexpr int max_threads = 256, min_blocks = sizeof(T) > 8 ? 2 : 4;
  static constexpr int items = 16 / wide, high = max_threads * items;
  static constexpr int pack = 16 / int(sizeof(T)) < wide ? 16 / int(sizeof(T)) : wide;
  std::int64_t rows;
  Several<const T> from;  // by columns
  T* to;

  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t top = t.block() * std::int64_t{high} + t.index();
    // All that a thread reads is on its way before any of it is used.
    T v[items][wide];
    NZ_UNROLL
    for (int i = 0; i < items; ++i) {
      const std::int64_t row = top + i * max_threads;
      NZ_UNROLL
      for (int q = 0; q < wide; ++q)
        v[i][q] = row < rows && q < from.columns ? t.load(from.data + row + q * from.column) : T(0);
    }
    NZ_UNROLL
    for (int i = 0; i < items; ++i) {
      const std::int64_t row = top + i * max_threads;
      if (row >= rows) continue;
      NZ_UNROLL
      for (int q = 0; q < wide; q += pack) {
        Pack<T, pack> some;
        NZ_UNROLL
        for (int k = 0; k < pack; ++k) some.at[k] = v[i][q + k];
        *reinterpret_cast<Pack<T, pack>*>(to + row * wide + q) = some;
      }
    }
  }
};

// `to` has rows of `wide` elements, 2 or 4, one behind the other.
template <class T>
void zip_several(CUstream_st* stream, std::int64_t rows, const Several<const T>& from, T* to,
                 int wide) {
  const auto with = [&]<int n>() {
    using K = ZipSeveral<T, n>;
    launch({.blocks = blocks_for(rows, K::high), .threads = K::max_threads, .stream = stream},
           K{rows, from, to});
  };
  if (wide <= 2)
    with.template operator()<2>();
  else
    with.template operator()<4>();
}

}  // namespace nz::NZ_HOME
