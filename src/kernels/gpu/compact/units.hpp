#pragma once
#include <cstddef>
#include <cstdint>

#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>

#include "kernels/gpu/parts/long_rows.hpp"
#include "kernels/gpu/parts/octet.hpp"
#include "device/value_codes.hpp"

// The compact format as GPU kernels want it: the entries of a unit, which is a tile of whole rows
// or a piece of a long one (balanced_tiles.hpp, long_rows.hpp), lie together. Their columns count
// from the unit's smallest, in 2 bytes where all of them allow it, in 4 otherwise; their values
// are in the matrix's code.
//
// A thread takes eight entries of a unit at once, an octet, so that narrow elements too come 8 or
// 16 bytes a load. The octets of a unit are numbered g = 0, 1, ..., n - 1, and octet g has the
// entries g, n + g, ..., 7 n + g: whatever a warp does to the j-th of its octets, it does to 32
// neighbours, so gathers of x touch as few lines as those of CSR, and products go to shared memory
// side by side. The last places of a unit may be empty: column 0 of the unit, any value.
namespace nz::NZ_HOME {

struct alignas(16) CompactUnit {
  std::uint32_t octet;  // its first, counted over all units
  std::uint32_t word;   // the first 16 bytes of its columns
  std::uint32_t start;  // of a tile: the first of its rows + 1 starts
  index_t base;         // smallest column
  index_t first;        // row
  int rows;
  int entries;
  int wide;  // 1: columns of 4 bytes
};

NZ_HOST_DEVICE int octets_of(int entries) { return (entries + 7) / 8; }

using ColumnWord = Octet<std::uint16_t>::Word;

// A row whose entries are in pieces has this bit in its start.
inline constexpr int start_elsewhere = 0x8000;

template <class T>
struct CompactUnitsView {
  const CompactUnit* units;     // pieces, then tiles
  const ColumnWord* columns;    // 16 bytes each
  const std::byte* values;      // 8 an octet
  const std::uint16_t* starts;  // of rows, from the tile's first entry
  const T* table;
  int different;
  T constant;

  // The words of a unit.
  template <class V>
  NZ_DEVICE const typename Octet<V>::Word* columns_of(const CompactUnit& u) const {
    return reinterpret_cast<const typename Octet<V>::Word*>(columns + u.word);
  }
  template <class V>
  NZ_DEVICE const typename Octet<V>::Word* values_of(const CompactUnit& u) const {
    using O = Octet<V>;
    return reinterpret_cast<const typename O::Word*>(values) + std::int64_t{u.octet} * O::words;
  }
};

template <Value T>
struct CompactUnits {
  index_t cols = 0;
  int tiles = 0, wide = 0;  // units with columns of 4 bytes
  std::int64_t octets = 0;
  LongRows<T> long_rows;
  ValueCodes<T> codes;
  T constant = 0;
  DeviceArray<CompactUnit> units;
  DeviceArray<ColumnWord> columns;
  DeviceArray<std::byte> values;
  DeviceArray<std::uint16_t> starts;

  CompactUnitsView<T> view() const {
    return {units.data(),       columns.data(),  values.data(), starts.data(),
            codes.table.data(), codes.different, constant};
  }
  std::size_t bytes() const {
    return units.bytes() + columns.bytes() + values.bytes() + starts.bytes() + codes.table.bytes() +
           long_rows.bytes();
  }
  // What a product reads.
  std::size_t matrix_bytes() const {
    const std::size_t listed = codes.code == ValueCode::table ? std::size_t(codes.different) : 0;
    return units.bytes() + columns.bytes() + values.bytes() + starts.bytes() + listed * sizeof(T) +
           static_cast<std::size_t>(long_rows.pieces()) * sizeof(Piece);
  }
};

// Tiles of `size` steps, rows of more than `most` entries in pieces of about `piece`, made of CSR
// that lies in the current device's memory; `codes` are those of its values. size + most is at most
// 2^15. Works on the default stream, and the last of it is only queued. Throws Refused where there
// are more entries than units can number.
template <Value T, Offset O>
CompactUnits<T> compact_on_device(const CsrView<T, O>& a, ValueCodes<T> codes, int size, int most,
                                  int piece);

}  // namespace nz::NZ_HOME
