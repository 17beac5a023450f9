#include "plan/features.hpp"

#include <algorithm>
#include <utility>

#include <nonzero/formats/blocks.hpp>
#include <nonzero/formats/dcsr.hpp>
#include <nonzero/threads.hpp>

#include "base/instantiate.hpp"
#include "device/csr.hpp"
#include "plan/block_signs.hpp"
#include "plan/look_sample.hpp"
#include "plan/patch_samples.hpp"
#include "plan/pattern_on.hpp"
#include "plan/row_windows.hpp"
#include "plan/samples.hpp"
#include "plan/tile_verdict.hpp"
#include "plan/tuning/tuning.hpp"

namespace nz {
namespace {

// Looking at fewer nonzeros does not pay.
constexpr double look_from_on_cpus = 8'000;
double fewest_to_look_at(Device device) {
  return device == cpu_device ? look_from_on_cpus : gpu_tuning(device).look_from;
}

void put(Features& f, const Samples& s) {
  f.entries = s.entries;
  f.compact_bytes = s.compact_bytes;
  f.packed_bytes = s.packed_bytes;
  f.run_share = s.run_share;
  f.narrow_value_bytes = s.value_bytes;
  f.compact_value_bytes = s.compact_value_bytes;
  f.lines = s.lines;
  f.overlap = s.overlap;
  f.hottest = s.hottest;
  f.panel_parts = s.panel_parts;
  f.slice_bytes = s.slices.bytes;
  f.slice_runs = s.slices.runs;
  f.slice_picks = s.slices.picks;
  f.slice_depth = s.slices.depth;
  f.slice_steps = s.slices.steps;
  if (s.block > 1) {
    f.block_rows = f.block_cols = s.block;
    f.block_fill = s.block_fill;
  }
}

void put(Features& f, const RowMeasures& m) {
  f.longest_row = static_cast<double>(m.longest);
  f.nonempty_rows = static_cast<double>(m.filled);
  f.sell_slots = f.nnz > 0 ? static_cast<double>(m.in_slices) / static_cast<double>(f.nnz) : 0;
}

template <Value T, Offset O>
double tile_entries(const CsrView<T, O>& a, Device device) {
  const auto count = [](const Pattern& p) { return std::max(1.0, entries_per_small_tile(p)); };
  const RowWindows windows{};
  if (a.rows >= windows.fewest_rows()) {  // bringing all offsets here would take longer
    const Csr<T, std::int64_t> sample = sample_windows(device, a, windows);
    if (sample.nnz() > 0) return count(Pattern(sample.view()));
  }
  return with_pattern(device, a, count);
}

// Whether rows may have more columns in common with others than with their neighbours, and so many
// that bringing them together may pay.
bool may_have_clusters(const Features& f) {
  constexpr double fewest_lines = 0.3, fewest_entries = 4, longest = 512;
  return f.rows == f.cols && f.lines >= fewest_lines && f.row_length >= fewest_entries &&
         f.longest_row <= std::min(longest, 8 * f.row_length + 32);
}

template <Value T, Offset O>
void look_from_gpu(Features& f, const CsrView<T, O>& a, Device device, bool tiles,
                   const LookStart* start) {
  const LookSample<T> sample = sample_for_look(device, a, start);
  put(f, sample.measures);
  if (tiles) f.tile_entries = tile_entries(a, device);
  if (sample.windows.nnz() == 0) return;
  put(f, take_few_samples(sample, simt::backend(device).info().shared_bytes));
  if (RealValue<T> && may_have_clusters(f)) {  // clusters take no complex numbers
    const PatchSamples patches = sample_patches(a, device);
    f.patch_rows = patches.rows;
    f.patch_columns = patches.columns;
  }
  // Of small matrices blocks are hardly the best: only who looks closely looks for them.
  if (!tiles && static_cast<double>(a.nnz) < gpu_tuning(device).small_matrix) return;
  const Csr<T, std::int64_t> few = rows_for_blocks(sample);
  if (!may_have_blocks(few)) return;
  Pattern p(few.view());
  p.offset_bytes = 0;  // most rows are empty only here
  const BlockVerdict blocks = detect_blocks(p);
  f.block_rows = blocks.block_rows;
  f.block_cols = blocks.block_cols;
  f.block_fill = blocks.fill_ratio;
}

}  // namespace

Features Features::transposed() const {
  Features t = *this;
  std::swap(t.rows, t.cols);
  std::swap(t.block_rows, t.block_cols);
  std::swap(t.nonempty_rows, t.nonempty_cols);
  t.row_length = t.rows > 0 ? static_cast<double>(nnz) / t.rows : 0;
  t.hottest = 0;
  t.panel_parts = 0;
  t.patch_rows = t.patch_columns = 0;
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
  const auto entries = static_cast<double>(a.nnz);
  f.nonempty_rows = std::min<double>(a.rows, entries);
  f.nonempty_cols = std::min<double>(a.cols, entries);
  return f;
}

template <Value T, Offset O>
Features glance_at(const CsrView<T, O>& a, Device device) {
  Features f = shape_features(a);
  // Of longer rows empty ones cost little. An answer from a device takes as long as small products.
  constexpr double longest = 16, longest_there = 4;
  const bool there = device != cpu_device && lies_on(device, a);
  if (f.hypersparse(true, false) || f.row_length >= (there ? longest_there : longest)) return f;
  f.nonempty_rows = there ? static_cast<double>(measure_rows(device, a).filled)
                          : static_cast<double>(count_nonempty_rows(a));
  return f;
}

bool takes_samples(std::int64_t nnz, Device device) {
  return static_cast<double>(nnz) >= fewest_to_look_at(device);
}

template <Value T, Offset O>
Features look_at(const CsrView<T, O>& a, Device device, int threads, bool tiles,
                 const LookStart* start) {
  // On a GPU all rows are measured below.
  Features f = device == cpu_device ? glance_at(a, device) : shape_features(a);
  if (a.nnz == 0) return f;
  // What is taken is known; only tiles may have to stand in for it.
  if (f.hypersparse(true, false) && (device == cpu_device || !tiles)) return f;
  if (device == cpu_device) f.sell_slots = sell_slots(a);
  if (!tiles && !takes_samples(a.nnz, device)) {
    if (device != cpu_device) put(f, start ? start->measures : measure_rows(device, a));
    return f;
  }
  if (device == cpu_device) {
    put(f, take_samples(a, threads));
  } else {
    const ThreadScope one(1);  // waking others takes longer than samples do
    look_from_gpu(f, a, device, tiles, start);
  }
  return f;
}

#define NZ_INSTANTIATE(T, O)                                 \
  template Features shape_features(const CsrView<T, O>&);    \
  template Features glance_at(const CsrView<T, O>&, Device); \
  template Features look_at(const CsrView<T, O>&, Device, int, bool, const LookStart*);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
