#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <nonzero/array.hpp>
#include <nonzero/export.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/formats/fill.hpp>
#include <nonzero/formats/value_code.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// Slices of rows, as in SELL, whose columns and values take as few bytes as they allow. A slice is
// `lanes` rows in a row; each of its slots has one place a lane, and a mask says which are taken.
// There are two kinds of slots: in a run, lane l has column first + l, so one index serves all
// (stencils and bands are mostly runs); in a pick, each lane has a column of its own, stored as the
// distance from the slice's base in 1, 2 or 4 bytes. Runs come before picks. Places that are not
// taken hold zero and are never multiplied.
struct PackedSlice {
  index_t base = 0;        // added to the columns of picks
  std::uint16_t runs = 0;  // slots of each kind
  std::uint16_t picks = 0;
  std::uint8_t width = 0;  // bytes of a pick's column: 0 (no picks), 1, 2, 4
  bool band = false;       // runs take every lane, each one column further than the one before

  friend bool operator==(const PackedSlice&, const PackedSlice&) = default;
};

// Where a group of slices begins in the streams, so that threads can start in the middle.
struct PackedMark {
  std::int64_t slot = 0;   // of masks; of values, times lanes
  std::int64_t run = 0;    // of run columns
  std::int64_t index = 0;  // of the bytes of picks

  // To where the next slice begins. Picks are aligned: a slice's bytes are rounded up to four.
  constexpr void pass(const PackedSlice& s, index_t lanes) {
    slot += s.runs + s.picks;
    run += s.runs;
    index += (std::int64_t{s.picks} * lanes * s.width + 3) / 4 * 4;
  }

  friend bool operator==(const PackedMark&, const PackedMark&) = default;
};

template <RealValue T>
struct PackedView {
  using value_type = T;
  static constexpr index_t lanes = 64 / sizeof(T);  // a slot of full values is a cache line
  static constexpr index_t group = 8;               // slices between two marks
  using Mask = std::conditional_t<lanes == 8, std::uint8_t, std::uint16_t>;
  static constexpr Mask full_mask = static_cast<Mask>(~Mask{0});

  index_t rows = 0;
  index_t cols = 0;
  std::int64_t nnz = 0;
  ValueCode code = ValueCode::full;
  std::int64_t slots = 0;
  std::int64_t runs = 0;
  std::int64_t index_bytes = 0;
  const PackedSlice* slice = nullptr;     // slices()
  const PackedMark* mark = nullptr;       // groups() + 1
  const Mask* masks = nullptr;            // slots
  const index_t* run_columns = nullptr;   // runs
  const std::uint8_t* indices = nullptr;  // index_bytes
  const std::byte* values = nullptr;      // slots * lanes values in their code
  const T* table = nullptr;               // 256 values (table), one (constant)

  constexpr index_t slices() const { return rows / lanes + (rows % lanes != 0); }
  constexpr index_t groups() const { return slices() / group + (slices() % group != 0); }
  // A slice's rows: fewer than lanes in the last.
  constexpr index_t height(index_t s) const {
    return rows - s * lanes < lanes ? rows - s * lanes : lanes;
  }
  constexpr std::size_t value_bytes() const { return code_bytes<T>(code); }
  constexpr std::size_t bytes() const {
    return static_cast<std::size_t>(slots) *
               (sizeof(Mask) + static_cast<std::size_t>(lanes) * value_bytes()) +
           static_cast<std::size_t>(runs) * sizeof(index_t) +
           static_cast<std::size_t>(index_bytes) +
           static_cast<std::size_t>(slices()) * sizeof(PackedSlice) +
           (static_cast<std::size_t>(groups()) + 1) * sizeof(PackedMark) +
           table_size(code) * sizeof(T);
  }
};
static_assert(std::is_trivially_copyable_v<PackedView<double>>);

template <RealValue T>
struct Packed {
  using Mask = typename PackedView<T>::Mask;
  index_t rows = 0;
  index_t cols = 0;
  std::int64_t entries = 0;
  ValueCode code = ValueCode::full;
  int different = 0;  // values in the table
  Array<PackedSlice> slice;
  Array<PackedMark> mark{PackedMark{}};
  Array<Mask> masks;
  Array<index_t> run_columns;
  Array<std::uint8_t> indices;
  Array<std::byte> values;
  Array<T> table;

  std::int64_t nnz() const { return entries; }
  std::size_t bytes() const { return view().bytes(); }
  PackedView<T> view() const {
    return {rows,
            cols,
            entries,
            code,
            static_cast<std::int64_t>(masks.size()),
            static_cast<std::int64_t>(run_columns.size()),
            static_cast<std::int64_t>(indices.size()),
            slice.data(),
            mark.data(),
            masks.data(),
            run_columns.data(),
            indices.data(),
            values.data(),
            table.data()};
  }
  double fill_ratio() const {
    return slots_per_nonzero(static_cast<std::int64_t>(masks.size()) * PackedView<T>::lanes,
                             entries);
  }

  // Throws BadInput naming the first slice that breaks the format.
  void validate() const;

  friend bool operator==(const Packed&, const Packed&) = default;
};

// Throws Refused when a slice has more than 65535 slots, or all together more than max_ratio
// places a nonzero.
template <RealValue T, Offset O>
NZ_API Packed<T> packed_from_csr(const CsrView<T, O>& a, double max_ratio = default_max_ratio);

template <Offset O, RealValue T>
NZ_API Csr<T, O> packed_to_csr(const PackedView<T>& a);

}  // namespace nz
