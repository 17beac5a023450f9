#include <complex>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/truth.hpp>

#include "kernels/conform.hpp"
#include "support/gpu_here.hpp"

// What every kernel must do that takes complex values: all four products, on the CPU and on the
// emulator, odd shapes, scalars of all kinds, poisoned outputs.
namespace nz::test {
namespace {

template <class T>
using Real = typename T::value_type;

template <class T>
std::vector<T> drawn(std::size_t n, std::mt19937_64& random) {
  std::uniform_real_distribution<Real<T>> part(-1, 1);
  std::vector<T> v(n);
  for (T& z : v) {
    const Real<T> re = part(random);
    z = {re, part(random)};
  }
  return v;
}

template <class T, class O>
Csr<T, O> with_imaginary_parts(const Csr<double, std::int64_t>& real, std::mt19937_64& random) {
  Csr<T, O> a = csr_cast<T, O>(real.view());
  std::uniform_real_distribution<Real<T>> part(-1, 1);
  for (T& v : a.values) v = {v.real(), part(random)};
  return a;
}

template <class T>
constexpr T of_nan{std::numeric_limits<Real<T>>::quiet_NaN(),
                   std::numeric_limits<Real<T>>::quiet_NaN()};

struct Scalars {
  std::complex<double> alpha, beta;
};
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr Scalars scalars[] = {
    {{1, 0}, {0, 0}}, {{0.5, -2}, {0, 0}}, {{0, 1}, {-0.5, 0.25}},  {{-1, 1}, {1, 0}},
    {{0, 0}, {0, 0}}, {{0, 0}, {0.5, 1}},  {{infinite, 0}, {0, 0}}, {{1, not_a_number}, {1, 0}}};

template <class T, class O>
void multiply_and_judge(const Plan<T>& plan, const CsrView<T, O>& a, Op op, const Scalars& s,
                        std::mt19937_64& random) {
  SCOPED_TRACE(fmt::format("op {} alpha ({}, {}) beta ({}, {})", name(op), s.alpha.real(),
                           s.alpha.imag(), s.beta.real(), s.beta.imag()));
  const T alpha(s.alpha), beta(s.beta);
  const auto in = static_cast<std::size_t>(is_transposed(op) ? a.rows : a.cols);
  const auto out = static_cast<std::size_t>(is_transposed(op) ? a.cols : a.rows);
  // What is not to be read is poisoned.
  std::vector<T> x = alpha == T(0) ? std::vector<T>(in, of_nan<T>) : drawn<T>(in, random);
  const std::vector<T> given = x;
  const std::vector<T> before =
      beta == T(0) ? std::vector<T>(out, of_nan<T>) : drawn<T>(out, random);
  const Reference<T> exact = exact_product<T, O>(a, op, alpha, x, beta, before);
  Guarded<T> y(before);
  multiply<T>(plan, op, alpha, x, beta, y);
  EXPECT_TRUE(y.intact()) << "wrote outside y";
  EXPECT_TRUE(same_bits<T>(given, x)) << "changed x";
  const Verdict v = exact.judge(y.span());
  EXPECT_TRUE(v.right()) << v.message();
  EXPECT_EQ(v.unjudged, 0);
  if (!plan.repeats(op)) return;
  Guarded<T> again(before);
  multiply<T>(plan, op, alpha, x, beta, again);
  EXPECT_TRUE(same_bits<T>(y.span(), again.span())) << "called deterministic, but differs";
}

// Drawn parameters; large blocks of small matrices are mostly empty, and take long.
Parameters with_small_blocks(const Kernel& kernel, std::mt19937_64& random) {
  Parameters p = parameter_sets(kernel, random).back();
  for (const char* side : {"block_rows", "block_cols"})
    if (p.contains(side)) p[side] = static_cast<std::int64_t>(1 + random() % 9);
  return p;
}

template <class T, class O>
void conform_complex(const Kernel& kernel, Device device) {
  std::mt19937_64 random(seed());
  const std::int64_t most = device == cpu_device ? 4'000 : 1'500;
  int taken = 0;
  for (const auto& [name, real] : shared_battery()) {
    const std::int64_t longest = device == cpu_device ? most : 80;  // the emulator is slow
    if (real.nnz() > most || real.rows > longest || real.cols > longest) continue;
    if (device != cpu_device && taken++ % 3 != 0) continue;
    const Csr<T, O> a = with_imaginary_parts<T, O>(real, random);
    for (const Parameters& p : {without_limit(kernel), with_small_blocks(kernel, random)}) {
      for (const int threads : {1, 3}) {
        if (threads > 1 && (!kernel.threaded || device != cpu_device)) continue;
        SCOPED_TRACE(fmt::format("{}{} on '{}' on {}, {}, {} threads, NZ_TEST_SEED={}", kernel.id(),
                                 text(p), name, device.name(), nz::name(value_type_of<T>), threads,
                                 seed()));
        Parameters its = p;
        if (kernel.threaded) its["grain"] = 1;
        PlanOptions options{
            .kernel = kernel.id(), .parameters = its, .threads = threads, .device = device};
        const Plan<T> made = plan(a.view(), options);
        for (const Op op : all_complex_ops) {
          if (!made.supports(op)) continue;
          for (const Scalars& s : scalars)
            if (random() % (device == cpu_device ? 3 : 6) == 0)
              multiply_and_judge<T, O>(made, a.view(), op, s, random);
        }
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

// Where a kernel runs here.
std::vector<Device> places_of(const Kernel& kernel) {
  if (kernel.runs_on == Device::Kind::cpu) return {cpu_device};
  std::vector<Device> all;
  if (kernel.runs_on_device(Device::Kind::emulator)) all.push_back(emulator_device);
  if (gpu_here()) all.push_back({Device::Kind::cuda, 0});
  return all;
}

class ComplexKernel : public testing::TestWithParam<std::string> {};

TEST_P(ComplexKernel, IsRight) {
  const Kernel& kernel = find_kernel(GetParam());
  EXPECT_TRUE(kernel.supports(ValueType::c64) && kernel.supports(ValueType::c128));
  EXPECT_TRUE(kernel.transposes);
  const std::vector<Device> places = places_of(kernel);
  if (places.empty()) GTEST_SKIP() << "this build has neither emulator nor CUDA";
  for (const Device device : places) {
    conform_complex<std::complex<float>, std::int32_t>(kernel, device);
    conform_complex<std::complex<double>, std::int64_t>(kernel, device);
  }
}

std::vector<std::string> ids() {
  std::vector<std::string> all;
  for (const Kernel& k : kernels())
    if (k.supports(ValueType::c64) || k.supports(ValueType::c128)) all.push_back(k.id());
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, ComplexKernel, testing::ValuesIn(ids()), [](const auto& each) {
  std::string name = each.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
});

TEST(ComplexKernels, AreOurOwnOnEveryFormatThatPlansTake) {
  const std::vector<std::string> all = ids();
  for (const char* id :
       {"cpu/csr/balanced", "cpu/coo/serial", "cpu/compact/balanced", "cpu/bsr/unrolled"})
    EXPECT_TRUE(std::ranges::count(all, id)) << id;
  if (!kernels().back().runs_on_device(Device::Kind::emulator)) return;
  for (const char* id :
       {"gpu/csr/balanced", "gpu/coo/segmented", "gpu/compact/balanced", "gpu/bsr/balanced"})
    EXPECT_TRUE(std::ranges::count(all, id)) << id;
}

// Rows, and columns, so long that several warps, blocks or threads share them.
TEST(ComplexKernels, ShareLongRows) {
  using T = std::complex<double>;
  constexpr index_t length = 4500;
  std::mt19937_64 random(seed());
  SCOPED_TRACE(fmt::format("NZ_TEST_SEED={}", seed()));
  Csr<T, std::int32_t> wide{
      2, length, {0, length, length + 1}, Array<index_t>(length + 1), Array<T>(length + 1)};
  for (index_t k = 0; k < length; ++k) wide.columns[static_cast<std::size_t>(k)] = k;
  wide.columns.back() = 7;
  const std::vector<T> values = drawn<T>(wide.values.size(), random);
  std::copy(values.begin(), values.end(), wide.values.begin());
  const Csr<T, std::int32_t> high = transpose(wide.view());
  for (const std::string& id : ids()) {
    const Kernel& kernel = find_kernel(id);
    for (const Device device : places_of(kernel)) {
      SCOPED_TRACE(id + " on " + device.name());
      PlanOptions options{.kernel = id, .threads = 3, .device = device};
      if (kernel.threaded) options.parameters["grain"] = 1;
      const Plan<T> of_wide = plan(wide.view(), options);
      for (const Op op : {Op::none, Op::conjugate})
        multiply_and_judge<T, std::int32_t>(of_wide, wide.view(), op, scalars[2], random);
      const Plan<T> of_high = plan(high.view(), options);
      for (const Op op : {Op::transpose, Op::conjugate_transpose})
        multiply_and_judge<T, std::int32_t>(of_high, high.view(), op, scalars[2], random);
    }
  }
}

// An entry that is infinite, or no number, reaches its row and no other.
TEST(ComplexKernels, SpreadWhatIsNotFiniteNoFarther) {
  using T = std::complex<double>;
  const Csr<T, std::int32_t> a{
      4, 4, {0, 2, 3, 3, 4}, {0, 2, 1, 3}, {{1, 1}, {0, infinite}, {2, -1}, {not_a_number, 0}}};
  const std::vector<T> x{{1, 2}, {3, 4}, {1, 0}, {2, 2}};
  for (const char* id : {"cpu/csr/balanced", "cpu/compact/balanced", "cpu/coo/serial"})
    for (const Op op : {Op::none, Op::conjugate}) {
      const Plan<T> made = plan(a.view(), {.kernel = id});
      std::vector<T> y(4, of_nan<T>);
      made.multiply({0, 2}, x, 0, y, op);
      const Verdict v = check_product<T, std::int32_t>(a.view(), op, {0, 2}, x, 0, {}, y);
      EXPECT_TRUE(v.right()) << id << ": " << v.message();
      EXPECT_TRUE(std::isfinite(y[1].real()) && std::isfinite(y[1].imag()));
      EXPECT_EQ(y[2], T(0));
    }
}

}  // namespace
}  // namespace nz::test
