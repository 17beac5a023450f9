#pragma once
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "io/decimal.hpp"

// Numbers out of text, without a look at the locale. Every function here may read number::slack
// bytes from where it is told to begin, and relies on the number ending before readable memory does
// (lines end with '\n').
namespace nz::number {

constexpr std::size_t slack = 16;

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

// Eight bytes; those that are digits become 0 to 9. The first byte is the lowest.
inline std::uint64_t eight(const char* p) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t word;
  std::memcpy(&word, p, 8);
  return word ^ 0x3030303030303030u;
}

// A set top bit in each byte that is no digit: above 9, bytes carry into it.
inline std::uint64_t not_digits(std::uint64_t word) {
  return (((word & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u) | word) & 0x8080808080808080u;
}

// How many digits stand before the first other byte, 0 to 8.
inline unsigned leading_digits(std::uint64_t word) {
  return static_cast<unsigned>(std::countr_zero(not_digits(word))) / 8;
}

// The number that eight digits make: neighbours are joined three times, by sums of shifts where a
// 64-bit multiplication would take longer.
inline std::uint32_t join(std::uint64_t word) {
  std::uint64_t five = word + (word << 2);
  word = (word + (five << 9)) >> 8 & 0x00ff00ff00ff00ffu;
  five = word + (word << 2);
  word = (word + ((five + (five << 2)) << 18)) >> 16 & 0x0000ffff0000ffffu;
  return static_cast<std::uint32_t>(word) * 10000 + static_cast<std::uint32_t>(word >> 32);
}

// The number that the first n of them make, 1 <= n <= 8.
inline std::uint32_t join(std::uint64_t word, unsigned n) { return join(word << (64 - 8 * n)); }

inline constexpr std::uint32_t small_tens[] = {1,      10,      100,      1000,     10000,
                                               100000, 1000000, 10000000, 100000000};

// Appends up to 16 digits to w, which may overflow; returns where they end.
inline const char* append_digits(const char* p, std::uint64_t& w) {
  std::uint64_t word = eight(p);
  if (not_digits(word) == 0) {
    w = w * 100000000 + join(word);
    p += 8;
    word = eight(p);
  }
  const unsigned n = leading_digits(word);
  if (n == 0) return p;
  w = w * small_tens[n] + join(word, n);
  return p + n;
}

enum class Result { ok, no_number, too_large };

// By std::from_chars, for numbers that nearest() does not cover; start to end is the whole number
// without its sign.
template <Value T>
Result unusual(const char* start, const char* end, T& value);

inline const char* skip_digits(const char* p) {
  while (is_digit(*p)) ++p;
  return p;
}

// Whether a number of so many digits, counted from `start`, is below 10^19, so that 64 bits hold
// it: zeros in front do not count.
inline bool fits_64_bits(const char* start, std::ptrdiff_t digits) {
  if (digits <= 19) [[likely]]
    return true;
  for (; *start == '0' || *start == '.'; ++start) digits -= *start == '0';
  return digits <= 19;
}

// Adds the exponent at p (e [+-] digits) to `exponent`; returns where it ends, or p when there are
// no digits.
inline const char* append_exponent(const char* p, std::ptrdiff_t& exponent) {
  const char* q = p + 1;
  const bool minus = *q == '-';
  q += minus | (*q == '+');
  if (!is_digit(*q)) return p;
  std::ptrdiff_t e = *q++ - '0';
  if (is_digit(*q)) e = e * 10 + (*q++ - '0');
  for (; is_digit(*q); ++q)
    if (e < 100000) e = e * 10 + (*q - '0');
  exponent += minus ? -e : e;
  return q;
}

// The nearest T to the decimal number at p ([+-] digits [. digits] [e [+-] digits]); p moves past
// it. Words such as nan and inf are no numbers.
template <Value T>
__attribute__((always_inline)) inline Result real(const char*& p, T& value) {
  using Bits = typename Binary<T>::Bits;
  const char* s = p;
  const bool negative = *s == '-';
  s += negative | (*s == '+');
  const char* const start = s;
  std::uint64_t w = 0;
  std::ptrdiff_t digits = 1;
  if (s[1] == '.' && is_digit(*s)) {  // the usual way to write a number
    w = static_cast<std::uint64_t>(*s - '0');
    ++s;
  } else {
    s = append_digits(s, w);
    digits = s - start;
  }
  std::ptrdiff_t exponent = 0;
  if (*s == '.') {
    const char* const first = ++s;
    s = append_digits(s, w);
    exponent = first - s;
    digits -= exponent;
  }
  if (is_digit(*s)) {
    if (exponent != 0) {  // 17 and more behind the point are common in numbers below one
      const char* const more = s;
      s = append_digits(s, w);
      exponent -= s - more;
      digits += s - more;
    }
    if (is_digit(*s)) [[unlikely]] {
      digits = std::numeric_limits<std::ptrdiff_t>::max();
      s = skip_digits(s);
      if (exponent == 0 && *s == '.') s = skip_digits(s + 1);
    }
  }
  if (digits == 0) return Result::no_number;
  if ((*s | 0x20) == 'e') s = append_exponent(s, exponent);
  T v;
  const int q = static_cast<int>(exponent);
  if (!(digits <= Binary<T>::exact_digits && nearest_of_few(w, q, v)) &&
      !(fits_64_bits(start, digits) && nearest(w, q, v))) [[unlikely]] {
    T any;  // of its own, so that v can stay in a register
    if (const Result result = unusual(start, s, any); result != Result::ok) return result;
    v = any;
  }
  p = s;
  value = std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(v) | static_cast<Bits>(negative)
                                                                          << (8 * sizeof(T) - 1)));
  return Result::ok;
}

// The same for [+-] nan, inf or infinity, in letters of any case; false for all else.
template <Value T>
bool not_finite(const char*& p, T& value);

// The same for [+-] digits.
template <Value T>
inline Result integer(const char*& p, T& value) {
  const char* s = p;
  const bool negative = *s == '-';
  s += negative | (*s == '+');
  std::uint64_t w = 0;
  const char* stop = append_digits(s, w);
  if (stop == s) return Result::no_number;
  T v;
  if (is_digit(*stop) || !nearest(w, 0, v)) {
    stop = skip_digits(stop);
    if (const Result result = unusual(s, stop, v); result != Result::ok) return result;
  }
  value = negative ? -v : v;
  p = stop;
  return Result::ok;
}

}  // namespace nz::number
