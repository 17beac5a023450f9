#include "plan/slice_samples.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <vector>

#include "formats/narrow_values.hpp"
#include "kernels/packed_rules.hpp"

namespace nz {
namespace {

constexpr double entries_to_see = 8192;
// Of the entries: fewer do not make up for what runs cost.
constexpr double fewest_in_runs = 0.05;

// Diagonals of a slice, and what is on each: found by their numbers where these lie near each
// other, else by hashing, many times as fast as by sorting. The table has numbers of diagonals
// alone, so that it stays in the first cache.
template <class T>
class Diagonals {
 public:
  struct Line {
    index_t diagonal;  // column less row
    int entries;
    bool equal;
    Bits<T> value;
  };
  // For so many entries, none on a diagonal below `low` or above `high`.
  void clear(std::size_t entries, index_t low, index_t high) {
    const auto numbers = static_cast<std::size_t>(std::int64_t{high} - low) + 1;
    const int bits = std::bit_width(2 * entries + 1);
    near_ = numbers <= std::size_t{1} << bits;
    low_ = low;
    shift_ = 32 - bits;
    table_.assign(near_ ? numbers : std::size_t{1} << bits, nobody);
    which_.resize(entries);
    added_ = 0;
    lines_.clear();
  }
  void add(index_t diagonal, T v) {
    const auto value = std::bit_cast<Bits<T>>(v);
    std::size_t at = near_ ? static_cast<std::uint32_t>(diagonal - low_)
                           : static_cast<std::uint32_t>(diagonal) * 0x9e3779b1u >> shift_;
    while (!near_ && table_[at] != nobody && lines_[table_[at]].diagonal != diagonal)
      at = (at + 1) & (table_.size() - 1);
    if (table_[at] == nobody) {
      table_[at] = static_cast<std::uint32_t>(lines_.size());
      lines_.push_back({diagonal, 0, true, value});
    }
    const std::uint32_t its = table_[at];
    Line& line = lines_[its];
    ++line.entries;
    line.equal &= line.value == value;
    which_[added_++] = its;
  }
  std::span<const Line> lines() const { return lines_; }
  // Of all entries in the order in which they came, their places in that list.
  std::span<const std::uint32_t> places() const { return which_; }

 private:
  static constexpr std::uint32_t nobody = 0xffffffff;
  bool near_ = false;
  index_t low_ = 0;
  int shift_ = 0;
  std::size_t added_ = 0;
  std::vector<Line> lines_;
  std::vector<std::uint32_t> table_, which_;
};

}  // namespace

template <Value T>
SliceSamples pack_samples(const CsrView<T, std::int64_t>& rows, std::span<const index_t> starts,
                          std::size_t value_bytes) {
  SliceSamples s;
  const int enough = enough_rows(value_bytes);
  Diagonals<T> diagonals;
  std::vector<std::uint8_t> single;  // of its lines: no run
  double bytes = 0, slices = 0, entries = 0, in_runs = 0;
  bool far = false;  // 2 bytes a pick are too few
  const auto is_run = [&](const auto& line) {
    return line.entries >= (line.equal ? enough_equal : enough);
  };
  const auto pack = [&](index_t first, index_t last) {
    const std::int64_t begin = rows.offsets[first], end = rows.offsets[last];
    index_t low = std::numeric_limits<index_t>::max(), high = 0;
    for (std::int64_t k = begin; k < end; ++k) {
      low = std::min(low, rows.columns[k]);
      high = std::max(high, rows.columns[k]);
    }
    low = std::min(low, high) - (last - 1 - first);  // on the last row's, or none at all
    diagonals.clear(static_cast<std::size_t>(end - begin), low, high);
    for (index_t i = first; i < last; ++i)
      for (std::int64_t k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k)
        diagonals.add(rows.columns[k] - (i - first), rows.values[k]);
    single.clear();
    for (const auto& line : diagonals.lines()) {
      single.push_back(!is_run(line));
      if (!single.back()) {
        ++s.runs;
        in_runs += line.entries;
        bytes += run_bytes + (line.equal ? 0.0 : slice_rows * static_cast<double>(value_bytes));
      }
    }
    std::array<std::int64_t, slice_rows> picks{};
    index_t least = std::numeric_limits<index_t>::max(), most = 0;
    const std::uint32_t* place = diagonals.places().data();
    for (index_t i = first; i < last; ++i) {
      std::int64_t n = 0;
      for (std::int64_t k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k) {
        // Nobody can foresee which are, so nothing is skipped.
        const bool is_pick = single[*place++] != 0;
        const index_t c = rows.columns[k];
        n += is_pick;
        least = is_pick && c < least ? c : least;
        most = is_pick && c > most ? c : most;
      }
      picks[static_cast<std::size_t>(i - first)] = n;
    }
    far = far || (most > least && most - least > 0xfffe);
    const double share = static_cast<double>(last - first) / slice_rows;  // of a whole one
    // The most of each 32, by their picks; no other order matters.
    for (auto p = picks.begin(); p < picks.end(); p += 32) {
      std::nth_element(p, p, picks.end(), std::greater<>());
      s.picks += static_cast<double>(*p) / share;
      s.depth = std::max(s.depth, static_cast<double>(*p));
      if (*p == 0) break;
      if (picks.end() - p > 32) std::nth_element(p, p + 31, picks.end(), std::greater<>());
    }
    ++slices;
    entries += static_cast<double>(end - begin) / share;
  };
  // One from each place, until a few thousand entries were seen, or two with hardly any in a run.
  const auto seen_enough = [&] {
    return entries >= entries_to_see || (slices > 1 && in_runs < fewest_in_runs * entries);
  };
  for (std::size_t i = 0; i + 1 < starts.size() && !seen_enough(); ++i)
    if (const index_t n = (starts[i + 1] - starts[i]) / 32 * 32; n >= slice_rows / 2)
      pack(starts[i], starts[i] + std::min<index_t>(n, slice_rows));
  if (entries == 0) return {};
  bytes += s.picks * 32 * ((far ? 4 : 2) + static_cast<double>(value_bytes)) +
           slices * (s.picks > 0 ? 32 + slice_rows : 32);
  s.bytes = bytes / entries;
  s.runs /= slices;
  s.picks /= slices;
  return s;
}

template SliceSamples pack_samples(const CsrView<float, std::int64_t>&, std::span<const index_t>,
                                   std::size_t);
template SliceSamples pack_samples(const CsrView<double, std::int64_t>&, std::span<const index_t>,
                                   std::size_t);

}  // namespace nz
