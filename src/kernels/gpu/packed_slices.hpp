#pragma once
#include <cstddef>
#include <cstdint>

#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/formats/value_code.hpp>

#include "kernels/packed_rules.hpp"
#include "simt/simt.hpp"

// The packed format for warps: slices of 128 rows, four a lane, in as few bytes as they allow. In a
// run, the row i of the slice has column first + i, so that one index serves all; where its values
// are the same, too, one value does. What is in no run is a pick: rows have columns of their own,
// counted from the slice's base in 2 bytes, or in 4 where a slice of the matrix spans more. The
// picks of 32 rows are stored side by side, as many for each as the one with the most has; rows
// with about as many meet there, because those of a slice are ranked by their picks. Masks say who
// takes part in a run; picks that are not there have columns of all ones. Neither is multiplied.
namespace nz::NZ_HOME {

// Row 32 p + l of a slice: bit l of mask.at[p].
using SliceMask = Pack<unsigned, slice_parts>;

struct Run {
  SliceMask mask;
  index_t first;  // less than 0 where the first rows have no part in it
};
// A run whose values are all the same.
template <class T>
struct EqualRun {
  struct alignas(16) Head {
    index_t first;
    T value;
  };
  SliceMask mask;
  Head head;
};
// Where a slice begins in the arrays of runs.
struct alignas(16) SliceStart {
  std::uint32_t equal, run;
  index_t base;
  std::uint32_t unused;
};

template <class T>
struct PackedSlicesView {
  index_t rows = 0, cols = 0;
  std::int64_t nnz = 0;
  ValueCode code = ValueCode::full;
  bool far = false;                            // picks take 4 bytes
  const SliceStart* starts = nullptr;          // slices() + 1
  const std::uint32_t* pick_starts = nullptr;  // slices() * slice_parts + 1
  const std::uint8_t* ranks = nullptr;         // slice_rows a slice, where there are picks
  const EqualRun<T>* equal_runs = nullptr;     // these and the next as the last start says
  const Run* runs = nullptr;
  const std::byte* run_values = nullptr;  // slice_rows a run, in their code
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
  DeviceArray<std::uint32_t> pick_starts;
  DeviceArray<std::uint8_t> ranks;
  DeviceArray<EqualRun<T>> equal_runs;
  DeviceArray<Run> runs;
  DeviceArray<std::byte> run_values, pick_values;
  DeviceArray<std::uint16_t> near_picks;
  DeviceArray<std::uint32_t> far_picks;
  DeviceArray<T> table;

  std::size_t bytes() const {
    return starts.bytes() + pick_starts.bytes() + ranks.bytes() + equal_runs.bytes() +
           runs.bytes() + run_values.bytes() + pick_values.bytes() + near_picks.bytes() +
           far_picks.bytes() + table.bytes();
  }
  // Places that are stored one by one a nonzero, those of runs of one value not counted.
  double places() const {
    const std::size_t stored = slice_rows * runs.size() + near_picks.size() + far_picks.size();
    return view.nnz == 0 ? 0 : static_cast<double>(stored) / static_cast<double>(view.nnz);
  }
};

// From a matrix in the current device's memory, made there. Works on the default stream and waits
// for it. Throws Refused where more than `max_ratio` places a nonzero would be stored, and where a
// row is that many times longer than those of a slice should be.
template <Value T, Offset O>
PackedSlices<T> packed_slices(const CsrView<T, O>& a, double max_ratio);

}  // namespace nz::NZ_HOME
