#pragma once
#include "generate/mesh_settings.hpp"

// Stiffness matrices on simplices: nodes at corners, or at corners and midpoints, with a number of
// unknowns each; those of nodes that share a simplex are coupled.
namespace nz {

struct Elements {
  Simplices box;
  bool quadratic;
  index_t unknowns, nodes, rows;

  Elements(const Simplices& simplices, bool is_quadratic, index_t per_node)
      : box(simplices),
        quadratic(is_quadratic),
        unknowns(per_node),
        nodes(quadratic ? box.points() : box.corners()),
        rows(index_product("rows", nodes, unknowns)) {}

  MatrixSize size(bool numbered) const {
    const double couplings = box.sum([&](bool corner, double corners, double all) {
      return quadratic ? all : corner ? corners : 0;
    });
    return size_by_rows(rows, rows, couplings * unknowns * unknowns,
                        numbered ? Numbering::bytes(nodes) : 0);
  }

  GeneratedMatrix make(index_t window, const Hash& hash) const;
};

}  // namespace nz
