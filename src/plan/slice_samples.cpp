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

constexpr double enough_entries = 8192;

template <class T>
struct Place {
  index_t diagonal;  // column less row
  int row;           // of the slice
  Bits<T> value;
};

}  // namespace

template <Value T>
SliceSamples pack_samples(const Csr<T, std::int64_t>& rows, std::span<const index_t> starts,
                          std::size_t value_bytes) {
  SliceSamples s;
  const int enough = enough_rows(value_bytes);
  std::vector<Place<T>> places;
  std::vector<std::uint64_t> keys;
  double bytes = 0, slices = 0, entries = 0;
  bool far = false;  // 2 bytes a pick are too few
  const auto pack = [&](index_t first, index_t last) {
    places.clear();
    keys.clear();
    for (index_t i = first; i < last; ++i)
      for (std::int64_t k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k) {
        const index_t diagonal = rows.columns[k] - (i - first);
        // By diagonal, and on it in the order of rows.
        keys.push_back(static_cast<std::uint64_t>(std::int64_t{diagonal} + slice_rows) << 32 |
                       places.size());
        places.push_back(
            {diagonal, static_cast<int>(i - first), std::bit_cast<Bits<T>>(rows.values[k])});
      }
    std::sort(keys.begin(), keys.end());
    const auto at = [&](std::size_t i) -> const Place<T>& { return places[keys[i] & 0xffffffff]; };
    std::array<std::int64_t, slice_rows> picks{};
    index_t least = std::numeric_limits<index_t>::max(), most = 0;
    for (std::size_t from = 0, to; from < places.size(); from = to) {
      bool equal = true;
      for (to = from; to < places.size() && at(to).diagonal == at(from).diagonal; ++to)
        equal = equal && at(to).value == at(from).value;
      const auto n = static_cast<int>(to - from);
      if (n >= (equal ? enough_equal : enough)) {
        ++s.runs;
        bytes += run_bytes + (equal ? 0.0 : slice_rows * static_cast<double>(value_bytes));
      } else {
        for (std::size_t k = from; k < to; ++k) {
          ++picks[static_cast<std::size_t>(at(k).row)];
          const index_t column = at(k).diagonal + at(k).row;
          least = std::min(least, column);
          most = std::max(most, column);
        }
      }
    }
    far = far || (most > least && most - least > 0xfffe);
    std::sort(picks.begin(), picks.end(), std::greater<>());
    for (std::size_t p = 0; p < picks.size(); p += 32) s.picks += static_cast<double>(picks[p]);
    s.depth = std::max(s.depth, static_cast<double>(picks[0]));
    ++slices;
    entries += static_cast<double>(places.size());
  };
  // One from each place, until a few thousand entries were seen.
  for (std::size_t i = 0; i + 1 < starts.size() && entries < enough_entries; ++i)
    if (starts[i + 1] - starts[i] >= slice_rows / 2)
      pack(starts[i], std::min(starts[i + 1], starts[i] + slice_rows));
  if (entries == 0) return {};
  bytes += s.picks * 32 * ((far ? 4 : 2) + static_cast<double>(value_bytes)) +
           slices * (s.picks > 0 ? 32 + slice_rows : 32);
  s.bytes = bytes / entries;
  s.runs /= slices;
  s.picks /= slices;
  return s;
}

template SliceSamples pack_samples(const Csr<float, std::int64_t>&, std::span<const index_t>,
                                   std::size_t);
template SliceSamples pack_samples(const Csr<double, std::int64_t>&, std::span<const index_t>,
                                   std::size_t);

}  // namespace nz
