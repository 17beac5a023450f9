#pragma once
#include <cstdint>
#include <string>

#include <nonzero/formats/csr.hpp>

#include "soak/draw.hpp"

namespace nz::trials {

using Matrix = Csr<double, std::int64_t>;

struct Drawn {
  Matrix matrix;
  std::string name;
};

// A sound matrix of at most so many rows, columns and about so many nonzeros: rows and columns of
// none, empty rows, full ones, bands, blocks, hubs, and the generator's families.
Drawn draw_matrix(Draw& draw, index_t most_rows, std::int64_t most_nonzeros);

// A square one that solvers converge on: diagonally dominant, symmetric if asked.
Drawn draw_system(Draw& draw, index_t most_rows, bool symmetric);

}  // namespace nz::trials
