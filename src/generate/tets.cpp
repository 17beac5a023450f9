#include "generate/elements.hpp"

namespace nz {
namespace {

Elements elements_of(const Settings& all) {
  return Elements(box_of(all), whole(all, "order") == 2, whole_index(all, "unknowns"));
}

GeneratedMatrix make_tets(const Settings& all) {
  return elements_of(all).make(whole_index(all, "window"), Hash(seed_of(all)));
}

MatrixSize size_tets(const Settings& all) {
  return elements_of(all).size(whole_index(all, "window") > 1);
}

}  // namespace

Family tets_family() {
  return {
      "tets",
      "finite elements on tetrahedra, linear or quadratic: blocks, rows of few lengths, symmetric",
      "own",
      "tets:nx=8,ny=7,nz=6,order=2,unknowns=1,window=300",
      {{"nx", "cubes along x, which runs fastest; 6 tetrahedra each", 10, 1, most_cubes},
       {"ny", "cubes along y", 10, 1, most_cubes},
       {"nz", "cubes along z", 10, 1, most_cubes},
       {"order", "1: nodes at corners; 2: at midpoints of edges too", 2, 1, 2},
       {"unknowns", "unknowns at a node, edge of a block", 3, 1, 1024},
       window_setting,
       seed_setting},
      make_tets,
      size_tets};
}

}  // namespace nz
