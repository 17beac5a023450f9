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

// The 8 x 8 matrix of izawa2023 figures 3.1, 3.4 and 3.5, with 1 to 26 for a to z.
inline Csr<double, std::int32_t> letters_matrix() {
  Csr<double, std::int32_t> a{
      8,
      8,
      {0, 6, 12, 13, 15, 18, 21, 24, 26},
      {0, 1, 4, 5, 6, 7, 0, 1, 2, 3, 4, 7, 1, 1, 3, 2, 3, 6, 2, 3, 7, 1, 3, 4, 4, 5},
      Array<double>(26)};
  for (int k = 0; k < 26; ++k) a.values[k] = k + 1;
  return a;
}

}  // namespace nz
