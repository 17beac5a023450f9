#include "kernels/gpu/bsr/convert.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/instantiate.hpp"
#include "formats/checks.hpp"
#include "kernels/gpu/parts/search.hpp"
#include "kernels/gpu/gpu_product.hpp"
#include "device/each.hpp"
#include "device/entry_keys.hpp"
#include "device/room_behind.hpp"
#include "simt/warp.hpp"

// Every block has one leader: its first entry in the order of CSR. An entry leads when its left
// neighbour is in another block and no earlier row of the same grid line has an entry in its own.
// One bit an entry, with sums of the bits, tells how many leaders come before any entry, and so
// - where a grid line begins: as many blocks come before as leaders before its first entry;
// - where a block stands in its line: after as many as leaders further left, counted row by row;
// - and, with the blocks' columns written, where the value of any entry goes: one search.
// All is shared by entries, so that a long row is as good as many short ones. Where the rows of a
// line look alike, as in a matrix that is made of blocks, every search ends at its first guess.
namespace nz::NZ_HOME {
namespace {

// A lane takes a bit of each of 32 words of a warp; the sums start anew with every tile.
static_assert(entries_per_warp == 32 * 32);
constexpr int warps_per_tile = 8;
constexpr std::int64_t entries_per_tile = warps_per_tile * entries_per_warp;
using LeaderBits = Pack<unsigned, 2>;  // bits, leaders before them in the tile

struct Ranks {
  const LeaderBits* words;
  const std::int64_t* tiles;  // leaders before each
  // Leaders before entry k, which may be the one behind the last.
  NZ_DEVICE std::int64_t before(Thread& t, std::int64_t k) const {
    const LeaderBits w = t.load(words + k / 32);
    return t.load(tiles + k / entries_per_tile) + w.at[1] +
           bit_count(w.at[0] & ((1u << static_cast<unsigned>(k % 32)) - 1u));
  }
};

// The structure of CSR, cut into a grid.
template <class O>
struct BsrGrid {
  index_t rows;
  std::int64_t nnz;
  const O* offsets;
  const index_t* columns;
  index_t block_rows, block_cols;

  NZ_DEVICE std::int64_t offset(Thread& t, index_t row) const { return t.load(offsets + row); }

  // Whether a row has an entry in the block column that begins at `left`.
  NZ_DEVICE bool has(Thread& t, index_t row, index_t left, index_t guess) const {
    const std::int64_t begin = offset(t, row);
    const auto n = static_cast<index_t>(offset(t, row + 1) - begin);
    const index_t at = first_from(t, columns + begin, n, left, guess);
    return at < n && t.load(columns + begin + at) - left < block_cols;
  }

  NZ_DEVICE bool leads(Thread& t, std::int64_t k, index_t row) const {
    const index_t column = t.load(columns + k), left = column - column % block_cols;
    const std::int64_t begin = offset(t, row);
    if (k > begin && t.load(columns + k - 1) >= left) return false;
    const index_t first = row - row % block_rows, guess = static_cast<index_t>(k - begin);
    for (index_t other = row - 1; other >= first; --other)
      if (has(t, other, left, guess)) return false;
    return true;
  }

  // body(i, k, row) for 1024 consecutive entries of a warp, i from 0 to 31: all lanes take part
  // every time, and k may lie behind the last entry.
  template <class Body>
  NZ_DEVICE void for_each(Thread& t, std::int64_t begin, Body&& body) const {
    index_t first = 0, last = 0;
    if (begin < nnz) {
      const std::int64_t end = begin + entries_per_warp < nnz ? begin + entries_per_warp : nnz;
      first = row_of(t, offsets, begin, 0, rows - 1);
      last = row_of(t, offsets, end - 1, first, rows - 1);
    }
    NZ_ROLLED
    for (int i = 0; i < 32; ++i) {
      const std::int64_t k = begin + 32 * i + t.lane();
      body(i, k, k < nnz ? row_of(t, offsets, k, first, last) : rows);
    }
  }
};

template <class O>
struct FindLeaders {
  static constexpr const char* name = "find BSR blocks";
  static constexpr int max_threads = 32 * warps_per_tile;
  BsrGrid<O> a;
  LeaderBits* words;
  std::int64_t* tiles;

  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t begin =
        static_cast<std::int64_t>(t.block()) * entries_per_tile + t.warp() * entries_per_warp;
    unsigned mine = 0;
    a.for_each(t, begin, [&](int i, std::int64_t k, index_t row) {
      const unsigned bits = t.ballot(k < a.nnz && a.leads(t, k, row));
      if (t.lane() == i) mine = bits;
    });
    const int sum = inclusive_sum(t, bit_count(mine));  // of the words up to this
    auto sums = t.shared<int>(t.warps());
    if (t.lane() == 31) sums[t.warp()] = sum;
    t.sync();
    int before = sum - bit_count(mine), all = 0;
    for (int w = 0; w < t.warps(); ++w) {
      const int its = sums[w];
      if (w < t.warp()) before += its;
      all += its;
    }
    // One bit behind the last entry can be asked for too.
    const std::int64_t word = begin / 32 + t.lane();
    if (word <= a.nnz / 32) words[word] = {{mine, static_cast<unsigned>(before)}};
    if (t.index() == 0) tiles[t.block()] = all;
  }
};

template <class O>
struct WriteBsrOffsets {
  static constexpr const char* name = "write BSR offsets";
  BsrGrid<O> a;
  Ranks leaders;
  O* offsets;

  NZ_DEVICE void operator()(Thread& t, std::int64_t i) const {
    const std::int64_t row = i * a.block_rows;
    const index_t first = row < a.rows ? static_cast<index_t>(row) : a.rows;
    offsets[i] = static_cast<O>(leaders.before(t, a.offset(t, first)));
  }
};

template <class O>
struct WriteColumns {
  static constexpr const char* name = "write BSR columns";
  BsrGrid<O> a;
  Ranks leaders;
  index_t* columns;

  // Of the blocks in the line of `row`, those left of the block that entry k leads; and all blocks
  // of the lines before.
  NZ_DEVICE std::int64_t place(Thread& t, std::int64_t k, index_t row, index_t left) const {
    const index_t first = row - row % a.block_rows;
    const index_t end = a.rows - first < a.block_rows ? a.rows : first + a.block_rows;
    std::int64_t begin = a.offset(t, first), before = leaders.before(t, begin), place = before;
    for (index_t other = first; other < end; ++other) {
      const std::int64_t next = a.offset(t, other + 1), behind = leaders.before(t, next);
      if (other == row) {
        place += leaders.before(t, k) - before;
      } else if (behind > before) {
        const auto n = static_cast<index_t>(next - begin);
        const index_t at = first_from(t, a.columns + begin, n, left, n / 2);
        place += leaders.before(t, begin + at) - before;
      }
      begin = next;
      before = behind;
    }
    return place;
  }

  // A thread a word: leaders are few.
  NZ_DEVICE void operator()(Thread& t, std::int64_t word) const {
    index_t row = -1;
    for (unsigned bits = t.load(leaders.words + word).at[0]; bits != 0; bits &= bits - 1) {
      const std::int64_t k = word * 32 + lowest(bits);
      if (row < 0 || a.offset(t, row + 1) <= k)
        row = row_of(t, a.offsets, k, row < 0 ? 0 : row, a.rows - 1);
      const index_t column = t.load(a.columns + k), block = column / a.block_cols;
      columns[place(t, k, row, block * a.block_cols)] = block;
    }
  }
};

template <class T, class O>
struct WriteValues {
  static constexpr const char* name = "write BSR values";
  BsrGrid<O> a;
  const T* from;
  const O* offsets;
  const index_t* columns;
  T* to;

  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t size = static_cast<std::int64_t>(a.block_rows) * a.block_cols;
    for_entries(t, a.rows, a.offsets, a.nnz, [&](std::int64_t k, index_t row) {
      const index_t column = t.load_streaming(a.columns + k), block = column / a.block_cols;
      const index_t line = row / a.block_rows;
      const std::int64_t first = t.load(offsets + line);
      const auto n = static_cast<index_t>(t.load(offsets + line + 1) - first);
      const auto guess = static_cast<index_t>(k - a.offset(t, row)) / a.block_cols;
      const std::int64_t at = first + first_from(t, columns + first, n, block, guess);
      to[at * size + static_cast<std::int64_t>(row - line * a.block_rows) * a.block_cols +
         (column - block * a.block_cols)] = t.load_streaming(from + k);
    });
  }
};

}  // namespace

template <Value T, Offset O>
BsrArrays<T, O> bsr_on_device(const CsrView<T, O>& a, index_t block_rows, index_t block_cols,
                              double max_ratio) {
  require_positive("BSR", "block_rows", block_rows);
  require_positive("BSR", "block_cols", block_cols);
  const Device device = current_device();
  BsrArrays<T, O> b{{a.rows, a.cols, block_rows, block_cols, a.nnz}, {}, {}, {}};
  const auto nnz = static_cast<std::int64_t>(a.nnz);
  const BsrGrid<O> grid{a.rows, nnz, a.offsets, a.columns, block_rows, block_cols};

  const std::int64_t warps = nnz / entries_per_warp + 1;
  const int few = static_cast<int>(std::min<std::int64_t>(warps, warps_per_tile));
  std::vector<std::int64_t> sums(static_cast<std::size_t>(nnz / entries_per_tile + 1));
  DeviceArray<LeaderBits> words(device, static_cast<std::size_t>(nnz / 32 + 1));
  DeviceArray<std::int64_t> tiles(device, sums.size());
  launch({.blocks = static_cast<int>(sums.size()),
          .threads = 32 * few,
          .shared_bytes = static_cast<std::size_t>(few) * sizeof(int)},
         FindLeaders<O>{grid, words.data(), tiles.data()});
  tiles.download(sums);
  std::int64_t blocks = 0;
  for (std::int64_t& s : sums) blocks += std::exchange(s, blocks);
  const std::size_t slots = require_block_ratio(blocks, block_rows, block_cols, nnz, max_ratio);

  tiles.upload(sums);
  const Ranks leaders{words.data(), tiles.data()};
  const index_t lines = b.view.grid_rows();
  constexpr std::int64_t most = 0x7fffffff;  // blocks of threads
  b.offsets = {device, static_cast<std::size_t>(lines) + 1};
  b.columns = {device, static_cast<std::size_t>(blocks)};
  b.values = with_room_behind<T>(device, slots, 32 / sizeof(T));
  for_each(std::int64_t{lines} + 1, WriteBsrOffsets<O>{grid, leaders, b.offsets.data()}, most);
  for_each((nnz + 31) / 32, WriteColumns<O>{grid, leaders, b.columns.data()}, most);
  if (slots > static_cast<std::size_t>(nnz))
    simt::backend(device).clear(b.values.data(), slots * sizeof(T), nullptr);
  launch(warps_for_entries(nnz),
         WriteValues<T, O>{grid, a.values, b.offsets.data(), b.columns.data(), b.values.data()});
  b.view.blocks = static_cast<O>(blocks);
  b.connect();
  wait_for(device);  // before what was needed for a while goes; products may run on other streams
  return b;
}

#define NZ_INSTANTIATE(T, O) \
  template BsrArrays<T, O> bsr_on_device(const CsrView<T, O>&, index_t, index_t, double);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_KERNEL_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
