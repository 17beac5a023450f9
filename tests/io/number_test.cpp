#include "io/number.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace nz {
namespace {

using number::Result;

template <class T>
T from_libc(const std::string& s) {
  if constexpr (std::is_same_v<T, float>)
    return std::strtof(s.c_str(), nullptr);
  else
    return std::strtod(s.c_str(), nullptr);
}

// Reads `s` and compares bits with the C library's result, which rounds correctly.
template <class T>
void expect_same(const std::string& s) {
  const std::string text = s + "\n" + std::string(32, '\0');
  const char* p = text.data();
  T value = 0;
  const Result result = number::real(p, value);
  const T expected = from_libc<T>(s);
  if (std::isinf(expected)) {
    EXPECT_EQ(result, Result::too_large) << s;
    return;
  }
  ASSERT_EQ(result, Result::ok) << s;
  EXPECT_EQ(p - text.data(), std::ssize(s)) << s;
  using Bits = typename Binary<T>::Bits;
  EXPECT_EQ(std::bit_cast<Bits>(value), std::bit_cast<Bits>(expected))
      << s << ": " << value << ", expected " << expected;
}

void expect_same_both(const std::string& s) {
  expect_same<double>(s);
  expect_same<float>(s);
}

TEST(Number, FormsOfWriting) {
  for (const char* s : {"0",
                        "-0",
                        "1",
                        "+1",
                        "-1",
                        "7.",
                        ".5",
                        "-.5",
                        "+.5",
                        "007",
                        "00.5",
                        "1e5",
                        "1E5",
                        "1e+5",
                        "1e-5",
                        "1.e5",
                        ".5e1",
                        "1e05",
                        "1e005",
                        "0e0",
                        "0e999",
                        "0e-999",
                        "0.0",
                        "12345678",
                        "123456789",
                        "1234567890123456",
                        "12345678901234567",
                        "123456789012345678901234567890",
                        "0.000000000000000000000000000001",
                        "1.7976931348623157e308",
                        "1.7976931348623159e308",
                        "1e309",
                        "-1e309",
                        "1e400",
                        "4.9e-324",
                        "2.4e-324",
                        "2.5e-324",
                        "1e-400",
                        "2.2250738585072011e-308",
                        "2.2250738585072014e-308",
                        "3.4028235e38",
                        "3.4028236e38",
                        "1.17549435e-38",
                        "1.4e-45",
                        "7e-46",
                        "9007199254740993",
                        "9007199254740992.5",
                        "0.1",
                        "0.3",
                        "3.14159265358979323846264338327950288",
                        "1e22",
                        "1e23",
                        "8.5e22",
                        "00000000000000000000000000000000000000000000000001.5",
                        "0.00000000000000000000000000000000000000000000000015e49"})
    expect_same_both(s);
}

TEST(Number, NoNumbers) {
  for (const char* s :
       {"", "-", "+", ".", "-.", "e5", ".e5", "nan", "inf", "-inf", "x", "--1", " 1"}) {
    const std::string text = std::string(s) + "\n" + std::string(32, '\0');
    const char* p = text.data();
    double value = 0;
    EXPECT_EQ(number::real(p, value), Result::no_number) << s;
    EXPECT_EQ(p, text.data()) << s;
    EXPECT_EQ(number::integer(p, value), Result::no_number) << s;
  }
}

TEST(Number, StopsBehindTheNumber) {
  const std::pair<const char*, int> cases[] = {{"1x", 1},     {"1.5.2", 3}, {"1e", 1},   {"1e+", 1},
                                               {"1ex", 1},    {"1-2", 1},   {"0x10", 1}, {"1,5", 1},
                                               {"1.5e3e", 5}, {"1..2", 2}};
  for (const auto& [s, length] : cases) {
    const std::string text = std::string(s) + "\n" + std::string(32, '\0');
    const char* p = text.data();
    double value = 0;
    EXPECT_EQ(number::real(p, value), Result::ok) << s;
    EXPECT_EQ(p - text.data(), length) << s;
  }
}

TEST(Number, RandomDigitsAndExponents) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 60000; ++k) {
    std::string s = random() % 2 ? "-" : "";
    const int before = static_cast<int>(random() % 20), after = static_cast<int>(random() % 25);
    for (int d = 0; d < before; ++d) s += static_cast<char>('0' + random() % 10);
    if (after > 0 || before == 0) s += '.';
    for (int d = 0; d < after; ++d) s += static_cast<char>('0' + random() % 10);
    if (before == 0 && after == 0) s += '7';
    if (random() % 2) s += fmt::format("e{}", static_cast<int>(random() % 120) - 60);
    expect_same_both(s);
  }
}

TEST(Number, ShortestAndFullDigitsOfRandomBits) {
  std::mt19937_64 random(2);
  for (int k = 0; k < 30000; ++k) {
    const double d = std::bit_cast<double>(random());
    if (std::isfinite(d)) {
      expect_same<double>(fmt::format("{}", d));
      expect_same<double>(fmt::format("{:.16e}", d));
    }
    const float f = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isfinite(f)) {
      expect_same<float>(fmt::format("{}", f));
      expect_same<float>(fmt::format("{:.12e}", f));
      expect_same<double>(fmt::format("{:.12e}", f));
    }
  }
}

// Numbers halfway between two neighbours, and just beside: where a wrong rounding would show.
TEST(Number, Halfway) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 20000; ++k) {
    // An odd integer of 54 bits lies halfway between two doubles; scaled by powers of two it stays
    // there, and has few enough digits to be written in full.
    const int shift = static_cast<int>(random() % 10);
    const std::uint64_t w = (random() >> 11 | std::uint64_t{1} << 53 | 1) << shift;
    for (const std::uint64_t near : {w - 1, w, w + 1}) {
      expect_same<double>(std::to_string(near));
      expect_same<double>(fmt::format("{}e{}", near, random() % 30));
    }
    const std::uint64_t x = random() >> 39 | std::uint64_t{1} << 24 | 1;
    for (const std::uint64_t near : {x - 1, x, x + 1}) {
      expect_same<float>(std::to_string(near << shift));
      expect_same<float>(fmt::format("{}e{}", near, random() % 12));
    }
    // In full: eighths, sixteenths and so on, as many digits as it takes.
    expect_same<double>(fmt::format("{:.60f}", std::ldexp(static_cast<double>(w >> shift), -60)));
    expect_same<float>(fmt::format("{:.40f}", std::ldexp(static_cast<double>(x), -30)));
  }
}

TEST(Number, Integers) {
  const std::pair<const char*, double> cases[] = {
      {"0", 0},
      {"-0", -0.0},
      {"42", 42},
      {"+42", 42},
      {"-42", -42},
      {"0007", 7},
      {"9007199254740993", 9007199254740992.0},
      {"123456789012345678901234567890", 1.2345678901234568e29}};
  for (const auto& [s, expected] : cases) {
    const std::string text = std::string(s) + "\n" + std::string(32, '\0');
    const char* p = text.data();
    double value = 1;
    EXPECT_EQ(number::integer(p, value), Result::ok) << s;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected)) << s;
    EXPECT_EQ(*p, '\n') << s;
  }
  std::string huge(400, '9');
  huge += '\n';
  huge.append(32, '\0');
  const char* p = huge.data();
  double value = 0;
  EXPECT_EQ(number::integer(p, value), Result::too_large);
}

TEST(Number, EveryPowerOfTheTable) {
  std::mt19937_64 random(4);
  for (int q = least_power - 2; q <= most_power + 2; ++q)
    for (int k = 0; k < 200; ++k) {
      const std::uint64_t w = random() >> (random() % 64);
      expect_same_both(fmt::format("{}e{}", w % 10000000000000000000u, q));
    }
}

}  // namespace
}  // namespace nz
