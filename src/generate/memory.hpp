#pragma once
#include <cstdint>
#include <string_view>

#include <nonzero/generate.hpp>

namespace nz {

// Throws NoResource when `count` elements of `bytes` each pass what the machine has free for this
// process: a slip in a specification should be an error at once, not hours of work or a process
// killed half-way.
void require_memory(std::string_view what, double count, double bytes);

// The same for a whole matrix, and `limit` in place of the machine's memory when it is not 0.
void require_memory(const MatrixSize& size, std::uint64_t limit);

// The size of a matrix that from_rows() makes, with so many bytes beside it.
MatrixSize size_by_rows(index_t rows, index_t cols, double nonzeros, double beside = 0);

// The size of one that from_cells() makes; `meet`: cells may come twice.
MatrixSize size_by_cells(index_t rows, index_t cols, double cells, bool meet, double beside = 0);

}  // namespace nz
