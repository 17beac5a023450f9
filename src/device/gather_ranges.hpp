#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

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
#define NZ_DECLARE_FETCH(home)                                                \
  namespace home {                                                            \
  RowMeasures fetch_ranges(std::span<const FetchRange> ranges, std::byte* to, \
                           const RowsToMeasure& rows);                        \
  }
NZ_DECLARE_FETCH(cuda)
NZ_DECLARE_FETCH(emulated)
#undef NZ_DECLARE_FETCH

}  // namespace nz
