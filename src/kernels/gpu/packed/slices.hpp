#pragma once
#include <cstddef>
#include <cstdint>

#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/formats/value_code.hpp>

#include "kernels/packed_rules.hpp"
#include "simt/simt.hpp"

// The packed format for warps: slices of 128 rows, four a lane, in as few bytes as they allow. In a
// run all rows have the same diagonal, column less row, so that one number serves all; where its
// values are the same, too, one value does. Slices with the same runs share one list of them, as
// nearly all slices of a stencil do: it is read from a near cache then. What is in no run is a
// pick: rows have columns of their own, counted from the slice's base in 2 bytes, or in 4 where a
// slice of the matrix spans more. The picks of 32 rows are stored side by side, as many for each as
// the one with the most has; rows with about as many meet there, because those of a slice are
// ranked by their picks. Masks say who takes part in a run; picks that are not there have columns
// of all ones. Neither is multiplied.
namespace nz::NZ_HOME {

// Row 32 p + l of a slice: bit l of at[p]. As it is stored, each lane's four in one place: bit
// 4 (l % 2) + p of of[l / 2].
using SliceMask = Pack<unsigned, slice_parts>;
using StoredMask = Pack<std::uint8_t, slice_rows / 8>;

template <class T>
struct Run {
  struct alignas(16) Head {
    index_t diagonal;
    T value;  // where all are the same
  };
  StoredMask rows;
  Head head;
};
// A slice's list: runs of one value first, then the others, whose values follow each other.
struct alignas(16) SliceStart {
  std::uint32_t list, equal;
  std::uint32_t others_and_plain;  // twice the number, and whether the slice is plain
  std::uint32_t values;            // in units of slice_rows

  NZ_HOST_DEVICE std::uint32_t others() const { return others_and_plain / 2; }
  // Its runs have x at all rows of the slice, and most have a part in them: who has none may read
  // it.
  NZ_HOST_DEVICE bool plain() const { return others_and_plain % 2; }
};
// Of 32 ranks each, in units of 32.
struct alignas(32) SlicePicks {
  struct alignas(8) Tail {
    std::uint32_t end;
    index_t base;
  };
  Pack<std::uint32_t, slice_parts> start;
  Tail tail;
};

template <class T>
struct PackedSlicesView {
  index_t rows = 0, cols = 0;
  std::int64_t nnz = 0;
  ValueCode code = ValueCode::full;
  bool far = false;                     // picks take 4 bytes
  std::uint32_t no_pick = 0xffff;       // the column of picks that are not there
  const SliceStart* starts = nullptr;   // slices()
  const SlicePicks* picks = nullptr;    // slices(), where there are picks; else none
  const std::uint8_t* ranks = nullptr;  // slice_rows a slice, where there are picks
  const Run<T>* runs = nullptr;
  const std::byte* run_values = nullptr;  // slice_rows a run without one value, in their code
  const std::uint16_t* near_picks = nullptr;
  const std::uint32_t* far_picks = nullptr;
  const std::byte* pick_values = nullptr;
  const T* table = nullptr;  // table_size(code)

  constexpr int slices() const {
    return static_cast<int>((static_cast<unsigned>(rows) + slice_rows - 1) / slice_rows);
  }
};

// Those arrays in a device's memory.
template <Value T>
struct PackedSlices {
  PackedSlicesView<T> view;
  std::int64_t equal_runs = 0, other_runs = 0;  // of all slices
  DeviceArray<SliceStart> starts;
  DeviceArray<SlicePicks> picks;
  DeviceArray<std::uint8_t> ranks;
  DeviceArray<Run<T>> runs;
  DeviceArray<std::byte> run_values, pick_values;
  DeviceArray<std::uint16_t> near_picks;
  DeviceArray<std::uint32_t> far_picks;
  DeviceArray<T> table;

  std::size_t bytes() const {
    return starts.bytes() + picks.bytes() + ranks.bytes() + runs.bytes() + run_values.bytes() +
           pick_values.bytes() + near_picks.bytes() + far_picks.bytes() + table.bytes();
  }
  // Places that are stored one by one a nonzero, those of runs of one value not counted.
  double places() const {
    const auto stored = static_cast<double>(slice_rows * other_runs) +
                        static_cast<double>(near_picks.size() + far_picks.size());
    return view.nnz == 0 ? 0 : stored / static_cast<double>(view.nnz);
  }
};

// From a matrix in the current device's memory, made there, on the default stream: the last of it
// is only queued. Throws Refused where more than `max_ratio` places a nonzero would be stored, and
// where a row is that many times longer than those of a slice should be.
template <Value T, Offset O>
PackedSlices<T> packed_slices(const CsrView<T, O>& a, double max_ratio);

}  // namespace nz::NZ_HOME
