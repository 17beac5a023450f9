#include "base/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace nz {
namespace {

// Levenshtein distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] != b[j])});
      diagonal = above;
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
