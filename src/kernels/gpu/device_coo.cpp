#include "kernels/gpu/device_coo.hpp"

namespace nz::NZ_HOME {
namespace {

// A warp takes this many consecutive entries, and searches only the rows that they span.
constexpr std::int64_t entries_a_warp = 1024;
constexpr int threads = 256;

template <class O>
struct ExpandRows {
  static constexpr const char* name = "expand rows";
  index_t rows;
  const O* offsets;
  std::int64_t nnz;
  index_t* row;

  // The row of entry k, known to be one of low to high.
  NZ_DEVICE index_t row_of(std::int64_t k, index_t low, index_t high) const {
    while (low < high) {
      const index_t middle = low + (high - low) / 2;
      if (static_cast<std::int64_t>(offsets[middle + 1]) > k)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t begin = t.global_index() / 32 * entries_a_warp;
    if (begin >= nnz) return;
    const std::int64_t end = begin + entries_a_warp < nnz ? begin + entries_a_warp : nnz;
    const index_t first = row_of(begin, 0, rows - 1);
    const index_t last = row_of(end - 1, first, rows - 1);
    for (std::int64_t k = begin + t.lane(); k < end; k += 32) row[k] = row_of(k, first, last);
  }
};

}  // namespace

template <Offset O>
void expand_rows(index_t rows, const O* offsets, std::int64_t nnz, index_t* row) {
  const std::int64_t warps = (nnz + entries_a_warp - 1) / entries_a_warp;
  const int few = warps < threads / 32 ? static_cast<int>(warps) * 32 : threads;
  launch({.blocks = blocks_for(warps, few / 32), .threads = few},
         ExpandRows<O>{rows, offsets, nnz, row});
}

template void expand_rows(index_t, const std::int32_t*, std::int64_t, index_t*);
template void expand_rows(index_t, const std::int64_t*, std::int64_t, index_t*);

}  // namespace nz::NZ_HOME
