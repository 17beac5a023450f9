#pragma once
#include "kernels/gpu/compact/units.hpp"

namespace nz::NZ_HOME {

// What the blocks of compact/balanced.cpp take.
template <class T>
struct CompactWork {
  CompactUnitsView<T> a;
  Pieces<T> pieces;
  int piece_blocks;  // the first blocks take pieces, one a warp

  // The unit that is this block's tile.
  NZ_DEVICE int tile(Thread& t) const { return pieces.count + t.block() - piece_blocks; }
};

// What stored values stand for. A table is copied to shared memory: lanes that look up different
// places of it would touch up to 16 lines of the L1 at a time.
template <class T, ValueCode code>
struct Decode {
  T constant;
  NZ_DEVICE Decode(Thread&, const CompactUnitsView<T>& a) : constant(a.constant) {}
  NZ_DEVICE T operator()(const Octet<Coded<T, code>>& eight, int j) const {
    if constexpr (code == ValueCode::constant)
      return constant;
    else
      return plain_value<T, code>(eight.at(j));
  }
};
template <class T>
struct Decode<T, ValueCode::table> {
  SharedArray<T> table;
  NZ_DEVICE Decode(Thread& t, const CompactUnitsView<T>& a) : table(t.shared<T>(256)) {
    for (int i = t.index(); i < a.different; i += t.block_size()) table[i] = t.load(a.table + i);
    t.sync();
  }
  NZ_DEVICE T operator()(const Octet<std::uint8_t>& eight, int j) const {
    return table[eight.at(j)];
  }
};

}  // namespace nz::NZ_HOME
