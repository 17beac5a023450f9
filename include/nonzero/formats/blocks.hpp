#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <nonzero/export.hpp>
#include <nonzero/formats/pattern.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

struct BlockOptions {
  bool square = false;  // only shapes of as many rows as columns
  // Among the shapes whose bytes are at most so much above the smallest, a byte of fill counts as
  // fill_weight more, unless it lies beyond the matrix: a few bytes less are not worth zeros that
  // must be multiplied, where natural blocks have none. Slack 0: the fewest bytes.
  double slack = 0.025;
  double fill_weight = 6;
  // Matrices of at most so many nonzeros and rows are looked at as a whole, larger ones by samples.
  std::int64_t whole = 20'000;
};

// The block shape in which a matrix takes the fewest bytes as BSR, fill included. 1 x 1, which is
// CSR, when no blocks pay.
struct BlockVerdict {
  index_t block_rows = 1;
  index_t block_cols = 1;
  std::int64_t blocks = 0;    // estimated, unless exact; so are the next two
  double fill_ratio = 1;      // stored values a nonzero
  std::size_t bsr_bytes = 0;  // as BsrView::bytes() counts
  std::size_t csr_bytes = 0;
  bool exact = true;     // the whole matrix was looked at
  double row_share = 1;  // of the rows that were
  // What the last blocks reach beyond the matrix.
  index_t padding_rows = 0;
  index_t padding_cols = 0;

  bool pays() const { return block_rows > 1 || block_cols > 1; }
  double ratio() const {  // of the bytes, to CSR's
    return csr_bytes == 0 ? 1 : static_cast<double>(bsr_bytes) / static_cast<double>(csr_bytes);
  }
};

// The rows and the columns of a block that are tried, in any combination: 1 to 16, and 32.
std::span<const index_t> block_sides();

// A large matrix takes the same short time, whatever its size.
BlockVerdict detect_blocks(const Pattern& a, const BlockOptions& options = {});

template <Value T, Offset O>
BlockVerdict detect_blocks(const CsrView<T, O>& a, const BlockOptions& options = {}) {
  return detect_blocks(Pattern(a), options);
}

}  // namespace nz
