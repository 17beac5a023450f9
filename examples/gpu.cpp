#include <nonzero/nonzero.hpp>
#include <vector>

int main(int, char** arguments) {
  const nz::Device device = nz::device_named(arguments[1]);  // "cuda:0", or "emu" without a GPU
  auto A = nz::generate("grid:points=5").matrix;
  std::vector<double> host_x(A.cols, 1.0), host_y(A.rows);
  const auto plan = nz::plan(std::move(A), {.device = device});
  nz::DeviceArray<double> x(device, std::span<const double>(host_x)), y(device, host_y.size());
  nz::Stream stream(device);
  plan.multiply(2.0, x.span(), 0.0, y.span(), nz::Op::none, stream);  // queued: y = 2 A x
  y.download(host_y, stream);                                         // waits for it
}
