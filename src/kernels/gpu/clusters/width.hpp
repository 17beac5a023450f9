#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <nonzero/types.hpp>

// How gpu/clusters/staged cuts rows into blocks: for it, and for those who predict what it takes.
namespace nz {

// Columns of a block whose shared memory is so large, beside a sum for each of its threads;
// numbered in 16 bits of which one stands for none.
constexpr std::int64_t most_local_columns(std::size_t value_bytes, std::size_t shared_bytes) {
  const std::size_t sums = 1024 * value_bytes;
  const std::size_t room = shared_bytes > sums ? shared_bytes - sums : 0;
  return static_cast<std::int64_t>(std::min<std::size_t>(room / value_bytes, 0xffff));
}

struct ClusterSizes {
  int block_rows;
};

// Larger blocks share more of their columns; but a device wants several blocks a processor, and
// long rows fill shared memory.
constexpr ClusterSizes cluster_sizes(index_t rows, double nnz, int processors) {
  constexpr double most_entries = 16384, blocks_a_processor = 4;
  const double length = rows > 0 ? nnz / rows : 1;
  const double most = std::min({512.0, most_entries / std::max(length, 1.0),
                                rows / (blocks_a_processor * std::max(processors, 1))});
  int block = 32;
  while (2 * block <= most) block *= 2;
  return {block};
}

}  // namespace nz
