#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "device/each.hpp"
#include "device/entry_keys.hpp"
#include "device/gather_ranges.hpp"
#include "device/line_order.hpp"
#include "device/sort_scan.hpp"
#include "device/value_codes.hpp"
#include "kernels/gpu/panels/several_panels.hpp"
#include "kernels/gpu/panels/width.hpp"
#include "kernels/gpu/parts/search.hpp"
#include "simt/launch_sizes.hpp"

// Entries are sorted by panels, their numbers of parts are a prefix sum of ends, and the parts are
// sorted by rows.
namespace nz::NZ_HOME {
namespace {

constexpr int column_bits = 16, row_bits = 31, panel_bit = column_bits + row_bits;
constexpr std::int64_t most_panels = 1 << 16;

struct PanelKey {
  index_t width;
  NZ_DEVICE std::uint64_t operator()(index_t row, index_t column) const {
    const auto panel = static_cast<std::uint64_t>(column / width);
    return panel << panel_bit | static_cast<std::uint64_t>(row) << column_bits |
           static_cast<std::uint64_t>(column % width);
  }
};
NZ_DEVICE index_t row_in(std::uint64_t key) {
  return static_cast<index_t>(key >> column_bits & 0x7fffffffu);
}
NZ_DEVICE int column_in(std::uint64_t key) { return static_cast<int>(key & 0xffffu); }

// Ends of parts, for the prefix sum that numbers them.
struct MarkEnds {
  static constexpr const char* name = "mark ends of parts";
  std::int64_t nnz;
  const std::uint64_t* keys;
  std::int64_t* ends;
  NZ_DEVICE void operator()(Thread& t, std::int64_t k) const {
    ends[k] = k < nnz && (k + 1 == nnz ||
                          t.load(keys + k) >> column_bits != t.load(keys + k + 1) >> column_bits);
  }
};

struct ListParts {
  static constexpr const char* name = "list parts of rows";
  std::int64_t nnz;
  const std::uint64_t* keys;
  const std::int64_t* number;
  std::int64_t* starts;  // parts + 1
  index_t* row;
  NZ_DEVICE void operator()(Thread& t, std::int64_t k) const {
    const std::int64_t part = t.load(number + k);
    if (k == nnz) {
      starts[part] = nnz;
    } else if (k == 0 || t.load(number + k - 1) < part) {
      starts[part] = k;
      row[part] = row_in(t.load(keys + k));
    }
  }
};

struct FindPanels {
  static constexpr const char* name = "find panels";
  std::int64_t nnz;
  const std::uint64_t* keys;
  std::int64_t* starts;
  NZ_DEVICE void operator()(Thread& t, std::int64_t panel) const {
    starts[panel] = partition_point(std::int64_t{0}, nnz, [&](std::int64_t k) {
      return static_cast<std::int64_t>(t.load(keys + k) >> panel_bit) < panel;
    });
  }
};

// The blocks that have a panel, and where its entries and tiles begin.
struct PanelBlocks {
  std::int64_t begin, end;  // entries
  int tile, tiles;
  int block, blocks;
};

// A warp a tile.
template <class T>
struct FillPanels {
  static constexpr const char* name = "fill tiles of panels";
  const PanelBlocks* panels;
  int count, tiles;
  const std::uint64_t* keys;
  const T* values;
  const std::int64_t* number;
  ValueLookup<T> lookup;
  StagedTilesToFill to;

  NZ_DEVICE void operator()(Thread& t) const {
    const auto tile = static_cast<int>(t.global_index() / 32);
    if (tile >= tiles) return;
    const PanelBlocks& its = panels[partition_point(
        0, count, [&](int p) { return panels[p].tile + panels[p].tiles <= tile; })];
    const std::int64_t begin = its.begin + std::int64_t{tile - its.tile} * staged_tile;
    const std::int64_t end = begin + staged_tile < its.end ? begin + staged_tile : its.end;
    const std::int64_t mine = begin + t.lane() * staged_items;
    const int there = mine >= end                 ? 0
                      : end - mine < staged_items ? static_cast<int>(end - mine)
                                                  : staged_items;
    const std::int64_t first = t.load(number + begin);
    const std::int64_t part = t.load(number + (there > 0 ? mine : end - 1));
    unsigned ends = 0;
    for (int j = 0; j < there; ++j)
      if (t.load(number + mine + j + 1) > t.load(number + mine + j)) ends |= 1u << j;
    to.lanes[std::int64_t{tile} * 32 + t.lane()] =
        staged_lane(static_cast<unsigned>(part - first), ends);
    if (t.lane() == 0)
      to.heads[tile] = staged_head(first, begin > its.begin && t.load(number + begin - 1) == first);
    store_staged(
        t, to, tile, there, lookup,
        [&](int j) { return column_in(t.load_streaming(keys + mine + j)); },
        [&](int j) { return t.load_streaming(values + mine + j); });
  }
};

// A thread a block: with which others it shares its first and its last part.
struct SharePanels {
  static constexpr const char* name = "share tiles of panels";
  const PanelBlocks* panels;
  int count;
  const std::int64_t* number;
  const std::int64_t* starts;
  StagedTask* tasks;
  NZ_DEVICE void operator()(Thread& t, std::int64_t b) const {
    const PanelBlocks& its = panels[partition_point(
        0, count, [&](int p) { return panels[p].block + panels[p].blocks <= b; })];
    StagedTask& task = tasks[b];
    const std::int64_t begin = its.begin + std::int64_t{task.first - its.tile} * staged_tile;
    const std::int64_t until = begin + std::int64_t{task.tiles} * staged_tile;
    const std::int64_t last = (until < its.end ? until : its.end) - 1;
    const auto owner = [&](std::int64_t entry) {
      return its.block + StagedDeal(its.tiles, its.blocks)
                             .owner(static_cast<int>((entry - its.begin) / staged_tile));
    };
    task.share = {owner(t.load(starts + t.load(number + begin))),
                  owner(t.load(starts + t.load(number + last) + 1) - 1)};
  }
};

// As many blocks as there shall be, dealt out by tiles: at least one for a panel with entries.
void deal_blocks(std::vector<PanelBlocks>& panels, int blocks) {
  std::int64_t tiles = 0;
  for (const PanelBlocks& p : panels) tiles += p.tiles;
  int left = blocks;
  for (PanelBlocks& p : panels) {
    const auto fair =
        static_cast<int>(std::int64_t{blocks} * p.tiles / std::max<std::int64_t>(1, tiles));
    p.blocks = std::min(p.tiles, std::max(fair, 1));
    left -= p.blocks;
  }
  for (; left > 0; --left) {
    const auto most =
        std::max_element(panels.begin(), panels.end(), [](const auto& a, const auto& b) {
          return std::int64_t{a.tiles} * b.blocks < std::int64_t{b.tiles} * a.blocks;
        });
    if (most->blocks >= most->tiles) break;
    ++most->blocks;
  }
}

}  // namespace

template <Value T, Offset O>
SeveralPanels<T> several_panels_on_device(const CsrView<T, O>& a, int width, int blocks) {
  const std::int64_t nnz = a.nnz;
  const std::int64_t count = (std::int64_t{a.cols} + width - 1) / width;
  if (nnz > most_staged_entries - staged_tile * count || count > most_panels)
    throw Refused("panels: " + std::to_string(nnz) + " nonzeros in " + std::to_string(count) +
                  " panels are too many to number");
  SeveralPanels<T> s{.rows = a.rows, .cols = a.cols, .width = width};
  if (nnz == 0) return s;
  const Device device = current_device();
  SortedEntries<T> e = sort_entries(a, PanelKey{width}, panel_bit + bits_for(count), panel_bit);
  const std::uint64_t* keys = e.keys.data();
  DeviceArray<std::int64_t> number(device, static_cast<std::size_t>(nnz) + 1);
  for_each(nnz + 1, MarkEnds{nnz, keys, number.data()});
  exclusive_sum(nnz + 1, number.data(), number.data());
  DeviceArray<std::int64_t> begins(device, static_cast<std::size_t>(count) + 1);
  for_each(count + 1, FindPanels{nnz, keys, begins.data()});
  // What the host has to know, in one copy.
  const DeviceArray<Bits<T>> sample = sample_values(e.values.data(), nnz);
  const std::array ranges{FetchRange{number.data() + nnz, sizeof(std::int64_t)},
                          FetchRange{begins.data(), begins.bytes()},
                          FetchRange{sample.data(), sample.bytes()}};
  std::vector<std::byte> here(ranges[0].bytes + ranges[1].bytes + ranges[2].bytes);
  fetch_ranges(ranges, here.data(), {});
  std::vector<std::int64_t> begin(begins.size());
  std::vector<Bits<T>> values(sample.size());
  std::memcpy(&s.parts, here.data(), ranges[0].bytes);
  std::memcpy(begin.data(), here.data() + ranges[0].bytes, ranges[1].bytes);
  std::memcpy(values.data(), here.data() + ranges[0].bytes + ranges[1].bytes, ranges[2].bytes);
  const auto parts = static_cast<std::size_t>(s.parts);
  DeviceArray<std::int64_t> part_starts(device, parts + 1);
  DeviceArray<index_t> part_row(device, parts);
  for_each(nnz + 1, ListParts{nnz, keys, number.data(), part_starts.data(), part_row.data()});

  std::vector<PanelBlocks> panels;
  std::vector<index_t> columns;  // the first of each
  int tiles = 0;
  for (std::size_t p = 0; p + 1 < begin.size(); ++p) {
    const int its = blocks_for(begin[p + 1] - begin[p], staged_tile);
    if (its == 0) continue;
    panels.push_back({begin[p], begin[p + 1], tiles, its, 0, 0});
    columns.push_back(static_cast<index_t>(static_cast<std::int64_t>(p) * width));
    tiles += its;
  }
  deal_blocks(panels, blocks);
  std::vector<StagedTask> tasks;
  for (std::size_t p = 0; p < panels.size(); ++p) {
    PanelBlocks& its = panels[p];
    its.block = static_cast<int>(tasks.size());
    const StagedDeal deal(its.tiles, its.blocks);
    for (int b = 0; b < its.blocks; ++b) {
      const int first = deal.first(b), of_block = deal.first(b + 1) - first;
      tasks.push_back(
          {its.tile + first, of_block, columns[p], std::min(width, a.cols - columns[p]), {}});
      s.most_tiles = std::max(s.most_tiles, of_block);
    }
  }
  s.panels = static_cast<int>(panels.size());
  s.blocks = static_cast<int>(tasks.size());
  s.tasks = {device, std::span<const StagedTask>(tasks)};
  const DeviceArray<PanelBlocks> there(device, std::span<const PanelBlocks>(panels));

  ValueCodes<T> codes = find_value_codes(e.values.data(), nnz, std::span<const Bits<T>>(values));
  s.tiles = {device, tiles, codes.code};
  launch(one_thread_each(std::int64_t{tiles} * 32),
         FillPanels<T>{there.data(), s.panels, tiles, keys, e.values.data(), number.data(),
                       codes.lookup(), s.tiles.to_fill()});
  for_each(s.blocks,
           SharePanels{there.data(), s.panels, number.data(), part_starts.data(), s.tasks.data()});
  LineOrder<index_t> by_row = order_by_line(static_cast<index_t>(s.parts), part_row.data(), a.rows);
  s.tiles.take_table(codes);
  s.starts = std::move(by_row.starts);
  s.part = std::move(by_row.item);
  s.row_of = std::move(part_row);
  return s;
}

#define NZ_INSTANTIATE(T, O) \
  template SeveralPanels<T> several_panels_on_device(const CsrView<T, O>&, int, int);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
