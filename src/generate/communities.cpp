#include <algorithm>

#include "generate/hash.hpp"
#include "generate/numbering.hpp"
#include "generate/scatter.hpp"
#include "generate/settings.hpp"

namespace nz {
namespace {

// Preferential attachment (Barabasi and Albert 1999) with communities: each node comes with
// `degree` edges to nodes before it, by the share `mixing` to any, otherwise to those of its own
// community, and always in proportion to the edges that they have. That is one end of an edge drawn
// from those before; a drawn end that is a target is found by the same draw again (Sanders and
// Schulz 2016), so an edge needs no other to be known.
struct Attachment {
  index_t community;
  std::int64_t degree;
  Chance mixed;
  Hash draws;

  index_t target(std::int64_t edge) const {
    while (true) {
      const auto node = static_cast<index_t>(edge / degree);
      const Hash draw = draws.at(edge);
      const index_t first = mixed(draw(0)) ? 0 : node - node % community;
      // Nobody of its own is before the first of a community.
      if (node == first) return node == 0 ? 0 : node - 1;
      const std::int64_t begin = 2 * degree * first, end = 2 * degree * node;
      const std::int64_t one = begin + static_cast<std::int64_t>(
                                           below(draw(1), static_cast<std::uint64_t>(end - begin)));
      edge = one / 2;
      if (one % 2 == 0) return static_cast<index_t>(edge / degree);
    }
  }
};

GeneratedMatrix make_communities(const Settings& all) {
  const index_t n = whole_index(all, "n");
  const Hash hash(seed_of(all)), values_of = hash.at(1);
  const Attachment graph{whole_index(all, "community"), whole(all, "degree"),
                         Chance(real(all, "mixing")), hash.at(0)};
  const Numbering numbering(n, whole_index(all, "window"), hash.at(2));
  return from_cells(
      n, n, n,
      [&](std::int64_t node, auto&& emit) {
        const index_t i = numbering.number(static_cast<index_t>(node));
        for (std::int64_t t = 0; t < graph.degree; ++t) {
          const index_t target = graph.target(node * graph.degree + t);
          if (target == node) continue;
          const index_t j = numbering.number(target);
          emit(i, j);
          emit(j, i);
        }
      },
      [&](index_t i, index_t j) { return mirrored_value(values_of, i, j); });
}

MatrixSize size_communities(const Settings& all) {
  const index_t n = whole_index(all, "n");
  const double edges = static_cast<double>(whole(all, "degree")) * std::max<index_t>(0, n - 1);
  return size_by_cells(n, n, 2 * edges, true,
                       whole_index(all, "window") > 1 ? Numbering::bytes(n) : 0);
}

}  // namespace

Family communities_family() {
  return {
      "communities",
      "social graph: preferential attachment within and between communities, symmetric",
      "own",
      "communities:n=4000,degree=8,community=200",
      {{"n", "rows and columns", 20000, 0, max_index},
       {"degree", "edges that a node comes with; those that meet are stored once", 10, 1, 1 << 16},
       {"community", "nodes of a community, numbered one after the other", 500, 1, max_index},
       {"mixing", "share of the edges that may leave the community", 0.3, 0, 1},
       window_setting,
       seed_setting},
      make_communities,
      size_communities};
}

}  // namespace nz
