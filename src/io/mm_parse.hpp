#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include <nonzero/io.hpp>

#include "formats/assemble.hpp"
#include "io/text_pieces.hpp"

namespace nz {

// What was wrong, and at which byte. Caught by the reader, which knows the line.
struct ParseError {
  const char* at;
  std::string message;
};

// How many lines were read, and how many of them hold an entry.
struct LineCounts {
  std::uint64_t lines = 0;
  std::uint64_t entries = 0;
};

// Each function reads the lines in [begin, end). The last line ends with '\n'; behind it,
// parse_slack more bytes can be read. Blank lines and % lines are skipped. `count` grows by what
// was read, also when ParseError is thrown.

struct MmShape {
  Field field = Field::real;
  index_t rows = 0;
  index_t cols = 0;
  bool skew = false;       // nothing but zeros on the diagonal
  bool hermitian = false;  // nothing but reals there
  bool allow_nan = false;  // words such as nan and inf are values
};

// For a pattern, the assembly has no values.
template <Value T, bool Valued>
void parse_coordinates(const char* begin, const char* end, const MmShape& shape,
                       typename Assembly<T, Valued>::Writer& out, LineCounts& count);

// `out` has room for one value a line. Of the shape, the field and allow_nan count.
template <Value T>
void parse_array(const char* begin, const char* end, const MmShape& shape, T* out,
                 LineCounts& count);

// Counts lines up to the one that holds entry number n (from 0), which is counted too; false when
// there are fewer entries, and then all are counted.
bool count_to_entry(const char* begin, const char* end, std::uint64_t n, LineCounts& count);

}  // namespace nz
