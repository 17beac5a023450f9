#include <new>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/threads.hpp>

#include "fake_kernels.hpp"
#include "lab/bench/source.hpp"
#include "lab/bench/trial.hpp"

namespace nz::test {
namespace {

using lab::Status;
using lab::Trial;
using View = CsrView<double, std::int32_t>;

class StageTest : public testing::Test {
 protected:
  const lab::Narrowed matrix = lab::narrow(lab::load("gen:grid:nx=8,ny=8").matrix);
  lab::Stage<double, std::int32_t> stage{std::get<0>(matrix).view()};
  const lab::Attempt quick{.budget = {0, 0, 3, 3}};

  Trial perform(FakePrepare prepare) {
    const Kernel k = fake_kernel("fake", prepare);
    const auto trials = stage.perform(k, quick);
    EXPECT_EQ(trials.size(), 1u);
    Trial t = trials.at(0);
    t.kernel = nullptr;
    return t;
  }
};

TEST_F(StageTest, ARightProductIsTimed) {
  const Trial t = perform(
      [](const View& a, const Parameters&) { return fake_product(a, [](std::span<double>) {}); });
  EXPECT_EQ(t.status, Status::ok) << t.reason;
  EXPECT_EQ(t.timing.samples.size(), 3u);
  EXPECT_GT(t.timing.median(), 0);
  EXPECT_EQ(t.traffic, 1000u);
  EXPECT_EQ(t.facts, (Facts{{"answer", 42}}));
  EXPECT_EQ(t.bytes, 100 + std::get<0>(matrix).bytes()) << "what it holds and what it borrows";
  EXPECT_LE(t.worst_error, 1);
  EXPECT_TRUE(t.prepared);
}

TEST_F(StageTest, AWrongProductGetsNoTime) {
  const Trial t = perform([](const View& a, const Parameters&) {
    return fake_product(a, [](std::span<double> y) { y[17] += 1e-3; });
  });
  EXPECT_EQ(t.status, Status::wrong);
  EXPECT_TRUE(t.reason.starts_with("row 17 (counting from 0): ")) << t.reason;
  EXPECT_TRUE(t.timing.samples.empty());
}

TEST_F(StageTest, ARowThatIsNotWrittenIsWrong) {
  // The good product first: its y must not be there for the second to inherit.
  perform(
      [](const View& a, const Parameters&) { return fake_product(a, [](std::span<double>) {}); });
  struct Lazy final : Product<double> {
    void multiply(Op, double, std::span<const double>, double, std::span<double>) const override {}
    std::size_t bytes() const override { return 0; }
    bool borrows() const override { return false; }
    std::size_t traffic(Op, bool) const override { return 0; }
  };
  const Trial t = perform([](const View&, const Parameters&) -> std::unique_ptr<Product<double>> {
    return std::make_unique<Lazy>();
  });
  EXPECT_EQ(t.status, Status::wrong);
}

TEST_F(StageTest, ExceptionsBecomeTrials) {
  using Ptr = std::unique_ptr<Product<double>>;
  const Trial refused =
      perform([](const View&, const Parameters&) -> Ptr { throw Refused("too wide"); });
  EXPECT_EQ(refused.status, Status::refused);
  EXPECT_EQ(refused.reason, "too wide");
  EXPECT_FALSE(refused.prepared);
  const Trial failed =
      perform([](const View&, const Parameters&) -> Ptr { throw NoResource("no device"); });
  EXPECT_EQ(failed.status, Status::failed);
  EXPECT_EQ(failed.reason, "no device");
  const Trial memory =
      perform([](const View&, const Parameters&) -> Ptr { throw std::bad_alloc(); });
  EXPECT_EQ(memory.status, Status::failed);
  EXPECT_EQ(memory.reason, "not enough memory");
  const Trial later = perform([](const View& a, const Parameters&) -> Ptr {
    return fake_product(a, [](std::span<double>) { throw std::runtime_error("lost"); });
  });
  EXPECT_EQ(later.status, Status::failed);
  EXPECT_EQ(later.reason, "lost");
  EXPECT_TRUE(later.prepared);
}

TEST_F(StageTest, WhatAKernelCannotDoIsRefused) {
  const Kernel k = fake_kernel("fake", [](const View& a, const Parameters&) {
    return fake_product(a, [](std::span<double>) {});
  });
  const auto trials = stage.perform(k, {.ops = {Op::none, Op::transpose}, .budget = quick.budget});
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_EQ(trials[0].status, Status::ok);
  EXPECT_EQ(trials[1].status, Status::refused);
  EXPECT_EQ(trials[1].reason, "has no transposed product");

  const auto in_f32 = csr_cast<float, std::int32_t>(std::get<0>(matrix).view());
  lab::Stage<float, std::int32_t> other{in_f32.view()};
  const auto none = other.perform(k, quick);
  EXPECT_EQ(none.at(0).status, Status::refused);
  EXPECT_NE(none.at(0).reason.find("f32"), std::string::npos) << none.at(0).reason;
}

TEST_F(StageTest, ThreadsAreThoseAskedForOnlyWhereTheKernelIsThreaded) {
  static int prepared = 0, multiplied = 0;
  Kernel k = fake_kernel("fake", [](const View& a, const Parameters&) {
    prepared = threads();
    return fake_product(a, [](std::span<double>) { multiplied = threads(); });
  });
  lab::Attempt attempt = quick;
  attempt.threads = 3;
  EXPECT_EQ(stage.perform(k, attempt).at(0).threads, 1);
  EXPECT_EQ(prepared, 1);
  k.threaded = true;
  EXPECT_EQ(stage.perform(k, attempt).at(0).threads, 3);
  EXPECT_EQ(prepared, 3);
  EXPECT_EQ(multiplied, 3);
}

TEST_F(StageTest, ProfileMultipliesTwiceAndChecksNothing) {
  static int calls = 0;
  const Kernel k = fake_kernel("fake", [](const View& a, const Parameters&) {
    return fake_product(a, [](std::span<double> y) { ++calls, y[0] = 1e9; });
  });
  const auto trials = stage.profile(k, {});
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(trials.at(0).status, Status::ok);
  EXPECT_EQ(trials.at(0).timing.samples.size(), 1u);
  calls = 0;
  EXPECT_EQ(stage.profile(k, {.products = 7}).at(0).timing.samples.size(), 7u);
  EXPECT_EQ(calls, 1 + 7);
}

}  // namespace
}  // namespace nz::test
