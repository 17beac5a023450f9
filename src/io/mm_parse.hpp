#pragma once
#include <cstddef>
#include <string>

#include <nonzero/io.hpp>

#include "formats/assemble.hpp"

namespace nz {

// What was wrong, and at which byte. Caught by the reader, which knows the line.
struct ParseError {
  const char* at;
  std::string message;
};

// Each function reads the lines in [begin, end). The last line ends with '\n'; behind it,
// parse_slack more bytes can be read. Blank lines and % lines are skipped. `count` is the number of
// entries read, also when ParseError is thrown.
constexpr std::size_t parse_slack = 32;

struct MmShape {
  Field field = Field::real;
  index_t rows = 0;
  index_t cols = 0;
  bool skew = false;  // nothing but zeros on the diagonal
};

// For a pattern, the assembly has no values.
template <Value T, bool Valued>
void parse_coordinates(const char* begin, const char* end, const MmShape& shape,
                       typename Assembly<T, Valued>::Writer& out, std::size_t& count);

// `out` has room for one value a line.
template <Value T>
void parse_array(const char* begin, const char* end, Field field, T* out, std::size_t& count);

// The start of line number n (from 0) among those that hold an entry; end when there are fewer.
const char* entry_line(const char* begin, const char* end, std::size_t n);

}  // namespace nz
