#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <nonzero/types.hpp>

// How gpu/clusters/staged cuts rows into blocks: for it, and for those who predict what it takes.
namespace nz {

// Entries of more than this cannot be numbered.
inline constexpr std::int64_t most_clustered_entries = 0x7fffffff;

// Columns of a block whose shared memory is so large, beside a sum for each of its threads;
// numbered in 16 bits of which one number stands for none.
constexpr std::int64_t most_local_columns(std::size_t value_bytes, std::size_t shared_bytes) {
  const std::size_t sums = 1024 * value_bytes;
  const std::size_t room = shared_bytes > sums ? shared_bytes - sums : 0;
  return static_cast<std::int64_t>(std::min<std::size_t>(room / value_bytes, 0xffff));
}

// Rows of a block. Larger ones share more of their columns; but all processors want work, and each
// several blocks that it can hold at a time.
constexpr int rows_of_cluster_block(index_t rows, double nnz, std::size_t value_bytes,
                                    int processors) {
  constexpr double most_rows = 512, most_bytes = 65536, blocks_a_processor = 1.75;
  const double length = rows > 0 ? std::max(1.0, nnz / rows) : 1;
  const double most = std::min({most_rows, most_bytes / (length * static_cast<double>(value_bytes)),
                                rows / (blocks_a_processor * std::max(processors, 1))});
  int block = 32;
  while (2 * block <= most) block *= 2;
  return block;
}

}  // namespace nz
