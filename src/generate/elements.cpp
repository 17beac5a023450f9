#include "generate/elements.hpp"

namespace nz {

GeneratedMatrix Elements::make(index_t window, const Hash& hash) const {
  const Numbering numbering(nodes, window, hash.at(0));
  const Hash values_of = hash.at(1);
  const auto for_nodes = [&](index_t node, auto&& visit) {
    const index_t point = quadratic ? node : box.corner_point(node);
    box.for_neighbours(point, [&](index_t other) {
      if (quadratic)
        visit(other);
      else if (box.corner(other))
        visit(box.corners_before(other));
    });
  };
  return from_rows(
      rows, rows,
      [&](index_t i) {
        std::int64_t count = 0;
        for_nodes(numbering.thing(i / unknowns), [&](index_t) { count += unknowns; });
        return count;
      },
      [&](index_t i, index_t* columns, double* values, std::int64_t n) {
        index_t* out = columns;
        for_nodes(numbering.thing(i / unknowns), [&](index_t node) {
          const index_t first = numbering.number(node) * unknowns;
          for (index_t j = first; j < first + unknowns; ++j) *out++ = j;
        });
        fill_symmetric(values_of, i, columns, values, n);
      });
}

}  // namespace nz
