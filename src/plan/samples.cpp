#include "plan/samples.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include <nonzero/formats/blocks.hpp>
#include <nonzero/formats/compact.hpp>

#include "base/each_alone.hpp"
#include "base/instantiate.hpp"
#include "formats/narrow_values.hpp"
#include "formats/packed_size.hpp"
#include "formats/short_index.hpp"
#include "kernels/gpu/panels/width.hpp"
#include "plan/block_signs.hpp"
#include "plan/row_spread.hpp"
#include "plan/tally.hpp"

namespace nz {
namespace {

// A multiple of every block side that is tried, of a slice and of a group of rows.
constexpr index_t window_rows = 960;
constexpr index_t fewest_windows = 4, most_windows = 32;
// A few samples: so many of each window.
constexpr std::int64_t few_entries = 4096;
constexpr std::size_t values_apart = 4;
// Rows whose part of x a core's cache should hold.
constexpr index_t few_rows = window_rows / 4;
// Looking may take a few multiplies: an eighth of the entries, within bounds.
constexpr std::int64_t fewest_entries = 2'048, most_entries = 32'768;
std::int64_t entries_of(std::int64_t nnz) {
  return std::clamp(nnz / 8, fewest_entries, most_entries);
}

// As many windows as take whole rows from that many entries.
index_t windows_of(std::int64_t entries, double row_length) {
  const double wanted = static_cast<double>(entries) / (row_length * window_rows);
  return static_cast<index_t>(std::clamp(wanted, double{fewest_windows}, double{most_windows}));
}

// Some rows, one after the other, with their own columns.
template <Value T, Offset O>
Csr<T, std::int64_t> rows_of(const CsrView<T, O>& a, const std::vector<index_t>& taken) {
  Csr<T, std::int64_t> s{static_cast<index_t>(taken.size()), a.cols,
                         Array<std::int64_t>(taken.size() + 1)};
  s.offsets[0] = 0;
  for (std::size_t r = 0; r < taken.size(); ++r)
    s.offsets[r + 1] = s.offsets[r] + (a.offsets[taken[r] + 1] - a.offsets[taken[r]]);
  const auto nnz = static_cast<std::size_t>(s.offsets[taken.size()]);
  s.columns = Array<index_t>(nnz);
  s.values = Array<T>(nnz);
  // Neighbours in one go.
  for (std::size_t first = 0, last; first < taken.size(); first = last) {
    for (last = first + 1; last < taken.size() && taken[last] == taken[last - 1] + 1;) ++last;
    const std::int64_t to = s.offsets[first], n = s.offsets[last] - to;
    const O from = a.offsets[taken[first]];
    std::copy_n(a.columns + from, n, s.columns.data() + to);
    std::copy_n(a.values + from, n, s.values.data() + to);
  }
  return s;
}

// Rows of a sample without those that were not taken; where all were, its entries are used as they
// lie.
template <Value T>
class Together {
 public:
  Together(const LookSample<T>& of, const std::vector<index_t>& taken) {
    if (taken.size() < of.taken.size()) {
      copied_ = rows_of(of.windows.view(), taken);
      view_ = copied_.view();
      return;
    }
    const CsrView<T, std::int64_t> all = of.windows.view();
    copied_.offsets = Array<std::int64_t>(taken.size() + 1);
    copied_.offsets[0] = 0;
    for (std::size_t r = 0; r < taken.size(); ++r)
      copied_.offsets[r + 1] = all.offsets[taken[r] + 1];
    view_ = {static_cast<index_t>(taken.size()),
             all.cols,
             all.nnz,
             copied_.offsets.data(),
             all.columns,
             all.values};
  }
  Together(const Together&) = delete;
  Together& operator=(const Together&) = delete;
  const CsrView<T, std::int64_t>& view() const { return view_; }

 private:
  Csr<T, std::int64_t> copied_;
  CsrView<T, std::int64_t> view_{};
};

// The rows of the windows; at most so many entries.
template <Value T, Offset O>
Csr<T, std::int64_t> cut_out(const CsrView<T, O>& a, const RowSpread& windows, std::int64_t most) {
  std::vector<index_t> taken;
  for (index_t w = 0; w < windows.count(); ++w) {
    // As many from each: a giant row says nothing about the others.
    std::int64_t left = most / windows.count();
    for (index_t i = windows.begin(w); i < windows.end(w) && left > 0; ++i) {
      const std::int64_t length = a.offsets[i + 1] - a.offsets[i];
      if (length > left) continue;
      left -= length;
      taken.push_back(i);
    }
  }
  return rows_of(a, taken);
}

// How many different numbers there are, for one set of them after the other. The table is as large
// as the set needs, so that it stays in the first caches: a mark for each number where they lie
// near each other, else places for those that came.
class Distinct {
 public:
  // Begins a set of at most so many, none below `low` or above `high`.
  void clear(std::size_t most, index_t low, index_t high) {
    low_ = low;
    count_ = 0;
    near_ = static_cast<std::size_t>(high - low) < 8 * most;
    if (near_) {
      marks_.assign(static_cast<std::size_t>(high - low) + 1, 0);
      return;
    }
    const int bits = std::bit_width(2 * most + 1);
    shift_ = 32 - bits;
    slots_.assign(std::size_t{1} << bits, nothing);
  }
  // Those of columns that have so many a number.
  template <index_t each>
  void add(std::span<const index_t> columns) {
    if (near_) {
      for (const index_t c : columns) marks_[static_cast<std::size_t>(c / each - low_)] = 1;
      for (const std::uint8_t mark : marks_) count_ += mark;
      return;
    }
    index_t last = nothing;
    for (const index_t c : columns)
      if (const index_t number = c / each; number != last) add(last = number);
  }
  std::size_t count() const { return count_; }

 private:
  static constexpr index_t nothing = -1;
  void add(index_t number) {
    std::size_t at = static_cast<std::uint32_t>(number) * 0x9e3779b1u >> shift_;
    while (slots_[at] != nothing && slots_[at] != number) at = (at + 1) & (slots_.size() - 1);
    count_ += slots_[at] == nothing;
    slots_[at] = number;
  }

  bool near_ = false;
  index_t low_ = 0;
  std::vector<std::uint8_t> marks_;
  std::vector<index_t> slots_;
  int shift_ = 0;
  std::size_t count_ = 0;
};

// Of every so many groups of rows.
template <Value T>
double lines_touched(const CsrView<T, std::int64_t>& s, index_t groups_apart) {
  constexpr index_t a_line = 64 / sizeof(T);
  Distinct lines;
  std::size_t different = 0, entries = 0;
  for (index_t first = 0; first < s.rows; first += groups_apart * few_rows) {
    const std::int64_t begin = s.offsets[first],
                       end = s.offsets[std::min(s.rows, first + few_rows)];
    index_t low = std::numeric_limits<index_t>::max(), high = 0;
    for (std::int64_t k = begin; k < end; ++k) {
      low = std::min(low, s.columns[k]);
      high = std::max(high, s.columns[k]);
    }
    if (begin == end) continue;
    lines.clear(static_cast<std::size_t>(end - begin), low / a_line, high / a_line);
    lines.template add<a_line>({s.columns + begin, static_cast<std::size_t>(end - begin)});
    different += lines.count();
    entries += static_cast<std::size_t>(end - begin);
  }
  // Where only the others have entries.
  if (entries == 0) return groups_apart > 1 ? lines_touched(s, 1) : 0;
  return static_cast<double>(different) / static_cast<double>(entries);
}

// Share of the entries that the fullest column has, by every few of them. Counted by a part of a
// hash, and then exactly among those that share the fullest part with it: where a column has many
// entries, it is that one.
double fullest_column(std::span<const index_t> all) {
  constexpr std::size_t enough = 4096;
  const std::size_t apart = std::max<std::size_t>(1, all.size() / enough), n = all.size() / apart;
  constexpr int bits = 11;
  const auto part = [](index_t column) {
    return static_cast<std::uint32_t>(column) * 0x9e3779b1u >> (32 - bits);
  };
  Array<index_t> columns(n);
  std::array<std::int32_t, std::size_t{1} << bits> counts{};
  // Not in step with rows of one length. What is divided has 16 bits: a product does it.
  const std::uint64_t inverse = (std::uint64_t{1} << 32) / apart + 1;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t k = i * apart;
    const std::uint64_t any = static_cast<std::uint32_t>(k) * 0x9e3779b1u >> 16;
    columns[i] = all[k + (any - (any * inverse >> 32) * apart)];
    ++counts[part(columns[i])];
  }
  std::int32_t most = 0;
  for (const std::int32_t count : counts) most = std::max(most, count);
  const auto its =
      static_cast<std::uint32_t>(std::find(counts.begin(), counts.end(), most) - counts.begin());
  Tally tally(static_cast<std::size_t>(most));
  for (const index_t c : columns)
    if (part(c) == its) tally.add(c);
  return static_cast<double>(tally.most()) / static_cast<double>(n);
}

// Panels of columns that rows have entries in, each row's counted.
template <Value T>
double parts_in_panels(const CsrView<T, std::int64_t>& s, std::size_t shared_bytes) {
  const std::int64_t width = panel_width(s.cols, staged_columns(sizeof(T), shared_bytes));
  // Half a column further, no quotient is near a whole number: it may be rounded.
  const double part = 1.0 / static_cast<double>(width);
  const auto panel_of = [&](index_t c) { return static_cast<int>((c + 0.5) * part); };
  constexpr std::int64_t few = 16;
  std::int64_t parts = 0, panel_end = 0;
  for (index_t i = 0; i < s.rows; ++i) {
    const std::int64_t begin = s.offsets[i], end = s.offsets[i + 1];
    if (begin == end) continue;
    const index_t first = s.columns[begin], last = s.columns[end - 1];
    ++parts;
    // Mostly that of the row before.
    if (first >= panel_end || first < panel_end - width) panel_end = (panel_of(first) + 1) * width;
    if (last < panel_end) continue;
    if (end - begin <= few) {
      // Nobody can foresee where another one begins, so nothing is skipped.
      int panel = panel_of(first);
      for (std::int64_t k = begin + 1; k < end; ++k) {
        const int before = std::exchange(panel, panel_of(s.columns[k]));
        parts += panel != before;
      }
      continue;
    }
    for (std::int64_t k = begin + 1; k < end; ++k) {
      const index_t c = s.columns[k];
      if (c < panel_end) continue;
      ++parts;
      panel_end = (panel_of(c) + 1) * width;
      if (last < panel_end) break;
    }
  }
  return static_cast<double>(parts) / static_cast<double>(s.nnz);
}

// The narrowest code of every few values: as many show whether they are all alike. Where those of
// the last window, from `last` on, are so many new ones that a few windows more would fill the
// table, there is none: values are alike within a window alone, as the lengths of neighbouring rays
// are in tomography.
template <Value T>
ValueCode sampled_code(std::span<const T> all, std::size_t last) {
  constexpr std::size_t more_windows = 3, most = 256;
  ValueTable<T> table;
  PlainCodes<T> plain(true);
  bool few = true;
  std::size_t before_last = 0;
  for (std::size_t k = 0; k < all.size() && (few || plain.any()); k += values_apart) {
    if (k < last + values_apart) before_last = table.list().size();
    if (few) {
      const std::size_t before = table.list().size();
      few = table.add(all[k]);
      if (few && table.list().size() == before) continue;  // its codes are known
    }
    plain.add(all[k]);
  }
  const std::size_t count = table.list().size();
  if (last > 0 && count + more_windows * (count - before_last) > most) few = false;
  return !few ? plain.code() : count <= 1 ? ValueCode::constant : ValueCode::table;
}

// The columns that each thread's rows span, added up, over all columns.
template <Value T, Offset O>
double column_overlap(const CsrView<T, O>& a, const RowSpread& windows, int threads) {
  struct Span {
    index_t low = std::numeric_limits<index_t>::max(), high = 0;
  };
  std::vector<Span> spans(static_cast<std::size_t>(threads));
  const auto nnz = static_cast<double>(a.nnz);
  for (index_t w = 0; w < windows.count(); ++w)
    for (index_t i = windows.begin(w); i < windows.end(w); ++i) {
      const O begin = a.offsets[i], end = a.offsets[i + 1];
      if (begin == end) continue;
      // Threads share the entries, not the rows: a long row may belong to several.
      const auto thread_of = [&](O k) {
        const auto t = static_cast<std::size_t>(static_cast<double>(k) / nnz * threads);
        return std::min(t, spans.size() - 1);
      };
      for (std::size_t t = thread_of(begin); t <= thread_of(end - 1); ++t) {
        spans[t].low = std::min(spans[t].low, a.columns[begin]);
        spans[t].high = std::max(spans[t].high, a.columns[end - 1] + 1);
      }
    }
  double sum = 0;
  for (const Span& s : spans) sum += s.low < s.high ? s.high - s.low : 0;
  return sum / a.cols;
}

// Of a value in the code that the compact format would have for it; most formats have none of 16
// bits, and take such values as they are.
template <Value T>
void put_value_bytes(Samples& s, ValueCode code) {
  s.compact_value_bytes = static_cast<double>(code_bytes<T>(code));
  s.value_bytes = is_short(code) ? static_cast<double>(sizeof(T)) : s.compact_value_bytes;
}

// What the compact format takes beside values, without making it.
template <Value T>
double bytes_of_places(const CsrView<T, std::int64_t>& s) {
  using View = CompactView<T, std::int64_t>;
  double bytes = (s.rows + 1.0) * sizeof(std::int64_t);
  for (index_t first = 0; first < s.rows; first += View::group_rows) {
    const index_t last = std::min(s.rows, first + View::group_rows);
    index_t low = std::numeric_limits<index_t>::max(), high = 0;
    for (index_t i = first; i < last; ++i) {
      if (s.offsets[i] == s.offsets[i + 1]) continue;
      low = std::min(low, s.columns[s.offsets[i]]);
      high = std::max(high, s.columns[s.offsets[i + 1] - 1]);
    }
    const auto entries = static_cast<double>(s.offsets[last] - s.offsets[first]);
    bytes += sizeof(CompactGroup) + entries * index_width(std::max(0, high - low));
  }
  return bytes;
}
// More places a nonzero than this never pay.
constexpr double most_places = 3;
// What the packed format takes, once it is known what a value takes.
template <Value T>
void put_packed(Samples& s, const PackedSize& size) {
  const double places = static_cast<double>(size.slots) * PackedView<T>::lanes / s.entries;
  if (!size.fits || places > most_places) return;
  s.packed_bytes = static_cast<double>(size.bytes) / s.entries + places * s.value_bytes;
  s.run_share = static_cast<double>(size.in_runs) / s.entries;
}

// By counting rows of each length, where there are few lengths.
template <class Length>
void put_longest_first(std::vector<Length>& lengths) {
  if (lengths.empty()) return;
  const Length longest = *std::max_element(lengths.begin(), lengths.end());
  if (static_cast<std::size_t>(longest) > 4 * lengths.size()) {
    std::sort(lengths.begin(), lengths.end(), std::greater<>());
    return;
  }
  std::vector<std::size_t> rows(static_cast<std::size_t>(longest) + 1);
  for (const Length l : lengths) ++rows[static_cast<std::size_t>(l)];
  auto at = lengths.begin();
  for (Length l = longest; at != lengths.end(); --l)
    at = std::fill_n(at, rows[static_cast<std::size_t>(l)], l);
}

// More values than this a nonzero never pay.
constexpr double most_fill = 1.5;

// The largest side that cpu/bsr/unrolled is compiled for and that divides blocks of this side, so
// that they are no emptier; 1: none.
int compiled_side(index_t side) {
  for (const int s : {8, 6, 5, 4, 3, 2})
    if (side % s == 0) return s;
  return 1;
}

void put_blocks(Samples& s, const BlockVerdict& blocks) {
  const int side = compiled_side(blocks.block_rows);
  if (side == 1 || blocks.fill_ratio > most_fill) return;
  s.block = side;
  s.block_fill = blocks.fill_ratio;
}

}  // namespace

template <Value T, Offset O>
double sell_slots(const CsrView<T, O>& a) {
  constexpr index_t window = 1024;  // rows that are sorted together, and rows of a slice
  constexpr std::size_t chunk = 32;
  const auto windows = RowSpread::one_a_part(a.rows, window, most_windows);
  std::vector<O> lengths;
  double slots = 0, entries = 0;
  for (index_t w = 0; w < windows.count(); ++w) {
    lengths.clear();
    for (index_t i = windows.begin(w); i < windows.end(w); ++i)
      lengths.push_back(a.offsets[i + 1] - a.offsets[i]);
    entries += static_cast<double>(a.offsets[windows.end(w)] - a.offsets[windows.begin(w)]);
    put_longest_first(lengths);
    for (std::size_t first = 0; first < lengths.size(); first += chunk)
      slots += static_cast<double>(lengths[first]) *
               static_cast<double>(std::min(chunk, lengths.size() - first));
  }
  return entries > 0 ? slots / entries : 0;
}

template <Value T, Offset O>
Samples take_samples(const CsrView<T, O>& a, int threads) {
  if (a.nnz == 0) return {};
  const double row_length = static_cast<double>(a.nnz) / a.rows;
  const std::int64_t most = entries_of(a.nnz);
  const auto windows = RowSpread::one_a_part(a.rows, window_rows, windows_of(most, row_length));
  const Csr<T, std::int64_t> sample = cut_out(a, windows, most);
  Samples s{.entries = static_cast<double>(sample.nnz())};
  if (sample.nnz() == 0) return s;
  const CsrView<T, std::int64_t> view = sample.view();
  PackedSize packed{.fits = false};
  double compact_places = 0;
  // The longest first.
  const std::function<void()> tasks[] = {
      [&] {
        if constexpr (!ComplexValue<T>) packed = packed_size(view);  // which has no complex values
      },
      [&] {
        if (may_have_blocks(sample)) put_blocks(s, detect_blocks(a, {.square = true}));
      },
      [&] { put_value_bytes<T>(s, choose_value_code(view.values, view.nnz, true).code); },
      [&] { s.lines = lines_touched(view, 1); },
      [&] { s.overlap = column_overlap(a, windows, threads); },
      [&] { compact_places = bytes_of_places(view); }};
  each_alone(static_cast<int>(std::size(tasks)), [&](int i) { tasks[i](); });
  s.compact_bytes = s.compact_value_bytes + compact_places / s.entries;
  if constexpr (!ComplexValue<T>) put_packed<T>(s, packed);
  return s;
}

template <Value T>
Samples take_few_samples(const LookSample<T>& of, std::size_t shared_bytes) {
  // What neighbours are in the matrix: the rows of one window without gaps.
  std::vector<index_t> taken, starts;
  taken.reserve(of.taken.size());
  std::int64_t left = 0;
  index_t window_end = 0, before = -2, last_window = 0;  // its first row of those that are taken
  for (const index_t row : of.taken) {
    const bool first = row >= window_end;
    if (first) {
      last_window = static_cast<index_t>(taken.size());
      left = few_entries;
      window_end = (of.window_of(row) + 1) * of.window_rows;
    }
    const std::int64_t length = of.windows.offsets[row + 1] - of.windows.offsets[row];
    if (length > left) continue;
    left -= length;
    if (first || before + 1 != row) starts.push_back(static_cast<index_t>(taken.size()));
    before = row;
    taken.push_back(row);
  }
  starts.push_back(static_cast<index_t>(taken.size()));
  const Together<T> together(of, taken);
  const CsrView<T, std::int64_t> sample = together.view();
  const auto nnz = static_cast<std::size_t>(sample.nnz);
  Samples s{.entries = static_cast<double>(nnz)};
  if (nnz == 0) return s;
  s.lines = lines_touched(sample, 2);
  s.hottest = fullest_column({sample.columns, nnz});
  s.panel_parts = parts_in_panels(sample, shared_bytes);
  if constexpr (ComplexValue<T>) {  // which stay as they are there
    put_value_bytes<T>(s, ValueCode::full);
  } else {
    const auto last = static_cast<std::size_t>(sample.offsets[last_window]);
    put_value_bytes<T>(s, sampled_code<T>({sample.values, nnz}, last));
    s.slices = pack_samples(sample, starts, static_cast<std::size_t>(s.value_bytes));
  }
  s.compact_bytes = s.compact_value_bytes + bytes_of_places(sample) / s.entries;
  return s;
}

#define NZ_INSTANTIATE(T, O)                                \
  template Samples take_samples(const CsrView<T, O>&, int); \
  template double sell_slots(const CsrView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)
#undef NZ_INSTANTIATE
#define NZ_INSTANTIATE(T) template Samples take_few_samples(const LookSample<T>&, std::size_t);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX(NZ_INSTANTIATE)

}  // namespace nz
