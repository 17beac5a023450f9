#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <thread>

#include <nonzero/error.hpp>

#include "gpu/allocations.hpp"
#include "gpu/arrow.hpp"
#include "simt/backend.hpp"
#include "support/devices.hpp"

// Plan::bind(): every GPU kernel, on every device it was built for, against multiply().
namespace nz::test {
namespace {

class BoundProducts : public ::testing::TestWithParam<Place> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BoundProducts);

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// Calls follow each other without a look in between: what one leaves in scratch memory the next one
// finds. Sums are exact, so that kernels with atomics give the same bits, too.
template <class T>
void compare_with_multiply(const Place& place, Op op) {
  const Problem<T> p(op);
  const auto plan = plan_in(place, p.a.view());
  const Stream stream(place.device);
  const auto bound = plan.bind(op, stream);
  DeviceArray<T> x(place.device, std::span(p.x)), y(place.device, std::span(p.before)),
      z(place.device, std::span(p.before));
  std::vector<T> expected(p.before.size()), result(p.before.size());
  const T infinity = std::numeric_limits<T>::infinity();
  const std::array<std::pair<T, T>, 6> scalars{{{T(1.5), T(-0.5)},
                                                {T(0), T(2)},
                                                {T(-2), T(1)},
                                                {T(1), T(0)},
                                                {infinity, T(1)},
                                                {T(2), T(0)}}};
  for (const auto& [alpha, beta] : scalars) {
    for (int again = 0; again < 2; ++again) {
      plan.multiply(alpha, x.span(), beta, y.span(), op, stream);
      bound->enqueue(alpha, x.data(), beta, z.data());
    }
    y.download(expected, stream);
    z.download(result, stream);
    EXPECT_TRUE(same_bits(expected, result)) << alpha << " A x + " << beta << " y";
  }
  z.upload(p.before);
  bound->enqueue(p.alpha, x.data(), p.beta, z.data());
  z.download(result, stream);
  p.judge(result);
}

TEST_P(BoundProducts, SameBitsAsMultiply) {
  NZ_NEEDS(GetParam().device);
  for (const Op op : ops_of(*GetParam().kernel)) {
    SCOPED_TRACE(name(op));
    compare_with_multiply<float>(GetParam(), op);
    compare_with_multiply<double>(GetParam(), op);
  }
}

// Each thread has an object and a stream, and all one plan; each adds again and again.
TEST_P(BoundProducts, ThreadsWithOneEach) {
  NZ_NEEDS(GetParam().device);
  const Device device = GetParam().device;
  const Arrow<double> arrow(arrow_size(device));
  const auto plan = plan_in(GetParam(), arrow.a.view());
  const int rounds = device.kind == Device::Kind::cuda ? 40 : 2;
  constexpr std::size_t threads = 3;
  for (const Op op : ops_of(*GetParam().kernel)) {
    SCOPED_TRACE(name(op));
    std::vector<std::vector<double>> results(threads);
    std::vector<std::string> said(threads);
    std::vector<std::thread> all;
    for (std::size_t i = 0; i < threads; ++i)
      all.emplace_back([&, i] {
        try {
          const Stream stream(device);
          const auto bound = plan.bind(op, stream);
          const std::vector<double> numbers = arrow.x(i), zeros(numbers.size());
          DeviceArray<double> x(device, std::span(numbers)), y(device, std::span(zeros));
          for (int r = 0; r < rounds; ++r) bound->enqueue(1.0, x.data(), 1.0, y.data());
          results[i].resize(zeros.size());
          y.download(results[i], stream);
        } catch (const std::exception& e) {
          said[i] = e.what();
        }
      });
    for (std::thread& t : all) t.join();
    for (std::size_t i = 0; i < threads; ++i) {
      EXPECT_EQ(said[i], "");
      EXPECT_EQ(results[i], arrow.product(op, arrow.x(i), rounds)) << "thread " << i;
    }
  }
}

// A launch is all that a call does: no backend is looked up, none is asked, nor is the CUDA
// runtime. The same count finds what multiply() asks for.
TEST_P(BoundProducts, ACallAsksForNothing) {
  NZ_NEEDS(GetParam().device);
  const Device device = GetParam().device;
  const Arrow<double> arrow(device.kind == Device::Kind::cuda ? 6000 : 400);
  const auto plan = plan_in(GetParam(), arrow.a.view());
  const std::vector<double> numbers = arrow.x(1);
  DeviceArray<double> x(device, std::span(numbers)), y(device, std::span(numbers));
  const Stream stream(device);
  const auto asked = [&](auto&& body) {
    const std::size_t before = simt::requests();
    body();
    return simt::requests() - before;
  };
  for (const Op op : ops_of(*GetParam().kernel)) {
    SCOPED_TRACE(name(op));
    const auto bound = plan.bind(op, stream);
    bound->enqueue(1.0, x.data(), 0.0, y.data());  // asks for shared memory, the first time
    const std::size_t live = simt::live_allocations();
    for (const double alpha : {1.0, -3.0, 0.0, std::numeric_limits<double>::quiet_NaN()})
      for (const double beta : {0.0, 1.0, 2.0})
        EXPECT_EQ(asked([&] { bound->enqueue(alpha, x.data(), beta, y.data()); }), 0u)
            << alpha << " A x + " << beta << " y";
    EXPECT_EQ(simt::live_allocations(), live);
    EXPECT_GT(asked([&] { plan.multiply(1.0, x.span(), 0.0, y.span(), op, stream); }), 0u);
  }
}

TEST_P(BoundProducts, NewValuesAskForANewOne) {
  NZ_NEEDS(GetParam().device);
  const Device device = GetParam().device;
  Problem<double> p(Op::none);
  auto plan = plan_in(GetParam(), p.a.view());
  const auto old = plan.bind();
  for (double& v : p.a.values) v *= 2;
  plan.update_values(p.a.view());
  DeviceArray<double> x(device, std::span(p.x)), y(device, std::span(p.before));
  EXPECT_THROW(old->enqueue(p.alpha, x.data(), p.beta, y.data()), InvalidArgument);
  const auto bound = plan.bind();
  bound->enqueue(p.alpha, x.data(), p.beta, y.data());
  std::vector<double> result(p.before.size());
  y.download(result);
  p.judge(result);
}

TEST_P(BoundProducts, EndsWithItsPlan) {
  NZ_NEEDS(GetParam().device);
  const std::size_t before = simt::live_allocations();
  {
    const Problem<float> p(Op::none);
    std::optional<Plan<float>> plan = plan_in(GetParam(), p.a.view());
    const auto bound = plan->bind();
    Plan<float> moved = std::move(*plan);
    plan.reset();
    DeviceArray<float> x(GetParam().device, std::span(p.x)),
        y(GetParam().device, std::span(p.before));
    EXPECT_NO_THROW(bound->enqueue(p.alpha, x.data(), p.beta, y.data()));
    wait_for(GetParam().device);
    moved = {};
    EXPECT_THROW(bound->enqueue(p.alpha, x.data(), p.beta, y.data()), InvalidArgument);
  }
  EXPECT_EQ(simt::live_allocations(), before);
}

TEST_P(BoundProducts, RefusesWhatItCannotDo) {
  NZ_NEEDS(GetParam().device);
  const Problem<double> p(Op::none);
  const auto plan = plan_in(GetParam(), p.a.view());
  EXPECT_THROW(plan.bind(Op::none, {{Device::Kind::cuda, 77}, nullptr}), InvalidArgument);
  if (!GetParam().kernel->transposes) {
    EXPECT_THROW(plan.bind(Op::transpose), InvalidArgument);
    EXPECT_THROW(plan.product().bind({}, Op::transpose, 1, 1), InvalidArgument);
  }
  const std::size_t its = plan.bind()->bytes();
  EXPECT_EQ(fail_in_turn([&] { plan.bind(); }), its > 0 ? 1 : 0);
}

INSTANTIATE_TEST_SUITE_P(Registry, BoundProducts, ::testing::ValuesIn(places("gpu/*")), test_name);

// Values that the plan reads in place reach what is bound to it.
TEST(BoundInPlace, SeesNewValues) {
  NZ_NEEDS_EMULATOR();
  Problem<double> p(Op::none);
  OnDevice<double> there(emulator_device, p.a.view());
  auto plan = nz::plan(there.view(), {.kernel = "gpu/csr/balanced", .device = emulator_device});
  const auto bound = plan.bind();
  for (double& v : p.a.values) v *= 2;
  simt::backend(emulator_device)
      .copy(const_cast<double*>(there.view().values), p.a.values.data(),
            p.a.values.size() * sizeof(double), nullptr);
  plan.update_values(there.view());
  DeviceArray<double> x(emulator_device, std::span(p.x)), y(emulator_device, std::span(p.before));
  bound->enqueue(p.alpha, x.data(), p.beta, y.data());
  std::vector<double> result(p.before.size());
  y.download(result);
  p.judge(result);
}

TEST(BoundOnTheCpu, IsMultiply) {
  for (const Op op : {Op::none, Op::transpose}) {
    const Problem<double> p(op);
    const auto plan = nz::plan(p.a.view(), {.op = op});
    const auto bound = plan.bind(op);
    std::vector<double> y = p.before, z = p.before;
    plan.multiply(p.alpha, p.x, p.beta, y, op);
    bound->enqueue(p.alpha, p.x.data(), p.beta, z.data());
    EXPECT_EQ(y, z);
    EXPECT_EQ(bound->bytes(), 0u);
    EXPECT_THROW(plan.bind(op, {emulator_device, nullptr}), InvalidArgument);
  }
}

}  // namespace
}  // namespace nz::test
