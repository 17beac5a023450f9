#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/formats.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>

#include "kernels/conform.hpp"
#include "support/devices.hpp"

// The kernels of izawa2023 on the CSB family, beyond what every kernel must do.
namespace nz::test {
namespace {

class CsbFamily : public ::testing::TestWithParam<Place> {
 protected:
  const Kernel& kernel() const { return *GetParam().kernel; }
  bool has(std::string_view parameter) const {
    for (const Parameter& p : kernel().parameters)
      if (p.name == parameter) return true;
    return false;
  }
  template <class T>
  Plan<T> planned(const Csr<T, std::int64_t>& a, Parameters p) const {
    std::erase_if(p, [&](const auto& q) { return !has(q.first); });
    return nz::plan(a.view(),
                    {.kernel = kernel().id(), .parameters = p, .device = GetParam().device});
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CsbFamily);

// Those whose beta can be chosen.
class BlocksOfBeta : public CsbFamily {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BlocksOfBeta);

Csr<double, std::int64_t> scattered(index_t rows, index_t cols, int entries) {
  std::mt19937_64 random(seed());
  std::vector<index_t> r, c;
  for (int k = 0; k < entries; ++k) {
    r.push_back(static_cast<index_t>(random() % static_cast<std::uint64_t>(rows)));
    c.push_back(static_cast<index_t>(random() % static_cast<std::uint64_t>(cols)));
  }
  return csr_from_triplets<double, std::int64_t>(rows, cols, r, c,
                                                 std::vector<double>(r.size(), 1.5));
}

// Shapes that no beta divides, wide and tall: a block's column is not its number modulo the rows of
// blocks.
TEST_P(BlocksOfBeta, EveryBetaOnRectangularMatrices) {
  NZ_NEEDS(GetParam().device);
  for (const auto& [rows, cols] : {std::pair{37, 150}, {150, 37}, {101, 99}}) {
    const auto a = scattered(rows, cols, 900);
    for (index_t beta = 2; beta <= max_beta; beta *= beta < 256 ? 2 : 128)
      for (const std::int64_t group : {1, 5, 32}) {
        if (group != 32 && !has("group_size")) continue;
        SCOPED_TRACE(fmt::format("{} x {}, beta {}, groups of {}, NZ_TEST_SEED={}", rows, cols,
                                 beta, group, seed()));
        const auto p =
            planned(a, {{"beta", beta}, {"group_size", group}, {"max_ratio", 1'000'000}});
        for (const Op op : all_ops) {
          std::vector<double> x(static_cast<std::size_t>(op == Op::none ? cols : rows)),
              y(static_cast<std::size_t>(op == Op::none ? rows : cols), 1);
          for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 11) - 3;
          const auto exact = exact_product<double>(a.view(), op, 2.0, x, 0.5, y);
          p.multiply(2, x, 0.5, y, op);
          const Verdict v = exact.judge(y);
          EXPECT_TRUE(v.right()) << v.message();
        }
      }
  }
}

// One full block and others with a single entry; (8, 0) is a zero that is stored.
Csr<double, std::int64_t> full_and_single() {
  std::vector<index_t> r, c;
  std::vector<double> v;
  const auto add = [&](index_t i, index_t j, double value) {
    r.push_back(i);
    c.push_back(j);
    v.push_back(value);
  };
  for (index_t i = 0; i < 4; ++i)
    for (index_t j = 8; j < 12; ++j) add(i, j, 1);
  add(8, 0, 0);
  add(12, 3, 2);
  return csr_from_triplets<double, std::int64_t>(16, 16, r, c, v);
}
const Parameters blocks_of_four = {{"beta", 4},           {"group_size", 4},
                                   {"max_ratio", 1000},   {"relative_speed", 3},
                                   {"breakeven_rows", 0}, {"leave", 1}};

// Padding is not multiplied, zeros that are entries are.
TEST_P(CsbFamily, OnlyEntriesMeetNan) {
  NZ_NEEDS(GetParam().device);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto p = planned(full_and_single(), blocks_of_four);
  std::vector<double> x(16, 1), y(16, 7);
  x[0] = nan;
  p.multiply(1, x, 0, y);
  for (std::size_t i = 0; i < 16; ++i)
    if (i == 8)
      EXPECT_TRUE(std::isnan(y[i]));
    else
      EXPECT_EQ(y[i], i < 4 ? 4 : i == 12 ? 2 : 0) << i;
  x[0] = 1;
  x[8] = nan;
  p.multiply(1, x, 0, y, Op::transpose);
  for (std::size_t i = 0; i < 16; ++i)
    if (i == 0)
      EXPECT_TRUE(std::isnan(y[i]));
    else
      EXPECT_EQ(y[i], i >= 8 && i < 12 ? 4 : i == 3 ? 2 : 0) << i;
}

// Figures 3.8 and 3.9 multiply it, and the filled matrix says where: in the first cell of blocks
// that have fewer entries than the fullest of their group, an empty one's included.
TEST(Gcsb, PaddingMeetsNanAsPrinted) {
  NZ_NEEDS_EMULATOR();
  const auto a = full_and_single();
  Parameters wanted = blocks_of_four;
  for (const char* other : {"relative_speed", "breakeven_rows"}) wanted.erase(other);
  wanted["leave"] = 0;
  const auto p = nz::plan(
      a.view(),
      {.kernel = "gpu/gcsb/thread-per-block", .parameters = wanted, .device = emulator_device});
  const auto filled = find_kernel("gpu/gcsb/thread-per-block").with_fill(a.view(), p.parameters());
  EXPECT_EQ(filled.nnz(), a.nnz() + 3);
  std::vector<double> x(16, 1), y(16, 7);
  x[0] = std::numeric_limits<double>::infinity();
  p.multiply(1, x, 0, y);
  for (std::size_t i = 0; i < 16; ++i)
    EXPECT_EQ(std::isnan(y[i]), i == 0 || i == 8 || i == 12) << i;
  const auto exact = exact_product<double>(filled.view(), Op::none, 1.0, x, 0.0, y);
  EXPECT_TRUE(exact.judge(y).right()) << exact.judge(y).message();
}

TEST_P(BlocksOfBeta, RefusesBlocksOfNoSize) {
  NZ_NEEDS(GetParam().device);
  const auto a = scattered(50, 50, 300);
  const auto said = [&]<class E>(std::type_identity<E>, const Parameters& p) -> std::string {
    try {
      planned(a, p);
    } catch (const E& e) {
      return e.what();
    }
    return "nothing";
  };
  const auto has_text = [](const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
  };
  for (const std::int64_t beta : {0, -8, 65536})
    EXPECT_TRUE(has_text(said(std::type_identity<InvalidArgument>{}, {{"beta", beta}}),
                         fmt::format("beta = {} is outside 2 to 32768", beta)));
  EXPECT_TRUE(has_text(said(std::type_identity<Refused>{}, {{"beta", 24}}),
                       "beta is 24, not a power of two from 1 to 32768"));
  if (has("group_size")) {
    EXPECT_TRUE(has_text(said(std::type_identity<InvalidArgument>{}, {{"group_size", 0}}),
                         "group_size = 0 is outside 1 to 1024"));
  }
}

// Equations 3.3 and 3.4, but larger blocks where the paper's would be refused, and groups of no
// more blocks than there are.
TEST_P(BlocksOfBeta, ParametersOfThePaperThatFit) {
  const auto a = scattered(500, 500, 3000);
  const auto b = csr_cast<float, std::int64_t>(a.view());
  EXPECT_EQ(kernel().resolve({}, Pattern(a.view())).at("beta"), 16);
  EXPECT_EQ(kernel().resolve({}, Pattern(b.view())).at("beta"), 32);
  // 3 (1000 + 200'000) blocks at most: 32 takes 3125^2, 128 takes 782^2, 256 takes 391^2.
  const auto c = scattered(100'000, 100'000, 1000);
  EXPECT_EQ(kernel().resolve({}, Pattern(c.view())).at("beta"), 256);
  EXPECT_EQ(kernel().resolve({{"beta", 64}}, Pattern(c.view())).at("beta"), 64);
  if (!has("group_size")) return;
  EXPECT_EQ(kernel().resolve({}, Pattern(a.view())).at("group_size"), 16);
  EXPECT_EQ(kernel().resolve({}, Pattern(b.view())).at("group_size"), 32);
  const auto d = scattered(70, 40, 100);
  EXPECT_EQ(kernel().resolve({}, Pattern(d.view())).at("group_size"), 5 * 3);
  EXPECT_EQ(kernel().resolve({}, Pattern(Csr<double, std::int64_t>().view())).at("group_size"), 1);
}

std::vector<Place> some(const std::vector<const char*>& patterns) {
  std::vector<Place> all;
  for (const char* pattern : patterns)
    for (const Place& p : places(pattern)) all.push_back(p);
  return all;
}
INSTANTIATE_TEST_SUITE_P(
    , CsbFamily, ::testing::ValuesIn(some({"gpu/csb-baseline/*", "gpu/ecsb/*", "gpu/gcsb/*"})),
    test_name);
INSTANTIATE_TEST_SUITE_P(, BlocksOfBeta,
                         ::testing::ValuesIn(some({"gpu/csb-baseline/*", "gpu/gcsb/*"})),
                         test_name);

}  // namespace
}  // namespace nz::test
