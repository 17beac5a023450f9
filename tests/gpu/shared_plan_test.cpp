#include <atomic>
#include <thread>

#include "gpu/arrow.hpp"
#include "simt/backend.hpp"

// One plan, several threads of the host and several streams: every GPU kernel, on every device it
// was built for.
namespace nz::test {
namespace {

class SharedPlans : public ::testing::TestWithParam<Place> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SharedPlans);

// Runs body(number) in so many threads that begin together, and tells what they throw.
template <class Body>
void together(int threads, Body&& body) {
  std::atomic<int> waiting{threads};
  std::vector<std::string> said(static_cast<std::size_t>(threads));
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&, i] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      try {
        body(i);
      } catch (const std::exception& e) {
        said[static_cast<std::size_t>(i)] = e.what();
      }
    });
  for (std::thread& t : all) t.join();
  for (const std::string& s : said) EXPECT_EQ(s, "");
}

// How often a thread multiplies: a device is to have work of all of them at the same time.
int rounds_on(Device device) { return device.kind == Device::Kind::cuda ? 40 : 1; }

TEST_P(SharedPlans, ThreadsOnStreamsOfTheirOwnAndOnOne) {
  NZ_NEEDS(GetParam().device);
  const Device device = GetParam().device;
  const Arrow<double> arrow(arrow_size(device));
  const auto plan = plan_in(GetParam(), arrow.a.view());
  const auto n = static_cast<std::size_t>(arrow.a.rows);
  const int rounds = rounds_on(device);
  constexpr int threads = 4;  // the last two on one stream
  const Stream streams[] = {Stream(device), Stream(device), Stream(device)};
  for (const Op op : ops_of(*GetParam().kernel)) {
    SCOPED_TRACE(name(op));
    std::vector<std::vector<double>> results(threads);
    together(threads, [&](int i) {
      const StreamView where = streams[std::min(i, 2)];
      const std::vector<double> x = arrow.x(static_cast<std::uint64_t>(i));
      const auto count = static_cast<std::size_t>(rounds) * n;
      DeviceArray<double> there(device, std::span(x)), y(device, count);
      for (int r = 0; r < rounds; ++r)
        plan.multiply(2.0, there.span(), 0.0, y.span().subspan(static_cast<std::size_t>(r) * n, n),
                      op, where);
      results[static_cast<std::size_t>(i)].resize(count);
      y.download(results[static_cast<std::size_t>(i)], where);
    });
    for (int i = 0; i < threads; ++i) {
      const auto& all = results[static_cast<std::size_t>(i)];
      ASSERT_EQ(all.size(), static_cast<std::size_t>(rounds) * n);
      const auto expected = arrow.product(op, arrow.x(static_cast<std::uint64_t>(i)), 2.0);
      for (int r = 0; r < rounds; ++r)
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), all.begin() + r * std::int64_t(n)))
            << "thread " << i << ", product " << r;
    }
  }
}

TEST_P(SharedPlans, ThreadsWithVectorsInHostMemory) {
  NZ_NEEDS(GetParam().device);
  const Device device = GetParam().device;
  const Arrow<float> arrow(arrow_size(device));
  const auto plan = plan_in(GetParam(), arrow.a.view());
  constexpr int threads = 3;
  for (const Op op : ops_of(*GetParam().kernel)) {
    SCOPED_TRACE(name(op));
    std::atomic<int> wrong{0};
    together(threads, [&](int i) {
      const std::vector<float> x = arrow.x(static_cast<std::uint64_t>(i)),
                               expected = arrow.product(op, x);
      for (int r = 0; r < rounds_on(device); ++r) {
        std::vector<float> y(x.size());
        plan.multiply(1.0f, x, 0.0f, y, op);
        wrong += y != expected;
      }
    });
    EXPECT_EQ(wrong, 0);
  }
}

// The first stream allocates nothing; a further one at most once, and that counts as the plan's.
TEST_P(SharedPlans, OnlyAFurtherStreamAllocates) {
  NZ_NEEDS(GetParam().device);
  const Device device = GetParam().device;
  const Arrow<double> arrow(arrow_size(device));
  const auto plan = plan_in(GetParam(), arrow.a.view());
  const std::vector<double> x = arrow.x(1);
  DeviceArray<double> there(device, std::span(x)), y(device, x.size());
  const Stream first(device), second(device);
  const auto multiply_on = [&](const Stream& s) {
    plan.multiply(1.0, there.span(), 0.0, y.span(), Op::none, s);
    s.wait();
  };
  const std::size_t live = simt::live_allocations(), bytes = plan.bytes();
  multiply_on(first);
  EXPECT_EQ(simt::live_allocations(), live);
  EXPECT_EQ(plan.bytes(), bytes);
  multiply_on(second);
  EXPECT_LE(simt::live_allocations(), live + 1);
  EXPECT_EQ(plan.bytes() > bytes, simt::live_allocations() > live);
  const std::size_t then = simt::live_allocations();
  multiply_on(second);
  multiply_on(first);
  EXPECT_EQ(simt::live_allocations(), then);
}

// Making plans shares the device's memory, its default stream, and the registry.
TEST_P(SharedPlans, ThreadsThatMakeThem) {
  NZ_NEEDS(GetParam().device);
  const Device device = GetParam().device;
  const Arrow<double> arrow(300);
  std::atomic<int> wrong{0};
  together(3, [&](int i) {
    const std::vector<double> x = arrow.x(static_cast<std::uint64_t>(i)),
                              expected = arrow.product(Op::none, x);
    for (int r = 0; r < (device.kind == Device::Kind::cuda ? 10 : 1); ++r) {
      const auto plan = plan_in(GetParam(), arrow.a.view());
      std::vector<double> y(x.size());
      plan.multiply(1.0, x, 0.0, y);
      wrong += y != expected;
    }
  });
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Registry, SharedPlans, ::testing::ValuesIn(places("gpu/*")), test_name);

}  // namespace
}  // namespace nz::test
