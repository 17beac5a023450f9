#pragma once
#include <nonzero/formats/csr.hpp>

namespace nz {

// The 6 x 6 matrix of izawa2023 figures 2.1 to 2.3, with 1 to 12 for a to l.
inline Csr<double, std::int32_t> figure_matrix() {
  return {6,
          6,
          {0, 4, 7, 8, 10, 10, 12},
          {0, 1, 4, 5, 0, 2, 4, 1, 1, 3, 1, 5},
          {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
}

}  // namespace nz
