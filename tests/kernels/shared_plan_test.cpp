#include <atomic>
#include <latch>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/truth.hpp>

#include "kernels/conform.hpp"
#include "kernels/cpu/scratch_pool.hpp"

// One plan, several host threads that multiply with it at once.
namespace nz::test {
namespace {

// Rows of very different lengths, spread columns: parts share rows, windows overlap.
Csr<double, std::int32_t> uneven() {
  std::mt19937_64 random(3);
  std::vector<index_t> r, c;
  std::vector<double> v;
  for (index_t i = 0; i < 400; ++i)
    for (int k = 0; k < (i == 200 ? 900 : 10); ++k) {
      r.push_back(i);
      c.push_back(static_cast<index_t>(random() % 300));
      v.push_back(static_cast<double>(random() % 2001) / 1000 - 1);
    }
  return csr_from_triplets<double, std::int32_t>(400, 300, r, c, v);
}

class SharedPlan : public ::testing::TestWithParam<Place> {};

TEST_P(SharedPlan, MultipliesFromSeveralThreads) {
  const Kernel& kernel = *GetParam().kernel;
  const auto a = uneven();
  Parameters parameters = without_limit(kernel);
  for (const Parameter& p : kernel.parameters)
    if (p.name == "grain") parameters["grain"] = p.min;
  const Plan<double> plan =
      nz::plan(a.view(), {.kernel = kernel.id(), .parameters = parameters, .threads = 3});

  std::mt19937_64 random(4);
  const std::vector<double> x = numbers<double>(random, 400, Input::finite);
  const auto in = [&](Op op) {
    return std::span<const double>(x).first(op == Op::none ? 300 : 400);
  };
  const auto multiply = [&](Op op) {
    std::vector<double> y(op == Op::none ? 400 : 300);
    plan.multiply(-0.5, in(op), 0.0, y, op);
    return y;
  };
  std::vector<Op> ops;
  for (const Op op : all_ops)
    if (kernel.supports(op)) ops.push_back(op);
  std::vector<std::vector<double>> alone;
  std::vector<Reference<double>> exact;
  for (const Op op : ops) {
    alone.push_back(multiply(op));
    exact.push_back(exact_product<double, std::int32_t>(a.view(), op, -0.5, in(op), 0.0, {}));
  }

  // Kernels with scratch memory are those that transpose.
  const std::size_t rounds = kernel.transposes ? 30 : 3;
  constexpr int hosts = 4;
  std::atomic<int> other_bits{0}, wrong{0};
  std::latch ready(hosts);
  std::vector<std::thread> all;
  for (int h = 0; h < hosts; ++h)
    all.emplace_back([&, h] {
      ready.arrive_and_wait();
      for (std::size_t round = 0; round < rounds; ++round) {
        const std::size_t i = (round + static_cast<std::size_t>(h)) % ops.size();
        const std::vector<double> y = multiply(ops[i]);
        if (kernel.repeats(ops[i]) && !same_bits<double>(y, alone[i])) ++other_bits;
        if (!exact[i].judge(y).right()) ++wrong;
      }
    });
  for (std::thread& t : all) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(other_bits, 0);
}

INSTANTIATE_TEST_SUITE_P(Registry, SharedPlan, ::testing::ValuesIn(places("cpu/*")), test_name);

TEST(ScratchPool, LendsEachCallItsOwnAndKeepsThem) {
  cpu::ScratchPool<double> pool(10);
  EXPECT_EQ(pool.bytes(), 80u);
  const double* first = nullptr;
  {
    auto a = pool.borrow();
    first = a.data();
    auto b = pool.borrow();
    EXPECT_NE(a.data(), b.data());
    EXPECT_EQ(pool.bytes(), 160u);
  }
  auto again = pool.borrow(), other = pool.borrow();
  EXPECT_TRUE(again.data() == first || other.data() == first);
  EXPECT_EQ(pool.bytes(), 160u) << "kept, not made anew";
}

}  // namespace
}  // namespace nz::test
