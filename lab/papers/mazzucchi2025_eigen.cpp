#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <nonzero/formats/csr.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>

#include "lab/papers/mazzucchi2025.hpp"

// Section IV of the paper: every result is held against Eigen's.
namespace nz::lab::mazzucchi2025 {
namespace {

constexpr const char* eigen = "peer/eigen/csr";

}  // namespace

EigenCheck check_with_eigen(const CsrView<double, std::int64_t>& a, Device device,
                            std::string& why_not) {
  if (match_kernels(eigen).empty()) {
    why_not = "Eigen was not built in";
    return {};
  }
  const auto narrow = csr_cast<double, std::int32_t>(a);
  std::mt19937_64 random(1);
  std::vector<double> x(static_cast<std::size_t>(a.cols));
  for (double& v : x) v = static_cast<double>(random() >> 11) * 0x1p-53;
  const auto product = [&](const char* kernel, Device where) {
    std::vector<double> y(static_cast<std::size_t>(a.rows));
    nz::prepare(find_kernel(kernel), narrow.view(), {}, where)
        ->multiply(Op::none, 1, std::span<const double>(x), 0, std::span<double>(y));
    return y;
  };
  const std::vector<double> wanted = product(eigen, cpu_device);
  EigenCheck all;
  for (const Kernel& k : all_kernels) {
    if (k.on_gpu && device == cpu_device) continue;
    const std::vector<double> got = product(k.id, k.on_gpu ? device : cpu_device);
    double worst = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double off = std::abs(got[i] - wanted[i]);
      worst = std::max(worst, std::isnan(off) ? std::numeric_limits<double>::infinity() : off);
    }
    all[k.label] = worst;
  }
  return all;
}

}  // namespace nz::lab::mazzucchi2025
