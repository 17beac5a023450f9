#include "plan/slice_samples.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "formats/narrow_values.hpp"
#include "kernels/packed_rules.hpp"

namespace nz {
namespace {

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
  double bytes = 0, slices = 0, entries = 0;
  const auto pack = [&](index_t first, index_t last) {
    places.clear();
    for (index_t i = first; i < last; ++i)
      for (std::int64_t k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k)
        places.push_back({rows.columns[k] - (i - first), static_cast<int>(i - first),
                          std::bit_cast<Bits<T>>(rows.values[k])});
    std::stable_sort(places.begin(), places.end(),
                     [](const auto& a, const auto& b) { return a.diagonal < b.diagonal; });
    std::array<std::int64_t, slice_rows> picks{};
    for (std::size_t from = 0, to; from < places.size(); from = to) {
      bool equal = true;
      for (to = from; to < places.size() && places[to].diagonal == places[from].diagonal; ++to)
        equal = equal && places[to].value == places[from].value;
      const auto n = static_cast<int>(to - from);
      if (n >= (equal ? enough_equal : enough)) {
        ++s.runs;
        bytes += run_bytes + (equal ? 0.0 : slice_rows * static_cast<double>(value_bytes));
      } else {
        for (std::size_t k = from; k < to; ++k) ++picks[static_cast<std::size_t>(places[k].row)];
      }
    }
    std::sort(picks.begin(), picks.end(), std::greater<>());
    for (std::size_t p = 0; p < picks.size(); p += 32) s.picks += static_cast<double>(picks[p]);
    s.depth = std::max(s.depth, static_cast<double>(picks[0]));
    ++slices;
    entries += static_cast<double>(places.size());
  };
  for (std::size_t i = 0; i + 1 < starts.size(); ++i)
    for (index_t first = starts[i]; first + slice_rows / 2 <= starts[i + 1]; first += slice_rows)
      pack(first, std::min(starts[i + 1], first + slice_rows));
  if (entries == 0) return {};
  bytes += s.picks * 32 * (2 + static_cast<double>(value_bytes)) +
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
