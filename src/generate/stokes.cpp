#include "generate/mesh_settings.hpp"

namespace nz {
namespace {

// Taylor-Hood elements: three components of velocity at corners and midpoints, pressure at corners.
// Unknowns are all first components, all second, all third, then pressures:
//   [ K       B1' ]     K couples velocities of one component, B the pressures with all of them;
//   [   K     B2' ]     no pressures are coupled.
//   [     K   B3' ]
//   [ B1 B2 B3 0  ]
GeneratedMatrix make_stokes(const Settings& all) {
  const Simplices box = box_of(all);
  const index_t nodes = box.points(), pressures = box.corners();
  const index_t n = index_product("unknowns", 3 * std::int64_t{nodes} + pressures, 1);
  const Hash hash(seed_of(all)), values_of = hash.at(2);
  const index_t window = whole_index(all, "window");
  const Numbering of_nodes(nodes, window, hash.at(0)), of_corners(pressures, window, hash.at(1));

  // The unknowns that unknown i is coupled with, in no order.
  const auto for_coupled = [&](index_t i, auto&& visit) {
    const index_t component = i / nodes;
    const bool pressure = component >= 3;
    const index_t point = pressure ? box.corner_point(of_corners.thing(i - 3 * nodes))
                                   : of_nodes.thing(i - component * nodes);
    box.for_neighbours(point, [&](index_t other) {
      const index_t node = of_nodes.number(other);
      if (pressure)
        for (index_t c = 0; c < 3; ++c) visit(c * nodes + node);
      else
        visit(component * nodes + node);
      if (!pressure && box.corner(other))
        visit(3 * nodes + of_corners.number(box.corners_before(other)));
    });
  };
  return from_rows(
      n, n,
      [&](index_t i) {
        std::int64_t count = 0;
        for_coupled(i, [&](index_t) { ++count; });
        return count;
      },
      [&](index_t i, index_t* columns, double* values, std::int64_t length) {
        index_t* out = columns;
        for_coupled(i, [&](index_t j) { *out++ = j; });
        fill_symmetric(values_of, i, columns, values, length);
      });
}

MatrixSize size_stokes(const Settings& all) {
  const Simplices box = box_of(all);
  const index_t n = index_product("unknowns", 3 * std::int64_t{box.points()} + box.corners(), 1);
  const double nonzeros = box.sum([](bool corner, double corners, double neighbours) {
    return 3 * (neighbours + corners) + (corner ? 3 * neighbours : 0);
  });
  const double numbers = static_cast<double>(box.points()) + box.corners();
  return size_by_rows(n, n, nonzeros,
                      whole_index(all, "window") > 1 ? Numbering::bytes(numbers) : 0);
}

}  // namespace

Family stokes_family() {
  return {"stokes",
          "Stokes flow with Taylor-Hood tetrahedra: three velocities and a pressure, saddle point",
          "own",
          "stokes:nx=6,ny=5,nz=4,window=100",
          {{"nx", "cubes along x, which runs fastest; 6 tetrahedra each", 8, 1, most_cubes},
           {"ny", "cubes along y", 8, 1, most_cubes},
           {"nz", "cubes along z", 8, 1, most_cubes},
           window_setting,
           seed_setting},
          make_stokes,
          size_stokes};
}

}  // namespace nz
