#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nonzero/array.hpp>
#include <nonzero/types.hpp>

// The stored values of a BSR matrix cut into equal pieces, beforehand and by the host: the
// preprocessed fixed-size tasks of chirila2025 §6.2.2, for the kernels of CPUs and GPUs.
namespace nz {

// Piece c is the stored values index[c] to index[c+1]; it begins in line row[c] of the grid and
// ends in line row[c+1]. Where it begins at the end of its first line, it has nothing of it.
struct BsrChunks {
  Array<std::int64_t> index{0};
  Array<index_t> row{0};

  std::int64_t count() const { return static_cast<std::int64_t>(row.size()) - 1; }
  std::size_t bytes() const {
    return index.size() * sizeof(std::int64_t) + row.size() * sizeof(index_t);
  }
};

// Where piece `chunk` of `chunks` equal pieces of [0, n) begins: n * chunk / chunks, rounded down,
// without the large product.
inline std::int64_t chunk_start(std::int64_t n, std::int64_t chunk, std::int64_t chunks) {
  return n / chunks * chunk + n % chunks * chunk / chunks;
}

// Listing 10. `offsets` are those of the lines of blocks, one more than lines; without blocks there
// are no pieces.
template <Offset O>
BsrChunks cut_into_chunks(std::span<const O> offsets, std::int64_t block_size,
                          std::int64_t chunks) {
  const std::int64_t values = offsets.back() * block_size;
  if (values == 0) return {};
  const auto n = static_cast<std::size_t>(chunks);
  BsrChunks cut{Array<std::int64_t>(n + 1), Array<index_t>(n + 1)};
  cut.index[0] = 0;
  cut.row[0] = 0;
  std::size_t row = 0;
  for (std::size_t c = 1; c <= n; ++c) {
    const std::int64_t stop = chunk_start(values, static_cast<std::int64_t>(c), chunks);
    while (offsets[row + 1] * block_size < stop) ++row;
    cut.index[c] = stop;
    cut.row[c] = static_cast<index_t>(row);
  }
  return cut;
}

// The lines that no piece has as a whole, in order: those that are cut, and those without blocks.
template <Offset O>
std::vector<index_t> lines_not_in_one_chunk(std::span<const O> offsets, std::int64_t block_size,
                                            const BsrChunks& cut) {
  std::vector<index_t> lines;
  std::size_t c = 0;  // the first piece that begins behind the line's begin
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const std::int64_t begin = offsets[i] * block_size, end = offsets[i + 1] * block_size;
    while (c < cut.index.size() && cut.index[c] <= begin) ++c;
    if (begin == end || (c < cut.index.size() && cut.index[c] < end))
      lines.push_back(static_cast<index_t>(i));
  }
  return lines;
}

}  // namespace nz
