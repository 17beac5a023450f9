#pragma once
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

#include <nonzero/types.hpp>

// Numbers out of text, without a look at the locale. Every function here reads from p and relies on
// a byte that belongs to no number (a line end) standing somewhere before the readable memory ends.
namespace nz::number {

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

// Digits into v; returns where they end. v is meaningless after more than 18 of them.
inline const char* digits(const char* p, std::uint64_t& v) {
  std::uint64_t sum = 0;
  for (unsigned d; (d = static_cast<unsigned char>(*p) - unsigned{'0'}) <= 9; ++p)
    sum = sum * 10 + d;
  v = sum;
  return p;
}

// What a power of ten may be so that one rounding makes the nearest number: w * 10^e and w / 10^e
// are exact operands when w fits the mantissa and 5^e does (Clinger 1990).
template <Value T>
struct Exact;
template <>
struct Exact<double> {
  static constexpr std::uint64_t mantissa = std::uint64_t{1} << 53;
  static constexpr int power = 22;
  static constexpr double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
};
template <>
struct Exact<float> {
  static constexpr std::uint64_t mantissa = std::uint64_t{1} << 24;
  static constexpr int power = 10;
  static constexpr float tens[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f,
                                   1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
};

enum class Result { ok, no_number, too_large };

// What std::from_chars calls out of range is a number too large, or one so small that zero is the
// nearest: the place of the first digit that is not zero decides.
Result settle_out_of_range(const char* p, const char* end);

// The nearest T to the decimal number at p ([+-] digits [. digits] [e [+-] digits]); p moves past
// it. Words such as nan and inf are no numbers.
template <Value T>
inline Result real(const char*& p, const char* end, T& value) {
  const char* s = p;
  const bool negative = *s == '-';
  if (negative || *s == '+') ++s;
  const char* const start = s;
  std::uint64_t w = 0;
  s = digits(s, w);
  std::ptrdiff_t count = s - start;
  int exponent = 0;
  if (*s == '.') {
    const char* const point = ++s;
    for (unsigned d; (d = static_cast<unsigned char>(*s) - unsigned{'0'}) <= 9; ++s) w = w * 10 + d;
    count += s - point;
    exponent = -static_cast<int>(std::min<std::ptrdiff_t>(s - point, 1000));
  }
  if (count == 0) return Result::no_number;
  if ((*s | 0x20) == 'e') {
    const char* q = s + 1;
    const bool minus = *q == '-';
    if (minus || *q == '+') ++q;
    if (is_digit(*q)) {
      int e = 0;
      for (unsigned d; (d = static_cast<unsigned char>(*q) - unsigned{'0'}) <= 9; ++q)
        if (e < 10000) e = e * 10 + static_cast<int>(d);
      exponent += minus ? -e : e;
      s = q;
    }
  }
  p = s;
  T v;
  if (count <= 19 && w <= Exact<T>::mantissa && exponent >= -Exact<T>::power &&
      exponent <= Exact<T>::power) {
    v = static_cast<T>(w);
    v = exponent < 0 ? v / Exact<T>::tens[-exponent] : v * Exact<T>::tens[exponent];
  } else {
    const auto [stop, error] = std::from_chars(start, end, v);
    if (error == std::errc::result_out_of_range || !std::isfinite(v)) {
      if (settle_out_of_range(start, s) == Result::too_large) return Result::too_large;
      v = 0;
    }
  }
  value = negative ? -v : v;
  return Result::ok;
}

// The same for [+-] digits.
template <Value T>
inline Result integer(const char*& p, const char* end, T& value) {
  const char* s = p;
  const bool negative = *s == '-';
  if (negative || *s == '+') ++s;
  std::uint64_t w = 0;
  const char* const start = s;
  s = digits(s, w);
  if (s == start) return Result::no_number;
  if (s - start > 18 || w > Exact<T>::mantissa) return real(p, end, value);
  value = negative ? -static_cast<T>(w) : static_cast<T>(w);
  p = s;
  return Result::ok;
}

}  // namespace nz::number
