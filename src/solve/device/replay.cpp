#include "solve/replay.hpp"

#include <nonzero/error.hpp>

#include "simt/backend.hpp"
#include "simt/simt.hpp"

namespace nz::NZ_HOME {

#ifdef __CUDACC__

namespace {

struct End {
  void operator()(cudaGraph_t g) const { cudaGraphDestroy(g); }
  void operator()(cudaGraphExec_t g) const { cudaGraphExecDestroy(g); }
};

class Graph final : public Replay {
 public:
  explicit Graph(cudaGraphExec_t ready) : ready_(ready) {}
  void queue(CUstream_st* stream) override {
    simt::check_cuda(cudaGraphLaunch(ready_.get(), stream), "cudaGraphLaunch");
  }

 private:
  std::unique_ptr<CUgraphExec_st, End> ready_;
};

// What the work queues, or null where it cannot be captured. Nobody waits for the whole device
// meanwhile, which would spoil the capture.
std::unique_ptr<CUgraph_st, End> graph_of(CUstream_st* stream, const std::function<void()>& work) {
  const Device device{Device::Kind::cuda, simt::current_cuda_device()};
  const simt::CaptureScope scope(simt::backend(device).captures());
  simt::check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
                   "cudaStreamBeginCapture");
  bool failed = false;
  try {
    work();
  } catch (const std::exception&) {  // it fails again, and is heard, when it runs without a graph
    failed = true;
  }
  cudaGraph_t captured{};
  failed |= cudaStreamEndCapture(stream, &captured) != cudaSuccess;
  std::unique_ptr<CUgraph_st, End> graph(captured);
  if (failed) graph.reset();
  return graph;
}

}  // namespace

std::unique_ptr<Replay> capture(CUstream_st* stream, const std::function<void()>& work) {
  const auto graph = graph_of(stream, work);
  cudaGraphExec_t ready{};
  if (!graph || cudaGraphInstantiate(&ready, graph.get(), 0) != cudaSuccess) {
    cudaGetLastError();  // it runs without
    return nullptr;
  }
  return std::make_unique<Graph>(ready);
}

#else

std::unique_ptr<Replay> capture(CUstream_st*, const std::function<void()>&) { return nullptr; }

#endif

}  // namespace nz::NZ_HOME
