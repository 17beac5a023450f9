#pragma once
#include <array>
#include <vector>

#include "generate/settings.hpp"

namespace nz {

// A box of nx x ny x nz cubes, each cut into 6 tetrahedra around its diagonal, all alike (Kuhn's
// triangulation); with nz = 0 a sheet of squares, each cut into 2 triangles. Corners and midpoints
// of edges are together the points of a grid of half the width, numbered along x, then y, then z:
// corners have even coordinates only.
class Simplices {
 public:
  struct Step {
    int dx, dy, dz;
  };

  // Throws InvalidArgument when there are more points than index_t counts.
  Simplices(index_t nx, index_t ny, index_t nz);

  index_t points() const { return points_; }
  std::array<index_t, 3> at(index_t point) const {
    const index_t width = 2 * n_[0] + 1, height = 2 * n_[1] + 1;
    return {point % width, point / width % height, point / width / height};
  }
  index_t point(index_t x, index_t y, index_t z) const {
    return (z * (2 * n_[1] + 1) + y) * (2 * n_[0] + 1) + x;
  }
  bool corner(index_t point) const {
    const auto [x, y, z] = at(point);
    return (x | y | z) % 2 == 0;
  }
  // Corners before this point in the order of points: their numbers among themselves.
  index_t corners_before(index_t point) const;
  index_t corner_point(index_t corner) const {
    const index_t width = n_[0] + 1, height = n_[1] + 1;
    return point(2 * (corner % width), 2 * (corner / width % height),
                 2 * (corner / width / height));
  }
  index_t corners() const { return (n_[0] + 1) * (n_[1] + 1) * (n_[2] + 1); }

  // visit(other) for the points that share a simplex with this one, itself too, in order.
  template <class Visit>
  void for_neighbours(index_t p, Visit&& visit) const {
    const auto [x, y, z] = at(p);
    for (const Step& s : steps_[kind(0, x) * 25 + kind(1, y) * 5 + kind(2, z)])
      visit(point(x + s.dx, y + s.dy, z + s.dz));
  }

  // The sum over all points of count(whether it is a corner, neighbours that are, all neighbours).
  template <class Count>
  double sum(Count&& count) const {
    double total = 0;
    for (std::size_t a = 0; a < 5; ++a)
      for (std::size_t b = 0; b < 5; ++b)
        for (std::size_t c = 0; c < 5; ++c) {
          const double times = of_kind(0, a) * of_kind(1, b) * of_kind(2, c);
          if (times == 0) continue;
          const bool is_corner = a != odd && b != odd && c != odd;
          double corners = 0, all = 0;
          for (const Step& s : steps_[a * 25 + b * 5 + c]) {
            ++all;
            corners += (s.dx + (a == odd)) % 2 == 0 && (s.dy + (b == odd)) % 2 == 0 &&
                       (s.dz + (c == odd)) % 2 == 0;
          }
          total += times * count(is_corner, corners, all);
        }
    return total;
  }

 private:
  // Of a coordinate: at the first or the last side, between two cubes, in the middle of one, or the
  // only one there is.
  enum Kind : std::size_t { first, last, even, odd, only };
  std::size_t kind(std::size_t axis, index_t at) const {
    if (at % 2 != 0) return odd;
    if (n_[axis] == 0) return only;
    return at == 0 ? first : at == 2 * n_[axis] ? last : even;
  }
  double of_kind(std::size_t axis, std::size_t kind) const {
    const double n = n_[axis];
    if (n == 0) return kind == only;
    return kind == odd ? n : kind == even ? n - 1 : kind != only;
  }
  static std::vector<Step> steps(std::size_t a, std::size_t b, std::size_t c);

  std::array<index_t, 3> n_;
  index_t points_;
  std::array<std::vector<Step>, 125> steps_;
};

}  // namespace nz
