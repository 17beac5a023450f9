#include "plan/look_sample.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "base/instantiate.hpp"
#include "device/csr.hpp"
#include "device/gather_ranges.hpp"
#include "plan/row_spread.hpp"

namespace nz {
namespace {

constexpr index_t most_windows = 4;
// Of a smaller matrix, whose products take less time than looking. With half of the windows plans
// of 162 matrices in two types take the same, but for two that take what is faster.
constexpr index_t few_windows = 2;
constexpr double few_nonzeros = 5e6;
// A multiple of 2 to 10, 12, 14, 15 and 16.
constexpr std::int64_t multiple_of_all_sides = 5040;
// Of a window: enough for what is counted, and for rows that blocks can be seen in.
constexpr double fewest_entries = 4096, most_entries = 32768;
// Where blocks are looked for: of all windows together, and rows of each.
constexpr double block_entries = 4000;
constexpr index_t fewest_block_rows = 36, most_block_rows = 48;
// Runs of rows between rows that are too long to be taken.
constexpr int most_runs = WindowEntries::most_runs;
// Of entries that come before anybody knows which are wanted: with the rest they still take the
// short way through pinned memory.
constexpr std::size_t most_along = std::size_t{192} << 10;
static_assert(most_windows <= WindowEntries::most_windows &&
              LookSample<float>::window_rows <= WindowEntries::most_rows);

// The parts of a matrix, wherever it lies.
class Fetcher {
 public:
  Fetcher(Device device, bool far) : device_(device), far_(far) {}

  void add(const void* from, std::size_t bytes) {
    if (bytes > 0) ranges_.push_back({from, bytes});
  }
  // One behind the other.
  void fetch(void* to) const {
    if (far_)
      fetch_far(static_cast<std::byte*>(to), {});
    else
      copy(static_cast<std::byte*>(to));
  }
  // The same, and measures all rows.
  template <Value T, Offset O>
  RowMeasures fetch(void* to, const CsrView<T, O>& a) const {
    if (far_) return fetch_far(static_cast<std::byte*>(to), {a.offsets, sizeof(O), a.rows});
    copy(static_cast<std::byte*>(to));
    RowMeasures m;
    for (index_t first = 0, next; first < a.rows; first = next) {
      next = a.rows - first > 32 ? first + 32 : a.rows;
      std::int64_t longest = 0;
      for (index_t i = first; i < next; ++i) {
        const std::int64_t length = a.offsets[i + 1] - a.offsets[i];
        longest = std::max(longest, length);
        m.filled += length > 0;
      }
      m.longest = std::max(m.longest, longest);
      m.in_slices += 32 * longest;
    }
    return m;
  }

 private:
  void copy(std::byte* to) const {
    for (const FetchRange& r : ranges_) {
      std::memcpy(to, r.from, r.bytes);
      to += r.bytes;
    }
  }
  RowMeasures fetch_far(std::byte* to, const RowsToMeasure& rows) const {
    const simt::DeviceScope scope(device_);
#ifdef NZ_HAVE_EMULATOR
    if (device_.kind == Device::Kind::emulator) return emulated::fetch_ranges(ranges_, to, rows);
#endif
#ifdef NZ_HAVE_CUDA
    if (device_.kind == Device::Kind::cuda) return cuda::fetch_ranges(ranges_, to, rows);
#endif
    (void)to, (void)rows;
    throw NoResource("nothing to be fetched from " + device_.name());
  }

  Device device_;
  bool far_;
  std::vector<FetchRange> ranges_;
};

template <Value T, Offset O>
RowSpread windows_of(const CsrView<T, O>& a) {
  return RowSpread::to_the_end(
      a.rows, LookSample<T>::window_rows,
      static_cast<double>(a.nnz) < few_nonzeros ? few_windows : most_windows,
      multiple_of_all_sides);
}

// Entries of a window.
template <Value T, Offset O>
std::int64_t most_of_window(const CsrView<T, O>& a) {
  const double length = static_cast<double>(a.nnz) / a.rows;
  return static_cast<std::int64_t>(
      std::clamp(1.5 * fewest_block_rows * length, fewest_entries, most_entries));
}

// Longer rows are no reason to end a window.
constexpr std::int64_t long_row(std::int64_t most) { return most / 8; }

// What came along: so many entries of each window.
template <Value T>
void take_along(const LookStart& start, std::span<const std::int64_t> counts, index_t* columns,
                T* values) {
  const auto each = static_cast<std::size_t>(start.each);
  const std::byte* from = start.entries.data();
  const std::byte* its = from + counts.size() * each * sizeof(index_t);
  for (const std::int64_t count : counts) {
    const auto n = static_cast<std::size_t>(count);
    if (n > 0) std::memcpy(columns, from, n * sizeof(index_t));
    if (n > 0) std::memcpy(values, its, n * sizeof(T));
    columns += n;
    values += n;
    from += each * sizeof(index_t);
    its += each * sizeof(T);
  }
}

}  // namespace

void LookStart::take(FetchedAlong& along) {
  bytes_ = std::move(along.bytes);
  std::size_t n = 0;
  for (const FetchRange& r : along.ranges) n += r.bytes;
  const std::span<const std::byte> all(bytes_.data(), bytes_.size());
  offsets = all.subspan(along.begin, n);
  entries = all.subspan(along.begin + n);
  each = along.entries.each;
  measures = along.measures;
}

template <Value T, Offset O>
std::vector<FetchRange> offsets_for_look(const CsrView<T, O>& a) {
  const RowSpread windows = windows_of(a);
  std::vector<FetchRange> ranges;
  for (index_t w = 0; w < windows.count(); ++w)
    ranges.push_back({a.offsets + windows.begin(w),
                      (static_cast<std::size_t>(windows.size(w)) + 1) * sizeof(O)});
  return ranges;
}

template <Value T, Offset O>
WindowEntries entries_for_look(const CsrView<T, O>& a) {
  const RowSpread windows = windows_of(a);
  WindowEntries e{.columns = a.columns,
                  .values = a.values,
                  .value_bytes = sizeof(T),
                  .nnz = a.nnz,
                  .each = most_of_window(a),
                  .long_row = static_cast<int>(long_row(most_of_window(a))),
                  .windows = windows.count()};
  for (index_t w = 0; w < windows.count(); ++w) {
    e.rows[w] = windows.begin(w);
    e.row_counts[w] = windows.size(w);
  }
  return e.bytes() > most_along ? WindowEntries{} : e;
}

template <Value T, Offset O>
RowMeasures measure_rows(Device device, const CsrView<T, O>& a) {
  return Fetcher(device, lies_on(device, a)).fetch(nullptr, a);
}

template <Value T, Offset O>
LookSample<T> sample_for_look(Device device, const CsrView<T, O>& a, const LookStart* start) {
  const RowSpread windows = windows_of(a);
  const bool far = lies_on(device, a);
  Fetcher for_offsets(device, far);
  std::size_t room = 0;
  for (const FetchRange& r : offsets_for_look(a)) {
    for_offsets.add(r.from, r.bytes);
    room += r.bytes;
  }
  Array<O> fetched;
  const O* at = nullptr;  // offsets of the windows
  LookSample<T> s;
  if (start && start->offsets.size() == room) {
    at = reinterpret_cast<const O*>(start->offsets.data());
    s.measures = start->measures;
  } else {
    fetched = Array<O>(room / sizeof(O));
    s.measures = for_offsets.fetch(fetched.data(), a);
    at = fetched.data();
  }

  const std::int64_t most = most_of_window(a);
  Csr<T, std::int64_t>& c = s.windows;
  c.cols = a.cols;
  for (index_t w = 0; w < windows.count(); ++w) c.rows += windows.size(w);
  c.offsets = Array<std::int64_t>(static_cast<std::size_t>(c.rows) + 1);
  c.offsets[0] = 0;
  struct Run {
    std::int64_t begin, end;  // entries
  };
  std::vector<Run> runs;
  std::vector<std::int64_t> counts;  // entries of each window
  s.taken.reserve(static_cast<std::size_t>(c.rows));
  index_t row = 0;
  for (index_t w = 0; w < windows.count(); ++w, ++at) {
    const std::int64_t before = c.offsets[row];
    std::int64_t left = most;
    int its_runs = 0;
    bool goes_on = false;
    for (index_t r = 0; r < windows.size(w); ++r, ++row, ++at) {
      const std::int64_t begin = at[0], n = at[1] - begin;
      // A giant row says nothing about the others.
      bool take = n <= left;
      if (!take && n <= long_row(most)) left = -1;  // enough of this window
      if (take && !goes_on) take = its_runs++ < most_runs;
      if (take && !goes_on) runs.push_back({begin, begin});
      goes_on = take;
      if (take) {
        runs.back().end = begin + n;
        left -= n;
        s.taken.push_back(row);
      }
      c.offsets[row + 1] = c.offsets[row] + (take ? n : 0);
    }
    counts.push_back(c.offsets[row] - before);
  }
  const auto nnz = static_cast<std::size_t>(c.offsets[c.rows]);
  c.columns = Array<index_t>(nnz);
  c.values = Array<T>(nnz);
  if (start && !start->entries.empty()) {
    take_along<T>(*start, counts, c.columns.data(), c.values.data());
    return s;
  }
  Fetcher for_entries(device, far);
  for (const Run& r : runs)
    for_entries.add(a.columns + r.begin,
                    static_cast<std::size_t>(r.end - r.begin) * sizeof(index_t));
  for (const Run& r : runs)
    for_entries.add(a.values + r.begin, static_cast<std::size_t>(r.end - r.begin) * sizeof(T));
  Array<std::byte> both(nnz * (sizeof(index_t) + sizeof(T)));
  for_entries.fetch(both.data());
  if (nnz == 0) return s;
  std::memcpy(c.columns.data(), both.data(), nnz * sizeof(index_t));
  std::memcpy(c.values.data(), both.data() + nnz * sizeof(index_t), nnz * sizeof(T));
  return s;
}

template <Value T>
Csr<T, std::int64_t> rows_for_blocks(const LookSample<T>& s) {
  const Csr<T, std::int64_t>& from = s.windows;
  constexpr index_t each = LookSample<T>::window_rows;
  const auto same_columns = [&](index_t i, index_t j) {
    const index_t* columns = from.columns.data();
    return std::equal(columns + from.offsets[i], columns + from.offsets[i + 1],
                      columns + from.offsets[j], columns + from.offsets[j + 1]);
  };
  Csr<T, std::int64_t> to{from.rows, from.cols,
                          Array<std::int64_t>(static_cast<std::size_t>(from.rows) + 1)};
  const auto mean = static_cast<double>(from.nnz()) / static_cast<double>(s.taken.size());
  const index_t most = static_cast<index_t>(std::clamp(
      block_entries / most_windows / mean, double{fewest_block_rows}, double{most_block_rows}));
  // Where that is too much, every other window.
  const index_t step = most * mean * most_windows > 1.5 * block_entries ? 2 : 1;
  struct Part {
    std::int64_t begin, end;
  };
  std::vector<Part> parts;
  to.offsets[0] = 0;
  for (index_t first = 0; first < from.rows; first += each) {
    const index_t end = std::min(from.rows, first + each);
    index_t last = first / each % step == 0 ? std::min(end, first + most) : first, begin = first;
    while (last > first && from.offsets[last - 1] == from.offsets[end]) --last;  // not taken
    // The rest of the first and of the last blocks may be elsewhere: they would seem half empty.
    if (first > 0)
      while (begin < last && same_columns(begin, first)) ++begin;
    if (last < end)
      for (const index_t cut = last - 1; last > begin && same_columns(last - 1, cut);) --last;
    for (index_t i = first; i < end; ++i)
      to.offsets[i + 1] =
          to.offsets[first] + from.offsets[std::clamp(i + 1, begin, last)] - from.offsets[begin];
    parts.push_back({from.offsets[begin], from.offsets[last]});
  }
  const auto nnz = static_cast<std::size_t>(to.offsets[to.rows]);
  to.columns = Array<index_t>(nnz);
  to.values = Array<T>(nnz, T(1));
  std::int64_t at = 0;
  for (const Part& p : parts) {
    std::copy(from.columns.data() + p.begin, from.columns.data() + p.end, to.columns.data() + at);
    at += p.end - p.begin;
  }
  return to;
}

#define NZ_INSTANTIATE(T, O)                                               \
  template std::vector<FetchRange> offsets_for_look(const CsrView<T, O>&); \
  template WindowEntries entries_for_look(const CsrView<T, O>&);           \
  template RowMeasures measure_rows(Device, const CsrView<T, O>&);         \
  template LookSample<T> sample_for_look(Device, const CsrView<T, O>&, const LookStart*);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)
#undef NZ_INSTANTIATE
#define NZ_INSTANTIATE(T) template Csr<T, std::int64_t> rows_for_blocks(const LookSample<T>&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX(NZ_INSTANTIATE)

}  // namespace nz
