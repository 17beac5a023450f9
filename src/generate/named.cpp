#include <nonzero/generate.hpp>

namespace nz {

std::span<const NamedMatrix> named_matrices() {
  static const NamedMatrix all[] = {
      {"block-band", "chirila2025 §5.1", true, "block-band", "as the paper defines it"},
      {"mycielskian16", "dinoia2025 table II", true, "mycielskian:k=16", "exact, all ones"},
      {"ecology1", "messa2025 table III", true, "grid:points=5,nx=1000,ny=1000",
       "pattern exact (1000 x 1000 grid, both halves: 4,996,000 nonzeros; messa2025 counts the "
       "2,998,000 of the lower half); values are the grid's Laplacian"},
  };
  return all;
}

}  // namespace nz
