#include <cmath>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "generate/hash.hpp"
#include "generate/rows.hpp"
#include "generate/settings.hpp"

namespace nz {
namespace {

// Calls visit(dx, dy, dz) for the stencil's points in the order of their column numbers.
template <class Visit>
void for_stencil(int points, Visit&& visit) {
  const bool star = points == 5 || points == 7;
  const int depth = points == 7 || points == 27 ? 1 : 0;
  for (int dz = -depth; dz <= depth; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        if (!star || (dx != 0) + (dy != 0) + (dz != 0) <= 1) visit(dx, dy, dz);
}

struct Grid {
  int points;
  index_t nx, ny, planes, n;

  explicit Grid(const Settings& all)
      : points(static_cast<int>(whole(all, "points"))),
        nx(whole_index(all, "nx")),
        ny(whole_index(all, "ny")),
        planes(whole_index(all, "nz")) {
    if (points != 5 && points != 7 && points != 9 && points != 27)
      throw InvalidArgument(fmt::format("points = {} is none of 5, 7, 9, 27", points));
    if ((points == 5 || points == 9) && planes != 1)
      throw InvalidArgument(
          fmt::format("{} points are two-dimensional, but nz = {}", points, planes));
    n = index_product("points of the grid", nx, ny, planes);
  }
};

GeneratedMatrix make_grid(const Settings& all) {
  const Grid grid(all);
  const int points = grid.points;
  const index_t nx = grid.nx, ny = grid.ny, planes = grid.planes, n = grid.n;
  const std::int64_t varied = whole(all, "varied");
  const Hash values_of(static_cast<std::uint64_t>(varied));

  const auto inside = [&](index_t i, auto&& visit) {
    const index_t x = i % nx, y = i / nx % ny, z = i / nx / ny;
    for_stencil(points, [&](int dx, int dy, int dz) {
      if (x + dx < 0 || x + dx >= nx || y + dy < 0 || y + dy >= ny || z + dz < 0 ||
          z + dz >= planes)
        return;
      visit(((z + dz) * ny + y + dy) * nx + x + dx);
    });
  };
  return from_rows(
      n, n,
      [&](index_t i) {
        std::int64_t count = 0;
        inside(i, [&](index_t) { ++count; });
        return count;
      },
      [&](index_t i, index_t* columns, double* values, std::int64_t) {
        inside(i, [&](index_t j) {
          *columns++ = j;
          // Coefficients that differ from place to place lie in (-1, 0): the diagonal outweighs
          // them.
          *values++ = i == j        ? points - 1
                      : varied == 0 ? -1
                                    : -std::abs(mirrored_value(values_of, i, j));
        });
      });
}

MatrixSize size_grid(const Settings& all) {
  const Grid g(all);
  const double x = g.nx, y = g.ny, z = g.planes;
  double nonzeros = 0;
  if (g.n == 0)
    nonzeros = 0;
  else if (g.points == 5)
    nonzeros = 5 * x * y - 2 * (x + y);
  else if (g.points == 7)
    nonzeros = 7 * x * y * z - 2 * (x * y + y * z + x * z);
  else
    nonzeros = (3 * x - 2) * (3 * y - 2) * (g.points == 27 ? 3 * z - 2 : 1);
  return size_by_rows(g.n, g.n, nonzeros);
}

}  // namespace

Family grid_family() {
  return {"grid",
          "finite-difference stencil on a grid: points - 1 on the diagonal, -1 beside it",
          "own",
          "grid:points=7,nx=50,ny=50,nz=50",
          {{"points", "5 or 9 (2-D), 7 or 27 (3-D)", 5, 5, 27},
           {"nx", "points along x, which runs fastest", 100, 0, max_index},
           {"ny", "points along y", 100, 0, max_index},
           {"nz", "points along z", 1, 0, max_index},
           {"varied", "0: the same stencil everywhere; else coefficients drawn with this seed", 0,
            0, max_count}},
          make_grid,
          size_grid};
}

}  // namespace nz
