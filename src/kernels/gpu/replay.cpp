#include "kernels/replay.hpp"

#include <nonzero/error.hpp>

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

}  // namespace

std::unique_ptr<Replay> capture(CUstream_st* stream, const std::function<void()>& work) {
  simt::check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
                   "cudaStreamBeginCapture");
  bool failed = false;
  try {
    work();
  } catch (const Error&) {
    failed = true;
  }
  cudaGraph_t captured{};
  failed |= cudaStreamEndCapture(stream, &captured) != cudaSuccess;
  const std::unique_ptr<CUgraph_st, End> graph(captured);
  cudaGraphExec_t ready{};
  if (failed || cudaGraphInstantiate(&ready, graph.get(), 0) != cudaSuccess) {
    cudaGetLastError();  // it runs without
    return nullptr;
  }
  return std::make_unique<Graph>(ready);
}

#else

std::unique_ptr<Replay> capture(CUstream_st*, const std::function<void()>&) { return nullptr; }

#endif

}  // namespace nz::NZ_HOME
