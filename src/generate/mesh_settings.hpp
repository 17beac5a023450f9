#pragma once
#include <algorithm>
#include <vector>

#include "generate/hash.hpp"
#include "generate/numbering.hpp"
#include "generate/rows.hpp"
#include "generate/settings.hpp"
#include "generate/simplices.hpp"

// What families on simplices have in common.
namespace nz {

inline constexpr double most_cubes = 100000;

inline Simplices box_of(const Settings& all) {
  return Simplices(whole_index(all, "nx"), whole_index(all, "ny"), whole_index(all, "nz"));
}

// Sorts what stands there, and gives values that are the same on both sides of the diagonal, which
// outweighs the rest of its row.
inline void fill_symmetric(const Hash& values_of, index_t i, index_t* columns, double* values,
                           std::int64_t n) {
  std::sort(columns, columns + n);
  for (std::int64_t k = 0; k < n; ++k)
    values[k] = columns[k] == i ? static_cast<double>(n) : mirrored_value(values_of, i, columns[k]);
}

}  // namespace nz
