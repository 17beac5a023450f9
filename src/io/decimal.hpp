#pragma once
#include <array>
#include <bit>
#include <cstdint>

#include <nonzero/types.hpp>

// w 10^q to the nearest binary number. std::from_chars does this for every w and q, but would have
// to read the digits again, which costs more than all the rest of a line; what is here covers
// nearly every number of nearly every file.
namespace nz {

__extension__ typedef unsigned __int128 Wide;

template <Value T>
struct Binary;
template <>
struct Binary<double> {
  using Bits = std::uint64_t;
  static constexpr int mantissa = 53;  // bits, the leading one included
  static constexpr int bias = 1023;
  // Integers of so many digits, and so many powers of ten, are exact.
  static constexpr int exact_digits = 15, exact_power = 22;
  static constexpr double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
};
template <>
struct Binary<float> {
  using Bits = std::uint32_t;
  static constexpr int mantissa = 24;
  static constexpr int bias = 127;
  static constexpr int exact_digits = 7, exact_power = 10;
  static constexpr float tens[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f,
                                   1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
};

// 10^q = (high 2^64 + low) 2^(exponent - 127), with the first 128 bits of 5^q, cut off after them:
// exact for q >= 0.
struct TenToThe {
  std::uint64_t high, low;
  std::int64_t exponent;
};
inline constexpr int least_power = -54, most_power = 55;
extern const std::array<TenToThe, most_power - least_power + 1> powers_of_ten;

// Decides by all 128 bits what nearest() could not by 64. False: nor do they suffice.
template <Value T>
bool nearest_by_128(std::uint64_t w, int q, T& value);

// The number mantissa 2^(exponent - bits of the mantissa + 1). A mantissa that was rounded up to
// the next power of two carries into the exponent, as it should. False when it is not a normal T.
template <Value T>
inline bool compose(std::uint64_t mantissa, std::int64_t exponent, T& value) {
  using B = Binary<T>;
  // Doubles cannot leave the range with these powers, not even by rounding.
  if constexpr (std::is_same_v<T, float>)
    if (exponent <= -B::bias || exponent >= B::bias) return false;
  value = std::bit_cast<T>(static_cast<typename B::Bits>(
      mantissa + (static_cast<std::uint64_t>(exponent + B::bias - 1) << (B::mantissa - 1))));
  return true;
}

// For w of at most exact_digits digits: both operands are exact, so that one division or
// multiplication rounds to the nearest (Clinger, How to read floating point numbers accurately,
// 1990). False when the power is too large.
template <Value T>
inline bool nearest_of_few(std::uint64_t w, int q, T& value) {
  using B = Binary<T>;
  if (static_cast<unsigned>(q + B::exact_power) > unsigned{2 * B::exact_power}) return false;
  const T v = static_cast<T>(static_cast<std::int64_t>(w));
  value = q <= 0 ? v / B::tens[-q] : v * B::tens[q];
  return true;
}

// For any w. False when the case is not covered; `value` is then meaningless.
//
// Multiplies by an approximate power and sees whether its error can matter (Lemire, Number parsing
// at a gigabyte per second, 2021). With w shifted up to its leading bit, and the power cut to 64
// bits, the upper 64 bits of their product are `upper`, and the exact product's are less than
// upper + 2. Once shifted up as well the error is less than 4 units of the last bit; it can change
// the rounding only when the bits behind the mantissa are one half or up to 3 units below it.
template <Value T>
inline bool nearest(std::uint64_t w, int q, T& value) {
  using B = Binary<T>;
  if (static_cast<unsigned>(q - least_power) > unsigned{most_power - least_power} || w == 0)
    return w == 0 ? (value = 0, true) : false;
  const TenToThe& ten = powers_of_ten[static_cast<unsigned>(q - least_power)];
  const int shift = std::countl_zero(w);
  std::uint64_t upper =
      static_cast<std::uint64_t>((static_cast<Wide>(w << shift) * ten.high) >> 64);
  const std::uint64_t top = upper >> 63;
  upper <<= 1 - top;
  constexpr int cut = 64 - B::mantissa;
  constexpr std::uint64_t half = std::uint64_t{1} << (cut - 1);
  if ((upper & (2 * half - 1)) - (half - 3) <= 3) [[unlikely]]
    return nearest_by_128(w, q, value);
  return compose((upper >> cut) + (upper >> (cut - 1) & 1),
                 ten.exponent + 63 - shift + static_cast<std::int64_t>(top), value);
}

}  // namespace nz
