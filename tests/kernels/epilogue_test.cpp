#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/truth.hpp>

#include "kernels/conform.hpp"
#include "support/devices.hpp"
#include "support/gpu_here.hpp"

// Products with an epilogue, on every kernel: y within its bound, sums within theirs.
namespace nz::test {
namespace {

// Vectors where a plan runs, and two results.
template <class T>
class Vectors {
 public:
  Vectors(Device device, const std::vector<T>& x, const std::vector<T>& y,
          const std::vector<T>& add)
      : device_(device), host_{x, y, add}, results_(2, -1.0) {
    if (device == cpu_device) return;
    for (int i = 0; i < 3; ++i) far_[i] = {device, std::span<const T>(host_[i])};
    far_results_ = {device, std::span<const double>(results_)};
  }
  std::span<T> x() { return at(0); }
  std::span<T> y() { return at(1); }
  std::span<T> add() { return at(2); }
  double* dot() { return device_ == cpu_device ? results_.data() : far_results_.data(); }
  double* norm() { return dot() + 1; }
  void fetch() {
    if (device_ == cpu_device) return;
    wait_for(device_);
    far_[1].download(host_[1]);
    far_results_.download(results_);
  }
  const std::vector<T>& result() const { return host_[1]; }
  const std::vector<double>& sums() const { return results_; }

 private:
  std::span<T> at(int i) { return device_ == cpu_device ? std::span<T>(host_[i]) : far_[i].span(); }
  Device device_;
  std::vector<T> host_[3];
  std::vector<double> results_;
  DeviceArray<T> far_[3];
  DeviceArray<double> far_results_;
};

// The sum of u v and what any order of adding it up in double may be away from it.
template <class T>
void expect_dot(double found, const std::vector<T>& u, const std::vector<T>& v) {
  long double sum = 0, sizes = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const long double term = static_cast<long double>(u[i]) * static_cast<long double>(v[i]);
    sum += term;
    sizes += std::abs(term);
  }
  const long double bound =
      static_cast<long double>(u.size() + 3) * std::numeric_limits<double>::epsilon() * sizes;
  EXPECT_LE(std::abs(static_cast<long double>(found) - sum), bound) << found << ", exact " << sum;
}

template <class T>
struct Numbers {
  Csr<T, std::int32_t> a;
  std::vector<T> x, before, add;
};

// A matrix with uneven rows, some of them empty and one long; whole numbers make every sum exact.
template <class T>
Numbers<T> numbers_for(Op op, bool whole, std::mt19937_64& random) {
  Numbers<T> n;
  n.a = csr_cast<T, std::int32_t>(generate("rmat:scale=8,degree=5").matrix.view());
  std::uniform_int_distribution<int> number(-4, 4);
  std::uniform_real_distribution<T> real(-1, 1);
  const auto draw = [&] { return whole ? static_cast<T>(number(random)) : real(random); };
  for (T& v : n.a.values) v = draw();
  n.x.resize(static_cast<std::size_t>(op == Op::none ? n.a.cols : n.a.rows));
  n.before.resize(static_cast<std::size_t>(op == Op::none ? n.a.rows : n.a.cols));
  n.add.resize(n.before.size());
  for (auto* v : {&n.x, &n.before, &n.add})
    for (T& e : *v) e = draw();
  return n;
}

template <class T>
std::optional<Plan<T>> plan_of(const Place& place, const Csr<T, std::int32_t>& a) {
  const auto [kernel, device] = place;
  if (!kernel->prepare_for<T, std::int32_t>(device.kind)) return {};
  Parameters parameters = without_limit(*kernel);
  for (const Parameter& q : kernel->parameters)
    if (q.name == "grain") parameters.emplace("grain", 1);  // threads share rows of small matrices
  try {
    return nz::plan(
        a.view(),
        {.kernel = kernel->id(), .parameters = parameters, .threads = 3, .device = device});
  } catch (const Refused&) {
    return {};
  }
}

// body(place) for every kernel on every device that is there.
template <class Body>
void on_every_kernel(Body&& body) {
  int done = 0;
  for (const Place& place : places("*")) {
    if (place.device.kind == Device::Kind::cuda && !gpu_here()) continue;
    SCOPED_TRACE(fmt::format("{} on {}", place.kernel->id(), place.device.name()));
    done += body(place) ? 1 : 0;
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(done, 20) << "most kernels take the matrix";
}

bool dot_and_norm(const Place& place) {
  using T = double;
  std::mt19937_64 random(seed());
  for (const Op op : all_ops) {
    if (!place.kernel->supports(op)) continue;
    SCOPED_TRACE(fmt::format("op {}, NZ_TEST_SEED={}", name(op), seed()));
    const Numbers<T> n = numbers_for<T>(op, false, random);
    const auto plan = plan_of(place, n.a);
    if (!plan) return false;
    const std::vector<T> poison(n.before.size(), nan<T>);
    const T alpha = T(1.5);
    std::vector<double> first;
    for (const T beta : {T(0), T(0), T(-0.5)}) {
      Vectors<T> v(plan->device(), n.x, beta == T(0) ? poison : n.before, n.add);
      plan->multiply(alpha, v.x(), beta, v.y(),
                     {.dot_with = v.x(), .dot = v.dot(), .norm = v.norm()}, op);
      v.fetch();
      auto exact = exact_product<T, std::int32_t>(n.a.view(), op, alpha, n.x, beta, n.before);
      if (const int chunk = op == Op::none ? plan->kernel().shared_rounding : 0)
        exact = widened<T, std::int32_t>(exact, n.a.view(), alpha, n.x, chunk);
      const Verdict verdict = exact.judge(v.result());
      EXPECT_TRUE(verdict.right()) << verdict.message();
      expect_dot(v.sums()[0], v.result(), n.x);
      expect_dot(v.sums()[1] * v.sums()[1], v.result(), v.result());
      if (beta == T(0) && !first.empty() && plan->repeats(op)) {
        EXPECT_EQ(v.sums(), first) << "called deterministic, but differs";
      }
      if (beta == T(0)) first = v.sums();
    }
  }
  return true;
}

// Add and clamp, each with its sums, where every number is exact.
bool add_and_clamp(const Place& place) {
  using T = float;
  std::mt19937_64 random(seed() + 1);
  const T inf = std::numeric_limits<T>::infinity();
  for (const Op op : all_ops) {
    if (!place.kernel->supports(op)) continue;
    SCOPED_TRACE(fmt::format("op {}, NZ_TEST_SEED={}", name(op), seed()));
    const Numbers<T> n = numbers_for<T>(op, true, random);
    const auto plan = plan_of(place, n.a);
    if (!plan) return false;
    std::vector<T> product(n.before);
    for (index_t i = 0; i < n.a.rows; ++i)
      for (std::int32_t k = n.a.offsets[i]; k < n.a.offsets[i + 1]; ++k) {
        const auto r = static_cast<std::size_t>(i), c = static_cast<std::size_t>(n.a.columns[k]);
        product[op == Op::none ? r : c] += T(2) * n.a.values[k] * n.x[op == Op::none ? c : r];
      }
    struct Case {
      bool add;
      T low, high;
      bool sums;
    };
    for (const Case& c : {Case{true, -inf, inf, false}, Case{false, T(-3), T(5), true},
                          Case{true, T(0), inf, true}, Case{false, -inf, inf, false}}) {
      Vectors<T> v(plan->device(), n.x, n.before, n.add);
      Epilogue<T> end{.add_scale = T(-2), .low = c.low, .high = c.high};
      if (c.add) end.add = v.add();
      if (c.sums) end.dot_with = v.y(), end.dot = v.dot(), end.norm = v.norm();
      plan->multiply(T(2), v.x(), T(1), v.y(), end, op);
      v.fetch();
      std::vector<T> expected = product;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        if (c.add) expected[i] += T(-2) * n.add[i];
        expected[i] = std::min(std::max(expected[i], c.low), c.high);
      }
      EXPECT_EQ(v.result(), expected);
      if (!c.sums) {
        EXPECT_EQ(v.sums(), (std::vector<double>{-1, -1}));
        continue;
      }
      expect_dot(v.sums()[0], expected, expected);
      EXPECT_EQ(v.sums()[1], std::sqrt(v.sums()[0]));
    }
  }
  return true;
}

TEST(Epilogue, DotAndNormOnEveryKernel) { on_every_kernel(dot_and_norm); }
TEST(Epilogue, AddAndClampOnEveryKernel) { on_every_kernel(add_and_clamp); }

// Sums over many blocks and parts.
TEST(Epilogue, LongVectors) {
  const auto a = csr_cast<double, std::int32_t>(generate("grid:nx=80,ny=80").matrix.view());
  std::mt19937_64 random(seed());
  const auto n = static_cast<std::size_t>(a.rows);
  const auto x = numbers<double>(random, n, Input::finite);
  for (const char* id : {"cpu/csr/serial", "cpu/csr/balanced", "cpu/packed/slices",
                         "gpu/csr/balanced", "gpu/packed/slices", "gpu/coo/segmented"})
    for (const Place& place : places(id)) {
      if (place.device.kind == Device::Kind::cuda && !gpu_here()) continue;
      SCOPED_TRACE(fmt::format("{} on {}, NZ_TEST_SEED={}", id, place.device.name(), seed()));
      const auto plan = plan_of(place, a);
      ASSERT_TRUE(plan);
      std::vector<double> first;
      for (int round = 0; round < 2; ++round) {
        Vectors<double> v(place.device, x, std::vector<double>(n, nan<double>), {});
        plan->multiply(1.0, v.x(), 0.0, v.y(),
                       {.low = -2, .dot_with = v.x(), .dot = v.dot(), .norm = v.norm()});
        v.fetch();
        EXPECT_GE(*std::min_element(v.result().begin(), v.result().end()), -2);
        expect_dot(v.sums()[0], v.result(), x);
        expect_dot(v.sums()[1] * v.sums()[1], v.result(), v.result());
        if (round > 0) {
          EXPECT_EQ(v.sums(), first);
        }
        first = v.sums();
      }
    }
}

// Scalars for which the pass over the matrix is left out, and an empty y.
TEST(Epilogue, RareScalars) {
  std::mt19937_64 random(seed());
  const Numbers<double> n = numbers_for<double>(Op::none, true, random);
  for (const DeviceInfo& d : devices()) {
    const auto plan = nz::plan(
        n.a.view(), {.kernel = d.device == cpu_device ? "cpu/csr/balanced" : "gpu/csr/balanced",
                     .device = d.device});
    for (const double alpha : {0.0, nan<double>}) {
      Vectors<double> v(d.device, n.x, n.before, n.add);
      plan.multiply(alpha, v.x(), 0.0, v.y(),
                    {.low = -1, .high = 1, .dot_with = v.x(), .dot = v.dot(), .norm = v.norm()});
      v.fetch();
      EXPECT_EQ(std::isnan(v.sums()[0]), std::isnan(alpha));
      EXPECT_EQ(std::isnan(v.sums()[1]), std::isnan(alpha));
      if (alpha == 0) {
        EXPECT_EQ(v.sums(), (std::vector<double>{0, 0}));
      }
    }
    const Csr<double, std::int32_t> none{0, 3, Array<std::int32_t>{0}, {}, {}};
    const auto empty = nz::plan(none.view(), {.device = d.device});
    Vectors<double> v(d.device, {1, 2, 3}, {}, {});
    empty.multiply(1.0, v.x(), 0.0, v.y(), {.norm = v.norm()});
    v.fetch();
    EXPECT_EQ(v.sums()[1], 0) << d.device.name();
  }
}

TEST(Epilogue, WhatFuses) {
  const auto a = csr_cast<double, std::int32_t>(generate("grid:nx=30,ny=30").matrix.view());
  const auto fuses = [&](const char* kernel, Device device, Op op) {
    return nz::plan(a.view(), {.kernel = kernel, .device = device}).fuses(op);
  };
  for (const char* k :
       {"cpu/csr/balanced", "cpu/compact/balanced", "cpu/packed/slices", "cpu/bsr/unrolled"}) {
    EXPECT_TRUE(fuses(k, cpu_device, Op::none)) << k;
    EXPECT_FALSE(fuses(k, cpu_device, Op::transpose)) << k;
  }
  EXPECT_FALSE(fuses("cpu/csr/serial", cpu_device, Op::none));
  NZ_NEEDS_EMULATOR();
  for (const char* k : {"gpu/csr/balanced", "gpu/packed/slices"})
    EXPECT_TRUE(fuses(k, emulator_device, Op::none)) << k;
  EXPECT_FALSE(fuses("gpu/coo/segmented", emulator_device, Op::none));
}

TEST(Epilogue, RefusesWhatIsWrong) {
  const auto a = csr_cast<double, std::int32_t>(generate("grid:nx=4,ny=4").matrix.view());
  const auto plan = nz::plan(a.view());
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<double> x(n, 1), y(n), other(n);
  double result = 0;
  const auto wrong = [&](const Epilogue<double>& end) {
    EXPECT_THROW(plan.multiply(1.0, x, 0.0, y, end), InvalidArgument);
  };
  wrong({.add = std::span(other).first(n - 1)});
  wrong({.add = y});
  wrong({.low = 2, .high = 1});
  wrong({.low = nan<double>});
  wrong({.dot_with = std::span(other).first(n - 1), .dot = &result});
  wrong({.dot = &result});
  wrong({.dot_with = other});
  wrong({.dot_with = other, .dot = &y[1]});
  wrong({.norm = &x[0]});
  if (!has_emulator()) return;
  const auto far = nz::plan(a.view(), {.device = emulator_device});
  DeviceArray<double> far_x(emulator_device, std::span<const double>(x)), far_y(emulator_device, n);
  EXPECT_THROW(far.multiply(1.0, far_x.span(), 0.0, far_y.span(), {.norm = &result}),
               InvalidArgument);
  EXPECT_THROW(far.multiply(1.0, far_x.span(), 0.0, y, {.high = 1}), InvalidArgument);
  EXPECT_THROW(far.multiply(1.0, far_x.span(), 0.0, far_y.span(), {.add = other}), InvalidArgument);
}

}  // namespace
}  // namespace nz::test
