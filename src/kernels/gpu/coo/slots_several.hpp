#pragma once
#include "kernels/gpu/coo/slots.hpp"
#include "kernels/gpu/parts/packed_loads.hpp"
#include "kernels/gpu/several/tile_rows.hpp"

// Slots times several vectors: a block loads its tile at once, as for one vector, and its rows are
// added up from shared memory (several/tile_rows.hpp). A row that goes through several tiles leaves
// a part in each; a second launch adds them up.
namespace nz::NZ_HOME {

// Parts of rows that tiles share, `columns` values each: of the first row of a tile, where that
// began before, and of its last row, where that goes on.
template <class T>
struct SlotParts {
  T* data;
  int columns;
  NZ_DEVICE T& head(int tile, int j) const { return data[(2LL * tile) * columns + j]; }
  NZ_DEVICE T& tail(int tile, int j) const { return data[(2LL * tile + 1) * columns + j]; }
};

template <class T, int items, int pack>
struct SlotsSeveral {
  static constexpr const char* name = "gpu/coo/slots, several vectors";
  static constexpr int max_threads = 256, min_blocks = 4;
  SlotsView<T> a;
  RowsOfX<T, pack> x;
  SeveralOutput<T> out;
  SlotParts<T> parts;

  static std::size_t shared_bytes(int slots, int threads) {
    return static_cast<std::size_t>(slots + meeting_room<pack>(threads)) * sizeof(T) +
           static_cast<std::size_t>(2 * slots + 2) * sizeof(int);
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const int tile = t.block(), slots = a.shape.slots(), mine = t.index() * items;
    const SharedArray<T> value = t.shared<T>(slots);
    const SharedArray<T> meeting = t.shared<T>(meeting_room<pack>(t.block_size()));
    const SharedArray<index_t> column = t.shared<index_t>(slots);
    const SharedArray<int> start = t.shared<int>(slots + 2);  // of each row; the last: how many
    T v[items];
    index_t c[items];
    load_packed(t, a.columns(tile) + mine, c);
    load_packed(t, a.values(tile) + mine, v);
    const unsigned packed = t.load_streaming(a.rows(tile) + t.index());
    const SlotTile about = t.load_streaming(a.about(tile));
    if (t.index() == 0) {
      start[0] = 0;
      start[slots + 1] = 0;
    }
    t.sync();
    const unsigned ends = packed & 0xffffu;
    int row = static_cast<int>(packed >> 16);
    NZ_UNROLL
    for (int j = 0; j < items; ++j) {
      column[mine + j] = c[j];
      value[mine + j] = v[j];
      if (ends >> j & 1) start[++row] = mine + j + 1;
    }
    if (ends != 0) t.atomic_add(start, slots + 1, bit_count(ends));
    t.sync();
    const int ended = start[slots + 1];
    const bool goes_on = about.to > tile, went_on = about.from < tile;
    // The last row ends with the tile, where it goes on behind it.
    if (t.index() == 0 && goes_on) start[ended + 1] = slots;
    t.sync();
    const int rows = ended + goes_on;
    add_tile_several<0>(t, rows, start[rows], x, column, value, start, meeting,
                        [&](int i, int j, const T(&sum)[pack]) {
                          const bool head = i == 0 && went_on;
                          if (!head && i != ended) return out.put(about.first + i, j, sum);
                          NZ_UNROLL
                          for (int q = 0; q < pack; ++q)
                            if (j + q < out.y.columns)
                              (head ? parts.head(tile, j + q) : parts.tail(tile, j + q)) = sum[q];
                        });
  }
};

// For the tile in which a shared row ends.
template <class T>
struct AddSlotParts {
  static constexpr const char* name = "add parts of rows that tiles share, several vectors";
  SlotsView<T> a;
  SlotParts<T> parts;
  SeveralOutput<T> out;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t all = std::int64_t{a.tiles} * parts.columns;
    for (std::int64_t k = t.global_index(); k < all; k += t.global_size()) {
      const int tile = static_cast<int>(k / parts.columns), j = static_cast<int>(k % parts.columns);
      const SlotTile about = t.load(a.about(tile));
      if (about.from >= tile) continue;
      if (tile + 1 < a.tiles) {
        const SlotTile next = t.load(a.about(tile + 1));
        if (next.first == about.first && next.from <= tile) continue;
      }
      T sum = parts.tail(about.from, j);
      NZ_UNROLL_BY(8)
      for (int i = about.from + 1; i <= tile; ++i) sum += parts.head(i, j);
      out.put(about.first, j, sum);
    }
  }
};

// None where no row goes through several tiles.
template <class T>
simt::ScratchSize slot_parts_scratch(const Slots<T>& a, int columns) {
  if (!a.shared) return {};
  return simt::scratch_for<T>(
      0, 2 * static_cast<std::size_t>(a.view.tiles) * static_cast<std::size_t>(columns));
}

template <class T>
void slots_several(CUstream_st* stream, const Slots<T>& a, const Several<const T>& x,
                   const SeveralOutput<T>& out, const simt::Scratch& scratch) {
  const int columns = out.y.columns, slots = a.view.shape.slots();
  const SlotParts<T> parts{scratch.template values<T>(), columns};
  with_pack(x, [&](auto pack) {
    const auto run = [&]<class K>(K k) {
      launch({.blocks = a.view.tiles,
              .threads = a.view.shape.threads,
              .shared_bytes = K::shared_bytes(slots, a.view.shape.threads),
              .stream = stream},
             k);
    };
    const auto rows = rows_of<pack()>(x, x.columns > 4);
    if (a.view.shape.items == 4)
      run(SlotsSeveral<T, 4, pack()>{a.view, rows, wide_output<pack()>(out), parts});
    else
      run(SlotsSeveral<T, 8, pack()>{a.view, rows, wide_output<pack()>(out), parts});
  });
  if (!a.shared) return;
  const std::int64_t n = std::int64_t{a.view.tiles} * columns;
  launch({.blocks = blocks_for(n, 256, 1 << 16), .threads = 256, .stream = stream},
         AddSlotParts<T>{a.view, parts, out});
}

}  // namespace nz::NZ_HOME
