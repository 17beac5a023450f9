#include "generate/mesh_settings.hpp"

namespace nz {
namespace {

// An unknown an edge of the tetrahedra: those of edges that share a tetrahedron are coupled. An
// edge is its midpoint, so the edges are the points of the half-width grid but the corners.
GeneratedMatrix make_edges(const Settings& all) {
  const Simplices box = box_of(all);
  const index_t n = box.points() - box.corners();
  const Hash hash(seed_of(all));
  const Numbering numbering(n, whole_index(all, "window"), hash.at(0));
  // The midpoint of edge e: the last point with at most e others that are no corners before it.
  const auto midpoint = [&](index_t e) {
    index_t low = e, high = box.points() - 1;
    while (low < high) {
      const index_t middle = low + (high - low + 1) / 2;
      if (middle - box.corners_before(middle) <= e)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  };
  const auto for_edges = [&](index_t i, auto&& visit) {
    box.for_neighbours(midpoint(numbering.thing(i)), [&](index_t other) {
      if (!box.corner(other)) visit(numbering.number(other - box.corners_before(other)));
    });
  };
  return from_rows(
      n, n,
      [&](index_t i) {
        std::int64_t count = 0;
        for_edges(i, [&](index_t) { ++count; });
        return count;
      },
      [&, values_of = hash.at(1)](index_t i, index_t* columns, double* values,
                                  std::int64_t length) {
        index_t* out = columns;
        for_edges(i, [&](index_t j) { *out++ = j; });
        fill_symmetric(values_of, i, columns, values, length);
      });
}

MatrixSize size_edges(const Settings& all) {
  const Simplices box = box_of(all);
  const index_t n = box.points() - box.corners();
  return size_by_rows(n, n, box.sum([](bool corner, double corners, double neighbours) {
    return corner ? 0 : neighbours - corners;
  }),
                      whole_index(all, "window") > 1 ? Numbering::bytes(n) : 0);
}

}  // namespace

Family edges_family() {
  return {"edges",
          "edge elements on tetrahedra, as in electromagnetics: an unknown an edge, symmetric",
          "own",
          "edges:nx=10,ny=9,nz=8",
          {{"nx", "cubes along x, which runs fastest; 6 tetrahedra each", 15, 1, most_cubes},
           {"ny", "cubes along y", 15, 1, most_cubes},
           {"nz", "cubes along z", 15, 1, most_cubes},
           window_setting,
           seed_setting},
          make_edges,
          size_edges};
}

}  // namespace nz
