#pragma once
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/device.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/truth.hpp>

#include "kernels/conform.hpp"

namespace nz::test {

// A product with its exact result: y = 1.5 op(A) x - 0.5 y of a small matrix with uneven rows. All
// numbers are small integers: every order of summation is exact, that of prefix sums too.
template <class T>
struct Problem {
  Op op;
  Csr<T, std::int32_t> a;
  std::vector<T> x, before;
  T alpha = T(1.5), beta = T(-0.5);

  explicit Problem(Op wanted, std::uint64_t vector_seed = 1)
      : op(wanted), a(csr_cast<T, std::int32_t>(generate("rmat:scale=7,degree=6").matrix.view())) {
    std::mt19937_64 random(1);
    std::uniform_int_distribution<int> number(-4, 4);
    const auto fill = [&](auto& v) {
      for (T& e : v) e = static_cast<T>(number(random));
    };
    fill(a.values);  // the same whatever the seed of the vectors
    random.seed(vector_seed);
    x.resize(static_cast<std::size_t>(op == Op::none ? a.cols : a.rows));
    before.resize(static_cast<std::size_t>(op == Op::none ? a.rows : a.cols));
    fill(x);
    fill(before);
  }

  void judge(std::span<const T> y) const {
    const Verdict v = check_product<T, std::int32_t>(a.view(), op, alpha, x, beta, before, y);
    EXPECT_TRUE(v.right()) << v.message();
  }
};

// A copy of a matrix in a device's memory.
template <class T>
class OnDevice {
 public:
  OnDevice(Device device, const CsrView<T, std::int32_t>& a)
      : view_(a),
        offsets_(device, std::span(a.offsets, static_cast<std::size_t>(a.rows) + 1)),
        columns_(device, std::span(a.columns, static_cast<std::size_t>(a.nnz))),
        values_(device, std::span(a.values, static_cast<std::size_t>(a.nnz))) {
    view_.offsets = offsets_.data();
    view_.columns = columns_.data();
    view_.values = values_.data();
  }
  const CsrView<T, std::int32_t>& view() const { return view_; }

 private:
  CsrView<T, std::int32_t> view_;
  DeviceArray<std::int32_t> offsets_;
  DeviceArray<index_t> columns_;
  DeviceArray<T> values_;
};

// The plan of a kernel in its place, with no limit on wasted space.
template <class T, class O>
Plan<T> plan_in(const Place& place, const CsrView<T, O>& a) {
  return nz::plan(a, {.kernel = place.kernel->id(),
                      .parameters = without_limit(*place.kernel),
                      .device = place.device});
}

// The operations that the kernel has.
inline std::vector<Op> ops_of(const Kernel& k) {
  return k.transposes ? std::vector{Op::none, Op::transpose} : std::vector{Op::none};
}

}  // namespace nz::test
