#include "base/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace nz {
namespace {

// Letters to add, take away or replace, and neighbours to swap, which fingers do most.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({above[j + 1] + 1, row[j] + 1, above[j] + (a[i] != b[j])});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view wanted, std::span<const std::string> candidates) {
  std::vector<std::pair<std::size_t, const std::string*>> near;
  near.reserve(candidates.size());
  for (const std::string& name : candidates) near.emplace_back(distance(name, wanted), &name);
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string joined;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, near.size()); ++i)
    joined += (i == 0 ? "" : ", ") + *near[i].second;
  return joined;
}

}  // namespace nz
