#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/formats/tiles.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/truth.hpp>

#include "kernels/conform.hpp"

// gpu/tile/balanced: tiles of every side, strips that several tasks share, and the same bits where
// they are promised.
namespace nz::test {
namespace {

using Matrix = Csr<double, std::int64_t>;

class GpuTile : public ::testing::TestWithParam<Place> {
 protected:
  std::mt19937_64 random{seed()};

  template <class T>
  Plan<T> plan_of(const Csr<T, std::int32_t>& a, int side_bits, bool deterministic) const {
    return nz::plan(a.view(),
                    {.kernel = GetParam().kernel->id(),
                     .parameters = {{"side_bits", side_bits}, {"deterministic", deterministic}},
                     .device = GetParam().device});
  }

  // Both products, judged, one after the other: counters must be as they were when the next begins.
  // Where bits are promised they are the same again, and by another plan. Returns the facts.
  template <class T>
  Facts check(const Matrix& matrix, int side_bits, bool deterministic) {
    SCOPED_TRACE(fmt::format("{} x {}, tiles of 2^{}, {}{}, NZ_TEST_SEED={}", matrix.rows,
                             matrix.cols, side_bits, name(value_type_of<T>),
                             deterministic ? ", deterministic" : "", seed()));
    const auto a = csr_cast<T, std::int32_t>(matrix.view());
    const Plan<T> plan = plan_of(a, side_bits, deterministic);
    const bool same = deterministic || side_bits <= 8;
    for (const Exercise<T>& e : {Exercise<T>{Op::none, Input::finite, T(1.5), T(0)},
                                 {Op::transpose, Input::finite, T(1), T(0)},
                                 {Op::none, Input::non_finite, T(-0.75), T(0.5)},
                                 {Op::transpose, Input::non_finite, T(2), T(-0.5)}}) {
      const bool turned = e.op == Op::transpose;
      auto x = numbers<T>(random, static_cast<std::size_t>(turned ? a.rows : a.cols), e.input);
      const auto before =
          numbers<T>(random, static_cast<std::size_t>(turned ? a.cols : a.rows), Input::finite);
      const auto exact = exact_product<T, std::int32_t>(a.view(), e.op, e.alpha, x, e.beta, before);
      multiply_and_check(plan, e, x, before, exact);
      if (!same || e.input != Input::finite) continue;
      Guarded<T> first(before), again(before);
      multiply<T>(plan, e.op, e.alpha, x, e.beta, first);
      if (turned)
        multiply<T>(plan, e.op, e.alpha, x, e.beta, again);
      else
        multiply<T>(plan_of(a, side_bits, deterministic), e.op, e.alpha, x, e.beta, again);
      EXPECT_TRUE(same_bits<T>(first.span(), again.span()));
    }
    return plan.product().facts();
  }
};

TEST_P(GpuTile, TakesEverySide) {
  NZ_NEEDS(GetParam().device);
  const Matrix wide = generate("random:rows=90,cols=301,density=0.03").matrix,
               tall = generate("random:rows=530,cols=70,density=0.02").matrix;
  for (int bits = 1; bits <= 15; ++bits) {
    for (const bool deterministic : {false, true}) {
      if (bits <= 8 && deterministic) continue;  // they are the same
      const Matrix& a = (bits % 2 == 0) != deterministic ? wide : tall;
      const bool narrow = bits == 15 || bits % 3 == 0;
      const Facts f =
          narrow ? check<float>(a, bits, deterministic) : check<double>(a, bits, deterministic);
      EXPECT_EQ(f.at("side"), 1 << bits);
    }
    if (HasFailure()) return;
  }
}

// Entries that do not meet in a row or a column fill their groups of 32.
TEST_P(GpuTile, TellsHowFullItsGroupsAre) {
  NZ_NEEDS(GetParam().device);
  for (const auto& [n, fill] : {std::pair{256, 1.0}, {16, 0.5}, {0, 0.0}}) {
    const auto a =
        csr_cast<double, std::int32_t>(generate(fmt::format("diagonal:n={}", n)).matrix.view());
    EXPECT_EQ(plan_of(a, 8, false).product().facts().at("group_fill"), fill) << n;
  }
}

// Sums of 2^15 fit into shared memory as float, not as double.
TEST_P(GpuTile, RefusesTilesThatTheDeviceCannotHold) {
  NZ_NEEDS(GetParam().device);
  const auto a = csr_cast<double, std::int32_t>(generate("diagonal:n=5").matrix.view());
  for (const bool deterministic : {false, true}) try {
      plan_of(a, 15, deterministic);
      ADD_FAILURE() << "not refused";
    } catch (const Refused& e) {
      EXPECT_NE(std::string(e.what()).find("tiles of 32768 need 2621"), std::string::npos)
          << e.what();
    }
}

// A strip of many tiles beside others of few, along rows and along columns.
TEST_P(GpuTile, PutsStripsTogetherFromSeveralTasks) {
  NZ_NEEDS(GetParam().device);
  std::vector<index_t> r, c;
  std::vector<double> v;
  const auto add = [&](index_t i, index_t j) {
    r.push_back(i);
    c.push_back(j);
    v.push_back(std::uniform_real_distribution<double>(-1, 1)(random));
  };
  const index_t n = 1200;
  for (index_t j = 0; j < n; ++j) {
    add(static_cast<index_t>(random() % 4), j);
    add(4 + j % 9, j);
    add(n - 1 - static_cast<index_t>(random() % 500), (7 * j) % 11);
    if (j >= 20 && j < n - 600) add(j, j);
  }
  const Matrix a = csr_from_triplets<double, std::int64_t>(n, n, r, c, v);
  const Matrix b = transpose(a.view());
  for (const int bits : {3, 9}) {
    const Facts f = check<double>(a, bits, true);
    const Facts g = check<float>(b, bits, bits < 9);
    EXPECT_GT(f.at("pieces"), 1);
    EXPECT_GT(g.at("pieces_transposed"), 1);
    if (bits < 9) {  // and strips of few share a task
      EXPECT_LT(f.at("tasks") - f.at("pieces"), n >> bits);
    }
  }
}

// Rows and columns of many entries, that are runs; and a tile of more entries than one may have.
TEST_P(GpuTile, AddsRunsAndCutTiles) {
  NZ_NEEDS(GetParam().device);
  const Matrix hubs = generate("rmat:scale=8,degree=12").matrix;
  check<double>(hubs, 8, false);
  check<float>(hubs, 9, true);
  const Matrix dense = generate("random:rows=100,cols=110,density=0.8").matrix;
  for (const int bits : {7, 9})
    for (const bool deterministic : {false, true})
      EXPECT_EQ(check<double>(dense, bits, deterministic).at("tiles"),
                (dense.nnz() + tile_limit(dense.nnz()) - 1) / tile_limit(dense.nnz()));
}

INSTANTIATE_TEST_SUITE_P(Own, GpuTile, ::testing::ValuesIn(places("gpu/tile/balanced")), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GpuTile);

}  // namespace
}  // namespace nz::test
