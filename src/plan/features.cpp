#include "plan/features.hpp"

#include <algorithm>
#include <utility>

#include <nonzero/formats/blocks.hpp>

#include "base/instantiate.hpp"
#include "plan/fitted.hpp"
#include "plan/models.hpp"
#include "plan/pattern_on.hpp"
#include "plan/row_windows.hpp"
#include "plan/samples.hpp"
#include "plan/tile_verdict.hpp"

namespace nz {
namespace {

void put(Features& f, const Samples& s) {
  f.entries = s.entries;
  f.compact_bytes = s.compact_bytes;
  f.packed_bytes = s.packed_bytes;
  f.run_share = s.run_share;
  f.narrow_value_bytes = s.value_bytes;
  f.lines = s.lines;
  f.overlap = s.overlap;
  f.longest_row = s.longest_row;
  f.slice_bytes = s.slices.bytes;
  f.slice_runs = s.slices.runs;
  f.slice_picks = s.slices.picks;
  f.slice_depth = s.slices.depth;
  if (s.block > 1) {
    f.block_rows = f.block_cols = s.block;
    f.block_fill = s.block_fill;
  }
}

template <Value T, Offset O>
void look_from_gpu(Features& f, const CsrView<T, O>& a, Device device, bool closely) {
  if (closely && a.nnz > 0)
    f.tile_entries = with_pattern(
        device, a, [](const Pattern& p) { return std::max(1.0, look_for_tiles(p).entries); });
  const RowWindows windows = RowWindows::of(a.rows, a.nnz);
  const RowSample<T> sample = sample_windows(device, a, windows);
  Samples s = samples_of(sample.rows, sample.starts);
  s.longest_row = sample.longest;
  put(f, s);
  if (s.entries == 0) return;
  f.hottest = s.hottest;
  const BlockVerdict blocks = [&] {
    // Offsets of long rows are soon fetched; those of short ones would take longer than the rest.
    if (!windows.whole) return detect_blocks_on(device, a);
    Pattern p(sample.rows.view());
    p.offset_bytes = sizeof(O);  // as in the matrix
    return detect_blocks(p);
  }();
  f.block_rows = blocks.block_rows;
  f.block_cols = blocks.block_cols;
  f.block_fill = blocks.fill_ratio;
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
Features look_at(const CsrView<T, O>& a, Device device, int threads, bool closely) {
  Features f = shape_features(a);
  if (a.nnz < small_matrix && !closely) return f;
  if (device == cpu_device)
    put(f, take_samples(a, threads));
  else
    look_from_gpu(f, a, device, closely);
  return f;
}

#define NZ_INSTANTIATE(T, O)                              \
  template Features shape_features(const CsrView<T, O>&); \
  template Features look_at(const CsrView<T, O>&, Device, int, bool);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
