// Products by every kernel, for another program to check: nonzero-products MATRIX X Y DEVICE
// PATTERN
//
// X and Y are vectors of at least as many elements as the matrix has rows and columns. For each
// kernel of the device that matches, each type, N and T, and some alpha and beta, stdout gets a
// line
//   KERNEL TYPE OP ALPHA BETA CHUNK ok|refused|failed LENGTH
// and, where it is ok, LENGTH raw elements of the type. CHUNK is the kernel's shared rounding.
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/io.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>

namespace {

struct Scalars {
  double alpha, beta;
};
constexpr Scalars scalars[] = {{1, 0}, {-0.5, 1}, {0, -2}, {1e10, 3e-5}};

template <class T>
void tell(const nz::Kernel& k, nz::Op op, Scalars s, const char* how, const std::vector<T>& y) {
  std::cout << fmt::format("{} {} {} {} {} {} {} {}\n", k.id(), name(nz::value_type_of<T>),
                           name(op), s.alpha, s.beta, op == nz::Op::none ? k.shared_rounding : 0,
                           how, y.size());
  std::cout.write(reinterpret_cast<const char*>(y.data()),
                  static_cast<std::streamsize>(y.size() * sizeof(T)));
}

template <class T, class O>
void multiply(const nz::Kernel& k, const nz::CsrView<T, O>& a, const nz::Array<double>& x64,
              const nz::Array<double>& y64, const nz::Device& device, int threads) {
  if (!k.prepare_for<T, O>(device.kind)) return;
  const auto part = [](const nz::Array<double>& v, nz::index_t n) {
    return std::vector<T>(v.begin(), v.begin() + n);
  };
  nz::Plan<T> plan;
  try {
    plan = nz::plan(a, {.kernel = k.id(), .threads = threads, .device = device});
  } catch (const nz::Refused&) {
    tell<T>(k, nz::Op::none, scalars[0], "refused", {});
    return;
  }
  for (const nz::Op op : nz::all_ops) {
    if (!k.supports(op)) continue;
    const bool none = op == nz::Op::none;
    const std::vector<T> x = part(x64, none ? a.cols : a.rows);
    for (const Scalars s : scalars) {
      std::vector<T> y = part(y64, none ? a.rows : a.cols);
      plan.multiply(static_cast<T>(s.alpha), x, static_cast<T>(s.beta), y, op);
      tell(k, op, s, "ok", y);
    }
  }
}

int run(char** argv) {
  const auto a = nz::read_matrix<double, std::int32_t>(argv[1]);
  const auto x = nz::read_vector<double>(argv[2]), y = nz::read_vector<double>(argv[3]);
  const nz::Device device = nz::device_named(argv[4]);
  const auto most = static_cast<std::size_t>(std::max(a.rows, a.cols));
  if (x.size() < most || y.size() < most) throw nz::InvalidArgument("vectors that are too short");
  const auto single = nz::csr_cast<float, std::int32_t>(a.view());
  const auto wide = nz::csr_cast<double, std::int64_t>(a.view());
  int threads = 0;
  for (const nz::Kernel* k : nz::match_kernels(argv[5])) {
    if (!k->runs_on_device(device.kind)) continue;
    threads = threads % 3 + 1;
    multiply<double, std::int32_t>(*k, a.view(), x, y, device, threads);
    multiply<float, std::int32_t>(*k, single.view(), x, y, device, threads);
    if (!k->prepare_for<double, std::int32_t>(device.kind))
      multiply<double, std::int64_t>(*k, wide.view(), x, y, device, threads);
  }
  std::cout.flush();
  return std::cout ? 0 : 4;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::cerr << "usage: nonzero-products MATRIX X Y DEVICE PATTERN\n";
    return 2;
  }
  try {
    return run(argv);
  } catch (const std::exception& e) {
    std::cerr << argv[1] << ": " << e.what() << '\n';
    return 3;
  }
}
