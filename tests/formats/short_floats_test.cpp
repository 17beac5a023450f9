#include "base/short_floats.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/formats/compact.hpp>
#include <nonzero/formats/stored_values.hpp>

#include "formats/messages.hpp"
#include "formats/narrow_values.hpp"

// Floats of 16 bits: every one of them, and how others are rounded to them.
namespace nz {
namespace {

constexpr int patterns = 1 << 16;

// What a pattern means, by the definition of such types.
double meaning(int bits, int exponent_bits, int mantissa_bits) {
  const int exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1);
  const int mantissa = bits & ((1 << mantissa_bits) - 1), bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1)
    return mantissa != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  return exponent == 0
             ? sign * std::ldexp(mantissa, 1 - bias - mantissa_bits)
             : sign * std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
}

struct Kind {
  const char* name;
  float (*value)(std::uint16_t);
  std::uint16_t (*bits)(float);
  int exponent, mantissa;
};
const Kind kinds[] = {{"half", half_value, half_bits, 5, 10},
                      {"bfloat", bfloat_value, bfloat_bits, 8, 7}};

TEST(ShortFloats, EveryPatternMeansWhatItShouldAndComesBack) {
  for (const Kind& k : kinds)
    for (int i = 0; i < patterns; ++i) {
      const auto bits = static_cast<std::uint16_t>(i);
      const double wanted = meaning(i, k.exponent, k.mantissa);
      const float v = k.value(bits);
      ASSERT_EQ(std::isnan(v), std::isnan(wanted)) << k.name << " " << i;
      if (!std::isnan(wanted)) {
        ASSERT_EQ(static_cast<double>(v), wanted) << k.name << " " << i;
        ASSERT_EQ(std::signbit(v), std::signbit(wanted)) << k.name << " " << i;
      }
      ASSERT_EQ(k.bits(v), bits) << k.name << " " << i;
    }
}

// Rounded to the nearest: neither neighbour is nearer, and of two that are as near the even one is
// taken.
void expect_nearest(const Kind& k, float v) {
  const std::uint16_t bits = k.bits(v);
  const int infinite = ((1 << k.exponent) - 1) << k.mantissa, rest = bits & 0x7fff;
  ASSERT_EQ(std::signbit(k.value(bits)), std::signbit(v))
      << k.name << " " << std::bit_cast<std::uint32_t>(v);
  // The number behind the largest, which infinity stands for.
  const auto size_of = [&](int pattern) {
    return pattern == infinite ? std::ldexp(1.0, (1 << (k.exponent - 1)))
                               : meaning(pattern, k.exponent, k.mantissa);
  };
  ASSERT_LE(rest, infinite);
  const double size = std::abs(static_cast<double>(v)), off = std::abs(size - size_of(rest));
  for (const int other : {rest - 1, rest + 1}) {
    if (other < 0 || other > infinite) continue;
    const double its = std::abs(size - size_of(other));
    if (rest == infinite && size > size_of(rest)) continue;  // far beyond all
    ASSERT_TRUE(off < its || (off == its && rest % 2 == 0))
        << k.name << " " << std::bit_cast<std::uint32_t>(v);
  }
}

TEST(ShortFloats, AreTheNearest) {
  std::random_device seed;
  std::mt19937 random(seed());
  for (const Kind& k : kinds) {
    for (int i = 0; i < 0x7f80; ++i) {
      // Each number, its neighbours among the floats, and those around the middle to the next.
      const auto bits = static_cast<std::uint16_t>(i);
      const float v = k.value(bits), next = k.value(static_cast<std::uint16_t>(i + 1));
      if (!std::isfinite(v)) break;
      expect_nearest(k, v);
      expect_nearest(k, -std::nextafter(v, next));
      if (!std::isfinite(next)) break;
      const auto middle = static_cast<float>((static_cast<double>(v) + next) / 2);
      expect_nearest(k, middle);
      expect_nearest(k, -std::nextafter(middle, v));
      expect_nearest(k, std::nextafter(middle, next));
    }
    for (int i = 0; i < 20'000; ++i) {
      const auto v = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
      if (std::isnan(v))
        EXPECT_TRUE(std::isnan(k.value(k.bits(v))));
      else if (std::isfinite(v))
        expect_nearest(k, v);
    }
    EXPECT_EQ(k.value(k.bits(std::numeric_limits<float>::infinity())),
              std::numeric_limits<float>::infinity());
    for (const std::uint32_t low : {0x7f800001u, 0xff80ffffu, 0x7fc00001u, 0xffffffffu})
      EXPECT_TRUE(std::isnan(k.value(k.bits(std::bit_cast<float>(low))))) << low;
  }
  EXPECT_EQ(half_bits(65519.996f), 0x7bff);
  EXPECT_EQ(half_bits(65520.0f), 0x7c00);
  EXPECT_EQ(half_bits(0x1p-25f), 0);  // half way to the smallest: the even one
  EXPECT_EQ(half_bits(0x1.8p-25f), 1);
}

// A full matrix of 256 x 256 with these values.
Csr<float, std::int32_t> full_of(float (*value)(std::uint16_t)) {
  constexpr std::int32_t n = 256;
  Csr<float, std::int32_t> a{n, n, Array<std::int32_t>(n + 1), Array<index_t>(n * n),
                             Array<float>(n * n)};
  for (std::int32_t i = 0; i <= n; ++i) a.offsets[static_cast<std::size_t>(i)] = i * n;
  for (std::int32_t k = 0; k < n * n; ++k) {
    a.columns[static_cast<std::size_t>(k)] = k % n;
    a.values[static_cast<std::size_t>(k)] = value(static_cast<std::uint16_t>(k));
  }
  return a;
}

TEST(ShortFloats, TheCompactFormatStoresEveryPatternWithoutLoss) {
  const std::pair<const Kind*, ValueCode> cases[] = {{&kinds[0], ValueCode::half},
                                                     {&kinds[1], ValueCode::bfloat}};
  for (const auto& [kind, code] : cases) {
    const auto a = full_of(kind->value);
    const auto b = compact_from_csr(a.view());
    EXPECT_EQ(b.code, code);
    EXPECT_EQ(b.values.size(), a.values.size() * 2);
    EXPECT_NO_THROW(b.validate());
    const auto back = compact_to_csr(b.view());
    for (std::size_t k = 0; k < a.values.size(); ++k)
      ASSERT_EQ(std::bit_cast<std::uint32_t>(back.values[k]),
                std::bit_cast<std::uint32_t>(a.values[k]))
          << kind->name << " " << k;
    // One that does not fit, and formats without such a code.
    auto other = a;
    other.values[5] = 0.1f;
    EXPECT_EQ(compact_from_csr(other.view()).code, ValueCode::full);
    EXPECT_EQ(choose_value_code(a.values.data(), std::ssize(a.values)).code, ValueCode::full);
  }
}

TEST(RoundValues, SaysWhatItHasDone) {
  Csr<float, std::int64_t> a{2, 3, Array<std::int64_t>{0, 3, 6}, Array<index_t>{0, 1, 2, 0, 1, 2},
                             Array<float>{1, 1 + 0x1p-11f, -0x1p-30f, 2048 + 1, -0.0f, 0x1p-20f}};
  auto b = a;
  const ValueRounding r = round_values(b, StoredValues::f16);
  EXPECT_EQ(b.values, (Array<float>{1, 1, -0.0f, 2048, -0.0f, 0x1p-20f}));
  EXPECT_TRUE(std::signbit(b.values[2]));
  EXPECT_EQ(r, (ValueRounding{StoredValues::f16, 6, 3, 1, 1}));
  EXPECT_EQ(
      r.text(),
      "values are stored as f16: 3 of 6 were rounded, by at most 1 of the value and 1 in all; "
      "beside its rounding a sum is off by at most 1 of the sum of |a||x|");
  EXPECT_EQ(round_values(b, StoredValues::f16).text(),
            "values are stored as f16, which all of them are");
  auto c = a;
  EXPECT_EQ(round_values(c, StoredValues::exact).text(), "");
  EXPECT_EQ(c, a);
}

TEST(RoundValues, KeepsSubnormalsNanAndInfinities) {
  const double infinite = std::numeric_limits<double>::infinity();
  const auto least = static_cast<double>(std::numeric_limits<float>::denorm_min());
  Csr<double, std::int32_t> a{
      1, 7, Array<std::int32_t>{0, 7}, Array<index_t>{0, 1, 2, 3, 4, 5, 6},
      Array<double>{infinite, -infinite, std::nan(""), 5 * least, 2.5 * least, least / 4, 0.1}};
  const ValueRounding r = round_values(a, StoredValues::f32);
  EXPECT_EQ(a.values[0], infinite);
  EXPECT_EQ(a.values[1], -infinite);
  EXPECT_TRUE(std::isnan(a.values[2]));
  EXPECT_EQ(a.values[3], 5 * least);
  EXPECT_EQ(a.values[4], 2 * least);
  EXPECT_EQ(a.values[5], 0);
  EXPECT_EQ(a.values[6], static_cast<double>(0.1f));
  EXPECT_EQ(r.changed, 3);
  EXPECT_EQ(r.relative, 1);
  EXPECT_EQ(r.absolute, static_cast<double>(0.1f) - 0.1);
}

TEST(RoundValues, RefusesWhatWouldBecomeInfinite) {
  const auto said = [](auto a, StoredValues as) {
    const auto before = a;
    const std::string text = message_of<Refused>([&] { round_values(a, as); });
    EXPECT_EQ(a, before);
    return text;
  };
  const Csr<float, std::int32_t> f{3, 4, Array<std::int32_t>{0, 1, 1, 3}, Array<index_t>{0, 1, 3},
                                   Array<float>{65519, 1, -65520}};
  EXPECT_EQ(said(f, StoredValues::f16),
            "row 2, column 3 (counting from 0): -65520 would be infinite as f16");
  auto large = f;
  large.values[0] = std::numeric_limits<float>::max();
  EXPECT_EQ(said(large, StoredValues::bf16),
            "row 0, column 0 (counting from 0): 3.4028235e+38 would be infinite as bf16");
  Csr<double, std::int64_t> d{1, 2, Array<std::int64_t>{0, 2}, Array<index_t>{0, 1},
                              Array<double>{0x1.fffffefp127, 0x1.ffffffp127}};
  EXPECT_EQ(said(d, StoredValues::f32),
            "row 0, column 1 (counting from 0): 3.4028235677973366e+38 would be infinite as f32");
  d.values[1] = 1;
  EXPECT_EQ(round_values(d, StoredValues::f32).changed, 1);
  EXPECT_EQ(message_of<InvalidArgument>([&] { round_values(d, StoredValues::f16); }),
            "values of a matrix of f64 cannot be stored as f16: f32 is for f64, f16 and bf16 are "
            "for f32");
  auto g = f;
  EXPECT_THROW(round_values(g, StoredValues::f32), InvalidArgument);
}

TEST(RoundValues, HasNames) {
  for (const StoredValues as : all_stored_values) EXPECT_EQ(stored_values_named(name(as)), as);
  EXPECT_EQ(message_of<InvalidArgument>([] { stored_values_named("fp8"); }),
            "values cannot be stored as 'fp8': exact, f32, f16 or bf16");
}

}  // namespace
}  // namespace nz
