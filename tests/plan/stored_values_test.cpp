#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/formats/stored_values.hpp>
#include <nonzero/truth.hpp>

#include "plan/given.hpp"
#include "plan/rounded.hpp"
#include "support/seed.hpp"
#include "support/message_of.hpp"

// store_values_as: values are rounded and stored in fewer bytes; products are those of the rounded
// matrix, within the bound of the vectors' type.
namespace nz::test {
namespace {

// Values over most of what all the types have, subnormals of half among them.
template <Value T, Offset O>
Given<T, O> any_values(const std::string& spec) {
  Given<T, O> g = given<T, O>(spec);
  std::mt19937_64 random(seed());
  std::uniform_real_distribution<double> mantissa(1, 2);
  std::uniform_int_distribution<int> exponent(-23, 14), sign(0, 1);
  for (T& v : g.values)
    v = static_cast<T>((sign(random) != 0 ? -1 : 1) *
                       std::ldexp(mantissa(random), exponent(random)));
  return g;
}

// By another way than the library's: a type with so many bits of mantissa, whose smallest number is
// a power of 2, in steps that a double can count.
double by_steps(double v, int bits, int smallest) {
  if (v == 0 || !std::isfinite(v)) return v;
  const int step = std::max(std::ilogb(v) - (bits - 1), smallest);
  return std::ldexp(std::nearbyint(std::ldexp(v, -step)), step);
}
double rounded_to(double v, StoredValues as) {
  return as == StoredValues::f32   ? by_steps(v, 24, -149)
         : as == StoredValues::f16 ? by_steps(v, 11, -24)
                                   : by_steps(v, 8, -133);
}

template <Value T, Offset O>
Given<T, O> rounded(Given<T, O> g, StoredValues as) {
  for (T& v : g.values) v = static_cast<T>(rounded_to(static_cast<double>(v), as));
  return g;
}

template <Value T, Offset O>
void expect_within_bounds(const Plan<T>& p, const Given<T, O>& truth) {
  std::mt19937_64 random(seed() + 1);
  std::uniform_real_distribution<T> any(-1, 1);
  for (const Op op : all_ops) {
    const bool n = op == Op::none;
    std::vector<T> x(static_cast<std::size_t>(n ? truth.cols : truth.rows)),
        before(static_cast<std::size_t>(n ? truth.rows : truth.cols));
    for (T& v : x) v = any(random);
    for (T& v : before) v = any(random);
    std::vector<T> y = before;
    p.multiply(T(1.5), x, T(-0.5), y, op);
    const Verdict v = check_product<T, O>(truth.view(), op, T(1.5), x, T(-0.5), before, y);
    EXPECT_TRUE(v.right()) << name(op) << " by " << p.kernel().id() << ": " << v.message();
  }
}

// Several vectors at once, judged one by one.
template <Value T, Offset O>
void expect_several(const Plan<T>& p, const Given<T, O>& truth) {
  constexpr index_t several = 3;
  std::mt19937_64 random(seed() + 2);
  std::uniform_real_distribution<T> any(-1, 1);
  for (const Op op : all_ops) {
    const index_t in = op == Op::none ? truth.cols : truth.rows,
                  out = op == Op::none ? truth.rows : truth.cols;
    std::vector<T> x(static_cast<std::size_t>(in * several)),
        y(static_cast<std::size_t>(out * several));
    for (T& v : x) v = any(random);
    p.multiply(T(1), DenseView<const T>(x.data(), in, several, Layout::column_major), T(0),
               DenseView<T>(y.data(), out, several, Layout::column_major), op);
    for (index_t j = 0; j < several; ++j) {
      const std::span<const T> xj(x.data() + j * in, static_cast<std::size_t>(in)),
          yj(y.data() + j * out, static_cast<std::size_t>(out));
      EXPECT_TRUE(check_product<T>(truth.view(), op, T(1), xj, T(0), {}, yj).right())
          << name(op) << " by " << p.kernel().id() << ", column " << j;
    }
  }
}

// What rounding does, computed here.
template <Value T, Offset O>
ValueRounding stated(const Given<T, O>& a, StoredValues as) {
  ValueRounding r{.as = as, .values = std::ssize(a.values)};
  for (const T value : a.values) {
    const auto v = static_cast<double>(value);
    const double off = std::abs(v - rounded_to(v, as));
    r.changed += off != 0;
    r.absolute = std::max(r.absolute, off);
    if (v != 0) r.relative = std::max(r.relative, off / std::abs(v));
  }
  return r;
}

template <Value T>
std::vector<StoredValues> types_for() {
  if constexpr (sizeof(T) == 8)
    return {StoredValues::f32};
  else
    return {StoredValues::f16, StoredValues::bf16};
}

TEST(StoredValues, ProductsAreThoseOfTheRoundedMatrix) {
  for_all_types([]<Value T, Offset O>() {
    const auto a = any_values<T, O>("random:rows=300,cols=260,density=0.05");
    for (const StoredValues as : types_for<T>())
      for (const Place& place : all_places())
        for (const Use use : all_uses) {
          SCOPED_TRACE(fmt::format("{} on {}{}, N {}, T {}, NZ_TEST_SEED={}", name(as),
                                   place.device, place.there ? " there" : "", use.n, use.t,
                                   seed()));
          const Lying<T, O> lying(a, a.view(), place);
          const auto p =
              plan(lying.view(),
                   {.device = device_named(place.device), .op = use, .store_values_as = as});
          const auto truth = rounded(a, as);
          expect_within_bounds(p, truth);
          if (use == both_ops) expect_several(p, truth);
          EXPECT_TRUE(stores(p.kernel(), as)) << p.kernel().id();
          EXPECT_FALSE(p.reads_in_place());
          EXPECT_EQ(p.explain().rounding, stated(a, as));
          EXPECT_NE(p.explain().text().find("values are stored as " + std::string(name(as))),
                    std::string::npos);
        }
  });
}

// The error against the matrix as it was given stays below what is stated.
TEST(StoredValues, TheStatedErrorHolds) {
  const auto a = any_values<double, std::int32_t>("random:rows=300,cols=300,density=0.05");
  const auto p = plan(a.view(), {.store_values_as = StoredValues::f32});
  std::vector<double> x(300), y(300), exact(300), sizes(300);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1 + static_cast<double>(i % 5);
  p.multiply(1, x, 0, y);
  for (index_t i = 0; i < 300; ++i)
    for (auto k = a.offsets[static_cast<std::size_t>(i)];
         k < a.offsets[static_cast<std::size_t>(i) + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k), r = static_cast<std::size_t>(i);
      const double term = a.values[at] * x[static_cast<std::size_t>(a.columns[at])];
      exact[r] += term;
      sizes[r] += std::abs(term);
    }
  const double relative = p.explain().rounding.relative;
  EXPECT_GT(relative, 0x1p-26);
  EXPECT_LE(relative, 0x1p-24);
  double worst = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    EXPECT_LE(std::abs(y[i] - exact[i]), (relative + 40 * 0x1p-53) * sizes[i]) << i;
    if (sizes[i] > 0) worst = std::max(worst, std::abs(y[i] - exact[i]) / sizes[i]);
  }
  EXPECT_GT(worst, 0x1p-40);  // it was rounded
}

// Whatever else a plan is asked for, and however small or empty the matrix is.
TEST(StoredValues, GoWithOtherOptions) {
  for (const std::string& device : places())
    for (const char* spec :
         {"random:rows=40,cols=30,density=0.1", "diagonal:n=1", "grid:nx=30,ny=30"}) {
      const auto a = any_values<float, std::int32_t>(spec);
      for (const Effort effort : all_efforts)
        for (const bool deterministic : {false, true}) {
          SCOPED_TRACE(
              fmt::format("{} on {}, {}, NZ_TEST_SEED={}", spec, device, name(effort), seed()));
          const auto p = plan(a.view(), {.device = device_named(device),
                                         .effort = effort,
                                         .deterministic = deterministic,
                                         .cache = {.use = false},
                                         .store_values_as = StoredValues::bf16});
          EXPECT_TRUE(stores(p.kernel(), StoredValues::bf16));
          std::vector<float> x(static_cast<std::size_t>(a.cols), 0.75f),
              y(static_cast<std::size_t>(a.rows), 9);
          p.multiply(1, x, 0, y);
          const auto truth = rounded(a, StoredValues::bf16);
          EXPECT_TRUE(check_product<float>(truth.view(), Op::none, 1, x, 0, {}, y).right());
        }
    }
  // Nearly all rows are empty, or all.
  for (const std::string& device : places())
    for (const std::size_t entries : {std::size_t{3}, std::size_t{0}}) {
      Given<double, std::int64_t> a{1'000, 900, static_cast<std::int64_t>(entries), {}, {}, {}};
      a.offsets.assign(1'001, 0);
      for (std::size_t i = 500; i < a.offsets.size(); ++i)
        a.offsets[i] = static_cast<std::int64_t>(entries);
      for (std::size_t k = 0; k < entries; ++k) {
        a.columns.push_back(static_cast<index_t>(7 * k));
        a.values.push_back(0.1 + static_cast<double>(k));
      }
      const auto p = plan(
          a.view(),
          {.device = device_named(device), .op = both_ops, .store_values_as = StoredValues::f32});
      expect_within_bounds(p, rounded(a, StoredValues::f32));
      EXPECT_EQ(p.explain().rounding.changed, static_cast<std::int64_t>(entries));
    }
}

TEST(StoredValues, AreRoundedAgainWhenTheyChange) {
  const auto a = any_values<float, std::int32_t>("random:rows=300,cols=200,density=0.06");
  auto b = a;
  for (float& v : b.values) v *= 0.7f;
  auto large = b;
  large.values[17] = 70'000;
  for (const Place& place : all_places()) {
    SCOPED_TRACE(fmt::format("{}, NZ_TEST_SEED={}", place.device, seed()));
    const Lying<float, std::int32_t> of_a(a, a.view(), place), of_b(b, b.view(), place),
        of_large(large, large.view(), place);
    auto p = plan(of_a.view(), {.device = device_named(place.device),
                                .op = both_ops,
                                .store_values_as = StoredValues::f16});
    p.update_values(of_b.view());
    expect_within_bounds(p, rounded(b, StoredValues::f16));
    EXPECT_EQ(p.explain().rounding, stated(b, StoredValues::f16));
    // The plan is as it was where the new values are refused.
    EXPECT_NE(message_of<Refused>([&] {
                p.update_values(of_large.view());
              }).find("70000 would be infinite as f16"),
              std::string::npos);
    expect_within_bounds(p, rounded(b, StoredValues::f16));
    EXPECT_EQ(p.explain().rounding, stated(b, StoredValues::f16));
    p.update_values(csr_cast<float, std::int64_t>(a.view()));
    expect_within_bounds(p, rounded(a, StoredValues::f16));
  }
}

TEST(StoredValues, NanAndInfinitiesStayAndSubnormalsToo) {
  constexpr float infinite = std::numeric_limits<float>::infinity();
  for (const std::string& device : places())
    for (const StoredValues as : {StoredValues::f16, StoredValues::bf16}) {
      auto a = any_values<float, std::int32_t>("random:rows=200,cols=200,density=0.05");
      a.values[3] = std::nanf("");
      a.values[500] = infinite;
      a.values[900] = -infinite;
      a.values[1200] = as == StoredValues::f16 ? 0x1.8p-24f : 0x1.8p-133f;  // halfway, to the even
      a.values[1201] = as == StoredValues::f16 ? -0x1p-24f : -0x1p-133f;    // the smallest
      const auto p = plan(a.view(), {.device = device_named(device), .store_values_as = as});
      std::vector<float> x(200, 1.0f), y(200);
      p.multiply(1, x, 0, y);
      const auto truth = rounded(a, as);
      const Verdict v = check_product<float>(truth.view(), Op::none, 1, x, 0, {}, y);
      EXPECT_TRUE(v.right()) << v.message() << ", NZ_TEST_SEED=" << seed();
      // Alone with a large x the small ones show.
      const auto small = csr_from_triplets<float, std::int32_t>(
          300, 2, std::vector<index_t>{0, 299}, std::vector<index_t>{0, 1},
          std::vector<float>{a.values[1200], a.values[1201]});
      const auto q = plan(small.view(), {.device = device_named(device), .store_values_as = as});
      const std::vector<float> two{0x1p30f, 0x1p30f};
      std::vector<float> z(300, 5);
      q.multiply(1, two, 0, z);
      EXPECT_EQ(z[0], as == StoredValues::f16 ? 0x1p7f : 0x1p-102f);
      EXPECT_EQ(z[299], as == StoredValues::f16 ? -0x1p6f : -0x1p-103f);
      EXPECT_EQ(z[1], 0);
    }
}

// Every pattern of 16 bits, through the product of a diagonal matrix.
TEST(StoredValues, EveryPatternOf16BitsReachesTheProduct) {
  constexpr index_t n = 1 << 16;
  Csr<float, std::int32_t> a{n, n, Array<std::int32_t>(n + 1), Array<index_t>(n), Array<float>(n)};
  for (index_t i = 0; i < n; ++i) {
    a.offsets[static_cast<std::size_t>(i)] = a.columns[static_cast<std::size_t>(i)] = i;
    // bfloat: the upper half of a float, all of whose patterns there are.
    a.values[static_cast<std::size_t>(i)] =
        std::bit_cast<float>(static_cast<std::uint32_t>(i) << 16);
  }
  a.offsets[n] = n;
  const std::vector<float> x(n, 1.0f);
  for (const std::string& device : places()) {
    const std::string kernel = device == "cpu" ? "cpu/compact/balanced" : "gpu/compact/balanced";
    const auto p = plan(
        a.view(),
        {.kernel = kernel, .device = device_named(device), .store_values_as = StoredValues::bf16});
    EXPECT_EQ(p.explain().rounding.changed, 0);
    const std::size_t bytes = p.bytes();
    std::vector<float> y(n);
    p.multiply(1, x, 0, y);
    for (std::size_t i = 0; i < y.size(); ++i) {
      ASSERT_EQ(std::isnan(y[i]), std::isnan(a.values[i])) << i;
      if (!std::isnan(y[i])) {
        ASSERT_EQ(y[i], a.values[i]) << i;
      }
    }
    // Two bytes less for each than where one is not of the type.
    auto other = a;
    other.values[1] = 0.1f;
    const auto q = plan(other.view(), {.kernel = kernel, .device = device_named(device)});
    EXPECT_GE(q.bytes(), bytes + std::size_t{n} * 2);
  }
}

TEST(StoredValues, OnlyWhereTheyMeanSomething) {
  const auto a = whole("grid:nx=20,ny=20");
  const auto said = [&](const PlanOptions& o) {
    return message_of<InvalidArgument>([&] { plan(a.view(), o); });
  };
  EXPECT_EQ(said({.store_values_as = StoredValues::f16}),
            "values of a matrix of f64 cannot be stored as f16: f32 is for f64, f16 and bf16 are "
            "for f32");
  EXPECT_EQ(said({.kernel = "cpu/csr/balanced", .store_values_as = StoredValues::f32}),
            "cpu/csr/balanced does not store values as f32; on cpu these do: cpu/compact/balanced, "
            "cpu/csb/balanced, cpu/packed/slices");
  const auto f = csr_cast<float, std::int32_t>(a.view());
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              plan(f.view(), {.kernel = "cpu/packed/slices", .store_values_as = StoredValues::f16});
            }),
            "cpu/packed/slices does not store values as f16; on cpu these do: "
            "cpu/compact/balanced");
  auto b = a;
  b.values[7] = 1e300;
  EXPECT_EQ(message_of<Refused>([&] { plan(b.view(), {.store_values_as = StoredValues::f32}); }),
            fmt::format("row {}, column {} (counting from 0): 1e+300 would be infinite as f32", 2,
                        b.columns[7]));
}

// The list of kernels that narrow values is whole: of all others the bytes do not depend on them.
TEST(StoredValues, TheListOfKernelsIsWhole) {
  const auto any = any_values<double, std::int32_t>("random:rows=900,cols=900,density=0.01");
  const auto floats = rounded(any, StoredValues::f32);
  int narrow = 0;
  for (const Kernel& k : kernels())
    for (const std::string& device : places()) {
      const Device there = device_named(device);
      if (!k.runs_on_device(there.kind) || !k.prepare_for<double, std::int32_t>(there.kind))
        continue;
      Parameters any_fill;
      for (const Parameter& q : k.parameters)
        if (q.name == "max_ratio") any_fill.emplace(q.name, q.max);
      const auto bytes = [&](const Given<double, std::int32_t>& a) {
        return prepare(k, a.view(), any_fill, there)->bytes();
      };
      const std::size_t before = bytes(any), after = bytes(floats);
      const bool narrows = after + static_cast<std::size_t>(any.nnz) * 3 < before;
      EXPECT_EQ(narrows, stores(k, StoredValues::f32)) << k.id() << " NZ_TEST_SEED=" << seed();
      narrow += narrows;
    }
  EXPECT_GE(narrow, 3);
  EXPECT_TRUE(stores(kernels().front(), StoredValues::exact));
}

}  // namespace
}  // namespace nz::test
