#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include <nonzero/types.hpp>

// How the papers' GPU kernels group rows, and the rules by which they choose: work of the host,
// done once when a product is prepared. `offsets` are those of CSR, one more than rows.
namespace nz {

// Neighbouring rows in bins of about equal nonzeros, as messa2025's program cuts them: bin b has
// the rows bins[b] to bins[b + 1]. None has more than `size` entries, but for one with a single row
// that is not empty. Empty rows go along with what stands before them, any number of them, unless a
// bin has `most_rows` rows; 0: no such limit.
template <Offset O>
std::vector<index_t> bin_rows(std::span<const O> offsets, std::int64_t size,
                              std::int64_t most_rows = 0);

// All rows, the short ones first, then the medium, then the long; each class in the order of rows.
struct RowClasses {
  std::vector<index_t> rows;
  index_t short_rows = 0, medium_rows = 0, long_rows = 0;
};
// Short: fewer entries than `short_limit`; medium: others with fewer than `medium_limit`.
template <Offset O>
RowClasses class_rows(std::span<const O> offsets, std::int64_t short_limit,
                      std::int64_t medium_limit);

// The launch bounds that messa2025's program takes by the mean row length: how many blocks of 256
// threads a multiprocessor must hold. Below 8 entries 0, which is no bounds, above 64 one block,
// otherwise two.
int launch_bounds_for(index_t rows, std::int64_t nnz);

// Whether rows have at least `dense_from` entries on average, so that warps suit them better than
// threads (mazzucchi2025 §VI).
bool dense_rows(index_t rows, std::int64_t nnz, std::int64_t dense_from);

}  // namespace nz
