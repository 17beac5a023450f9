#include "device/gather_ranges.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "simt/launch_sizes.hpp"
#include "simt/warp.hpp"

namespace nz::NZ_HOME {
namespace {

using FetchedWord = std::uint32_t;

// Ranges that one launch takes: they travel with it.
constexpr int most_ranges = 64, blocks_per_range = 4;
struct Ranges {
  const FetchedWord* from[most_ranges];
  unsigned begin[most_ranges + 1];  // in words, of what is gathered
};

struct GatherRanges {
  static constexpr const char* name = "gather ranges";
  Ranges ranges;
  FetchedWord* to;
  NZ_DEVICE void operator()(Thread& t) const {
    const int range = t.block() / blocks_per_range;
    const unsigned begin = ranges.begin[range], n = ranges.begin[range + 1] - begin;
    const auto step = static_cast<unsigned>(blocks_per_range * t.block_size());
    for (auto i = static_cast<unsigned>(t.block() % blocks_per_range * t.block_size() + t.index());
         i < n; i += step)
      to[begin + i] = t.load(ranges.from[range] + i);
  }
};

// Of each block: as many as a large GPU holds half of at a time, since every step of a warp waits
// for the one before.
constexpr int measuring_blocks = 512, measuring_threads = 256;
template <class O>
struct MeasureRows {
  static constexpr const char* name = "measure rows";
  static constexpr std::int64_t most_columns = 0x7fffffff;
  const O* offsets;
  std::int64_t rows;
  RowMeasures* measures;
  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<RowMeasures> of_warps = t.shared<RowMeasures>(t.warps());
    RowMeasures m;  // of the warp
    NZ_ROLLED
    for (std::int64_t r = t.global_index(); r - t.lane() < rows; r += t.global_size()) {
      // Nobody has checked the offsets yet.
      const std::int64_t begin = r < rows ? t.load(offsets + r) : 0;
      const std::int64_t end = r < rows ? t.load(offsets + r + 1) : 0;
      std::int64_t length = begin >= 0 && begin < end ? end - begin : 0;
      length = length < most_columns ? length : most_columns;
      const std::int64_t longest = max_all(t, length);
      m.longest = longest > m.longest ? longest : m.longest;
      m.in_slices += 32 * longest;
      m.filled += bit_count(t.ballot(length > 0));
    }
    if (t.lane() == 0) of_warps[t.warp()] = m;
    t.sync();
    if (t.index() != 0) return;
    for (int w = 1; w < t.warps(); ++w) m = joined(m, of_warps[w]);
    measures[t.block()] = m;
  }
  static NZ_HOST_DEVICE RowMeasures joined(const RowMeasures& a, const RowMeasures& b) {
    return {a.longest > b.longest ? a.longest : b.longest, a.filled + b.filled,
            a.in_slices + b.in_slices};
  }
};

template <class O>
void measure(const RowsToMeasure& rows, int blocks, RowMeasures* measures) {
  launch({.blocks = blocks,
          .threads = measuring_threads,
          .shared_bytes = measuring_threads / 32 * sizeof(RowMeasures)},
         MeasureRows<O>{static_cast<const O*>(rows.offsets), rows.rows, measures});
}

}  // namespace

RowMeasures fetch_ranges(std::span<const FetchRange> ranges, std::byte* to,
                         const RowsToMeasure& rows) {
  std::size_t bytes = 0;
  for (const FetchRange& r : ranges) bytes += r.bytes;
  const int blocks = rows.offsets ? blocks_for(rows.rows, measuring_threads, measuring_blocks) : 0;
  const std::size_t head = static_cast<std::size_t>(blocks) * sizeof(RowMeasures);
  if (head + bytes == 0) return {};
  DeviceArray<std::byte> there(current_device(), head + bytes);
  auto* words = reinterpret_cast<FetchedWord*>(there.data() + head);
  std::size_t gathered = 0;
  for (std::size_t first = 0; first < ranges.size(); first += most_ranges) {
    const std::size_t n = std::min<std::size_t>(most_ranges, ranges.size() - first);
    GatherRanges gather{{}, words + gathered};
    unsigned at = 0;
    for (std::size_t i = 0; i < n; ++i) {
      gather.ranges.from[i] = static_cast<const FetchedWord*>(ranges[first + i].from);
      gather.ranges.begin[i] = at;
      at += static_cast<unsigned>(ranges[first + i].bytes / sizeof(FetchedWord));
    }
    gather.ranges.begin[n] = at;
    gathered += at;
    if (at > 0) launch({.blocks = static_cast<int>(n) * blocks_per_range, .threads = 256}, gather);
  }
  if (!rows.offsets) {
    there.download(std::span(to, bytes));
    return {};
  }
  auto* measures = reinterpret_cast<RowMeasures*>(there.data());
  if (rows.offset_bytes == 4)
    measure<std::int32_t>(rows, blocks, measures);
  else
    measure<std::int64_t>(rows, blocks, measures);
  std::vector<std::byte> all(head + bytes);
  there.download(all);
  std::copy(all.begin() + static_cast<std::ptrdiff_t>(head), all.end(), to);
  RowMeasures sum;
  for (int b = 0; b < blocks; ++b) {
    RowMeasures its;
    std::memcpy(&its, all.data() + static_cast<std::size_t>(b) * sizeof its, sizeof its);
    sum = MeasureRows<std::int32_t>::joined(sum, its);
  }
  return sum;
}

}  // namespace nz::NZ_HOME
