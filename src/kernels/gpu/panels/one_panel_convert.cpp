#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "device/each.hpp"
#include "device/gather_ranges.hpp"
#include "device/sort_scan.hpp"
#include "device/value_codes.hpp"
#include "kernels/gpu/panels/one_panel.hpp"
#include "kernels/gpu/panels/width.hpp"
#include "kernels/gpu/parts/search.hpp"
#include "simt/launch_sizes.hpp"
#include "simt/warp.hpp"

// Two launches where every row has entries, five and a prefix sum where some have none.
namespace nz::NZ_HOME {
namespace {

// Rows that have entries, for the prefix sum that numbers them.
template <class O>
struct MarkRows {
  static constexpr const char* name = "mark rows with entries";
  const O* offsets;
  std::int64_t rows;
  std::int64_t* filled;
  NZ_DEVICE void operator()(Thread& t, std::int64_t r) const {
    filled[r] = r < rows && t.load(offsets + r) < t.load(offsets + r + 1);
  }
};

template <class O>
struct ListRows {
  static constexpr const char* name = "list rows with entries";
  const O* offsets;
  std::int64_t rows;
  const std::int64_t* number;  // filled rows before each
  O* starts;
  index_t* row_of;
  index_t* empty;
  NZ_DEVICE void operator()(Thread& t, std::int64_t r) const {
    const std::int64_t n = t.load(number + r);
    if (r == rows) {
      starts[n] = t.load(offsets + r);
    } else if (t.load(number + r + 1) > n) {
      starts[n] = t.load(offsets + r);
      row_of[n] = static_cast<index_t>(r);
    } else {
      empty[r - n] = static_cast<index_t>(r);
    }
  }
};

// A warp a tile. `starts` are those of rows that all have entries.
template <class T, class O>
struct FillStaged {
  static constexpr const char* name = "fill staged tiles";
  const O* starts;
  index_t rows;
  std::int64_t nnz;
  const index_t* columns;
  const T* values;
  int tiles;
  ValueLookup<T> lookup;
  StagedTilesToFill to;

  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t tile = t.global_index() / 32;
    if (tile >= tiles) return;
    const std::int64_t begin = tile * staged_tile, mine = begin + t.lane() * staged_items;
    const std::int64_t end = begin + staged_tile < nnz ? begin + staged_tile : nnz;
    const index_t first = row_of(t, starts, begin, 0, rows - 1);
    const index_t last = row_of(t, starts, end - 1, first, rows - 1);
    index_t row = row_of(t, starts, mine < end ? mine : end - 1, first, last);
    const auto before = static_cast<unsigned>(row - first);
    const int there = mine >= end                 ? 0
                      : end - mine < staged_items ? static_cast<int>(end - mine)
                                                  : staged_items;
    unsigned ends = 0;
    std::int64_t next = t.load(starts + row + 1);
    for (int j = 0; j < there; ++j) {
      if (mine + j + 1 < next) continue;
      ends |= 1u << j;
      if (row < last) next = t.load(starts + ++row + 1);
    }
    to.lanes[tile * 32 + t.lane()] = staged_lane(before, ends);
    if (t.lane() == 0) to.heads[tile] = staged_head(first, t.load(starts + first) < begin);
    store_staged(
        t, to, tile, there, lookup, [&](int j) { return t.load_streaming(columns + mine + j); },
        [&](int j) { return t.load_streaming(values + mine + j); });
  }
};

// A thread a block.
template <class O>
struct ShareTiles {
  static constexpr const char* name = "share staged tiles";
  const O* starts;
  index_t rows;
  std::int64_t nnz;
  StagedDeal deal;
  StagedShare* shares;
  NZ_DEVICE void operator()(Thread& t, std::int64_t b) const {
    const std::int64_t begin = std::int64_t{first_tile(b)} * staged_tile;
    const std::int64_t until = std::int64_t{first_tile(b + 1)} * staged_tile;
    const std::int64_t end = until < nnz ? until : nnz;
    const index_t first = row_of(t, starts, begin, 0, rows - 1);
    const index_t last = row_of(t, starts, end - 1, first, rows - 1);
    shares[b] = {block_of(t.load(starts + first)), block_of(t.load(starts + last + 1) - 1)};
  }

 private:
  NZ_DEVICE int first_tile(std::int64_t b) const { return deal.first(static_cast<int>(b)); }
  // The block that has the entry.
  NZ_DEVICE int block_of(std::int64_t entry) const {
    return deal.owner(static_cast<int>(entry / staged_tile));
  }
};

}  // namespace

template <Value T, Offset O>
OnePanel<T> one_panel_on_device(const CsrView<T, O>& a, int blocks) {
  if (static_cast<std::int64_t>(a.nnz) > most_staged_entries)
    throw Refused("panels: " + std::to_string(a.nnz) + " nonzeros are too many to number");
  OnePanel<T> s{.rows = a.rows, .cols = a.cols};
  if (a.nnz == 0) return s;
  const Device device = current_device();
  const std::int64_t nnz = a.nnz, ends = std::int64_t{a.rows} + 1;
  const DeviceArray<Bits<T>> sample = sample_values(a.values, nnz);
  std::vector<Bits<T>> values(sample.size());
  const FetchRange range{sample.data(), sample.bytes()};
  const RowMeasures m = fetch_ranges({&range, 1}, std::as_writable_bytes(std::span(values)).data(),
                                     {a.offsets, sizeof(O), a.rows});
  const auto filled = static_cast<index_t>(m.filled);
  const O* starts = a.offsets;
  DeviceArray<std::int64_t> number;
  DeviceArray<O> filled_starts;
  if (filled < a.rows) {
    number = {device, static_cast<std::size_t>(ends)};
    filled_starts = {device, static_cast<std::size_t>(filled) + 1};
    s.row_of = {device, static_cast<std::size_t>(filled)};
    s.empty = {device, static_cast<std::size_t>(a.rows - filled)};
    for_each(ends, MarkRows<O>{a.offsets, a.rows, number.data()});
    exclusive_sum(ends, number.data(), number.data());
    for_each(ends, ListRows<O>{a.offsets, a.rows, number.data(), filled_starts.data(),
                               s.row_of.data(), s.empty.data()});
    starts = filled_starts.data();
  }

  ValueCodes<T> codes = find_value_codes(a.values, nnz, std::span<const Bits<T>>(values));
  const int tiles = blocks_for(nnz, staged_tile);
  s.blocks = std::min(blocks, tiles);
  s.tiles = {device, tiles, codes.code};
  s.shares = {device, static_cast<std::size_t>(s.blocks)};
  launch(one_thread_each(std::int64_t{tiles} * 32),
         FillStaged<T, O>{starts, filled, nnz, a.columns, a.values, tiles, codes.lookup(),
                          s.tiles.to_fill()});
  for_each(s.blocks, ShareTiles<O>{starts, filled, nnz, {tiles, s.blocks}, s.shares.data()});
  s.tiles.take_table(codes);
  return s;
}

#define NZ_INSTANTIATE(T, O) \
  template OnePanel<T> one_panel_on_device(const CsrView<T, O>&, int blocks);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
