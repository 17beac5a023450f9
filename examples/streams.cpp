#include <cstdio>
#include <vector>

#include <nonzero/nonzero.hpp>

// Device pointers and a stream of your own. `streams cuda:0` runs on a GPU, `streams emu` anywhere.
// With CUDA, StreamView{device, stream} wraps a cudaStream_t, and spans are made of raw pointers.
int main(int count, char** arguments) {
  const nz::Device device = nz::device_named(count > 1 ? arguments[1] : "emu");
  const auto A = nz::generate("grid:points=5,nx=30,ny=30").matrix;
  const auto plan = nz::plan(A.view(), {.device = device, .op = nz::both_ops});

  const std::vector<double> ones(A.cols, 1.0);
  nz::DeviceArray<double> x(device, ones.size()), y(device, ones.size());
  x.upload(ones);
  const nz::Stream stream(device);
  double* const pointer = y.data();  // as it comes from cudaMalloc
  // Both are queued: the second begins when the first has ended.
  plan.multiply(1.0, x.span(), 0.0, {pointer, ones.size()}, nz::Op::none, stream);
  plan.multiply(0.5, y.span(), 1.0, x.span(), nz::Op::transpose, stream);

  // The fast way, for many calls: op and stream are settled once, then a call is a launch. Nothing
  // is looked at: the pointers are the device's, long enough and apart, and the device is current.
  const auto product = plan.bind(nz::Op::none, stream);
  for (int step = 0; step < 10; ++step) product->enqueue(0.1, x.data(), 0.0, pointer);

  std::vector<double> result(ones.size());
  x.download(result, stream);  // waits for the stream
  std::printf("x[0] = %g\n", result[0]);
}
