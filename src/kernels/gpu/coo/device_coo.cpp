#include "kernels/gpu/coo/device_coo.hpp"
#include "kernels/gpu/parts/search.hpp"

namespace nz::NZ_HOME {
namespace {

// A warp takes this many consecutive entries, and searches only the rows that they span.
constexpr std::int64_t entries_per_warp = 1024;
constexpr int threads = 256;

template <class O>
struct ExpandRows {
  static constexpr const char* name = "expand rows";
  index_t rows;
  const O* offsets;
  std::int64_t nnz;
  index_t* row;

  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t begin = t.global_index() / 32 * entries_per_warp;
    if (begin >= nnz) return;
    const std::int64_t end = begin + entries_per_warp < nnz ? begin + entries_per_warp : nnz;
    const index_t first = row_of(t, offsets, begin, 0, rows - 1);
    const index_t last = row_of(t, offsets, end - 1, first, rows - 1);
    for (std::int64_t k = begin + t.lane(); k < end; k += 32)
      row[k] = row_of(t, offsets, k, first, last);
  }
};

}  // namespace

template <Offset O>
void expand_rows(index_t rows, const O* offsets, std::int64_t nnz, index_t* row) {
  const std::int64_t warps = (nnz + entries_per_warp - 1) / entries_per_warp;
  const int few = warps < threads / 32 ? static_cast<int>(warps) * 32 : threads;
  launch({.blocks = blocks_for(warps, few / 32), .threads = few},
         ExpandRows<O>{rows, offsets, nnz, row});
}

template void expand_rows(index_t, const std::int32_t*, std::int64_t, index_t*);
template void expand_rows(index_t, const std::int64_t*, std::int64_t, index_t*);

}  // namespace nz::NZ_HOME
