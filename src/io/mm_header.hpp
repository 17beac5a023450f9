#pragma once
#include <cstddef>
#include <cstdint>

#include <nonzero/io.hpp>

#include "io/text.hpp"

namespace nz {

// What stands above the entries of a Matrix Market file.
struct MmHeader {
  bool coordinate = true;  // otherwise array
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  index_t rows = 0;
  index_t cols = 0;
  std::int64_t entries = 0;  // lines that must follow
  std::size_t body = 0;      // where they begin
};

// Reads the banner, the comments and the size line. Throws BadInput with file and line for what is
// not Matrix Market, for complex and hermitian matrices, and for sizes that contradict each other
// or that no file of this length can honestly have (see size_limit).
MmHeader read_mm_header(const NamedText& text);

// The most rows or columns that a text of `bytes` may announce. A matrix may have many empty rows,
// but memory is spent on every row: this keeps it in proportion to the file.
constexpr std::uint64_t size_limit(std::uint64_t bytes) {
  return (std::uint64_t{16} << 20) + 64 * bytes;
}

}  // namespace nz
