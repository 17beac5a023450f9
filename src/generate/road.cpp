#include "generate/hash.hpp"
#include "generate/rows.hpp"
#include "generate/settings.hpp"

namespace nz {
namespace {

// Crossings on a grid, each road to the next crossing kept by chance: planar, symmetric, at most 4
// entries a row, many rows with 1 or 2, some with none.
GeneratedMatrix make_road(const Settings& all) {
  const index_t nx = whole_index(all, "nx"), ny = whole_index(all, "ny");
  const index_t n = index_product("crossings", nx, ny);
  const Chance kept(real(all, "degree") / 4);
  const Hash hash(seed_of(all)), roads = hash.at(0), values_of = hash.at(1);

  // The road from node i to the east (0) or south (1).
  const auto road = [&](index_t i, int direction) { return kept(roads.at(i)(direction)); };
  const auto for_roads = [&](index_t i, auto&& visit) {
    const index_t x = i % nx, y = i / nx;
    if (y > 0 && road(i - nx, 1)) visit(i - nx);
    if (x > 0 && road(i - 1, 0)) visit(i - 1);
    if (x + 1 < nx && road(i, 0)) visit(i + 1);
    if (y + 1 < ny && road(i, 1)) visit(i + nx);
  };
  return from_rows(
      n, n,
      [&](index_t i) {
        std::int64_t count = 0;
        for_roads(i, [&](index_t) { ++count; });
        return count;
      },
      [&](index_t i, index_t* columns, double* values, std::int64_t) {
        for_roads(i, [&](index_t j) {
          *columns++ = j;
          *values++ = mirrored_value(values_of, i, j);
        });
      });
}

MatrixSize size_road(const Settings& all) {
  const index_t nx = whole_index(all, "nx"), ny = whole_index(all, "ny");
  const index_t n = index_product("crossings", nx, ny);
  const double roads = n == 0 ? 0 : 2 * (2.0 * n - nx - ny);  // of the whole grid, both ways
  return size_by_rows(n, n, real(all, "degree") / 4 * roads);
}

}  // namespace

Family road_family() {
  return {"road",
          "road-network-like: planar, local, symmetric, two to three entries a row",
          "own",
          "road:nx=300,ny=200,degree=2.5",
          {{"nx", "crossings from west to east", 1000, 0, max_index},
           {"ny", "crossings from north to south", 1000, 0, max_index},
           {"degree", "mean roads at a crossing", 2.5, 0, 4},
           seed_setting},
          make_road,
          size_road};
}

}  // namespace nz
