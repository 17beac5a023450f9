#include "io/mm_parse.hpp"

#include <cstring>

#include <fmt/format.h>

#include "base/instantiate.hpp"
#include "io/number.hpp"
#include "io/text.hpp"

namespace nz {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

const char* skip_space(const char* p) {
  while (is_space(*p)) ++p;
  return p;
}

const char* line_end(const char* p, const char* end) {
  return static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
}

// The word at p, for a message.
std::string word_at(const char* p, const char* end) {
  const char* stop = p;
  while (stop < end && *stop != '\n' && !is_space(*stop)) ++stop;
  if (stop == p) return "the end of the line";
  return quoted({p, static_cast<std::size_t>(stop - p)});
}

[[noreturn]] void no_index(const char* p, const char* end, const char* what, index_t most) {
  const char* stop = p;
  while (number::is_digit(*stop)) ++stop;
  if (stop == p || (*stop != '\n' && !is_space(*stop)))
    throw ParseError{p, fmt::format("expected a {} number, found {}", what, word_at(p, end))};
  const std::string_view all(p, static_cast<std::size_t>(stop - p));
  if (all.find_first_not_of('0') == std::string_view::npos)
    throw ParseError{p, fmt::format("{} 0: counting starts at 1", what)};
  throw ParseError{p, fmt::format("{} {} exceeds {}", what, all.substr(0, 40), most)};
}

// A number from 1 to most at p, handed out from 0.
inline const char* parse_index(const char* p, const char* end, index_t most, const char* what,
                               index_t& index) {
  std::uint64_t v = 0;
  const char* stop = number::digits(p, v);
  const bool ended = is_space(*stop) || *stop == '\n';
  if (stop == p || stop - p > 18 || !ended || v - 1 >= static_cast<std::uint64_t>(most))
      [[unlikely]]
    no_index(p, end, what, most);
  index = static_cast<index_t>(v - 1);
  return stop;
}

template <Field F, Value T>
inline const char* parse_value(const char* p, const char* end, T& value) {
  const char* const start = p;
  const auto result =
      F == Field::integer ? number::integer(p, end, value) : number::real(p, end, value);
  if (result == number::Result::too_large)
    throw ParseError{start, fmt::format("{} does not fit {}-bit floating point",
                                        word_at(start, end), 8 * sizeof(T))};
  if (result != number::Result::ok || !(*p == '\n' || is_space(*p))) [[unlikely]]
    throw ParseError{
        start, fmt::format("expected {}, found {}", F == Field::integer ? "an integer" : "a number",
                           word_at(start, end))};
  return p;
}

// The end of a line whose entry is complete.
inline const char* finish_line(const char* p, const char* end) {
  if (*p != '\n') {
    p = skip_space(p);
    if (*p != '\n') [[unlikely]]
      throw ParseError{p, fmt::format("unexpected {} after the entry", word_at(p, end))};
  }
  return p + 1;
}

template <Field F, Value T>
void parse_lines(const char* p, const char* end, const MmShape& shape, EntryBuffer<T>& out) {
  index_t* const row = out.row.data();
  index_t* const column = out.column.data();
  T* const value = out.value.data();
  const index_t rows = shape.rows, cols = shape.cols;
  while (p < end) {
    p = skip_space(p);
    if (*p == '\n') {
      ++p;
      continue;
    }
    if (*p == '%') {
      p = line_end(p, end) + 1;
      continue;
    }
    const std::size_t k = out.count;
    const char* const start = p;
    index_t i, j;
    p = skip_space(parse_index(p, end, rows, "row", i));
    p = parse_index(p, end, cols, "column", j);
    if constexpr (F != Field::pattern) {
      T v;
      p = parse_value<F>(skip_space(p), end, v);
      if (shape.skew && i == j && v != 0) [[unlikely]]
        throw ParseError{start, fmt::format("entry ({}, {}) of a skew-symmetric matrix is not zero",
                                            i + 1, j + 1)};
      value[k] = v;
    }
    row[k] = i;
    column[k] = j;
    p = finish_line(p, end);
    out.count = k + 1;
  }
}

template <Field F, Value T>
void parse_array_lines(const char* p, const char* end, EntryBuffer<T>& out) {
  while (p < end) {
    p = skip_space(p);
    if (*p == '\n') {
      ++p;
      continue;
    }
    if (*p == '%') {
      p = line_end(p, end) + 1;
      continue;
    }
    p = finish_line(parse_value<F>(p, end, out.value[out.count]), end);
    ++out.count;
  }
}

}  // namespace

template <Value T>
void EntryBuffer<T>::reserve(std::size_t n, bool coordinate, bool valued) {
  count = 0;
  if (coordinate && row.size() < n) {
    row = Array<index_t>(n);
    column = Array<index_t>(n);
  }
  if (valued && value.size() < n) value = Array<T>(n);
}

template <Value T>
void parse_coordinates(const char* begin, const char* end, const MmShape& shape,
                       EntryBuffer<T>& out) {
  switch (shape.field) {
    case Field::real:
      return parse_lines<Field::real>(begin, end, shape, out);
    case Field::integer:
      return parse_lines<Field::integer>(begin, end, shape, out);
    case Field::pattern:
      return parse_lines<Field::pattern>(begin, end, shape, out);
  }
}

template <Value T>
void parse_array(const char* begin, const char* end, Field field, EntryBuffer<T>& out) {
  if (field == Field::integer)
    parse_array_lines<Field::integer>(begin, end, out);
  else
    parse_array_lines<Field::real>(begin, end, out);
}

const char* entry_line(const char* p, const char* end, std::size_t n) {
  for (; p < end; p = line_end(p, end) + 1) {
    const char* const first = skip_space(p);
    if (*first == '\n' || *first == '%') continue;
    if (n-- == 0) return p;
  }
  return end;
}

#define NZ_INSTANTIATE(T)                                                                     \
  template struct EntryBuffer<T>;                                                             \
  template void parse_coordinates(const char*, const char*, const MmShape&, EntryBuffer<T>&); \
  template void parse_array(const char*, const char*, Field, EntryBuffer<T>&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz
