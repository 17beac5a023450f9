#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <vector>

#include <nonzero/formats/packed.hpp>

// How the entries of a packed slice are found: runs of neighbouring columns down neighbouring rows,
// and picks, which are in none. A lane is a row of the slice.
namespace nz {

// The lanes of a mask, 16 at most. std::popcount would be a call: not every processor that this is
// compiled for has the instruction.
inline int lanes_in(unsigned mask) {
  mask -= mask >> 1 & 0x5555u;
  mask = (mask & 0x3333u) + (mask >> 2 & 0x3333u);
  mask = (mask + (mask >> 4)) & 0x0f0fu;
  return static_cast<int>((mask + (mask >> 8)) & 0x1fu);
}

// Below three quarters, the empty places cost more than indices would.
template <RealValue T>
bool is_run(unsigned mask) {
  return lanes_in(mask) * 4 >= PackedView<T>::lanes * 3;
}

// Whether all rows of a slice are the first one, each shifted by one column more, as inside of a
// stencil.
template <RealValue T, Offset O>
bool is_one_row(const CsrView<T, O>& a, index_t s) {
  constexpr index_t lanes = PackedView<T>::lanes;
  const index_t first = s * lanes;
  if (a.rows - first < lanes) return false;
  const std::int64_t begin = a.offsets[first], length = a.offsets[first + 1] - begin;
  if (a.offsets[first + lanes] - begin != lanes * length) return false;
  for (index_t l = 1; l < lanes; ++l) {
    if (a.offsets[first + l] - begin != l * length) return false;
    const index_t *row = a.columns + begin, *its = row + l * length;
    for (std::int64_t k = 0; k < length; ++k)
      if (its[k] - l != row[k]) return false;
  }
  return true;
}

// The runs of a slice. Column minus lane is the same along a run: every entry puts its lane down
// for a hash of that number, and a number may be a run's where as many lanes are down as a run has.
// Others with the same hash do no harm, as whoever walks along the rows sees which lanes have it.
class RunFinder {
 public:
  // What may be the first columns of runs, rising; all that are, and some that are not.
  template <RealValue T, Offset O>
  const std::vector<index_t>& find(const CsrView<T, O>& a, index_t s) {
    constexpr index_t lanes = PackedView<T>::lanes;
    const index_t first = s * lanes, height = std::min<index_t>(lanes, a.rows - first);
    const auto entries = static_cast<std::uint64_t>(a.offsets[first + height] - a.offsets[first]);
    const int bits = std::clamp<int>(std::bit_width(4 * entries), 8, most_bits);
    const int shift = 32 - bits;
    std::fill_n(lanes_.begin(), std::size_t{1} << bits, std::uint16_t{0});
    for (index_t l = 0; l < height; ++l)
      for (O k = a.offsets[first + l]; k < a.offsets[first + l + 1]; ++k) {
        std::uint16_t& down = lanes_[hash(a.columns[k] - l) >> shift];
        down = static_cast<std::uint16_t>(down | 1u << l);
      }
    // A run has one of the first lanes.
    found_.clear();
    for (index_t l = 0; l < std::min<index_t>(height, lanes / 4 + 1); ++l) {
      of_lane_.clear();
      for (O k = a.offsets[first + l]; k < a.offsets[first + l + 1]; ++k) {
        const index_t start = a.columns[k] - l;
        if (is_run<T>(lanes_[hash(start) >> shift])) of_lane_.push_back(start);
      }
      if (of_lane_.empty()) continue;
      both_.clear();
      std::set_union(found_.begin(), found_.end(), of_lane_.begin(), of_lane_.end(),
                     std::back_inserter(both_));
      found_.swap(both_);
    }
    return found_;
  }

 private:
  static constexpr int most_bits = 14;

  static std::uint32_t hash(index_t start) {
    return static_cast<std::uint32_t>(start) * 2654435769u;  // 2^32 by the golden ratio
  }

  std::vector<std::uint16_t> lanes_ = std::vector<std::uint16_t>(std::size_t{1} << most_bits);
  std::vector<index_t> found_, of_lane_, both_;
};

// Walks the entries of one slice and tells each run and each pick: the runs in the order of their
// columns, and the picks of each lane.
template <RealValue T, Offset O, class Run, class Pick>
void walk(const CsrView<T, O>& a, index_t s, RunFinder& finder, Run&& run, Pick&& pick) {
  constexpr index_t lanes = PackedView<T>::lanes;
  const index_t first = s * lanes, height = std::min<index_t>(lanes, a.rows - first);
  O at[lanes], end[lanes];
  for (index_t l = 0; l < height; ++l) {
    at[l] = a.offsets[first + l];
    end[l] = a.offsets[first + l + 1];
  }
  if (is_one_row(a, s)) {
    while (at[0] < end[0]) {
      run(a.columns[at[0]], unsigned{PackedView<T>::full_mask}, at);
      for (index_t l = 0; l < lanes; ++l) ++at[l];
    }
    return;
  }
  for (const index_t start : finder.find(a, s)) {
    unsigned mask = 0;
    for (index_t l = 0; l < height; ++l) {
      for (; at[l] < end[l] && a.columns[at[l]] - l < start; ++at[l]) pick(l, at[l]);
      mask |= static_cast<unsigned>(at[l] < end[l] && a.columns[at[l]] - l == start) << l;
    }
    if (!is_run<T>(mask)) continue;
    run(start, mask, at);
    for (index_t l = 0; l < height; ++l) at[l] += mask >> l & 1u;
  }
  for (index_t l = 0; l < height; ++l)
    for (; at[l] < end[l]; ++at[l]) pick(l, at[l]);
}

}  // namespace nz
