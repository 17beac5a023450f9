#pragma once
#include <cstdint>
#include <vector>

#include <nonzero/types.hpp>

// What rows that are near each other have in common, whatever their numbers are: from a few rows of
// a square matrix patches grow by the rows of the columns that they touch, as long as they are
// small. The door for those who are compiled for no device, a function in each home.
namespace nz {

struct Patch {
  // Columns are counted once, that of the first row among them.
  std::int64_t rows = 0, entries = 0, columns = 0;
};

// A patch grows, by all rows that it touches at once, until it has enough; not by more rows than
// this at once, and not to more columns, those that are known and those of the rows to be opened
// counted together.
struct PatchLimits {
  static constexpr int enough_rows = 256, opened = 256, columns = 4096;
};

// The row from which the p-th of so many grows.
constexpr index_t patch_seed(index_t rows, int p, int count) {
  return static_cast<index_t>(std::int64_t{rows} * p / count);
}

#define NZ_DECLARE_PATCHES(home)                                                                   \
  namespace home {                                                                                 \
  /* Around so many rows, for a matrix on the current device; the same for the same matrix. Waits. \
   */                                                                                              \
  template <Offset O>                                                                              \
  std::vector<Patch> grow_patches(index_t rows, const O* offsets, const index_t* columns,          \
                                  int count);                                                      \
  }
NZ_DECLARE_PATCHES(cuda)
NZ_DECLARE_PATCHES(emulated)
#undef NZ_DECLARE_PATCHES

}  // namespace nz
