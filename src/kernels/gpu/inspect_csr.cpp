#include "kernels/gpu/inspect_csr.hpp"

#include <algorithm>
#include <vector>

#include "kernels/gpu/gpu_product.hpp"

namespace nz::NZ_HOME {
namespace {

constexpr std::int64_t nowhere = CsrFindings::nowhere;

// A grid for n things, with room for a Finding a warp.
Launch inspecting(std::int64_t n) {
  const int threads = threads_for(n, 512);
  return {.blocks = blocks_for(n, threads, 512),
          .threads = threads,
          .shared_bytes = 2 * static_cast<std::size_t>(threads / 32) * sizeof(std::int64_t)};
}

// A place, the smallest, and a count, the sum, over the block: in its first thread.
struct Finding {
  std::int64_t place = nowhere, count = 0;

  NZ_DEVICE void add(const Finding& its) {
    place = its.place < place ? its.place : place;
    count += its.count;
  }
  NZ_DEVICE void over_block(Thread& t) {
    const SharedArray<std::int64_t> places = t.shared<std::int64_t>(t.warps());
    const SharedArray<std::int64_t> counts = t.shared<std::int64_t>(t.warps());
    for (int by = 16; by > 0; by /= 2) add({t.shuffle_xor(place, by), t.shuffle_xor(count, by)});
    if (t.lane() == 0) {
      places[t.warp()] = place;
      counts[t.warp()] = count;
    }
    t.sync();
    if (t.index() != 0) return;
    for (int w = 1; w < t.warps(); ++w) {
      const std::int64_t its_place = places[w], its_count = counts[w];
      add({its_place, its_count});
    }
  }
};

template <class O>
struct InspectOffsets {
  static constexpr const char* name = "inspect offsets";
  const O* offsets;
  std::int64_t rows;
  std::int64_t* ends;    // offsets[0] and offsets[rows]
  std::int64_t* places;  // one a block
  NZ_DEVICE void operator()(Thread& t) const {
    Finding found;
    NZ_UNROLL_BY(4)
    for (std::int64_t r = t.global_index(); r < rows; r += t.global_size())
      if (t.load(offsets + r + 1) < t.load(offsets + r)) found.add({r, 0});
    found.over_block(t);
    if (t.index() != 0) return;
    places[t.block()] = found.place;
    if (t.block() != 0) return;
    ends[0] = t.load(offsets);
    ends[1] = t.load(offsets + rows);
  }
};

template <class O>
struct InspectColumns {
  static constexpr const char* name = "inspect columns";
  const O* offsets;
  const index_t* columns;
  std::int64_t rows, nnz;
  index_t cols;
  const std::int64_t* ends;
  const std::int64_t* bad_offsets;  // so many, one a block
  int offset_blocks;
  std::int64_t* places;  // one a block
  std::int64_t* counts;
  NZ_DEVICE void operator()(Thread& t) const {
    Finding found;
    if (right(t)) look(t, found);
    found.over_block(t);
    if (t.index() != 0) return;
    places[t.block()] = found.place;
    counts[t.block()] = found.count;
  }

 private:
  // Whether the offsets lead to these columns and nowhere else. The same for all threads.
  NZ_DEVICE bool right(Thread& t) const {
    const std::int64_t first = t.load(ends), last = t.load(ends + 1);
    bool good = first >= 0 && last >= first && last - first == nnz;
    for (int i = t.lane(); i < offset_blocks; i += 32) good &= t.load(bad_offsets + i) == nowhere;
    return t.all(good);
  }

  NZ_DEVICE void look(Thread& t, Finding& found) const {
    const std::int64_t first = t.load(ends);
    const index_t* from = columns + first;
    NZ_UNROLL_BY(4)
    for (std::int64_t k = t.global_index(); k < nnz; k += t.global_size()) {
      const index_t c = t.load(from + k);
      if (c < 0 || c >= cols) found.add({k, 0});
      if (k > 0) found.count += c <= t.load(from + k - 1);
    }
    // First columns of rows may be anything.
    NZ_UNROLL_BY(4)
    for (std::int64_t r = t.global_index(); r < rows; r += t.global_size()) {
      const std::int64_t k = t.load(offsets + r) - first, end = t.load(offsets + r + 1) - first;
      if (k > 0 && k < end) found.count -= t.load(from + k) <= t.load(from + k - 1);
    }
  }
};

template <class O>
struct RebaseOffsets {
  static constexpr const char* name = "rebase offsets";
  const O* offsets;
  std::int64_t n, first;
  O* to;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t i = t.global_index(); i < n; i += t.global_size())
      to[i] = static_cast<O>(t.load(offsets + i) - first);
  }
};

template <class O>
CsrFindings inspect_as(const CsrToInspect& a) {
  const Launch over_rows = inspecting(std::max<std::int64_t>(1, a.rows)),
               over_all = a.nnz == 0 ? Launch{.blocks = 0} : inspecting(std::max(a.nnz, a.rows));
  const int row_blocks = over_rows.blocks, blocks = over_all.blocks;
  const auto n = static_cast<std::size_t>(2 + row_blocks + 2 * blocks);
  DeviceArray<std::int64_t> there(current_device(), n);
  std::int64_t *ends = there.data(), *bad_offsets = ends + 2, *places = bad_offsets + row_blocks,
               *counts = places + blocks;
  const O* offsets = static_cast<const O*>(a.offsets);
  launch(over_rows, InspectOffsets<O>{offsets, a.rows, ends, bad_offsets});
  launch(over_all, InspectColumns<O>{offsets, a.columns, a.rows, a.nnz, a.cols, ends, bad_offsets,
                                     row_blocks, places, counts});
  std::vector<std::int64_t> here(n);
  there.download(here);
  CsrFindings f{.first = here[0], .last = here[1]};
  auto at = here.begin() + 2;
  f.bad_offset = *std::min_element(at, at + row_blocks);
  at += row_blocks;
  for (int b = 0; b < blocks; ++b) {
    f.bad_column = std::min(f.bad_column, at[b]);
    f.falls += at[blocks + b];
  }
  return f;
}

template <class O>
void rebase_as(const CsrToInspect& a, std::int64_t first, void* to) {
  launch(over(a.rows + 1, 1 << 16), RebaseOffsets<O>{static_cast<const O*>(a.offsets), a.rows + 1,
                                                     first, static_cast<O*>(to)});
}

}  // namespace

CsrFindings inspect_csr(const CsrToInspect& a) {
  return a.offset_bytes == 4 ? inspect_as<std::int32_t>(a) : inspect_as<std::int64_t>(a);
}

void rebase_offsets(const CsrToInspect& a, std::int64_t first, void* to) {
  if (a.offset_bytes == 4)
    rebase_as<std::int32_t>(a, first, to);
  else
    rebase_as<std::int64_t>(a, first, to);
}

}  // namespace nz::NZ_HOME
