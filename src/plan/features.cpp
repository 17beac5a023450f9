#include "plan/features.hpp"

#include <algorithm>
#include <utility>

#include <nonzero/formats/blocks.hpp>
#include <nonzero/threads.hpp>

#include "base/instantiate.hpp"
#include "plan/models.hpp"
#include "plan/pattern_on.hpp"
#include "plan/row_windows.hpp"
#include "plan/samples.hpp"
#include "plan/tile_verdict.hpp"

namespace nz {
namespace {

void put(Features& f, const RowLengthSamples& s) {
  f.longest_row = s.longest;
  f.usual_row = s.mean;
}
void put(Features& f, const Samples& s) {
  f.entries = s.entries;
  f.compact_bytes = s.compact_bytes;
  f.packed_bytes = s.packed_bytes;
  f.run_share = s.run_share;
  f.narrow_value_bytes = s.value_bytes;
  f.lines = s.lines;
  f.overlap = s.overlap;
  f.hottest = s.hottest;
  put(f, s.lengths);
  f.slice_bytes = s.slices.bytes;
  f.slice_runs = s.slices.runs;
  f.slice_picks = s.slices.picks;
  f.slice_depth = s.slices.depth;
  if (s.block > 1) {
    f.block_rows = f.block_cols = s.block;
    f.block_fill = s.block_fill;
  }
}

// Of a matrix whose offsets are in host memory.
template <Value T, Offset O>
void look_from_gpu(Features& f, const CsrView<T, O>& a, const Pattern& p, bool tiles) {
  const BlockVerdict blocks = detect_blocks(p);
  f.block_rows = blocks.block_rows;
  f.block_cols = blocks.block_cols;
  f.block_fill = blocks.fill_ratio;
  if (tiles) f.tile_entries = std::max(1.0, entries_a_small_tile(p));
  Samples s = take_few_samples(a, p.fetch);
  s.block = 1;  // the blocks are known better
  put(f, s);
}

template <Value T, Offset O>
void look_from_gpu(Features& f, const CsrView<T, O>& a, Device device, bool tiles) {
  // Less is enough where no tiles are looked for.
  const RowWindows windows =
      tiles ? RowWindows{} : RowWindows{.count = 8, .rows = 960, .apart = 504};
  if (a.rows >= windows.fewest_rows()) {  // bringing all offsets here would take longer
    const Csr<T, std::int64_t> sample = sample_windows(device, a, windows);
    Pattern p(sample.view());
    p.offset_bytes = sizeof(O);  // as in the matrix
    if (sample.nnz() > 0) return look_from_gpu(f, sample.view(), p, tiles);
  }
  with_pattern(device, a, [&](const Pattern& p) {
    CsrView<T, O> near = a;
    if constexpr (sizeof(O) == 4)
      near.offsets = p.offsets32;
    else
      near.offsets = p.offsets64;
    look_from_gpu(f, near, p, tiles);
  });
}

}  // namespace

Features Features::transposed() const {
  Features t = *this;
  std::swap(t.rows, t.cols);
  std::swap(t.block_rows, t.block_cols);
  t.row_length = t.rows > 0 ? static_cast<double>(nnz) / t.rows : 0;
  t.hottest = 0;
  return t;
}

template <Value T, Offset O>
Features shape_features(const CsrView<T, O>& a) {
  Features f{.rows = a.rows,
             .cols = a.cols,
             .nnz = a.nnz,
             .value_bytes = sizeof(T),
             .offset_bytes = sizeof(O)};
  if (a.rows > 0) f.row_length = static_cast<double>(a.nnz) / a.rows;
  return f;
}

template <Value T, Offset O>
Features look_at(const CsrView<T, O>& a, Device device, int threads, bool tiles) {
  Features f = shape_features(a);
  if (a.nnz == 0) return f;
  if (a.nnz < small_matrix && !tiles) {
    if (device != cpu_device)
      put(f, sample_row_lengths(host_offsets(device, a).span().data(), a.rows));
    return f;
  }
  if (device == cpu_device) {
    put(f, take_samples(a, threads));
  } else {
    const ThreadScope one(1);  // waking others takes longer than samples do
    look_from_gpu(f, a, device, tiles);
  }
  return f;
}

#define NZ_INSTANTIATE(T, O)                              \
  template Features shape_features(const CsrView<T, O>&); \
  template Features look_at(const CsrView<T, O>&, Device, int, bool);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
