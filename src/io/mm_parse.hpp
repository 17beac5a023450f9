#pragma once
#include <cstddef>
#include <string>

#include <nonzero/array.hpp>
#include <nonzero/io.hpp>

namespace nz {

// What was wrong, and at which byte. Caught by the reader, which knows the line.
struct ParseError {
  const char* at;
  std::string message;
};

// Room for the entries of one piece of text. `value` stays empty for a pattern.
template <Value T>
struct EntryBuffer {
  Array<index_t> row;
  Array<index_t> column;
  Array<T> value;
  std::size_t count = 0;

  void reserve(std::size_t n, bool coordinate, bool valued);
};

struct MmShape {
  Field field = Field::real;
  index_t rows = 0;
  index_t cols = 0;
  bool skew = false;  // nothing but zeros on the diagonal
};

// Each appends the entries of the lines in [begin, end) to `out`, which has room for one a line.
// The last line ends with '\n'; behind it, `parse_slack` more bytes can be read. Blank lines and
// % lines are skipped. Throws ParseError; `out` then holds the entries before it.
constexpr std::size_t parse_slack = 32;
template <Value T>
void parse_coordinates(const char* begin, const char* end, const MmShape& shape,
                       EntryBuffer<T>& out);
template <Value T>
void parse_array(const char* begin, const char* end, Field field, EntryBuffer<T>& out);

// The start of line number n (from 0) among those that hold an entry; end when there are fewer.
const char* entry_line(const char* begin, const char* end, std::size_t n);

}  // namespace nz
