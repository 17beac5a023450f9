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

// A number a block.
constexpr int measuring_blocks = 128;
template <class O>
struct LongestRows {
  static constexpr const char* name = "measure rows";
  const O* offsets;
  std::int64_t rows;
  std::int64_t* longest;
  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<std::int64_t> of_warps = t.shared<std::int64_t>(t.warps());
    std::int64_t most = 0;
    for (std::int64_t r = t.global_index(); r < rows; r += t.global_size()) {
      const std::int64_t length = t.load(offsets + r + 1) - t.load(offsets + r);
      most = length > most ? length : most;
    }
    most = max_all(t, most);
    if (t.lane() == 0) of_warps[t.warp()] = most;
    t.sync();
    if (t.index() != 0) return;
    for (int w = 1; w < t.warps(); ++w) {
      const std::int64_t its = of_warps[w];
      most = its > most ? its : most;
    }
    longest[t.block()] = most;
  }
};

template <class O>
int measure(const RowsToMeasure& rows, std::int64_t* longest) {
  constexpr int threads = 256;
  const int blocks = blocks_for(rows.rows, threads, measuring_blocks);
  launch(
      {.blocks = blocks, .threads = threads, .shared_bytes = threads / 32 * sizeof(std::int64_t)},
      LongestRows<O>{static_cast<const O*>(rows.offsets), rows.rows, longest});
  return blocks;
}

}  // namespace

std::int64_t fetch_ranges(std::span<const FetchRange> ranges, std::byte* to,
                          const RowsToMeasure& rows) {
  std::size_t bytes = 0;
  for (const FetchRange& r : ranges) bytes += r.bytes;
  const std::size_t head = rows.offsets ? measuring_blocks * sizeof(std::int64_t) : 0;
  if (head + bytes == 0) return 0;
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
    return 0;
  }
  auto* longest = reinterpret_cast<std::int64_t*>(there.data());
  const int blocks = rows.offset_bytes == 4 ? measure<std::int32_t>(rows, longest)
                                            : measure<std::int64_t>(rows, longest);
  std::vector<std::byte> all(head + bytes);
  there.download(all);
  std::copy(all.begin() + static_cast<std::ptrdiff_t>(head), all.end(), to);
  std::int64_t most = 0;
  for (int b = 0; b < blocks; ++b) {
    std::int64_t its;
    std::memcpy(&its, all.data() + static_cast<std::size_t>(b) * sizeof its, sizeof its);
    most = std::max(most, its);
  }
  return most;
}

}  // namespace nz::NZ_HOME
