#include "kernels/gpu/bsr/columns.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "kernels/gpu/parts/search.hpp"

// A radix sort of the blocks by their columns, 8 bits a pass, the lowest first. Passes keep the
// order of equal digits, and blocks begin in the order of grid lines, so that is what they have
// within a column. A tile of keys is a block's; its warps take consecutive parts of it, and a warp
// takes 32 keys after the other, so the number of equal digits before a key is known without
// atomics.
namespace nz::NZ_HOME {
namespace {

constexpr int digits = 256, digit_bits = 8;
constexpr int steps = 16, warps_per_tile = 8, keys_per_warp = 32 * steps,
              tile = warps_per_tile * keys_per_warp;

template <class O>
struct Keys {
  const index_t* column;
  const O* block;  // null: a key's own number
  O n;
  int shift;
  NZ_DEVICE int digit(Thread& t, std::int64_t k) const {
    return t.load(column + k) >> shift & (digits - 1);
  }
};

// table[d * tiles + b] = keys of tile b with the digit d.
template <class O>
struct CountDigits {
  static constexpr const char* name = "count digits of block columns";
  Keys<O> from;
  O* table;
  NZ_DEVICE void operator()(Thread& t) const {
    auto counts = t.shared<int>(digits);
    for (int d = t.index(); d < digits; d += t.block_size()) counts[d] = 0;
    t.sync();
    const std::int64_t begin = static_cast<std::int64_t>(t.block()) * tile;
    const std::int64_t end = begin + tile < from.n ? begin + tile : from.n;
    for (std::int64_t k = begin + t.index(); k < end; k += t.block_size())
      t.atomic_add(counts, from.digit(t, k), 1);
    t.sync();
    for (int d = t.index(); d < digits; d += t.block_size())
      table[static_cast<std::int64_t>(d) * t.grid_size() + t.block()] =
          static_cast<O>(static_cast<int>(counts[d]));
  }
};

// A warp a digit: its counts become sums over the tiles before; totals[d] = the sum over all.
template <class O>
struct SumDigits {
  static constexpr const char* name = "sum digits of block columns";
  std::int64_t tiles;
  O* table;
  O* totals;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t d = t.global_index() / 32;
    if (d >= digits) return;
    O* mine = table + d * tiles;
    O before = 0;
    for (std::int64_t first = 0; first < tiles; first += 32) {
      const std::int64_t at = first + t.lane();
      const O count = at < tiles ? mine[at] : O{0};
      O sum = count;
      for (int by = 1; by < 32; by *= 2) {
        const O its = t.shuffle_up(sum, by);
        if (t.lane() >= by) sum += its;
      }
      if (at < tiles) mine[at] = before + sum - count;
      before += t.shuffle(sum, 31);
    }
    if (t.lane() == 0) totals[d] = before;
  }
};

// One pass. A single tile needs no table: its own counts say it all.
template <class O>
struct ScatterDigits {
  static constexpr const char* name = "order block columns";
  static constexpr int max_threads = 32 * warps_per_tile;
  Keys<O> from;
  const O* table;
  const O* totals;
  index_t* column;
  O* block;

  // Lanes with the same digit, of those that have one.
  NZ_DEVICE unsigned peers(Thread& t, bool has, int digit) const {
    unsigned same = t.ballot(has);
    NZ_UNROLL
    for (int b = 0; b < digit_bits; ++b) {
      const bool one = (digit >> b & 1) != 0;
      const unsigned votes = t.ballot(one);
      same &= one ? votes : ~votes;
    }
    return same;
  }

  NZ_DEVICE void operator()(Thread& t) const {
    auto counts = t.shared<int>(digits * t.warps());  // of each warp; then those of warps before
    auto starts = t.shared<O>(digits);                // where the tile's first of each digit goes
    for (int i = t.index(); i < digits * t.warps(); i += t.block_size()) counts[i] = 0;
    t.sync();
    const std::int64_t begin =
        static_cast<std::int64_t>(t.block()) * tile + t.warp() * keys_per_warp;
    int before[steps];  // keys of the warp before this lane's with the same digit
    NZ_UNROLL
    for (int i = 0; i < steps; ++i) {
      before[i] = 0;
      const std::int64_t first = begin + 32 * i, k = first + t.lane();
      if (first >= from.n) continue;
      const bool has = k < from.n;
      const int d = has ? from.digit(t, k) : 0, at = t.warp() * digits + d;
      const unsigned same = peers(t, has, d), lower = (1u << t.lane()) - 1u;
      const int so_far = counts[at];
      before[i] = so_far + bit_count(same & lower);
      t.sync_warp();
      if (has && (same & lower) == 0) counts[at] = so_far + bit_count(same);
      t.sync_warp();
    }
    t.sync();
    for (int d = t.index(); d < digits; d += t.block_size()) {
      int sum = 0;
      for (int w = 0; w < t.warps(); ++w) {
        const int its = counts[w * digits + d];
        counts[w * digits + d] = sum;
        sum += its;
      }
      starts[d] = t.grid_size() == 1 ? static_cast<O>(sum) : t.load(totals + d);
    }
    t.sync();
    if (t.warp() == 0) {  // totals to sums over the lower digits
      constexpr int each = digits / 32;
      O sum = 0;
      for (int i = 0; i < each; ++i) sum += starts[t.lane() * each + i];
      O all = sum;
      for (int by = 1; by < 32; by *= 2) {
        const O its = t.shuffle_up(all, by);
        if (t.lane() >= by) all += its;
      }
      O lower = all - sum;
      for (int i = 0; i < each; ++i) {
        const int d = t.lane() * each + i;
        const O its = starts[d];
        const std::int64_t at = static_cast<std::int64_t>(d) * t.grid_size() + t.block();
        starts[d] = t.grid_size() == 1 ? lower : lower + t.load(table + at);
        lower += its;
      }
    }
    t.sync();
    NZ_UNROLL
    for (int i = 0; i < steps; ++i) {
      const std::int64_t k = begin + 32 * i + t.lane();
      if (k >= from.n) continue;
      const int d = from.digit(t, k);
      const O at = starts[d] + static_cast<O>(counts[t.warp() * digits + d] + before[i]);
      column[at] = t.load(from.column + k);
      block[at] = from.block ? t.load(from.block + k) : static_cast<O>(k);
    }
  }
};

template <class O>
struct FinishColumns {
  static constexpr const char* name = "finish block columns";
  index_t grid_rows, grid_cols;
  O n;
  const O* offsets;
  const index_t* column;  // ordered
  const O* block;
  O* starts;
  index_t* row;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t k = t.global_index(); k < n; k += t.global_size())
      row[k] = row_of(t, offsets, t.load(block + k), 0, grid_rows - 1);
    for (std::int64_t j = t.global_index(); j <= grid_cols; j += t.global_size())
      starts[j] = j == grid_cols ? n : first_from<O>(t, column, n, static_cast<index_t>(j), 0);
  }
};

}  // namespace

template <Offset O>
DeviceBlockColumns<O>::DeviceBlockColumns(index_t grid_rows, index_t grid_cols, O blocks,
                                          const O* offsets, const index_t* columns) {
  const Device device = current_device();
  const auto n = static_cast<std::size_t>(blocks);
  starts_ = {device, static_cast<std::size_t>(grid_cols) + 1};
  block_ = {device, n};
  row_ = {device, n};

  const int bits = std::bit_width(static_cast<unsigned>(std::max(grid_cols - 1, 1)));
  const int passes = (bits + digit_bits - 1) / digit_bits;
  const auto tiles = static_cast<std::size_t>((std::int64_t{blocks} + tile - 1) / tile);
  // Each pass reads what the one before it wrote; the last one writes to block_.
  DeviceArray<index_t> column[2] = {{device, n}, {device, passes > 1 ? n : 0}};
  DeviceArray<O> other(device, passes > 1 ? n : 0);
  DeviceArray<O> table(device, tiles > 1 ? tiles * digits : 0),
      totals(device, tiles > 1 ? digits : 0);

  const int threads = static_cast<int>(
      std::min<std::int64_t>((std::int64_t{blocks} + keys_per_warp - 1) / keys_per_warp,
                             warps_per_tile) *
      32);
  Keys<O> from{columns, nullptr, blocks, 0};
  for (int left = passes - 1; left >= 0; --left) {
    if (tiles > 1) {
      launch({.blocks = static_cast<int>(tiles),
              .threads = threads,
              .shared_bytes = digits * sizeof(int)},
             CountDigits<O>{from, table.data()});
      launch({.blocks = digits / warps_per_tile, .threads = 32 * warps_per_tile},
             SumDigits<O>{static_cast<std::int64_t>(tiles), table.data(), totals.data()});
    }
    index_t* to = column[left % 2].data();
    O* numbers = left % 2 == 0 ? block_.data() : other.data();
    launch({.blocks = static_cast<int>(tiles),
            .threads = threads,
            .shared_bytes =
                static_cast<std::size_t>(threads) / 32 * digits * sizeof(int) + digits * sizeof(O)},
           ScatterDigits<O>{from, table.data(), totals.data(), to, numbers});
    from = {to, numbers, blocks, from.shift + digit_bits};
  }
  const std::int64_t most = std::max<std::int64_t>(blocks, std::int64_t{grid_cols} + 1);
  const int few = static_cast<int>(std::min<std::int64_t>((most + 31) / 32 * 32, 256));
  launch({.blocks = static_cast<int>(std::min<std::int64_t>((most + few - 1) / few, 1 << 16)),
          .threads = few},
         FinishColumns<O>{grid_rows, grid_cols, blocks, offsets, from.column, block_.data(),
                          starts_.data(), row_.data()});
  wait_for(device);  // before what was needed for a while goes; products may run on other streams
}

template class DeviceBlockColumns<std::int32_t>;
template class DeviceBlockColumns<std::int64_t>;

}  // namespace nz::NZ_HOME
