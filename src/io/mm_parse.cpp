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
const char* parse_index(const char* p, const char* end, index_t most, const char* what,
                        index_t& index) {
  const char* stop = p;
  std::uint64_t v = 0;
  for (; number::is_digit(*stop) && v <= static_cast<std::uint64_t>(most); ++stop)
    v = v * 10 + static_cast<std::uint64_t>(*stop - '0');
  if (stop == p || !(is_space(*stop) || *stop == '\n') || v == 0 ||
      v > static_cast<std::uint64_t>(most))
    no_index(p, end, what, most);
  index = static_cast<index_t>(v - 1);
  return stop;
}

template <Field F, Value T>
inline number::Result read_value(const char*& p, T& value) {
  return F == Field::integer ? number::integer(p, value) : number::real(p, value);
}

template <Field F, Value T>
const char* parse_value(const char* p, const char* end, T& value) {
  const char* const start = p;
  const auto result = read_value<F>(p, value);
  if (result == number::Result::too_large)
    throw ParseError{start, fmt::format("{} does not fit {}-bit floating point",
                                        word_at(start, end), 8 * sizeof(T))};
  if (result != number::Result::ok || !(*p == '\n' || is_space(*p)))
    throw ParseError{
        start, fmt::format("expected {}, found {}", F == Field::integer ? "an integer" : "a number",
                           word_at(start, end))};
  return p;
}

// The end of a line whose entry is complete.
const char* finish_line(const char* p, const char* end) {
  p = skip_space(p);
  if (*p != '\n')
    throw ParseError{p, fmt::format("unexpected {} after the entry", word_at(p, end))};
  return p + 1;
}

// One line of any form: blank, a comment, or an entry with spaces wherever they may be.
template <Field F, Value T>
[[gnu::noinline]] const char* careful_line(const char* p, const char* end, const MmShape& shape,
                                           EntryBuffer<T>& out) {
  p = skip_space(p);
  if (*p == '\n') return p + 1;
  if (*p == '%') return line_end(p, end) + 1;
  const std::size_t k = out.count;
  index_t i, j;
  p = skip_space(parse_index(p, end, shape.rows, "row", i));
  p = parse_index(p, end, shape.cols, "column", j);
  if constexpr (F != Field::pattern) {
    T v;
    p = parse_value<F>(skip_space(p), end, v);
    out.value[k] = v;
  }
  p = finish_line(p, end);
  out.row[k] = i;
  out.column[k] = j;
  out.count = k + 1;
  return p;
}

// Reads plain indices quickly. Files are sorted: one of the two indices is mostly the same as on
// the line before, and then its bytes are, too.
class IndexReader {
 public:
  explicit IndexReader(index_t most) : most_(static_cast<std::uint32_t>(most)) {}

  // An index of up to seven digits, with the byte after it. False: let the careful way look at it.
  bool read(const char*& p, index_t& index) {
    const std::uint64_t word = number::eight(p);
    if ((word & mask_) != word_) {
      const unsigned n = number::leading_digits(word);
      if (n - 1 >= 7) [[unlikely]]
        return false;
      const std::uint32_t v = number::join(word, n) - 1;
      if (v >= most_) [[unlikely]]
        return false;
      mask_ = ~std::uint64_t{0} >> (56 - 8 * n);
      word_ = word & mask_;
      length_ = n;
      index_ = static_cast<index_t>(v);
    }
    p += length_;
    index = index_;
    return true;
  }

 private:
  std::uint32_t most_;
  index_t index_ = 0;
  unsigned length_ = 0;
  std::uint64_t mask_ = 0, word_ = 1;  // nothing matches yet
};

template <Field F, Value T>
[[gnu::noinline]] void parse_lines(const char* p, const char* end, const MmShape& shape,
                                   EntryBuffer<T>& out) {
  index_t* const row = out.row.data();
  index_t* const column = out.column.data();
  T* const value = out.value.data();
  IndexReader row_reader(shape.rows), column_reader(shape.cols);
  std::size_t k = out.count;
  // The usual line: "12 34 5.6", single spaces, nothing else. Anything that is not so, or is wrong,
  // goes the careful way.
  const auto usual_line = [&](const char*& q) {
    if (!row_reader.read(q, row[k]) || *q != ' ') return false;
    ++q;
    if (!column_reader.read(q, column[k])) return false;
    if constexpr (F != Field::pattern) {
      if (*q != ' ') return false;
      ++q;
      if (read_value<F>(q, value[k]) != number::Result::ok) return false;
    }
    return *q == '\n';
  };
  while (p < end) {
    const char* q = p;
    if (usual_line(q)) [[likely]] {
      p = q + 1;
      ++k;
    } else {
      out.count = k;
      p = careful_line<F>(p, end, shape, out);
      k = out.count;
    }
  }
  out.count = k;
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
  const auto check_diagonal = [&] {
    for (std::size_t k = 0; shape.skew && k < out.count; ++k)
      if (out.row[k] == out.column[k] && out.value[k] != 0) {
        out.count = k;
        throw ParseError{
            entry_line(begin, end, k),
            fmt::format("entry ({0}, {0}) of a skew-symmetric matrix is not zero", out.row[k] + 1)};
      }
  };
  try {
    if (shape.field == Field::pattern)
      parse_lines<Field::pattern>(begin, end, shape, out);
    else if (shape.field == Field::integer)
      parse_lines<Field::integer>(begin, end, shape, out);
    else
      parse_lines<Field::real>(begin, end, shape, out);
  } catch (const ParseError&) {
    check_diagonal();  // of the lines before: the first to be wrong counts
    throw;
  }
  check_diagonal();
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
