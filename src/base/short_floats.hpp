#pragma once
#include <bit>
#include <cstdint>

// The two floating-point types of 16 bits, as their bits: IEEE's half (5 bits of exponent, 10 of
// mantissa) and bfloat (the upper half of a float). To float they are exact, -0, subnormals and the
// payloads of NaN included; from float they are rounded to the nearest, ties to even, and what is
// beyond their numbers becomes infinite.
namespace nz {

// Bits of floats below.
inline constexpr std::uint32_t float_infinity = 0x7f800000, half_infinity_as_float = 0x0f800000;

// A half's exponent and mantissa, moved to where those of a float are, mean the number times
// 2^-112, subnormal or not. An exponent of all ones must become one again.
constexpr float half_value(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16, rest = (bits & 0x7fffu) << 13;
  if (rest >= half_infinity_as_float) return std::bit_cast<float>(sign | float_infinity | rest);
  const float scaled = std::bit_cast<float>(rest) * 0x1p112f;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(scaled));
}

constexpr float bfloat_value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

constexpr std::uint16_t half_bits(float v) {
  const auto bits = std::bit_cast<std::uint32_t>(v);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
  const std::uint32_t rest = bits & 0x7fffffffu;
  std::uint32_t to = 0;
  if (rest > float_infinity) {
    // A NaN whose payload fits keeps it; any other becomes a quiet one, never infinite.
    to = 0x7c00u | (rest >> 13 & 0x3ffu) | ((rest & 0x1fffu) != 0 ? 0x200u : 0u);
  } else if (rest >= 0x477ff000u) {  // 65520, half way from the largest to the next
    to = 0x7c00u;
  } else if (rest < 0x38800000u) {  // below 2^-14: multiples of 2^-24, as the last bits of 0.5
    to = std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest) + 0.5f) - 0x3f000000u;
  } else {
    to = (rest - (112u << 23) + 0xfffu + (rest >> 13 & 1u)) >> 13;
  }
  return static_cast<std::uint16_t>(sign | to);
}

constexpr std::uint16_t bfloat_bits(float v) {
  const auto bits = std::bit_cast<std::uint32_t>(v);
  if ((bits & 0x7fffffffu) > float_infinity)
    return static_cast<std::uint16_t>(bits >> 16 | ((bits & 0xffffu) != 0 ? 0x40u : 0u));
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

}  // namespace nz
