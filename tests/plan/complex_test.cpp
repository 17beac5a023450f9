#include <complex>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/truth.hpp>

#include "support/devices.hpp"

namespace nz {
namespace {

using C = std::complex<double>;

template <class T>
Csr<T, std::int64_t> drawn_matrix(index_t rows, index_t cols, int entries, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<typename T::value_type> part(-1, 1);
  std::vector<index_t> row, column;
  std::vector<T> value;
  for (int k = 0; k < entries; ++k) {
    row.push_back(static_cast<index_t>(random() % static_cast<unsigned>(rows)));
    column.push_back(static_cast<index_t>(random() % static_cast<unsigned>(cols)));
    const auto re = part(random);
    value.push_back({re, part(random)});
  }
  return csr_from_triplets<T, std::int64_t>(rows, cols, row, column, value);
}

template <class T>
std::vector<T> drawn(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<typename T::value_type> part(-1, 1);
  std::vector<T> v(n);
  for (T& z : v) {
    const auto re = part(random);
    z = {re, part(random)};
  }
  return v;
}

template <class T, class O>
void expect_right(const Plan<T>& plan, const CsrView<T, O>& a, Op op, std::uint64_t seed) {
  const auto in = static_cast<std::size_t>(is_transposed(op) ? a.rows : a.cols);
  const auto out = static_cast<std::size_t>(is_transposed(op) ? a.cols : a.rows);
  const auto x = drawn<T>(in, seed), before = drawn<T>(out, seed + 1);
  const T alpha(1.5, -1), beta(-1, 0.5);
  std::vector<T> y = before;
  plan.multiply(alpha, x, beta, y, op);
  const Verdict v = check_product<T, O>(a, op, alpha, x, beta, before, y);
  EXPECT_TRUE(v.right()) << plan.kernel().id() << " op " << name(op) << ": " << v.message();
}

const std::uint64_t seed = std::random_device{}();

TEST(ComplexPlan, EveryEffortAndUse) {
  SCOPED_TRACE(seed);
  const auto a = drawn_matrix<C>(300, 200, 9000, seed);
  const auto b = drawn_matrix<std::complex<float>>(300, 200, 9000, seed);
  for (const Effort effort : {Effort::instant, Effort::balanced, Effort::thorough})
    for (const Use use : {Use(Op::none), Use(Op::conjugate_transpose), both_ops})
      for (const bool deterministic : {false, true}) {
        PlanOptions options{.op = use, .effort = effort, .deterministic = deterministic};
        options.cache.use = false;
        const auto p = plan(a.view(), options);
        const auto q = plan(b.view(), options);
        EXPECT_TRUE(p.kernel().supports(ValueType::c128));
        EXPECT_NE(p.explain().text().find(p.kernel().id()), std::string::npos);
        for (const Op op : all_complex_ops) {
          if (p.supports(op)) expect_right(p, a.view(), op, seed + 2);
          if (q.supports(op)) expect_right(q, b.view(), op, seed + 3);
          EXPECT_TRUE(!use.has(op) || p.supports(op));
        }
      }
}

TEST(ComplexPlan, OnTheEmulator) {
  NZ_NEEDS_EMULATOR();
  SCOPED_TRACE(seed);
  const auto a = drawn_matrix<C>(70, 90, 900, seed);
  const auto b = drawn_matrix<std::complex<float>>(70, 90, 900, seed);
  for (const bool deterministic : {false, true}) {
    const PlanOptions options{
        .device = emulator_device, .op = both_ops, .deterministic = deterministic};
    const auto p = plan(a.view(), options);
    const auto q = plan(b.view(), options);
    for (const Op op : all_complex_ops) {
      expect_right(p, a.view(), op, seed + 2);
      expect_right(q, b.view(), op, seed + 3);
    }
  }
}

// A transpose of its own does T, and with the conjugate H.
TEST(ComplexPlan, StoresTheTranspose) {
  const auto a = drawn_matrix<C>(120, 80, 2000, seed);
  const auto p =
      plan(a.view(), {.kernel = "cpu/csr/balanced", .op = both_ops, .store_transpose = true});
  EXPECT_TRUE(p.stores_transpose());
  for (const Op op : all_complex_ops) expect_right(p, a.view(), op, seed + 4);
}

TEST(ComplexPlan, SeveralVectors) {
  const auto a = drawn_matrix<C>(50, 40, 600, seed);
  std::vector<Device> devices{cpu_device};
  if (test::has_emulator()) devices.push_back(emulator_device);
  for (const Device device : devices)
    for (const Op op : {Op::none, Op::conjugate_transpose}) {
      const auto p = plan(a.view(), {.device = device, .op = op});
      const index_t in = is_transposed(op) ? 50 : 40, out = is_transposed(op) ? 40 : 50, k = 3;
      const auto x = drawn<C>(static_cast<std::size_t>(in * k), seed + 5);
      const auto before = drawn<C>(static_cast<std::size_t>(out * k), seed + 6);
      std::vector<C> y = before;
      const C alpha(0, 2), beta(0.5, 0.5);
      p.multiply(alpha, row_major(x.data(), in, k), beta, row_major(y.data(), out, k), op);
      for (index_t j = 0; j < k; ++j) {
        std::vector<C> one, was, its;
        for (index_t i = 0; i < in; ++i) one.push_back(x[static_cast<std::size_t>(i * k + j)]);
        for (index_t i = 0; i < out; ++i) {
          was.push_back(before[static_cast<std::size_t>(i * k + j)]);
          its.push_back(y[static_cast<std::size_t>(i * k + j)]);
        }
        const Verdict v = check_product<C, std::int64_t>(a.view(), op, alpha, one, beta, was, its);
        EXPECT_TRUE(v.right()) << v.message();
      }
    }
}

TEST(ComplexPlan, BindsAndTakesPointers) {
  const auto a = drawn_matrix<C>(50, 40, 600, seed);
  const auto p = plan(a.view(), {.op = both_ops});
  const auto x = drawn<C>(50, seed + 7);
  std::vector<C> y(40), z(40), w(40);
  p.multiply({1, 2}, x, 0, y, Op::conjugate_transpose);
  p.multiply({1, 2}, x.data(), 0, z.data(), Op::conjugate_transpose);
  p.bind(Op::conjugate_transpose)->enqueue({1, 2}, x.data(), 0, w.data());
  EXPECT_EQ(y, z);
  EXPECT_EQ(y, w);
  EXPECT_GT(p.measure(Op::conjugate_transpose), 0);
}

TEST(ComplexPlan, NewValues) {
  auto a = drawn_matrix<C>(200, 200, 5000, seed);
  auto p = plan(a.view(), {.kernel = "cpu/compact/balanced"});
  for (C& v : a.values) v *= C(0, 2);
  p.update_values(a.view());
  expect_right(p, a.view(), Op::none, seed + 8);
  auto in_place = plan(a.view(), {.kernel = "cpu/csr/balanced"});
  EXPECT_TRUE(in_place.reads_in_place());
  for (C& v : a.values) v += C(1, 1);
  expect_right(in_place, a.view(), Op::conjugate, seed + 9);
}

// Rows that are not sorted, and columns twice.
TEST(ComplexPlan, PutsRowsInOrder) {
  const std::int32_t offsets[] = {0, 3};
  const index_t columns[] = {2, 0, 2};
  const C values[] = {{1, 1}, {0, 2}, {3, -1}};
  const auto p = plan(CsrView<C, std::int32_t>{1, 3, 3, offsets, columns, values});
  const std::vector<C> x{1, 1, 1};
  std::vector<C> y(1);
  p.multiply(1, x, 0, y);
  EXPECT_EQ(y[0], C(4, 2));
}

TEST(ComplexPlan, RefusesKernelsOfRealNumbers) {
  const auto a = drawn_matrix<C>(20, 20, 50, seed);
  EXPECT_THROW(plan(a.view(), {.kernel = "cpu/csr/serial"}), InvalidArgument);
}

// To a real plan the conjugate transpose is the transpose.
TEST(RealPlan, TakesConjugatesForWhatTheyAre) {
  const Csr<double, std::int32_t> a{2, 3, {0, 2, 3}, {0, 2, 1}, {1, 2, 3}};
  const auto p = plan(a.view());
  const std::vector<double> x{1, 10}, u{1, 10, 100};
  std::vector<double> y(3), z(2);
  p.multiply(1, x, 0, y, Op::conjugate_transpose);
  EXPECT_EQ(y, (std::vector<double>{1, 30, 2}));
  p.multiply(1, u, 0, z, Op::conjugate);
  EXPECT_EQ(z, (std::vector<double>{201, 30}));
}

}  // namespace
}  // namespace nz
