#pragma once
#include <memory>

#include <cuda_runtime_api.h>

#include "gpu/arrow.hpp"

namespace nz::test {

struct EndGraph {
  void operator()(cudaGraph_t g) const { EXPECT_EQ(cudaGraphDestroy(g), cudaSuccess); }
  void operator()(cudaGraphExec_t g) const { EXPECT_EQ(cudaGraphExecDestroy(g), cudaSuccess); }
};

using ReadyGraph = std::unique_ptr<CUgraphExec_st, EndGraph>;

// What `work` queues on the stream, in the mode that forbids allocating and waiting. Null, after a
// failure, where that cannot be.
template <class Work>
ReadyGraph captured_on(const Stream& stream, Work&& work) {
  const cudaStream_t handle = stream.view().handle;
  EXPECT_EQ(cudaStreamBeginCapture(handle, cudaStreamCaptureModeGlobal), cudaSuccess);
  std::string failure;
  try {
    work();
  } catch (const std::exception& e) {
    failure = e.what();
  }
  cudaGraph_t captured = nullptr;
  const cudaError_t end = cudaStreamEndCapture(handle, &captured);
  const std::unique_ptr<CUgraph_st, EndGraph> graph(captured);
  EXPECT_EQ(failure, "");
  EXPECT_EQ(end, cudaSuccess) << cudaGetErrorString(end);
  cudaGraphExec_t instance = nullptr;
  if (graph) {
    EXPECT_EQ(cudaGraphInstantiate(&instance, graph.get(), 0), cudaSuccess);
  }
  return ReadyGraph(instance);
}

// Captures multiply in a graph and replays it with other numbers in the same vectors.
template <class T>
void capture_and_replay(const Kernel& kernel, Op op) {
  const Place place{&kernel, {Device::Kind::cuda, 0}};
  const Problem<T> first(op);
  const auto plan = plan_in(place, first.a.view());
  DeviceArray<T> x(place.device, std::span(first.x)), y(place.device, std::span(first.before));
  const Stream stream(place.device);
  const cudaStream_t handle = stream.view().handle;
  const ReadyGraph ready = captured_on(
      stream, [&] { plan.multiply(first.alpha, x.span(), first.beta, y.span(), op, stream); });
  ASSERT_TRUE(ready);
  for (std::uint64_t round = 0; round < 3; ++round) {
    const Problem<T> p(op, 10 + round);
    x.upload(p.x);
    y.upload(p.before);
    EXPECT_EQ(cudaGraphLaunch(ready.get(), handle), cudaSuccess);
    std::vector<T> result(p.before.size());
    y.download(result, stream);
    p.judge(result);
  }
}

// What one of several products at once has for itself.
template <class T>
struct Queue {
  Stream stream;
  DeviceArray<T> x, y;
};
template <class T>
std::vector<Queue<T>> three_queues(Device device, const Arrow<T>& arrow) {
  std::vector<Queue<T>> queues;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<T> numbers = arrow.x(i), zeros(numbers.size());
    queues.push_back({Stream(device), {device, std::span(numbers)}, {device, std::span(zeros)}});
  }
  return queues;
}

// Two graphs, replayed on two streams at once beside calls on a third: each adds its product to its
// y again and again, so that every one counts. `add(i)` queues y += op(A) x of queue i.
template <class T, class Add>
void replay_at_once(const Arrow<T>& arrow, Op op, const std::vector<Queue<T>>& queues, Add&& add) {
  constexpr int rounds = 40;
  std::vector<ReadyGraph> graphs;
  for (std::size_t i = 0; i < 2; ++i) {
    graphs.push_back(captured_on(queues[i].stream, [&] { add(i); }));
    ASSERT_TRUE(graphs.back());
  }
  for (int r = 0; r < rounds; ++r) {
    for (std::size_t i = 0; i < 2; ++i)
      ASSERT_EQ(cudaGraphLaunch(graphs[i].get(), queues[i].stream.view().handle), cudaSuccess);
    add(2);
  }
  for (std::size_t i = 0; i < queues.size(); ++i) {
    std::vector<T> result(queues[i].y.size());
    queues[i].y.download(result, queues[i].stream);
    EXPECT_EQ(result, arrow.product(op, arrow.x(i), T(rounds))) << "queue " << i;
  }
}

// The same of one plan.
template <class T>
void replay_plan_at_once(const Kernel& kernel, Op op) {
  const Place place{&kernel, {Device::Kind::cuda, 0}};
  const Arrow<T> arrow(arrow_size(place.device));
  const auto plan = plan_in(place, arrow.a.view());
  auto queues = three_queues(place.device, arrow);
  replay_at_once(arrow, op, queues, [&](std::size_t i) {
    Queue<T>& q = queues[i];
    plan.multiply(T(1), q.x.span(), T(1), q.y.span(), op, q.stream);
  });
}

}  // namespace nz::test
