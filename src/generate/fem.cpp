#include <algorithm>

#include "generate/hash.hpp"
#include "generate/rows.hpp"
#include "generate/settings.hpp"

namespace nz {
namespace {

// Nodes of a 3-D mesh, numbered along x, then y, then z. Each couples with itself and with some of
// its 26 neighbours, symmetrically: first with the 6 beside its faces, then with the others by
// chance, so that an inner node has `blocks` couplings on average. A coupling is a dense block.
struct Mesh {
  index_t nx, ny, nz;
  Chance face, corner;
  Hash edges;

  bool coupled(index_t node, int dx, int dy, int dz) const {
    const int direction = (dz * 3 + dy) * 3 + dx;
    if (direction == 0) return true;
    const index_t x = node % nx, y = node / nx % ny, z = node / nx / ny;
    if (x + dx < 0 || x + dx >= nx || y + dy < 0 || y + dy >= ny || z + dz < 0 || z + dz >= nz)
      return false;
    // The edge belongs to its lower node.
    const index_t owner = direction > 0 ? node : neighbour(node, dx, dy, dz);
    const std::uint64_t bits = edges.at(owner)(direction > 0 ? direction : -direction);
    return std::abs(dx) + std::abs(dy) + std::abs(dz) == 1 ? face(bits) : corner(bits);
  }
  index_t neighbour(index_t node, int dx, int dy, int dz) const {
    return node + (dz * ny + dy) * nx + dx;
  }

  // Coupled nodes in increasing order.
  template <class Visit>
  void for_coupled(index_t node, Visit&& visit) const {
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          if (coupled(node, dx, dy, dz)) visit(neighbour(node, dx, dy, dz));
  }
};

GeneratedMatrix make_fem(const Settings& all) {
  const Hash hash(seed_of(all)), values_of = hash.at(1);
  const double others = real(all, "blocks") - 1;
  const Mesh mesh{whole_index(all, "nx"),
                  whole_index(all, "ny"),
                  whole_index(all, "nz"),
                  Chance(std::min(1.0, others / 6)),
                  Chance(std::max(0.0, (others - 6) / 20)),
                  hash.at(0)};
  const index_t block = whole_index(all, "block");
  const index_t nodes = index_product("nodes", mesh.nx, mesh.ny, mesh.nz);
  const index_t n = index_product("rows", nodes, block);
  return from_rows(
      n, n,
      [&](index_t i) {
        std::int64_t count = 0;
        mesh.for_coupled(i / block, [&](index_t) { count += block; });
        return count;
      },
      [&](index_t i, index_t* columns, double* values, std::int64_t length) {
        mesh.for_coupled(i / block, [&](index_t node) {
          for (index_t j = node * block; j < (node + 1) * block; ++j) {
            *columns++ = j;
            // A diagonal at least as large as the rest of the row: positive definite.
            *values++ = i == j ? static_cast<double>(length) : mirrored_value(values_of, i, j);
          }
        });
      });
}

MatrixSize size_fem(const Settings& all) {
  const index_t nx = whole_index(all, "nx"), ny = whole_index(all, "ny"),
                nz = whole_index(all, "nz");
  const index_t block = whole_index(all, "block");
  const index_t nodes = index_product("nodes", nx, ny, nz);
  const index_t n = index_product("rows", nodes, block);
  if (n == 0) return size_by_rows(n, n, 0);
  const double others = real(all, "blocks") - 1;
  // Neighbours that there are, both ways: all 26, and of those the 6 beside faces.
  const double all27 = (3.0 * nx - 2) * (3.0 * ny - 2) * (3.0 * nz - 2);
  const double faces = 2 * (3.0 * nodes - static_cast<double>(ny) * nz -
                            static_cast<double>(nx) * nz - static_cast<double>(nx) * ny);
  const double couplings = nodes + std::min(1.0, others / 6) * faces +
                           std::max(0.0, (others - 6) / 20) * (all27 - nodes - faces);
  return size_by_rows(n, n, couplings * block * block);
}

}  // namespace

Family fem_family() {
  return {"fem",
          "finite-element-like: small dense blocks between neighbours of a 3-D mesh, symmetric",
          "own",
          "fem:nx=20,ny=20,nz=20,block=3,blocks=13",
          {{"nx", "nodes along x, which runs fastest", 30, 0, max_index},
           {"ny", "nodes along y", 30, 0, max_index},
           {"nz", "nodes along z", 30, 0, max_index},
           {"block", "unknowns at a node, edge of a block", 3, 1, 1024},
           {"blocks", "mean blocks in a block row, inside the mesh", 13, 1, 27},
           seed_setting},
          make_fem,
          size_fem};
}

}  // namespace nz
