#pragma once
#include <cstdint>

#include "kernels/gpu/several/vectors.hpp"

// Several vectors by rows into rows of whole packs of 16 bytes, as products read them. What fills
// up a row is 0. As with transpose.hpp, the general copy would spend its time on indices.
namespace nz::NZ_HOME {

// Side by side `lanes` lanes take a row, a pack each.
template <class T, int lanes>
struct WidenSeveral {
  static constexpr const char* name = "several vectors in rows of whole packs";
  static constexpr int max_threads = 256, min_blocks = 4;
  static constexpr int pack = 16 / int(sizeof(T)), items = 4, high = max_threads / lanes * items;
  std::int64_t rows;
  Several<const T> from;  // by rows
  Pack<T, pack>* to;
  int packs;  // of a row

  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t top = t.block() * std::int64_t{high} + t.index() / lanes;
    NZ_ROLLED
    for (int p = t.index() % lanes; p < packs; p += lanes) {
      // All that a thread reads is on its way before any of it is used.
      Pack<T, pack> v[items];
      NZ_UNROLL
      for (int i = 0; i < items; ++i) {
        const std::int64_t row = top + i * (max_threads / lanes);
        const T* const in = from.data + row * from.row + p * pack;
        NZ_UNROLL
        for (int q = 0; q < pack; ++q)
          v[i].at[q] = row < rows && p * pack + q < from.columns ? t.load(in + q) : T(0);
      }
      NZ_UNROLL
      for (int i = 0; i < items; ++i) {
        const std::int64_t row = top + i * (max_threads / lanes);
        if (row < rows) to[row * packs + p] = v[i];
      }
    }
  }
};

// `to` has rows of `packs` packs, one behind the other.
template <class T>
void widen_several(CUstream_st* stream, std::int64_t rows, const Several<const T>& from, T* to,
                   int packs) {
  const auto with = [&]<int lanes>() {
    using K = WidenSeveral<T, lanes>;
    launch({.blocks = blocks_for(rows, K::high), .threads = K::max_threads, .stream = stream},
           K{rows, from, reinterpret_cast<Pack<T, K::pack>*>(to), packs});
  };
  if (packs <= 2)
    with.template operator()<2>();
  else if (packs <= 4)
    with.template operator()<4>();
  else if (packs <= 8)
    with.template operator()<8>();
  else
    with.template operator()<16>();
}

}  // namespace nz::NZ_HOME
