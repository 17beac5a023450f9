#include "plan/wide_parts.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/instantiate.hpp"

namespace nz {
namespace {

// A side has places where it would have so many times as many neighbours, most of them without
// entries: then what would be kept for those weighs more than a copy of the others.
constexpr std::int64_t times_as_many = 4, few = 1024;

// The side of entries with these indices, which become those within the part.
WideSide side_of(std::vector<std::int64_t>& indices) {
  std::vector<std::int64_t> places = indices;
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  const auto count = std::ssize(places);
  WideSide s{.first = places.front()};
  const std::int64_t neighbours = places.back() - places.front() + 1;
  if (neighbours <= times_as_many * count + few) {
    s.count = static_cast<index_t>(neighbours);
    for (std::int64_t& i : indices) i -= s.first;
    return s;
  }
  s.count = static_cast<index_t>(count);
  for (std::int64_t& i : indices)
    i = std::lower_bound(places.begin(), places.end(), i) - places.begin();
  s.places = Array<std::int64_t>(std::span<const std::int64_t>(places));
  return s;
}

std::vector<index_t> narrow(const std::vector<std::int64_t>& from) {
  std::vector<index_t> to(from.size());
  std::transform(from.begin(), from.end(), to.begin(),
                 [](std::int64_t i) { return static_cast<index_t>(i); });
  return to;
}

}  // namespace

template <RealValue T>
std::vector<WidePart<T>> cut_wide(const WideCooView<T>& a, const WideCut& cut) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> entries;
  for (std::int64_t k = 0; k < a.nnz; ++k)
    entries[{a.row_index[k] / cut.rows, a.col_index[k] / cut.cols}].push_back(k);
  std::vector<WidePart<T>> parts;
  for (const auto& [where, its] : entries) {
    std::vector<std::int64_t> rows(its.size()), cols(its.size());
    std::vector<T> values(its.size());
    for (std::size_t i = 0; i < its.size(); ++i) {
      rows[i] = a.row_index[its[i]];
      cols[i] = a.col_index[its[i]];
      values[i] = a.values[its[i]];
    }
    WidePart<T> part{.rows = side_of(rows), .cols = side_of(cols)};
    part.matrix = csr_from_triplets<T, std::int64_t>(part.rows.count, part.cols.count, narrow(rows),
                                                     narrow(cols), values);
    parts.push_back(std::move(part));
  }
  return parts;
}

#define NZ_INSTANTIATE(T) \
  template std::vector<WidePart<T>> cut_wide(const WideCooView<T>&, const WideCut&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz
