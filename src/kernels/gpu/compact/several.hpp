#pragma once
#include "kernels/gpu/compact/work.hpp"
#include "kernels/gpu/several/pieces.hpp"

// The compact format times several vectors, as csr/several.hpp does it: the entries of a tile are
// decoded into shared memory once, and then serve all columns of X.
namespace nz::NZ_HOME {

template <class T, ValueCode code, int pack>
struct CompactSeveral {
  static constexpr const char* name = "gpu/compact/balanced, several vectors";
  static constexpr int max_threads = 256, min_blocks = 3;
  using V = Coded<T, code>;
  CompactWork<T> w;
  int room;  // for entries of a tile
  RowsOfX<T, pack> x;
  SeveralOutput<T> out;
  SeveralPieces<T> pieces;

  static std::size_t shared_bytes(int room, int threads) {
    const std::size_t table = code == ValueCode::table ? 256 * sizeof(T) : 0;
    return table + static_cast<std::size_t>(room + meeting_room<pack>(threads)) * sizeof(T) +
           static_cast<std::size_t>(room) * sizeof(index_t) +
           static_cast<std::size_t>(room + 1) * sizeof(std::uint16_t);
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const bool in_pieces = t.block() < pieces.blocks;
    const int which = in_pieces ? pieces.mine(t, w.pieces.count) : w.tile(t);
    const CompactUnit unit = w.a.units[which < 0 ? 0 : which];
    const Decode<T, code> decode(t, w.a);
    const SharedArray<T> value = t.shared<T>(room);
    const SharedArray<T> meeting = t.shared<T>(meeting_room<pack>(t.block_size()));
    const SharedArray<index_t> column = t.shared<index_t>(room);
    if (in_pieces) {
      if (which >= 0) add_piece(t, decode, unit, which, column, value, meeting);
      return;
    }
    const SharedArray<std::uint16_t> start = t.shared<std::uint16_t>(room + 1);
    if (unit.wide)
      read<index_t>(t, decode, unit, column, value);
    else
      read<std::uint16_t>(t, decode, unit, column, value);
    for (int i = t.index(); i <= unit.rows; i += t.block_size())
      start[i] = t.load(w.a.starts + unit.start + i);
    t.sync();
    add_tile_several<start_elsewhere>(
        t, unit.rows, unit.entries, x, column, value, start, meeting,
        [&](int i, int j, const T(&sum)[pack]) { out.put(unit.first + i, j, sum); });
  }

 private:
  template <class C>
  NZ_DEVICE void read(Thread& t, const Decode<T, code>& decode, const CompactUnit& u,
                      const SharedArray<index_t>& to_column, const SharedArray<T>& to_value) const {
    const int n = octets_of(u.entries);
    NZ_ROLLED
    for (int g = t.index(); g < n; g += t.block_size()) {
      Octet<V> value;
      Octet<C> column;
      if constexpr (code != ValueCode::constant) value.load(t, w.a.template values_of<V>(u), n, g);
      column.load(t, w.a.template columns_of<C>(u), n, g);
      NZ_UNROLL
      for (int j = 0; j < 8; ++j) {
        to_column[j * n + g] = u.base + static_cast<index_t>(column.at(j));
        to_value[j * n + g] = decode(value, j);
      }
    }
  }

  NZ_DEVICE void add_piece(Thread& t, const Decode<T, code>& decode, const CompactUnit& u,
                           int which, const SharedArray<index_t>& column,
                           const SharedArray<T>& value, const SharedArray<T>& meeting) const {
    const int n = octets_of(u.entries);
    const Piece p = w.pieces.list[which];
    pieces.add(t, p, which, room, x, column, value, meeting, out, [&](int e, index_t& c, T& v) {
      c = u.base + (u.wide ? element<index_t>(t, w.a.template columns_of<index_t>(u), n, e)
                           : static_cast<index_t>(element<std::uint16_t>(
                                 t, w.a.template columns_of<std::uint16_t>(u), n, e)));
      if constexpr (code == ValueCode::constant) {
        v = w.a.constant;
      } else {
        Octet<V> one;
        one.set(0, element<V>(t, w.a.template values_of<V>(u), n, e));
        v = decode(one, 0);
      }
    });
  }
  template <class E>
  NZ_DEVICE E element(Thread& t, const typename Octet<E>::Word* from, int n, int k) const {
    return t.load(reinterpret_cast<const E*>(from) + Octet<E>::place(n, k));
  }
};

template <class T>
void compact_several(CUstream_st* stream, const CompactUnits<T>& a, int threads, int octets,
                     double mean, const Several<const T>& x, const SeveralOutput<T>& out,
                     const simt::Scratch& scratch) {
  const int room = threads * octets * 8;
  const SeveralPieces<T> pieces = several_pieces(a.long_rows, threads, scratch);
  const CompactWork<T> work{a.view(), a.long_rows.view({}), pieces.blocks};
  for_code<T, true>(a.codes.code, [&]<ValueCode code>() {
    with_pack(x, [&](auto pack) {
      using K = CompactSeveral<T, code, pack()>;
      launch({.blocks = pieces.blocks + a.tiles,
              .threads = threads,
              .shared_bytes = K::shared_bytes(room, threads),
              .stream = stream},
             K{work, room, rows_of<pack()>(x, rows_differ(a.long_rows, mean)),
               wide_output<pack()>(out), pieces});
    });
  });
}

}  // namespace nz::NZ_HOME
