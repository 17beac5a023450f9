#ifdef NZ_HAVE_CUDA
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "gpu/graph.hpp"

namespace nz::test {
namespace {

class Graphs : public ::testing::TestWithParam<Place> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Graphs);

TEST_P(Graphs, CaptureAndReplay) {
  NZ_NEEDS(GetParam().device);
  for (const Op op : ops_of(*GetParam().kernel)) {
    SCOPED_TRACE(name(op));
    capture_and_replay<float>(*GetParam().kernel, op);
    capture_and_replay<double>(*GetParam().kernel, op);
  }
}

TEST_P(Graphs, TwoOfOnePlanAtOnce) {
  NZ_NEEDS(GetParam().device);
  for (const Op op : ops_of(*GetParam().kernel)) {
    SCOPED_TRACE(name(op));
    replay_plan_at_once<double>(*GetParam().kernel, op);
  }
}

// Two that are bound, each in a graph of its own, bound while nothing is captured and while
// something is: replayed at once, beside calls of a third.
TEST_P(Graphs, OfBoundProductsAtOnce) {
  NZ_NEEDS(GetParam().device);
  const Arrow<double> arrow(arrow_size(GetParam().device));
  const auto plan = plan_in(GetParam(), arrow.a.view());
  for (const Op op : ops_of(*GetParam().kernel)) {
    SCOPED_TRACE(name(op));
    auto queues = three_queues(GetParam().device, arrow);
    std::vector<std::unique_ptr<BoundProduct<double>>> bound(queues.size());
    const auto bind = [&](std::size_t i) { bound[i] = plan.bind(op, queues[i].stream); };
    bind(0);
    bind(2);
    replay_at_once(arrow, op, queues, [&](std::size_t i) {
      if (!bound[i]) bind(i);
      bound[i]->enqueue(1.0, queues[i].x.data(), 1.0, queues[i].y.data());
    });
  }
}

// What an infinite alpha takes memory for becomes part of the graph.
TEST_P(Graphs, CaptureInfiniteAlpha) {
  NZ_NEEDS(GetParam().device);
  const Device device = GetParam().device;
  const Problem<double> p(Op::none);
  const auto plan = plan_in(GetParam(), p.a.view());
  DeviceArray<double> x(device, std::span(p.x)), y(device, p.before.size());
  const Stream stream(device);
  const double infinity = std::numeric_limits<double>::infinity();
  const ReadyGraph ready = captured_on(
      stream, [&] { plan.multiply(infinity, x.span(), 0.0, y.span(), Op::none, stream); });
  ASSERT_TRUE(ready);
  std::vector<double> sums(p.before.size()), result(p.before.size());
  plan.multiply(1.0, p.x, 0.0, sums);
  for (int round = 0; round < 2; ++round) {
    y.upload(p.before);
    ASSERT_EQ(cudaGraphLaunch(ready.get(), stream.view().handle), cudaSuccess);
    y.download(result, stream);
    for (std::size_t i = 0; i < result.size(); ++i)
      EXPECT_TRUE(sums[i] == 0 ? std::isnan(result[i]) : result[i] == sums[i] * infinity) << i;
  }
}

// So does what several vectors take memory for: X in another layout, parts of long rows.
TEST_P(Graphs, CaptureSeveralVectors) {
  NZ_NEEDS(GetParam().device);
  const Device device = GetParam().device;
  const Problem<double> p(Op::none);
  const auto plan = plan_in(GetParam(), p.a.view());
  constexpr index_t k = 3;
  std::vector<double> from, start;
  for (int j = 0; j < k; ++j) {
    from.insert(from.end(), p.x.begin(), p.x.end());
    start.insert(start.end(), p.before.begin(), p.before.end());
  }
  DeviceArray<double> x(device, std::span<const double>(from)), y(device, start.size());
  const Stream stream(device);
  const ReadyGraph ready = captured_on(stream, [&] {
    plan.multiply(p.alpha, column_major<const double>(x.data(), p.a.cols, k), p.beta,
                  column_major(y.data(), p.a.rows, k), Op::none, stream);
  });
  ASSERT_TRUE(ready);
  std::vector<double> result(start.size());
  for (int round = 0; round < 2; ++round) {
    y.upload(start);
    ASSERT_EQ(cudaGraphLaunch(ready.get(), stream.view().handle), cudaSuccess);
    y.download(result, stream);
    for (std::size_t j = 0; j < k; ++j)
      p.judge(std::span<const double>(result).subspan(j * p.before.size(), p.before.size()));
  }
}

// Graphs that are gone leave their scratch memory to the next ones.
TEST_P(Graphs, ManyTakeTheMemoryOfAFew) {
  NZ_NEEDS(GetParam().device);
  const Device device = GetParam().device;
  const Arrow<double> arrow(arrow_size(device));
  const auto plan = plan_in(GetParam(), arrow.a.view());
  const std::vector<double> numbers = arrow.x(1);
  DeviceArray<double> x(device, std::span(numbers)), y(device, numbers.size());
  const Stream stream(device);
  const auto capture_one = [&] {
    const ReadyGraph ready =
        captured_on(stream, [&] { plan.multiply(1.0, x.span(), 0.0, y.span(), Op::none, stream); });
    ASSERT_TRUE(ready);
    ASSERT_EQ(cudaGraphLaunch(ready.get(), stream.view().handle), cudaSuccess);
    stream.wait();
  };
  // CUDA tells that a graph is gone from a thread of its own, a little later.
  const std::size_t before = plan.bytes();
  capture_one();
  const std::size_t one = plan.bytes() - before;
  for (int i = 0; i < 40; ++i) {
    capture_one();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_LE(plan.bytes() - before, 20 * one);
  std::vector<double> result(numbers.size());
  y.download(result, stream);
  EXPECT_EQ(result, arrow.product(Op::none, numbers));
}

std::vector<Place> on_gpus() {
  std::vector<Place> all = places("gpu/*");
  std::erase_if(all, [](const Place& p) { return p.device.kind != Device::Kind::cuda; });
  return all;
}
INSTANTIATE_TEST_SUITE_P(Registry, Graphs, ::testing::ValuesIn(on_gpus()), test_name);

}  // namespace
}  // namespace nz::test
#endif
