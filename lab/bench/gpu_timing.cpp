#include "lab/bench/gpu_timing.hpp"

#include <algorithm>
#include <compare>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include <cuda_runtime_api.h>
#include <nonzero/error.hpp>

#include "lab/bench/device_bandwidth.hpp"
#include "simt/backend.hpp"
#include "simt/cuda_error.hpp"

namespace nz::lab {
namespace {

using simt::check_cuda;

// A pair of events around what is queued in between.
class Events {
 public:
  Events() {
    check_cuda(cudaEventCreate(&begin_), "cudaEventCreate");
    if (const cudaError_t status = cudaEventCreate(&end_); status != cudaSuccess) {
      cudaEventDestroy(begin_);
      check_cuda(status, "cudaEventCreate");
    }
  }
  ~Events() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  void begin(cudaStream_t stream) {
    check_cuda(cudaEventRecord(begin_, stream), "cudaEventRecord");
  }
  // Waits.
  double end(cudaStream_t stream) {
    check_cuda(cudaEventRecord(end_, stream), "cudaEventRecord");
    check_cuda(cudaEventSynchronize(end_), "timing a product");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return 1e-3 * milliseconds;
  }

 private:
  cudaEvent_t begin_{}, end_{};
};

struct End {
  void operator()(cudaGraph_t g) const { cudaGraphDestroy(g); }
  void operator()(cudaGraphExec_t g) const { cudaGraphExecDestroy(g); }
};

class Graph {
 public:
  // What `queue` puts on the stream. Throws where it cannot be captured.
  Graph(cudaStream_t stream, const std::function<void()>& queue) {
    const simt::CaptureScope scope(
        simt::backend({Device::Kind::cuda, simt::current_cuda_device()}).captures());
    check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
               "cudaStreamBeginCapture");
    cudaGraph_t captured{};
    try {
      queue();
    } catch (...) {
      cudaStreamEndCapture(stream, &captured);
      if (captured) cudaGraphDestroy(captured);
      cudaGetLastError();
      throw;
    }
    check_cuda(cudaStreamEndCapture(stream, &captured), "cudaStreamEndCapture");
    const std::unique_ptr<CUgraph_st, End> graph(captured);
    cudaGraphExec_t ready{};
    check_cuda(cudaGraphInstantiate(&ready, graph.get(), 0), "cudaGraphInstantiate");
    exec_.reset(ready);
    check_cuda(cudaGraphUpload(ready, stream), "cudaGraphUpload");
  }

  void launch(cudaStream_t stream) const {
    check_cuda(cudaGraphLaunch(exec_.get(), stream), "cudaGraphLaunch");
  }

 private:
  std::unique_ptr<CUgraphExec_st, End> exec_;
};

int memory_blocks(Device device) { return 8 * simt::backend(device).info().processors; }

std::size_t even(std::size_t n) { return std::max<std::size_t>(n / 2 * 2, 2); }

// Reads more than the cache holds and leaves nothing to write back, so that the next product finds
// a cache full of what it does not need and pays for nobody else's stores.
class Flush {
 public:
  explicit Flush(Device device)
      : blocks_(memory_blocks(device)),
        buffer_(device, even(3 * simt::backend(device).info().cache_bytes / sizeof(double))),
        parts_(device, static_cast<std::size_t>(blocks_) * reading_block / 32) {
    cuda::queue_fill(nullptr, buffer_.data(), static_cast<std::int64_t>(buffer_.size()), blocks_);
    wait_for(device);
  }
  void queue(cudaStream_t stream) {
    cuda::queue_sum(stream, buffer_.data(), static_cast<std::int64_t>(buffer_.size()),
                    parts_.data(), blocks_, true);
  }

 private:
  int blocks_;
  DeviceArray<double> buffer_, parts_;
};

class CudaWatch final : public LaunchWatch {
 public:
  CudaWatch(StreamView stream, Events& events, Flush& flush,
            const std::function<void(StreamView)>& product)
      : stream_(stream), events_(events), flush_(flush), product_(product) {}

  double first() override {
    return timed({1, true, false}, [] {});
  }
  double products(int n) override {
    return timed({n, true, false}, [&] { product_(stream_); });
  }
  double flushes(int n) override {
    return timed({n, false, true}, [] {});
  }
  double products_and_flushes(int n) override {
    return timed({n, true, true}, [] {});
  }

  bool replay() override {
    try {
      Graph(stream_.handle, [&] { product_(stream_); });
    } catch (const Error&) {
      return false;
    }
    return replays_ = true;
  }

 private:
  struct What {
    int n;
    bool product, flush;
    auto operator<=>(const What&) const = default;
  };

  void queue(const What& what) {
    for (int i = 0; i < what.n; ++i) {
      if (what.product) product_(stream_);
      if (what.flush) flush_.queue(stream_.handle);
    }
  }

  // A flush goes first: while it runs the host queues what is timed, so that the device never waits
  // for it. Then `ready`, whatever shall have been done just before.
  template <class Ready>
  double timed(const What& what, Ready&& ready) {
    const Graph* graph = nullptr;
    if (replays_) {
      auto known = graphs_.find(what);
      if (known == graphs_.end())
        known = graphs_.emplace(what, Graph(stream_.handle, [&] { queue(what); })).first;
      graph = &known->second;
    }
    flush_.queue(stream_.handle);
    ready();
    events_.begin(stream_.handle);
    if (graph)
      graph->launch(stream_.handle);
    else
      queue(what);
    return events_.end(stream_.handle);
  }

  StreamView stream_;
  Events& events_;
  Flush& flush_;
  const std::function<void(StreamView)>& product_;
  bool replays_ = false;
  std::map<What, Graph> graphs_;
};

}  // namespace

struct GpuTimer::Parts {
  explicit Parts(Device d) : device(d), stream(d), flush(d) {}
  Device device;
  Stream stream;
  Events events;
  Flush flush;
};

GpuTimer::GpuTimer(Device device) {
  const simt::DeviceScope scope(device);
  parts_ = std::make_unique<Parts>(device);
}
GpuTimer::~GpuTimer() = default;

LaunchTiming GpuTimer::measure(const std::function<void(StreamView)>& queue, const Budget& budget) {
  const simt::DeviceScope scope(parts_->device);
  wait_for(parts_->device);
  CudaWatch watch(parts_->stream, parts_->events, parts_->flush, queue);
  return budget.runs_per_sample > 0 ? sample_batches(watch, budget)
                                    : sample_launches(watch, budget);
}

Bandwidth measure_bandwidth(Device device, std::size_t array_bytes) {
  constexpr int runs = 10;
  constexpr std::size_t usual = std::size_t{4} << 30;
  const simt::DeviceScope scope(device);
  simt::Backend& backend = simt::backend(device);
  if (array_bytes == 0) array_bytes = std::min(usual, backend.free_bytes() / 2);
  const std::size_t n = even(array_bytes / sizeof(double)), half = n / 2;
  const int blocks = memory_blocks(device);
  DeviceArray<double> array(device, n),
      parts(device, static_cast<std::size_t>(blocks) * reading_block / 32);
  cuda::queue_fill(nullptr, array.data(), static_cast<std::int64_t>(n), blocks);
  wait_for(device);

  Events events;
  const auto best_of = [&](auto&& queue) {
    double best = std::numeric_limits<double>::infinity();
    for (int r = 0; r < runs; ++r) {
      events.begin(nullptr);
      queue();
      best = std::min(best, events.end(nullptr));
    }
    return best;
  };
  Bandwidth b{.array_bytes = n * sizeof(double), .threads = 1, .device = device.name()};
  const double read = best_of([&] {
    cuda::queue_sum(nullptr, array.data(), static_cast<std::int64_t>(n), parts.data(), blocks,
                    false);
  });
  b.read = static_cast<double>(b.array_bytes) / read;
  // The sums are looked at: they are whole numbers, so any order gives the same.
  std::vector<double> sums(parts.size());
  parts.download(sums);
  double total = 0, expected = 0;
  for (const double s : sums) total += s;
  constexpr std::size_t checked = std::size_t{1} << 20;
  if (n <= checked) {
    for (std::size_t i = 0; i < n; ++i) expected += memory_value(static_cast<std::int64_t>(i));
    if (total != expected) throw Error("the memory test read back a wrong sum");
  } else if (!(total > 0.45 * (1 << 20) * static_cast<double>(n)) ||
             !(total < 0.55 * (1 << 20) * static_cast<double>(n))) {
    throw Error("the memory test read back a wrong sum");
  }
  const double copy = best_of([&] {
    backend.copy_queued(array.data() + half, array.data(), half * sizeof(double), nullptr);
  });
  b.copy = static_cast<double>(2 * half * sizeof(double)) / copy;
  return b;
}

}  // namespace nz::lab
