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
  // Those of rows first to last whose columns are not below `low` nor above `high`. Of diagonals
  // with less than `least` entries most are left out where they are many.
  void find(const CsrView<T, std::int64_t>& rows, index_t first, index_t last, index_t low,
            index_t high, int least) {
    const auto entries = static_cast<std::size_t>(rows.offsets[last] - rows.offsets[first]);
    constexpr std::size_t few = 4096;
    low_ = low - (last - 1 - first);
    const auto numbers = static_cast<std::size_t>(std::int64_t{high} - low_) + 1;
    const int bits = std::bit_width(2 * entries + 1);
    const bool near = numbers <= std::max(few, std::size_t{1} << bits);
    shift_ = 32 - bits;
    table_.assign(near ? numbers : std::size_t{1} << bits, nobody);
    which_.resize(entries);
    lines_.assign(1, {0, 0, false, {}});  // of entries whose diagonals are left out
    left_out_ = 0;
    std::uint32_t* which = which_.data();
    const auto each = [&](auto&& body) {
      for (index_t i = first; i < last; ++i)
        for (std::int64_t k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k)
          body(rows.columns[k] - (i - first), k);
    };
    if (near) {
      each([&](index_t diagonal, std::int64_t k) {
        const auto at = static_cast<std::uint32_t>(diagonal - low_);
        *which++ = added(at, diagonal, rows.values[k]);
      });
      return;
    }
    // How many share a part of a hash: of matrices without runs hardly any are left to be told
    // apart.
    counts_.assign(table_.size(), 0);
    each([&](index_t diagonal, std::int64_t) { ++counts_[hash(diagonal)]; });
    each([&](index_t diagonal, std::int64_t k) {
      std::size_t at = hash(diagonal);
      if (counts_[at] < least) {
        *which++ = 0;
        ++left_out_;
        return;
      }
      while (table_[at] != nobody && lines_[table_[at]].diagonal != diagonal)
        at = (at + 1) & (table_.size() - 1);
      *which++ = added(at, diagonal, rows.values[k]);
    });
  }
  std::span<const Line> lines() const { return lines_; }
  // How many there are, each entry that was left out counted as one of its own.
  std::size_t count() const { return lines_.size() - 1 + left_out_; }
  // Of all entries in their order, their places in that list.
  std::span<const std::uint32_t> places() const { return which_; }

 private:
  static constexpr std::uint32_t nobody = 0xffffffff;
  std::size_t hash(index_t diagonal) const {
    return static_cast<std::uint32_t>(diagonal) * 0x9e3779b1u >> shift_;
  }
  std::uint32_t added(std::size_t at, index_t diagonal, T v) {
    const auto value = std::bit_cast<Bits<T>>(v);
    if (table_[at] == nobody) {
      table_[at] = static_cast<std::uint32_t>(lines_.size());
      lines_.push_back({diagonal, 0, true, value});
    }
    const std::uint32_t its = table_[at];
    Line& line = lines_[its];
    ++line.entries;
    line.equal &= line.value == value;
    return its;
  }

  index_t low_ = 0;
  int shift_ = 0;
  std::size_t left_out_ = 0;
  std::vector<Line> lines_;
  std::vector<std::uint32_t> table_, which_;
  std::vector<std::int32_t> counts_;
};

// The most picks of a row of each 32, these in the order of their picks: body(most) for each until
// there are none.
template <class Body>
void each_deepest(std::span<std::int64_t> picks, Body&& body) {
  constexpr std::size_t step = 32, usual = 256;
  const auto deepest = static_cast<std::size_t>(*std::max_element(picks.begin(), picks.end()));
  if (deepest > usual) {
    for (auto p = picks.begin(); p < picks.end(); p += step) {
      std::nth_element(p, p, picks.end(), std::greater<>());
      body(static_cast<double>(*p));
      if (*p == 0) break;
      if (picks.end() - p > std::ptrdiff_t{step})
        std::nth_element(p, p + (step - 1), picks.end(), std::greater<>());
    }
    return;
  }
  // By how many rows have so many.
  std::array<std::uint16_t, usual + 1> rows{};
  for (const std::int64_t n : picks) ++rows[static_cast<std::size_t>(n)];
  std::size_t n = deepest, before = 0;  // rows with more than n
  for (std::size_t at = 0; at < picks.size(); at += step) {
    while (before + rows[n] <= at) before += rows[n--];
    body(static_cast<double>(n));
    if (n == 0) break;
  }
}

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
    diagonals.find(rows, first, last, std::min(low, high), high, std::min(enough, enough_equal));
    single.clear();
    const double before = in_runs;
    for (const auto& line : diagonals.lines()) {
      single.push_back(!is_run(line));
      if (!single.back()) {
        ++s.runs;
        in_runs += line.entries;
        bytes += run_bytes + (line.equal ? 0.0 : slice_rows * static_cast<double>(value_bytes));
      }
    }
    std::array<std::int64_t, slice_rows> picks{};
    index_t least = low, most = high;
    if (in_runs == before) {  // all entries are picks
      for (index_t i = first; i < last; ++i)
        picks[static_cast<std::size_t>(i - first)] = rows.offsets[i + 1] - rows.offsets[i];
    } else {
      least = std::numeric_limits<index_t>::max(), most = 0;
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
    }
    far = far || (most > least && most - least > 0xfffe);
    const double share = static_cast<double>(last - first) / slice_rows;  // of a whole one
    s.steps += static_cast<double>(diagonals.count()) / share;
    each_deepest(picks, [&](double deepest) {
      s.picks += deepest / share;
      s.depth = std::max(s.depth, deepest);
    });
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
  s.steps /= slices;
  return s;
}

template SliceSamples pack_samples(const CsrView<float, std::int64_t>&, std::span<const index_t>,
                                   std::size_t);
template SliceSamples pack_samples(const CsrView<double, std::int64_t>&, std::span<const index_t>,
                                   std::size_t);

}  // namespace nz
