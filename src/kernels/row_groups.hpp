#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include <nonzero/types.hpp>

// How the papers' GPU kernels group rows, and the rules by which they choose: work of the host,
// done once when a product is prepared. `offsets` are those of CSR, one more than rows.
namespace nz {

// Neighbouring rows in bins of about equal nonzeros (messa2025 §V): bin b has the rows bins[b] to
// bins[b + 1]. None has more than `size` entries or `size` rows, but for one that is a longer row.
// Rows are limited too since a warp walks them one by one, the empty ones as well.
template <Offset O>
std::vector<index_t> bin_rows(std::span<const O> offsets, std::int64_t size);

// All rows, the short ones first, then the medium, then the long; each class in the order of rows.
struct RowClasses {
  std::vector<index_t> rows;
  index_t short_rows = 0, medium_rows = 0, long_rows = 0;
};
// Short: at most `short_most` entries; long: more than that and more than `medium_most`.
template <Offset O>
RowClasses class_rows(std::span<const O> offsets, std::int64_t short_most,
                      std::int64_t medium_most);

// The least number of blocks of 256 threads on a multiprocessor that suits a thread a row: 8, 6, 4
// or 2. Threads with short rows do little but wait for memory, so that many of them should be there
// to hide it, at 32 registers each; long rows keep more loads in flight within a thread, for which
// it needs registers. messa2025 §V-A found its conditions by trial and does not print them.
// Compiled for Hopper our loop takes 30 to 36 registers whatever the bounds, so they change little
// there.
int min_blocks_for(index_t rows, std::int64_t nnz);

// Whether rows have at least `dense_from` entries on average, so that warps suit them better than
// threads (mazzucchi2025 §VI).
bool dense_rows(index_t rows, std::int64_t nnz, std::int64_t dense_from);

}  // namespace nz
