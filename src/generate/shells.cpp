#include "generate/elements.hpp"

namespace nz {
namespace {

Elements elements_of(const Settings& all) {
  return Elements(Simplices(whole_index(all, "nx"), whole_index(all, "ny"), 0), true,
                  whole_index(all, "unknowns"));
}

GeneratedMatrix make_shells(const Settings& all) {
  return elements_of(all).make(whole_index(all, "window"), Hash(seed_of(all)));
}

MatrixSize size_shells(const Settings& all) {
  return elements_of(all).size(whole_index(all, "window") > 1);
}

}  // namespace

Family shells_family() {
  // 19 nodes around a corner and 9 around a midpoint, so 11.5 blocks in a block row.
  return {"shells",
          "shell of triangles with 6 nodes, numbered irregularly: blocks, 33 a row, symmetric",
          "own",
          "shells:nx=30,ny=20",
          {{"nx", "squares along x, 2 triangles each", 50, 1, most_cubes},
           {"ny", "squares along y", 50, 1, most_cubes},
           {"unknowns", "unknowns at a node, edge of a block", 3, 1, 1024},
           {"window", "nodes are numbered in a drawn order within so many", 1000, 0, max_index},
           seed_setting},
          make_shells,
          size_shells};
}

}  // namespace nz
