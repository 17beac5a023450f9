#pragma once
#include <cstdint>

#include "kernels/gpu/csr/balanced_work.hpp"

// The entries of a tile, or of a piece, of csr/balanced.cpp for products of several vectors.
namespace nz::NZ_HOME {

template <bool gaps, class T, class O>
NZ_DEVICE void read_tile_entries(Thread& t, const CsrBalancedWork<T, O>& w, const Tile& tile,
                                 const SharedArray<index_t>& column, const SharedArray<T>& value,
                                 const SharedArray<int>& start) {
  constexpr int most_items = 8;
  const index_t* columns = w.a.columns + tile.entry;
  const T* values = w.a.values + tile.entry;
  // All of it is on its way before any of it is stored.
  index_t c[most_items];
  T v[most_items];
  NZ_UNROLL
  for (int j = 0; j < most_items; ++j) {
    const int i = j * t.block_size() + t.index();
    if (i < tile.entries) c[j] = t.load_streaming(columns + w.template place<gaps>(tile, i));
  }
  NZ_UNROLL
  for (int j = 0; j < most_items; ++j) {
    const int i = j * t.block_size() + t.index();
    if (i < tile.entries) v[j] = t.load_streaming(values + w.template place<gaps>(tile, i));
  }
  for (int i = t.index(); i <= tile.rows; i += t.block_size())
    start[i] = w.template start_of<gaps>(t, tile, i);
  NZ_UNROLL
  for (int j = 0; j < most_items; ++j) {
    const int i = j * t.block_size() + t.index();
    if (i >= tile.entries) continue;
    column[i] = c[j];
    value[i] = v[j];
  }
}

// By a block, into shared memory: row i of the tile has the entries from start[i] up to start[i +
// 1], and a start with the bit in_pieces says that they are elsewhere.
template <class T, class O>
NZ_DEVICE void read_tile(Thread& t, const CsrBalancedWork<T, O>& w, const Tile& tile,
                         const SharedArray<index_t>& column, const SharedArray<T>& value,
                         const SharedArray<int>& start) {
  if (tile.gaps == 0)
    read_tile_entries<false>(t, w, tile, column, value, start);
  else
    read_tile_entries<true>(t, w, tile, column, value, start);
}

// entry(e, c, v) has the e-th entry of a piece.
template <class T, class O>
NZ_DEVICE auto entries_of_piece(Thread& t, const CsrBalancedWork<T, O>& w, int which) {
  const std::int64_t first = w.pieces.list[which].entry;
  return [&t, columns = w.a.columns + first, values = w.a.values + first](int e, index_t& c, T& v) {
    c = t.load_streaming(columns + e);
    v = t.load_streaming(values + e);
  };
}

}  // namespace nz::NZ_HOME
