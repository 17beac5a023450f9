#include "device/patches.hpp"

#include <algorithm>

#include <nonzero/device.hpp>

#include "device/fetch.hpp"
#include "simt/launch_sizes.hpp"
#include "simt/warp.hpp"

// A block a patch. Columns that are known and those of the rows that are opened are sorted
// together in shared memory, so that equal ones meet and the next rows are found in an order that
// depends on nothing else.
namespace nz::NZ_HOME {
namespace {

constexpr int threads = PatchLimits::opened;
constexpr int most_columns = PatchLimits::columns;
constexpr std::uint32_t none = 0xffffffffu;

// The sum of what the threads before this one have, and of all.
struct BlockSum {
  int before, all;
  NZ_DEVICE BlockSum(Thread& t, const SharedArray<int>& of_warps, int mine) {
    const int up_to_here = inclusive_sum(t, mine);
    if (t.lane() == 31) of_warps[t.warp()] = up_to_here;
    t.sync();
    before = up_to_here - mine;
    all = 0;
    for (int w = 0; w < t.warps(); ++w) {
      if (w < t.warp()) before += of_warps[w];
      all += of_warps[w];
    }
    t.sync();
  }
};

template <class O>
struct GrowPatches {
  static constexpr const char* name = "grow patches";
  static constexpr int max_threads = threads;
  index_t rows;
  const O* offsets;
  const index_t* columns;
  Patch* patches;

  // Columns are stored twice their number, those of opened rows one more, until they are known.
  NZ_DEVICE void operator()(Thread& t) const {
    SharedArray<std::uint32_t> known = t.shared<std::uint32_t>(most_columns);
    SharedArray<std::uint32_t> next = t.shared<std::uint32_t>(most_columns);
    const SharedArray<index_t> to_open = t.shared<index_t>(threads);
    const SharedArray<int> of_warps = t.shared<int>(threads / 32);
    int opened = 1, count = 1;  // rows to be opened, columns that are known
    if (t.index() == 0) {
      to_open[0] = patch_seed(rows, t.block(), t.grid_size());
      known[0] = static_cast<std::uint32_t>(to_open[0]) * 2;
    }
    t.sync();
    Patch grown;
    NZ_ROLLED
    while (opened > 0 && opened <= threads && grown.rows < PatchLimits::enough_rows) {
      O begin = 0;
      O length = 0;
      if (t.index() < opened) {
        const index_t row = to_open[t.index()];
        begin = t.load(offsets + row);
        const O all = t.load(offsets + row + 1) - begin;
        length = all <= most_columns ? all : most_columns + 1;  // too many, either way
      }
      const BlockSum entries(t, of_warps, static_cast<int>(length));
      if (count + entries.all > most_columns) break;
      for (O k = 0; k < length; ++k)
        known[count + entries.before + static_cast<int>(k)] =
            static_cast<std::uint32_t>(t.load(columns + begin + k)) * 2 + 1;
      grown.rows += opened;
      grown.entries += entries.all;
      const int size = sort(t, known, count + entries.all);
      // Each column once, in its order, and new ones to be opened.
      const int each = (size + threads - 1) / threads, first = t.index() * each;
      int kept = 0, fresh = 0;
      for (int i = first; i < first + each && i < size; ++i) {
        kept += is_kept(known, i);
        fresh += is_kept(known, i) && (known[i] & 1) != 0;
      }
      const BlockSum places(t, of_warps, kept), rows_to_open(t, of_warps, fresh);
      int place = places.before, row = rows_to_open.before;
      for (int i = first; i < first + each && i < size; ++i) {
        if (!is_kept(known, i)) continue;
        const std::uint32_t column = known[i] / 2;
        next[place++] = column * 2;
        if ((known[i] & 1) == 0) continue;
        if (row < threads) to_open[row] = static_cast<index_t>(column);
        ++row;
      }
      t.sync();
      const SharedArray<std::uint32_t> other = known;
      known = next;
      next = other;
      count = places.all;
      opened = rows_to_open.all;
      grown.columns = count;
    }
    if (t.index() == 0) patches[t.block()] = grown;
  }

 private:
  NZ_DEVICE static bool is_kept(const SharedArray<std::uint32_t>& sorted, int i) {
    return sorted[i] != none && (i == 0 || sorted[i] / 2 != sorted[i - 1] / 2);
  }

  // Sorts so many, and says how many there are then: a power of 2, the last ones none.
  NZ_DEVICE static int sort(Thread& t, const SharedArray<std::uint32_t>& of, int n) {
    int size = 2;
    while (size < n) size *= 2;
    for (int i = n + t.index(); i < size; i += threads) of[i] = none;
    t.sync();
    NZ_ROLLED
    for (int run = 2; run <= size; run *= 2) {
      NZ_ROLLED
      for (int by = run / 2; by > 0; by /= 2) {
        for (int pair = t.index(); pair < size / 2; pair += threads) {
          const int i = 2 * by * (pair / by) + pair % by;
          const std::uint32_t low = of[i], high = of[i + by];
          const bool up = (i & run) == 0;
          if ((low > high) == up) {
            of[i] = high;
            of[i + by] = low;
          }
        }
        t.sync();
      }
    }
    return size;
  }
};

}  // namespace

template <Offset O>
std::vector<Patch> grow_patches(index_t rows, const O* offsets, const index_t* columns, int count) {
  if (rows == 0) return {};
  DeviceArray<Patch> patches(current_device(), static_cast<std::size_t>(count));
  const std::size_t shared = 2 * most_columns * sizeof(std::uint32_t) + threads * sizeof(index_t) +
                             threads / 32 * sizeof(int);
  launch({.blocks = count, .threads = threads, .shared_bytes = shared},
         GrowPatches<O>{rows, offsets, columns, patches.data()});
  return fetch(patches.data(), patches.size());
}

#define NZ_INSTANTIATE(O) \
  template std::vector<Patch> grow_patches(index_t, const O*, const index_t*, int);
NZ_INSTANTIATE(std::int32_t)
NZ_INSTANTIATE(std::int64_t)

}  // namespace nz::NZ_HOME
