#include "plan/features.hpp"

#include <algorithm>
#include <utility>

#include <nonzero/formats/blocks.hpp>
#include <nonzero/threads.hpp>

#include "base/instantiate.hpp"
#include "plan/models.hpp"
#include "plan/look_sample.hpp"
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
  f.hottest = s.hottest;
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
double tile_entries(const CsrView<T, O>& a, Device device) {
  const auto count = [](const Pattern& p) { return std::max(1.0, entries_a_small_tile(p)); };
  const RowWindows windows{};
  if (a.rows >= windows.fewest_rows()) {  // bringing all offsets here would take longer
    const Csr<T, std::int64_t> sample = sample_windows(device, a, windows);
    if (sample.nnz() > 0) return count(Pattern(sample.view()));
  }
  return with_pattern(device, a, count);
}

template <Value T, Offset O>
void look_from_gpu(Features& f, const CsrView<T, O>& a, Device device, bool tiles) {
  const LookSample<T> sample = sample_for_look(device, a);
  f.longest_row = sample.longest_row;
  f.usual_row = f.row_length;
  if (tiles) f.tile_entries = tile_entries(a, device);
  if (sample.windows.nnz() == 0) return;
  Pattern p(sample.windows.view());
  p.offset_bytes = sizeof(O);  // as in the matrix
  const BlockVerdict blocks = detect_blocks(p);
  put(f, take_few_samples(sample));
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
Features look_at(const CsrView<T, O>& a, Device device, int threads, bool tiles) {
  Features f = shape_features(a);
  if (a.nnz == 0) return f;
  if (a.nnz < small_matrix && !tiles) {
    if (device != cpu_device) {
      f.longest_row = longest_row(device, a);
      f.usual_row = f.row_length;
    }
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
