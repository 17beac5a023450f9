#pragma once
#include <memory>

#include <cuda_runtime_api.h>

#include "gpu/problem.hpp"

namespace nz::test {

struct EndGraph {
  void operator()(cudaGraph_t g) const { EXPECT_EQ(cudaGraphDestroy(g), cudaSuccess); }
  void operator()(cudaGraphExec_t g) const { EXPECT_EQ(cudaGraphExecDestroy(g), cudaSuccess); }
};

// Captures multiply in a graph, in the mode that forbids allocating and waiting, and replays it
// with other numbers in the same vectors.
template <class T>
void capture_and_replay(const Kernel& kernel, Op op) {
  const Place place{&kernel, {Device::Kind::cuda, 0}};
  const Problem<T> first(op);
  const auto plan = plan_in(place, first.a.view());
  DeviceArray<T> x(place.device, std::span(first.x)), y(place.device, std::span(first.before));
  const Stream stream(place.device);
  const cudaStream_t handle = stream.view().handle;

  ASSERT_EQ(cudaStreamBeginCapture(handle, cudaStreamCaptureModeGlobal), cudaSuccess);
  std::string failure;
  try {
    plan.multiply(first.alpha, x.span(), first.beta, y.span(), op, stream);
  } catch (const std::exception& e) {
    failure = e.what();
  }
  cudaGraph_t captured = nullptr;
  const cudaError_t end = cudaStreamEndCapture(handle, &captured);
  const std::unique_ptr<CUgraph_st, EndGraph> graph(captured);
  ASSERT_EQ(failure, "");
  ASSERT_EQ(end, cudaSuccess) << cudaGetErrorString(end);
  cudaGraphExec_t instance = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&instance, graph.get(), 0), cudaSuccess);
  const std::unique_ptr<CUgraphExec_st, EndGraph> ready(instance);
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

}  // namespace nz::test
