#pragma once
#include <algorithm>
#include <cstdint>

#include <nonzero/types.hpp>

// How gpu/clusters/staged cuts rows into blocks: for it, and for those who predict what it takes.
namespace nz {

// Entries of more than this cannot be numbered.
inline constexpr std::int64_t most_clustered_entries = 0x7fffffff;

// Rows of a block. Larger ones share more of their columns; but a device wants several blocks a
// processor, and their entries must fit into shared memory together.
constexpr int rows_of_cluster_tile(index_t rows, double nnz, int processors) {
  constexpr double most_entries = 3072, blocks_a_processor = 3;
  const double length = rows > 0 ? nnz / rows : 1;
  const double most = std::min({512.0, most_entries / std::max(length, 1.0),
                                rows / (blocks_a_processor * std::max(processors, 1))});
  int block = 32;
  while (2 * block <= most) block *= 2;
  return block;
}

}  // namespace nz
