#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/formats/value_code.hpp>

#include "device/value_codes.hpp"
#include "kernels/gpu/parts/octet.hpp"
#include "simt/simt.hpp"

// Entries in the order of their rows in tiles of 256, the work of a warp at a time, for kernels
// that have x in shared memory: columns of 16 bits and values in their narrowest code. A lane has
// eight neighbours of a tile.
//
// Rows are numbered so that each one has entries; what a number means is up to the kernel.
namespace nz::NZ_HOME {

inline constexpr int staged_items = 8, staged_tile = 32 * staged_items;

// What a lane knows of its entries: in the low 8 bits which of them end a row, above how many rows
// end in the tile before it.
using StagedLane = std::uint16_t;
NZ_HOST_DEVICE StagedLane staged_lane(unsigned rows_before, unsigned ends) {
  return static_cast<StagedLane>(rows_before << staged_items | ends);
}

// What a tile knows of its rows: the number of its first entry's, and in the highest bit whether
// that began before the tile.
inline constexpr std::uint32_t staged_goes_on = 0x80000000u;
NZ_HOST_DEVICE std::uint32_t staged_head(std::int64_t number, bool goes_on) {
  return static_cast<std::uint32_t>(number) | (goes_on ? staged_goes_on : 0u);
}
NZ_HOST_DEVICE index_t staged_number(std::uint32_t head) {
  return static_cast<index_t>(head & ~staged_goes_on);
}

// How tiles are dealt out to n who take neighbours, the first ones one more where it does not go
// even.
struct StagedDeal {
  int each, more;
  NZ_HOST_DEVICE StagedDeal(int tiles, int n) : each(tiles / n), more(tiles - tiles / n * n) {}
  // The first tile of the i-th.
  NZ_HOST_DEVICE int first(int i) const { return i * each + (i < more ? i : more); }
  // Who has a tile.
  NZ_HOST_DEVICE int owner(int tile) const {
    const int in_larger = more * (each + 1);
    return tile < in_larger ? tile / (each + 1) : more + (tile - in_larger) / each;
  }
};

// Of the rows at both ends of a block's share: the block in which the first one begins, and that in
// which the last one ends.
struct StagedShare {
  int from, to;
};

// Where a block has a column of its x in shared memory. Neighbouring rays of a tomography, rows of
// a program that is one problem many times, and graphs drawn by powers of 2 ask at the same time
// for columns that are a multiple of 32 apart, all of which would be in one bank. So words of 16
// bytes change places within their line of 128 bytes, by the bits of the line's number; what is
// done twice is undone. A tomography of 6.5 million nonzeros in float: 30.6 us, then 21.7.
template <class T>
NZ_HOST_DEVICE int staged_place(int column) {
  constexpr int word = 16 / int(sizeof(T));
  const int line = column / (8 * word);
  return column ^ ((line ^ line >> 3 ^ line >> 6 ^ line >> 9) % 8 * word);
}
// Elements of whole lines for so many columns.
template <class T>
NZ_HOST_DEVICE int staged_room(int cols) {
  constexpr int line = 128 / int(sizeof(T));
  return (cols + line - 1) / line * line;
}

// The words of a tile in an array of octets.
template <class V, class Byte>
NZ_DEVICE auto staged_words(Byte* of, std::int64_t tile) {
  using Word = typename Octet<V>::Word;
  using To = std::conditional_t<std::is_const_v<Byte>, const Word, Word>;
  return reinterpret_cast<To*>(of) + tile * 32 * Octet<V>::words;
}

template <class T>
struct StagedTilesView {
  const std::byte* columns = nullptr;
  const std::byte* values = nullptr;
  const StagedLane* lanes = nullptr;
  const std::uint32_t* heads = nullptr;  // of the tiles
  const T* table = nullptr;
};

// The same while they are filled.
struct StagedTilesToFill {
  std::byte* columns;
  std::byte* values;
  StagedLane* lanes;
  std::uint32_t* heads;
  ValueCode code;
};

template <Value T>
struct StagedTiles {
  int tiles = 0;
  ValueCode code = ValueCode::full;
  DeviceArray<std::byte> columns, values;
  DeviceArray<StagedLane> lanes;
  DeviceArray<std::uint32_t> heads;
  DeviceArray<T> table;

  StagedTiles() = default;
  StagedTiles(Device device, int n, ValueCode c) : tiles(n), code(c) {
    const auto all = static_cast<std::size_t>(n) * 32, slots = all * staged_items;
    columns = {device, slots * sizeof(std::uint16_t)};
    values = {device, slots * code_bytes<T>(c)};
    lanes = {device, all};
    heads = {device, static_cast<std::size_t>(n)};
  }
  // Of values that were encoded with these codes.
  void take_table(ValueCodes<T>& codes) { table = std::move(codes.table); }

  StagedTilesView<T> view() const {
    return {columns.data(), values.data(), lanes.data(), heads.data(), table.data()};
  }
  StagedTilesToFill to_fill() {
    return {columns.data(), values.data(), lanes.data(), heads.data(), code};
  }
  std::size_t bytes() const {
    return columns.bytes() + values.bytes() + lanes.bytes() + heads.bytes() + table.bytes();
  }
};

// A lane's columns, as places, and values of a tile, from column(j) and value(j) of its entries j;
// of those that are not there, both are 0.
template <class T, class Column, class ValueAt>
NZ_DEVICE void store_staged(Thread& t, const StagedTilesToFill& to, std::int64_t tile, int there,
                            const ValueLookup<T>& lookup, Column&& column, ValueAt&& value) {
  Octet<std::uint16_t> columns;
  for (int j = 0; j < staged_items; ++j)
    columns.set(
        j, j < there ? static_cast<std::uint16_t>(staged_place<T>(column(j))) : std::uint16_t(0));
  columns.store(staged_words<std::uint16_t>(to.columns, tile), 32, t.lane());
  const auto coded = [&]<ValueCode c>() {
    using V = Coded<T, c>;
    Octet<V> values;
    for (int j = 0; j < staged_items; ++j)
      values.set(j, j < there ? encode<c>(t, lookup, value(j)) : V(0));
    values.store(staged_words<V>(to.values, tile), 32, t.lane());
  };
  if (to.code == ValueCode::full) coded.template operator()<ValueCode::full>();
  if (to.code == ValueCode::single) coded.template operator()<ValueCode::single>();
  if (to.code == ValueCode::table) coded.template operator()<ValueCode::table>();
}

}  // namespace nz::NZ_HOME
