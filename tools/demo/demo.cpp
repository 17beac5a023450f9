#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nonzero/nonzero.hpp>

// What a plan gains: matrices of several kinds, multiplied by plain CSR and by what a plan takes,
// every result checked row by row against its error bound.
namespace {

struct Exhibit {
  const char* label;
  const char* meaning;
  const char* spec;
};

// Four to seven million nonzeros each: too many for most caches, few enough that nobody waits.
constexpr Exhibit exhibits[] = {
    {"grid", "a 5-point grid", "grid:points=5,nx=1000,ny=1000"},
    {"mesh", "3 unknowns at each node of a mesh", "fem:nx=32,ny=32,nz=32"},
    {"band", "40 % of the cells of a band", "banded:n=300000,lower=20,upper=20,density=0.4"},
    {"graph", "a power-law graph", "rmat:scale=18,degree=16"},
};

// CSR as one would write it first: rows dealt to threads, on a GPU to warps. The transpose adds to
// y wherever a column says, which on a CPU only one thread can do without more.
constexpr const char* plain_kernel(nz::Device device, nz::Op op) {
  if (device == nz::cpu_device) return op == nz::Op::none ? "cpu/csr/omp-rows" : "cpu/csr/serial";
  return op == nz::Op::none ? "gpu/csr/warp-per-row" : "gpu/csr/thread-per-row-scatter";
}

struct Tally {
  int products = 0, lines = 0;
  double logarithms = 0;  // of how many times plain CSR plans are
  std::vector<std::string> wrong;
};

using Matrix = nz::Csr<double, std::int32_t>;

// One product with random vectors, checked.
void check(const nz::Plan<double>& plan, const Matrix& a, nz::Op op, const std::string& label,
           Tally& tally) {
  std::mt19937_64 random(20);
  std::uniform_real_distribution<double> number(-1, 1);
  const bool n = op == nz::Op::none;
  std::vector<double> x(static_cast<std::size_t>(n ? a.cols : a.rows));
  std::vector<double> before(static_cast<std::size_t>(n ? a.rows : a.cols));
  for (double& v : x) v = number(random);
  for (double& v : before) v = number(random);
  std::vector<double> y = before;
  plan.multiply(2, x, -0.5, y, op);
  const nz::Verdict verdict = nz::check_product<double>(a.view(), op, 2, x, -0.5, before, y);
  ++tally.products;
  if (!verdict.right())
    tally.wrong.push_back(fmt::format("{}, {}: {}", label, plan.kernel().id(), verdict.message()));
}

// A line of the table.
void compare(const Exhibit& exhibit, const Matrix& a, nz::Device device, nz::Op op, Tally& tally) {
  const auto plain =
      nz::plan(a.view(), {.kernel = plain_kernel(device, op), .device = device, .op = op});
  const auto chosen = nz::plan(a.view(), {.device = device, .op = op});
  check(plain, a, op, exhibit.label, tally);
  check(chosen, a, op, exhibit.label, tally);
  // In turn, and the best of each: other work on the machine then harms both alike.
  double plain_seconds = plain.measure(op), plan_seconds = chosen.measure(op);
  for (int again = 0; again < 4; ++again) {
    plain_seconds = std::min(plain_seconds, plain.measure(op));
    plan_seconds = std::min(plan_seconds, chosen.measure(op));
  }
  fmt::print("{:<7} {:<7} {:<4} {:>9.3f} ms {:>9.3f} ms {:>7.2f}   {}{}\n", exhibit.label,
             device.name(), op == nz::Op::none ? "A x" : "At x", plain_seconds * 1e3,
             plan_seconds * 1e3, plain_seconds / plan_seconds, chosen.kernel().id(),
             chosen.transposed() ? " of the transpose" : "");
  std::fflush(stdout);
  ++tally.lines;
  tally.logarithms += std::log(plain_seconds / plan_seconds);
}

// Offsets of 32 bits, which every one of them fits: plain CSR shall not carry more than it needs.
Matrix generated(const char* spec) {
  nz::GeneratedMatrix wide = nz::generate(spec).matrix;
  Matrix a;
  a.rows = wide.rows;
  a.cols = wide.cols;
  a.offsets = nz::Array<std::int32_t>(wide.offsets.size());
  std::transform(wide.offsets.begin(), wide.offsets.end(), a.offsets.begin(),
                 [](std::int64_t o) { return static_cast<std::int32_t>(o); });
  a.columns = std::move(wide.columns);
  a.values = std::move(wide.values);
  return a;
}

int demo() {
  std::vector<nz::Device> devices{nz::cpu_device};
  if (nz::why_no_cuda().empty()) devices.push_back({nz::Device::Kind::cuda, 0});
  fmt::print(
      "What a plan takes for a matrix, and how many times plain CSR that is, in double precision, "
      "{} {}:\n\n"
      "matrix  device  product   plain CSR      planned   times   kernel\n",
      nz::threads(), nz::threads() == 1 ? "thread" : "threads");
  Tally tally;
  std::string legend;
  for (const Exhibit& e : exhibits) {
    const Matrix a = generated(e.spec);
    legend += fmt::format("{:<7} {}: {} rows, {} nonzeros\n", e.label, e.meaning, a.rows,
                          a.columns.size());
    for (const nz::Device device : devices)
      for (const nz::Op op : {nz::Op::none, nz::Op::transpose}) compare(e, a, device, op, tally);
  }
  fmt::print("\n{}\n", legend);
  for (const std::string& w : tally.wrong) fmt::print("WRONG: {}\n", w);
  fmt::print("Plans are {:.2f} times as fast as plain CSR, as a geometric mean.\n",
             std::exp(tally.logarithms / tally.lines));
  fmt::print("{} of {} products are right, checked row by row against their error bounds.\n",
             tally.products - static_cast<int>(tally.wrong.size()), tally.products);
  return tally.wrong.empty() ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return demo();
  } catch (const std::exception& e) {
    fmt::print(stderr, "nonzero-demo: {}\n", e.what());
    return 1;
  }
}
