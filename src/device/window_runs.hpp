#pragma once
#include <cstddef>
#include <cstdint>

#include "device/gather_ranges.hpp"
#include "simt/warp.hpp"

// Which entries of a window of rows are fetched before the host has seen an offset.
namespace nz::NZ_HOME {

// Found by a block together, for itself.
template <class O>
class WindowRuns {
 public:
  static constexpr int most = WindowEntries::most_runs;
  static constexpr std::size_t shared_bytes =
      (WindowEntries::most_rows + 1) * sizeof(O) + sizeof(std::int64_t) * (2 * most + 1);

  // Nobody has checked the offsets: nothing that they say leads out of the entries.
  NZ_DEVICE WindowRuns(Thread& t, const O* offsets, std::int64_t rows, const WindowEntries& e,
                       int window)
      : runs_(t.shared<std::int64_t>(2 * most + 1)) {
    const SharedArray<O> its = t.shared<O>(WindowEntries::most_rows + 1);
    const int n = e.row_counts[window];
    const bool right = t.load(offsets) == 0 && t.load(offsets + rows) == e.nnz;
    NZ_UNROLL_BY(4)
    for (int r = t.index(); r <= n; r += t.block_size())
      its[r] = t.load(offsets + e.rows[window] + r);
    t.sync();
    if (t.warp() == 0) find(t, its, right ? n : 0, e);
    t.sync();
  }

  // Entries that are taken, and the place of one of them in the matrix.
  NZ_DEVICE std::int64_t count() const { return runs_[2 * most]; }
  NZ_DEVICE std::int64_t place(std::int64_t i) const {
    int run = 0;
    while (run + 1 < most && i >= runs_[2 * (run + 1)]) ++run;
    return runs_[2 * run + 1] + (i - runs_[2 * run]);
  }

 private:
  // By the first warp, 32 rows at a time. What is written: of each run, entries before it and its
  // first place; then all entries.
  NZ_DEVICE void find(Thread& t, const SharedArray<O>& its, int n, const WindowEntries& e) const {
    const int lane = t.lane(), room = static_cast<int>(e.each);
    int left = room, runs = 0;
    bool goes_on = false, more = n > 0;
    const std::int64_t head = more ? its[0] : 0, tail = more ? its[n] : 0;
    if (more && head >= 0 && head <= tail && tail <= e.nnz && tail - head <= room) {  // all of it
      if (lane == 0) {
        runs_[0] = 0;
        runs_[1] = head;
      }
      left -= static_cast<int>(tail - head);
      runs = 1;
      more = false;
    }
    for (int first = 0; first < n && more; first += 32) {
      const int in = n - first < 32 ? n - first : 32;
      const std::int64_t begin = lane < in ? its[first + lane] : 0;
      const std::int64_t end = lane < in ? its[first + lane + 1] : 0;
      const bool good = begin >= 0 && begin <= end && end <= e.nnz;
      const int entries = lane >= in                    ? 0
                          : good && end - begin <= room ? static_cast<int>(end - begin)
                                                        : room + 1;
      for (int from = 0; from < in && more;) {
        const int sum = inclusive_sum(t, lane < from ? 0 : entries);
        const unsigned over = t.ballot(lane >= from && lane < in && sum > left);
        const int stop = over ? lowest(over) : in;  // the first row that does not fit
        if (stop > from) {
          if (!goes_on && lane == from) {
            runs_[2 * runs] = room - left;
            runs_[2 * runs + 1] = begin;
          }
          runs += !goes_on;
          goes_on = true;
          left -= t.shuffle(sum, stop - 1);
        }
        if (stop == in) break;
        more = t.shuffle(entries, stop) > e.long_row && runs < most;
        goes_on = false;
        from = stop + 1;
      }
    }
    // Those that there are not begin behind all others.
    if (lane >= runs && lane < most) {
      runs_[2 * lane] = e.each;
      runs_[2 * lane + 1] = 0;
    }
    if (lane == 0) runs_[2 * most] = room - left;
  }

  SharedArray<std::int64_t> runs_;
};

}  // namespace nz::NZ_HOME
