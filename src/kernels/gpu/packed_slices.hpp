#pragma once
#include <cstddef>
#include <cstdint>

#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/formats/value_code.hpp>

#include "simt/simt.hpp"

// The packed format for warps: slices of 32 rows, a lane a row, in as few bytes as they allow. In a
// run, lane l has column first + l, so that one index serves all; where its values are the same,
// too, one value does. What is in no run is a pick: each lane has columns of its own, counted from
// the slice's base in 2 bytes, or in 4 where a slice of the matrix spans more. Masks say who takes
// part in a run; lanes with fewer picks than others have columns of all ones. Neither is
// multiplied.
namespace nz::NZ_HOME {

inline constexpr int slice_rows = 32;

// A run whose values are all the same.
template <class T>
struct alignas(16) EqualRun {
  index_t first;  // less than 0 where the first lanes have no part in it
  unsigned mask;
  T value;
};
struct alignas(8) Run {
  index_t first;
  unsigned mask;
};
// Where a slice begins in each of the arrays.
struct alignas(16) SliceStart {
  std::uint32_t equal, run, pick;
  index_t base;
};

template <class T>
struct PackedSlicesView {
  index_t rows = 0, cols = 0;
  std::int64_t nnz = 0;
  ValueCode code = ValueCode::full;
  bool far = false;                         // picks take 4 bytes
  const SliceStart* starts = nullptr;       // slices() + 1
  const EqualRun<T>* equal_runs = nullptr;  // these and the next as the last start says
  const Run* runs = nullptr;
  const std::byte* run_values = nullptr;  // 32 a run, in their code
  const std::uint16_t* near_picks = nullptr;
  const std::uint32_t* far_picks = nullptr;
  const std::byte* pick_values = nullptr;
  const T* table = nullptr;  // table_size(code)

  constexpr std::int64_t slices() const {
    return (std::int64_t{rows} + slice_rows - 1) / slice_rows;
  }
};

// Those arrays in a device's memory.
template <Value T>
struct PackedSlices {
  PackedSlicesView<T> view;
  DeviceArray<SliceStart> starts;
  DeviceArray<EqualRun<T>> equal_runs;
  DeviceArray<Run> runs;
  DeviceArray<std::byte> run_values, pick_values;
  DeviceArray<std::uint16_t> near_picks;
  DeviceArray<std::uint32_t> far_picks;
  DeviceArray<T> table;

  std::size_t bytes() const {
    return starts.bytes() + equal_runs.bytes() + runs.bytes() + run_values.bytes() +
           pick_values.bytes() + near_picks.bytes() + far_picks.bytes() + table.bytes();
  }
  // Places that are stored one by one a nonzero, those of runs of one value not counted.
  double places() const {
    return view.nnz == 0
               ? 0
               : static_cast<double>(slice_rows) *
                     static_cast<double>(runs.size() +
                                         (near_picks.size() + far_picks.size()) / slice_rows) /
                     static_cast<double>(view.nnz);
  }
};

// From a matrix in the current device's memory, made there. Works on the default stream and waits
// for it. Throws Refused where more than `max_ratio` places a nonzero would be stored.
template <Value T, Offset O>
PackedSlices<T> packed_slices(const CsrView<T, O>& a, double max_ratio);

}  // namespace nz::NZ_HOME
