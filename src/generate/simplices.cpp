#include "generate/simplices.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace nz {
namespace {

// Both points of a cube of width 2 lie in one of its 6 tetrahedra, where coordinates fall in the
// same order of the axes: when no two axes are ordered strictly one way in one and strictly the
// other way in the other. Three axes with pairwise agreement have a common order.
bool share_a_tetrahedron(const std::array<int, 3>& p, const std::array<int, 3>& q) {
  std::array<std::size_t, 3> order{0, 1, 2};
  do {
    const auto falls = [&](const std::array<int, 3>& x) {
      return x[order[0]] >= x[order[1]] && x[order[1]] >= x[order[2]];
    };
    if (falls(p) && falls(q)) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

}  // namespace

Simplices::Simplices(index_t nx, index_t ny, index_t nz)
    : n_{nx, ny, nz},
      points_(index_product("points", 2 * std::int64_t{nx} + 1, 2 * std::int64_t{ny} + 1,
                            2 * std::int64_t{nz} + 1)) {
  for (std::size_t a = 0; a < 5; ++a)
    for (std::size_t b = 0; b < 5; ++b)
      for (std::size_t c = 0; c < 5; ++c) steps_[a * 25 + b * 5 + c] = steps(a, b, c);
}

std::vector<Simplices::Step> Simplices::steps(std::size_t a, std::size_t b, std::size_t c) {
  // Where a coordinate of that kind is in the cubes around it.
  static const std::array<std::vector<int>, 5> places{{{0}, {2}, {0, 2}, {1}, {0}}};
  std::set<std::tuple<int, int, int>> found;  // z first: the order of points
  for (const int x : places[a])
    for (const int y : places[b])
      for (const int z : places[c])
        for (int cell = 0; cell < 27; ++cell) {
          const std::array<int, 3> p{x, y, z}, q{cell % 3, cell / 3 % 3, cell / 9};
          if ((a == only && q[0] != 0) || (b == only && q[1] != 0) || (c == only && q[2] != 0))
            continue;
          if (share_a_tetrahedron(p, q)) found.insert({q[2] - z, q[1] - y, q[0] - x});
        }
  std::vector<Step> all;
  for (const auto& [dz, dy, dx] : found) all.push_back({dx, dy, dz});
  return all;
}

index_t Simplices::corners_before(index_t point) const {
  const auto [x, y, z] = at(point);
  const index_t line = n_[0] + 1, plane = line * (n_[1] + 1);
  const index_t planes = (z + 1) / 2 * plane;
  if (z % 2 != 0) return planes;
  const index_t lines = planes + (y + 1) / 2 * line;
  return y % 2 != 0 ? lines : lines + (x + 1) / 2;
}

}  // namespace nz
