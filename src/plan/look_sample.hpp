#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>

#include "device/gather_ranges.hpp"
#include "device/inspect_csr.hpp"

namespace nz {

// Rows from a few places of a matrix, in host memory.
template <Value T>
struct LookSample {
  // Windows of rows one after the other, each as far from its place in the matrix as a multiple of
  // all usual block sides, so that blocks stay whole. Rows that were not taken are empty.
  Csr<T, std::int64_t> windows;
  static constexpr index_t window_rows = 960;
  static index_t window_of(index_t row) { return row / window_rows; }
  std::vector<index_t> taken;  // rows of `windows`, in their order
  RowMeasures measures{};      // of all rows of the matrix
};

// What a look fetches first of a matrix in a device's memory, whatever its offsets say: who checks
// them brings it with what he finds. Unless rows are long, all that it needs is among it.
struct LookStart {
  LookStart() = default;
  LookStart(const LookStart&) = delete;
  LookStart& operator=(const LookStart&) = delete;
  void take(FetchedAlong& along);

  std::span<const std::byte> offsets;  // of the windows, where there shall be any
  std::span<const std::byte> entries;  // those that are taken of each window, likewise
  std::int64_t each = 0;               // places for them, of a window
  RowMeasures measures{};

 private:
  Array<std::byte> bytes_;
};
template <Value T, Offset O>
std::vector<FetchRange> offsets_for_look(const CsrView<T, O>& a);
// None where they would be too many to come along.
template <Value T, Offset O>
WindowEntries entries_for_look(const CsrView<T, O>& a);

// Of a matrix in host memory or in the device's.
template <Value T, Offset O>
RowMeasures measure_rows(Device device, const CsrView<T, O>& a);

// Of a matrix in host memory or in the device's, from where it comes in two copies whatever its
// size; where its start is there already in one, or without any.
template <Value T, Offset O>
LookSample<T> sample_for_look(Device device, const CsrView<T, O>& a,
                              const LookStart* start = nullptr);

// The first rows of its windows, with other values, the rest empty: enough to see blocks in.
template <Value T>
Csr<T, std::int64_t> rows_for_blocks(const LookSample<T>& s);

}  // namespace nz
