#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <nonzero/types.hpp>

// Bringing parts of device memory to the host takes a copy each, which is long to begin. This
// brings many in one: the door for those who are compiled for no device, a function in each home.
namespace nz {

// Of device memory; aligned to 4 bytes, and a multiple of them.
struct FetchRange {
  const void* from;
  std::size_t bytes;
};

// The ranges of the current device's memory, one behind the other, come to `to` in host memory.
// With `offsets` of `rows` rows, 4 or 8 bytes each, these are measured too.
struct RowsToMeasure {
  const void* offsets = nullptr;
  std::size_t offset_bytes = 4;
  std::int64_t rows = 0;
};
struct RowMeasures {
  std::int64_t longest = 0;    // entries of a row
  std::int64_t filled = 0;     // rows with entries
  std::int64_t in_slices = 0;  // slots of slices of 32 rows, each as wide as its longest row
};

// Entries of a few windows of rows, by offsets that the host has not seen and nobody has checked.
// Of each window at most `each`, row by row: a row that does not fit any more is left out where it
// has more than `long_row`, else it is the end; so is what would be a run too many between such
// rows. Where offsets are not those of a right matrix, no entry is read that is not there. What is
// missing comes as zeros. The columns of all windows come before their values.
struct WindowEntries {
  static constexpr int most_windows = 4, most_rows = 960, most_runs = 4;
  const index_t* columns = nullptr;
  const void* values = nullptr;
  std::size_t value_bytes = 0;  // 4, 8 or 16
  std::int64_t nnz = 0;
  std::int64_t each = 0;
  int long_row = 0;
  int windows = 0;
  index_t rows[most_windows] = {};  // the first of each
  int row_counts[most_windows] = {};

  std::size_t bytes() const {
    return static_cast<std::size_t>(windows * each) * (sizeof(index_t) + value_bytes);
  }
};

// What comes in one copy: measures of the rows, the ranges one behind the other, then entries.
// Measures and entries are there only where `rows` has offsets.
struct PartsToFetch {
  std::span<const FetchRange> ranges{};
  RowsToMeasure rows{};
  WindowEntries entries{};
  std::size_t zeros = 0;  // bytes before all that, a few words, that become 0; where there are rows
};

#define NZ_DECLARE_FETCH(home)                                                \
  namespace home {                                                            \
  RowMeasures fetch_ranges(std::span<const FetchRange> ranges, std::byte* to, \
                           const RowsToMeasure& rows);                        \
  /* For who fetches more with them: bytes, all and of the measures; work */  \
  /* that puts the parts there; what the measures add up to here.         */  \
  std::size_t bytes_of(const PartsToFetch& parts);                            \
  std::size_t measure_bytes(const RowsToMeasure& rows);                       \
  void queue_parts(const PartsToFetch& parts, std::byte* there);              \
  RowMeasures measures_in(const std::byte* here, const RowsToMeasure& rows);  \
  }
NZ_DECLARE_FETCH(cuda)
NZ_DECLARE_FETCH(emulated)
#undef NZ_DECLARE_FETCH

}  // namespace nz
