#include "io/mm_parse.hpp"

#include <cstring>
#include <utility>

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

template <Field F, RealValue T>
inline number::Result read_value(const char*& p, T& value) {
  return F == Field::integer ? number::integer(p, value) : number::real(p, value);
}
// Two numbers with a single space in between, or one where the file is real.
template <Field F, ComplexValue T>
inline number::Result read_value(const char*& p, T& value) {
  real_of<T> re = 0, im = 0;
  constexpr Field part = F == Field::integer ? Field::integer : Field::real;
  const auto first = read_value<part>(p, re);
  if (first != number::Result::ok) return first;
  if constexpr (F == Field::complex) {
    if (*p != ' ') return number::Result::no_number;
    const auto second = read_value<part>(++p, im);
    if (second != number::Result::ok) return second;
  }
  value = {re, im};
  return number::Result::ok;
}

template <Field F, RealValue T>
const char* parse_value(const char* p, const char* end, bool allow_nan, T& value) {
  const char* const start = p;
  auto result = read_value<F>(p, value);
  if (F == Field::real && allow_nan && result == number::Result::no_number &&
      number::not_finite(p, value))
    result = number::Result::ok;
  if (result == number::Result::too_large)
    throw ParseError{start, fmt::format("{} does not fit {}-bit floating point",
                                        word_at(start, end), 8 * sizeof(T))};
  if (result != number::Result::ok || !(*p == '\n' || is_space(*p)))
    throw ParseError{
        start, fmt::format("expected {}, found {}", F == Field::integer ? "an integer" : "a number",
                           word_at(start, end))};
  return p;
}

template <Field F, ComplexValue T>
const char* parse_value(const char* p, const char* end, bool allow_nan, T& value) {
  real_of<T> re = 0, im = 0;
  constexpr Field part = F == Field::integer ? Field::integer : Field::real;
  p = parse_value<part>(p, end, allow_nan, re);
  if constexpr (F == Field::complex) p = parse_value<part>(skip_space(p), end, allow_nan, im);
  value = {re, im};
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
template <Field F, Value T, class Writer>
[[gnu::noinline]] const char* careful_line(const char* p, const char* end, const MmShape& shape,
                                           Writer& out, LineCounts& count) {
  p = skip_space(p);
  if (*p == '\n' || *p == '%') {
    ++count.lines;
    return (*p == '%' ? line_end(p, end) : p) + 1;
  }
  const char* const start = p;
  index_t i, j;
  T v = 1;
  p = skip_space(parse_index(p, end, shape.rows, "row", i));
  p = parse_index(p, end, shape.cols, "column", j);
  if constexpr (F != Field::pattern) {
    p = parse_value<F>(skip_space(p), end, shape.allow_nan, v);
    if (shape.skew && i == j && v != T(0))
      throw ParseError{
          start, fmt::format("entry ({0}, {0}) of a skew-symmetric matrix is not zero", i + 1)};
    if constexpr (F == Field::complex)
      if (shape.hermitian && i == j && v.imag() != 0)
        throw ParseError{start,
                         fmt::format("entry ({0}, {0}) of a hermitian matrix is not real", i + 1)};
  }
  p = finish_line(p, end);
  out.add(i, j, v);
  ++count.lines;
  ++count.entries;
  return p;
}

// Reads plain indices quickly. Files are sorted: one of the two indices is mostly the same as on
// the line before, and then its bytes are, too.
class IndexReader {
 public:
  explicit IndexReader(index_t most) : most_(static_cast<std::uint32_t>(most)) {}

  // An index of up to seven digits; the caller looks at the byte after it. False: let the careful
  // way look at it.
  bool read(const char*& p, index_t& index) {
    const std::uint64_t word = number::eight(p);
    if ((word ^ word_) << shift_ != 0) {
      const unsigned n = number::leading_digits(word);
      if (n - 1 >= 7) [[unlikely]]
        return false;
      const std::uint32_t v = number::join(word, n) - 1;
      if (v >= most_) [[unlikely]]
        return false;
      word_ = word;
      shift_ = 64 - 8 * n;
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
  std::size_t length_ = 0;
  std::uint64_t word_ = ~std::uint64_t{0};  // the last one's bytes; these are no digits
  unsigned shift_ = 0;                      // leaves the digits alone
};

template <Field F, Value T, class Writer>
[[gnu::noinline]] void parse_lines(const char* p, const char* end, const MmShape& shape,
                                   Writer& out, LineCounts& count) {
  IndexReader row_reader(shape.rows), column_reader(shape.cols);
  const bool looks_at_diagonal = shape.skew || shape.hermitian;
  // The usual line: "12 34 5.6", single spaces, nothing else. Anything that is not so, or is wrong,
  // goes the careful way.
  const auto usual_line = [&](const char*& q, index_t& i, index_t& j, T& v) {
    if (!row_reader.read(q, i) || *q != ' ') return false;
    ++q;
    if (!column_reader.read(q, j)) return false;
    if constexpr (F != Field::pattern) {
      if (*q != ' ') return false;
      ++q;
      if (read_value<F>(q, v) != number::Result::ok) return false;
      if (looks_at_diagonal && i == j) return false;
    }
    return *q == '\n';
  };
  std::uint64_t usual = 0;
  const auto count_usual = [&] {
    count.lines += usual;
    count.entries += std::exchange(usual, 0);
  };
  while (p < end) {
    const char* q = p;
    index_t i, j;
    T v = 1;
    if (usual_line(q, i, j, v)) [[likely]] {
      out.add(i, j, v);
      p = q + 1;
      ++usual;
    } else {
      count_usual();
      p = careful_line<F, T>(p, end, shape, out, count);
    }
  }
  count_usual();
}

template <Field F, Value T>
void parse_array_lines(const char* p, const char* end, bool allow_nan, T* out, LineCounts& count) {
  while (p < end) {
    p = skip_space(p);
    if (*p == '\n') {
      ++p;
    } else if (*p == '%') {
      p = line_end(p, end) + 1;
    } else {
      p = finish_line(parse_value<F>(p, end, allow_nan, out[count.entries]), end);
      ++count.entries;
    }
    ++count.lines;
  }
}

// Complex files are read as complex numbers alone: the reader has looked.
template <Value T>
constexpr Field complex_of = ComplexValue<T> ? Field::complex : Field::real;

}  // namespace

template <Value T, bool Valued>
void parse_coordinates(const char* begin, const char* end, const MmShape& shape,
                       typename Assembly<T, Valued>::Writer& out, LineCounts& count) {
  if constexpr (!Valued)
    parse_lines<Field::pattern, T>(begin, end, shape, out, count);
  else if (shape.field == Field::integer)
    parse_lines<Field::integer, T>(begin, end, shape, out, count);
  else if (shape.field == Field::complex)
    parse_lines<complex_of<T>, T>(begin, end, shape, out, count);
  else
    parse_lines<Field::real, T>(begin, end, shape, out, count);
}

template <Value T>
void parse_array(const char* begin, const char* end, const MmShape& shape, T* out,
                 LineCounts& count) {
  if (shape.field == Field::integer)
    parse_array_lines<Field::integer>(begin, end, false, out, count);
  else if (shape.field == Field::complex)
    parse_array_lines<complex_of<T>>(begin, end, shape.allow_nan, out, count);
  else
    parse_array_lines<Field::real>(begin, end, shape.allow_nan, out, count);
}

bool count_to_entry(const char* p, const char* end, std::uint64_t n, LineCounts& count) {
  for (; p < end; p = line_end(p, end) + 1) {
    ++count.lines;
    const char* const first = skip_space(p);
    if (*first == '\n' || *first == '%') continue;
    if (count.entries++ == n) return true;
  }
  return false;
}

#define NZ_INSTANTIATE(T)                                                              \
  template void parse_coordinates<T, true>(const char*, const char*, const MmShape&,   \
                                           Assembly<T, true>::Writer&, LineCounts&);   \
  template void parse_coordinates<T, false>(const char*, const char*, const MmShape&,  \
                                            Assembly<T, false>::Writer&, LineCounts&); \
  template void parse_array(const char*, const char*, const MmShape&, T*, LineCounts&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX(NZ_INSTANTIATE)

}  // namespace nz
