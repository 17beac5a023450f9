#include "device/gather_ranges.hpp"

#include <algorithm>
#include <cstring>

#include <nonzero/array.hpp>

#include "device/window_runs.hpp"
#include "simt/launch_sizes.hpp"
#include "simt/warp.hpp"

namespace nz::NZ_HOME {
namespace {

using FetchedWord = std::uint32_t;

// Ranges that one launch takes: they travel with it.
constexpr int most_ranges = 64, blocks_per_range = 4, blocks_per_window = 8;
struct Ranges {
  const FetchedWord* from[most_ranges];
  unsigned begin[most_ranges + 1];  // in words, of what is gathered
};

// Words of one range or another, by the blocks that share it.
NZ_DEVICE void gather(Thread& t, const Ranges& ranges, int block, FetchedWord* to) {
  const int range = block / blocks_per_range;
  const unsigned begin = ranges.begin[range], n = ranges.begin[range + 1] - begin;
  const auto step = static_cast<unsigned>(blocks_per_range * t.block_size());
  for (auto i = static_cast<unsigned>(block % blocks_per_range * t.block_size() + t.index()); i < n;
       i += step)
    to[begin + i] = t.load(ranges.from[range] + i);
}

struct GatherRanges {
  static constexpr const char* name = "gather ranges";
  Ranges ranges;
  FetchedWord* to;
  NZ_DEVICE void operator()(Thread& t) const { gather(t, ranges, t.block(), to); }
};

// Of each block: as many as a large GPU holds half of at a time, since every step of a warp waits
// for the one before.
constexpr int measuring_blocks = 512, measuring_threads = 256;
// All parts at once. The first blocks gather ranges, the next ones entries, the others measure.
template <class O>
struct FetchParts {
  static constexpr const char* name = "fetch parts";
  static constexpr std::int64_t most_columns = 0x7fffffff;
  Ranges ranges;
  FetchedWord* to;
  const O* offsets;
  std::int64_t rows;
  WindowEntries entries;
  FetchedWord* entries_to;
  int gathering, taking;  // blocks
  RowMeasures* measures;
  int zeros;  // words before the measures
  NZ_DEVICE void operator()(Thread& t) const {
    if (t.global_index() < zeros) (reinterpret_cast<FetchedWord*>(measures) - zeros)[t.index()] = 0;
    if (t.block() < gathering)
      gather(t, ranges, t.block(), to);
    else if (t.block() < gathering + taking)
      take(t, t.block() - gathering);
    else
      measure(t, t.block() - gathering - taking, t.grid_size() - gathering - taking);
  }
  static NZ_HOST_DEVICE RowMeasures joined(const RowMeasures& a, const RowMeasures& b) {
    return {a.longest > b.longest ? a.longest : b.longest, a.filled + b.filled,
            a.in_slices + b.in_slices};
  }

 private:
  // A part of a window's columns and values.
  NZ_DEVICE void take(Thread& t, int block) const {
    const int window = block / blocks_per_window;
    const WindowRuns<O> runs(t, offsets, rows, entries, window);
    const std::int64_t count = runs.count(), each = entries.each;
    const int begin = block % blocks_per_window * t.block_size() + t.index(),
              step = blocks_per_window * t.block_size();
    FetchedWord* const columns = entries_to + each * window;
    for (std::int64_t i = begin; i < each; i += step)
      columns[i] =
          i < count ? static_cast<FetchedWord>(t.load(entries.columns + runs.place(i))) : 0;
    const int words = static_cast<int>(entries.value_bytes / sizeof(FetchedWord));
    const int shift = words == 4 ? 2 : words - 1;
    const auto* const from = static_cast<const FetchedWord*>(entries.values);
    FetchedWord* const values = entries_to + each * (entries.windows + window * words);
    for (std::int64_t i = begin; i < each * words; i += step) {
      const std::int64_t word = i & (words - 1), entry = i >> shift;
      values[i] = entry < count ? t.load(from + (runs.place(entry) << shift) + word) : 0;
    }
  }

  NZ_DEVICE void measure(Thread& t, int block, int blocks) const {
    const SharedArray<RowMeasures> of_warps = t.shared<RowMeasures>(t.warps());
    RowMeasures m;  // of the warp
    NZ_ROLLED
    for (std::int64_t r = std::int64_t{block} * t.block_size() + t.index(); r - t.lane() < rows;
         r += std::int64_t{blocks} * t.block_size()) {
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
    measures[block] = m;
  }
};

int measuring_blocks_for(const RowsToMeasure& rows) {
  return rows.offsets ? blocks_for(rows.rows, measuring_threads, measuring_blocks) : 0;
}

std::size_t range_bytes(std::span<const FetchRange> ranges) {
  std::size_t bytes = 0;
  for (const FetchRange& r : ranges) bytes += r.bytes;
  return bytes;
}

// As many as one launch takes, behind those before; returns their words.
unsigned put(std::span<const FetchRange> some, Ranges& to) {
  unsigned at = 0;
  for (std::size_t i = 0; i < some.size(); ++i) {
    to.from[i] = static_cast<const FetchedWord*>(some[i].from);
    to.begin[i] = at;
    at += static_cast<unsigned>(some[i].bytes / sizeof(FetchedWord));
  }
  to.begin[some.size()] = at;
  return at;
}

template <class O>
void queue_with_rows(const PartsToFetch& parts, std::span<const FetchRange> some,
                     FetchedWord* words, std::byte* there) {
  FetchParts<O> fetch{.to = words,
                      .offsets = static_cast<const O*>(parts.rows.offsets),
                      .rows = parts.rows.rows,
                      .entries = parts.entries,
                      .entries_to = words + range_bytes(parts.ranges) / sizeof(FetchedWord),
                      .gathering = static_cast<int>(some.size()) * blocks_per_range,
                      .taking = parts.entries.windows * blocks_per_window,
                      .measures = reinterpret_cast<RowMeasures*>(there),
                      .zeros = static_cast<int>(parts.zeros / sizeof(FetchedWord))};
  put(some, fetch.ranges);
  const int blocks = fetch.gathering + fetch.taking + measuring_blocks_for(parts.rows);
  if (blocks == 0) return;
  constexpr std::size_t measuring = measuring_threads / 32 * sizeof(RowMeasures);
  launch({.blocks = blocks,
          .threads = measuring_threads,
          .shared_bytes =
              fetch.taking > 0 ? std::max(measuring, WindowRuns<O>::shared_bytes) : measuring},
         fetch);
}

}  // namespace

std::size_t measure_bytes(const RowsToMeasure& rows) {
  return static_cast<std::size_t>(measuring_blocks_for(rows)) * sizeof(RowMeasures);
}

std::size_t bytes_of(const PartsToFetch& parts) {
  return measure_bytes(parts.rows) + range_bytes(parts.ranges) + parts.entries.bytes();
}

void queue_parts(const PartsToFetch& parts, std::byte* there) {
  auto* words = reinterpret_cast<FetchedWord*>(there + measure_bytes(parts.rows));
  for (std::size_t first = 0; first == 0 || first < parts.ranges.size(); first += most_ranges) {
    const auto left = parts.ranges.subspan(first);
    const auto some = left.first(std::min<std::size_t>(most_ranges, left.size()));
    if (first > 0 || !parts.rows.offsets) {
      GatherRanges only{{}, words};
      if (put(some, only.ranges) > 0)
        launch({.blocks = static_cast<int>(some.size()) * blocks_per_range, .threads = 256}, only);
    } else if (parts.rows.offset_bytes == 4) {
      queue_with_rows<std::int32_t>(parts, some, words, there);
    } else {
      queue_with_rows<std::int64_t>(parts, some, words, there);
    }
    words += range_bytes(some) / sizeof(FetchedWord);
  }
}

RowMeasures measures_in(const std::byte* here, const RowsToMeasure& rows) {
  RowMeasures sum;
  for (int b = 0; b < measuring_blocks_for(rows); ++b) {
    RowMeasures its;
    std::memcpy(&its, here + static_cast<std::size_t>(b) * sizeof its, sizeof its);
    sum = FetchParts<std::int32_t>::joined(sum, its);
  }
  return sum;
}

RowMeasures fetch_ranges(std::span<const FetchRange> ranges, std::byte* to,
                         const RowsToMeasure& rows) {
  const PartsToFetch parts{.ranges = ranges, .rows = rows};
  const std::size_t bytes = bytes_of(parts), head = measure_bytes(rows);
  if (bytes == 0) return {};
  DeviceArray<std::byte> there(current_device(), bytes);
  queue_parts(parts, there.data());
  if (head == 0) {
    there.download(std::span(to, bytes));
    return {};
  }
  Array<std::byte> all(bytes);
  there.download({all.data(), bytes});
  std::copy(all.begin() + head, all.end(), to);
  return measures_in(all.data(), rows);
}

}  // namespace nz::NZ_HOME
