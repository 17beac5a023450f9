// paper_clock f32|f64 KERNEL[,KERNEL...] MATRIX...: what is in a time besides the product where it
// is taken as the programs of papers take it, on the first GPU; JSON to stdout. Two of them time
// the first product of a kernel, or clear y on the host before each, in memory that host and GPU
// share, and start the clock after that.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/device.hpp>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/truth.hpp>

#include "lab/bench/machine.hpp"
#include "lab/bench/matrix_name.hpp"
#include "lab/bench/measure.hpp"
#include "lab/bench/source.hpp"
#include "lab/bench/vectors.hpp"
#include "simt/cuda_error.hpp"

namespace {

using nlohmann::ordered_json;
using nz::simt::check_cuda;

constexpr nz::Device gpu{nz::Device::Kind::cuda, 0};
constexpr int warm_ups = 3, runs = 10;  // those of dinoia2025's program

struct Event {
  Event() { check_cuda(cudaEventCreate(&handle), "cudaEventCreate"); }
  ~Event() { cudaEventDestroy(handle); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaEvent_t handle{};
};

class Clock {
 public:
  explicit Clock(cudaStream_t stream) : stream_(stream) {}
  double seconds(const std::function<void()>& queue) {
    check_cuda(cudaEventRecord(begin_.handle, stream_), "cudaEventRecord");
    queue();
    check_cuda(cudaEventRecord(end_.handle, stream_), "cudaEventRecord");
    check_cuda(cudaEventSynchronize(end_.handle), "timing a product");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, begin_.handle, end_.handle),
               "cudaEventElapsedTime");
    return 1e-3 * milliseconds;
  }

 private:
  cudaStream_t stream_;
  Event begin_, end_;
};

// Memory that host and GPU share.
template <class T>
struct Shared {
  explicit Shared(std::size_t n) : size(n) {
    check_cuda(cudaMallocManaged(reinterpret_cast<void**>(&data), n * sizeof(T)),
               "cudaMallocManaged");
  }
  ~Shared() { cudaFree(data); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  T* data = nullptr;
  std::size_t size;
};

// The times of `runs` products, `ready` before each of them and outside of the clock.
std::vector<double> times(Clock& clock, cudaStream_t stream, const std::function<void()>& ready,
                          const std::function<void()>& product) {
  std::vector<double> all;
  for (int i = 0; i < warm_ups + runs; ++i) {
    ready();
    check_cuda(cudaStreamSynchronize(stream), "waiting before a product");
    const double one = clock.seconds(product);
    if (i >= warm_ups) all.push_back(one);
  }
  return all;
}

template <class T>
ordered_json clocked(const nz::Csr<T, std::int32_t>& a, const nz::Kernel& kernel) {
  const nz::lab::Prepared<T> ready = nz::lab::prepare(kernel, a.view(), {}, gpu);
  const auto rows = static_cast<std::size_t>(a.rows), cols = static_cast<std::size_t>(a.cols);
  std::vector<T> host_x(cols), host_y(rows);
  nz::lab::fill_random(std::span<T>(host_x), 2);
  const nz::DeviceArray<T> x(gpu, std::span<const T>(host_x));
  nz::DeviceArray<T> y(gpu, rows);
  Shared<T> shared(rows);
  nz::Stream stream(gpu);
  const nz::StreamView view = stream;
  Clock clock(view.handle);
  const auto bound = ready.product->bind(view, nz::Op::none, cols, rows);
  const auto to = [&](T beta, T* where) {
    return [&bound, &x, beta, where] { bound->enqueue(T(1), x.data(), beta, where); };
  };
  const auto cleared = [&](T* where) {
    return [&view, where, rows] {
      check_cuda(cudaMemsetAsync(where, 0, rows * sizeof(T), view.handle), "cudaMemsetAsync");
    };
  };
  // The first product with this matrix, and those after it; with the first matrix the kernel's code
  // is loaded in it, too.
  std::vector<double> first;
  for (int i = 0; i < 5; ++i) first.push_back(clock.seconds(to(T(0), y.data())));

  ordered_json r{{"kernel", kernel.id()}, {"parameters", ready.parameters}};
  r["first_s"] = first;
  r["as_ours_s"] = times(
      clock, view.handle, [] {}, to(T(0), y.data()));
  r["cleared_before_s"] = times(clock, view.handle, cleared(y.data()), to(T(1), y.data()));
  r["shared_cleared_on_gpu_s"] =
      times(clock, view.handle, cleared(shared.data), to(T(1), shared.data));
  r["shared_cleared_on_host_s"] = times(
      clock, view.handle, [&] { std::memset(shared.data, 0, rows * sizeof(T)); },
      to(T(1), shared.data));
  check_cuda(cudaDeviceSynchronize(), "waiting for y");
  std::memcpy(host_y.data(), shared.data, rows * sizeof(T));
  const auto exact = nz::exact_product<T, std::int32_t>(a.view(), nz::Op::none, T(1),
                                                        std::span<const T>(host_x), T(0), {});
  const nz::Verdict verdict = exact.judge(std::span<const T>(host_y));
  r["right"] = verdict.right();
  if (!verdict.right()) r["reason"] = verdict.message();
  return r;
}

template <class T>
int run(const std::vector<std::string>& kernels, const std::vector<std::string>& matrices) {
  const nz::lab::Commit commit = nz::lab::commit();
  ordered_json all{{"commit", commit.id},
                   {"dirty", commit.dirty},
                   {"machine", nz::lab::describe_machine(gpu)},
                   {"type", sizeof(T) == 4 ? "f32" : "f64"},
                   {"warm_ups", warm_ups},
                   {"results", ordered_json::array()}};
  bool right = true;
  for (const std::string& name : matrices) {
    const nz::lab::SuiteMatrix m = nz::lab::named_matrix(name);
    const auto source = nz::lab::load(m.source);
    const auto a = nz::csr_cast<T, std::int32_t>(source.matrix.view());
    for (const std::string& id : kernels) {
      ordered_json one{{"matrix", m.name}, {"rows", a.rows}, {"cols", a.cols}, {"nnz", a.nnz()}};
      one.update(clocked(a, nz::find_kernel(id)));
      right = right && one["right"].template get<bool>();
      all["results"].push_back(std::move(one));
    }
  }
  fmt::print("{}\n", all.dump(1));
  return right ? 0 : 1;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    all.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> given(arguments + 1, arguments + count);
  if (given.size() < 3 || (given[0] != "f32" && given[0] != "f64")) {
    fmt::print(stderr, "usage: paper_clock f32|f64 KERNEL[,KERNEL...] MATRIX...\n");
    return 2;
  }
  try {
    const std::vector<std::string> matrices(given.begin() + 2, given.end());
    return given[0] == "f32" ? run<float>(split(given[1]), matrices)
                             : run<double>(split(given[1]), matrices);
  } catch (const std::exception& e) {
    fmt::print(stderr, "paper_clock: {}\n", e.what());
    return 1;
  }
}
