#include "io/decimal.hpp"

namespace nz {
namespace {

constexpr int bits_of(Wide v) {
  int n = 0;
  for (; v != 0; v >>= 1) ++n;
  return n;
}

constexpr auto make_powers() {
  std::array<TenToThe, most_power - least_power + 1> powers{};
  const auto set = [&](int q, Wide bits, int exponent) {
    powers[static_cast<std::size_t>(q - least_power)] = {
        static_cast<std::uint64_t>(bits >> 64), static_cast<std::uint64_t>(bits), exponent + q};
  };
  Wide five = 1;  // 5^q; 5^55 is the last that fits
  for (int q = 0; q <= most_power; ++q) {
    const int bits = bits_of(five);
    set(q, five << (128 - bits), bits - 1);
    if (q < most_power) five *= 5;
  }
  five = 1;
  for (int q = -1; q >= least_power; --q) {
    five *= 5;
    // One bit of 1 / 5^-q after the other, from the first that is set.
    const int bits = bits_of(five);
    Wide rest = Wide{1} << bits, quotient = 0;
    for (int bit = 0; bit < 128; ++bit, rest <<= 1) {
      quotient <<= 1;
      if (rest >= five) {
        quotient |= 1;
        rest -= five;
      }
    }
    set(q, quotient, -bits);
  }
  return powers;
}

}  // namespace

constexpr std::array<TenToThe, most_power - least_power + 1> powers_of_ten = make_powers();

template <Value T>
bool nearest_by_128(std::uint64_t w, int q, T& value) {
  const TenToThe& ten = powers_of_ten[static_cast<std::size_t>(q - least_power)];
  const int shift = std::countl_zero(w);
  w <<= shift;
  const Wide last = static_cast<Wide>(w) * ten.low;
  const Wide product = static_cast<Wide>(w) * ten.high + (last >> 64);
  const auto upper = static_cast<std::uint64_t>(product >> 64);
  const auto middle = static_cast<std::uint64_t>(product);
  const int top = static_cast<int>(upper >> 63);
  const int cut = 63 - Binary<T>::mantissa + top;
  const std::uint64_t half = std::uint64_t{1} << (cut - 1);
  const std::uint64_t tail = upper & (2 * half - 1);
  const std::uint64_t mantissa = upper >> cut;
  bool up = tail >= half;
  if (q >= 0) {
    // The product is exact. Of two equally near, the even one.
    if (tail == half && middle == 0 && static_cast<std::uint64_t>(last) == 0) up = mantissa & 1;
  } else {
    // The exact product's first 128 bits are at most two more.
    if (tail == half - 1 && middle >= ~std::uint64_t{0} - 1) return false;
    if (tail == half && middle == 0) return false;
  }
  return compose(mantissa + up, ten.exponent + 63 - shift + top, value);
}

template bool nearest_by_128(std::uint64_t, int, float&);
template bool nearest_by_128(std::uint64_t, int, double&);

}  // namespace nz
