#include "lab/bench/measure.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"

namespace nz::lab {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

double Timing::best() const { return *std::min_element(samples.begin(), samples.end()); }

double Timing::median() const {
  std::vector<double> s = samples;
  const auto middle = s.begin() + static_cast<std::ptrdiff_t>(s.size() / 2);
  std::nth_element(s.begin(), middle, s.end());
  if (s.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(s.begin(), middle)) / 2;
}

Timing measure(const std::function<void()>& once, const Budget& budget) {
  const auto warm_up = Clock::now();
  do once();
  while (seconds_since(warm_up) < budget.warm_up_seconds);

  Timing t;
  const auto start = Clock::now();
  const auto wanted = [&] {
    const auto n = static_cast<int>(t.samples.size());
    return n < budget.min_samples ||
           (n < budget.max_samples && seconds_since(start) < budget.seconds);
  };
  while (wanted()) {
    const auto sample = Clock::now();
    once();
    t.samples.push_back(seconds_since(sample));
  }
  return t;
}

template <Value T, Offset O>
Prepared<T> prepare(const Kernel& kernel, const CsrView<T, O>& a, const Parameters& wanted) {
  Prepared<T> p{.parameters = kernel.resolve(wanted)};
  const auto make = std::get<Prepare<T, O>>(kernel.prepare);
  if (!make)
    throw InvalidArgument(fmt::format("{} cannot take {} values with {}-bit offsets", kernel.id(),
                                      name(value_type_of<T>), 8 * sizeof(O)));
  const auto start = Clock::now();
  p.product = make(a, p.parameters);
  p.seconds = seconds_since(start);
  return p;
}

template <Value T>
Timing measure_product(const Product<T>& product, Op op, std::span<const T> x, std::span<T> y,
                       const Budget& budget) {
  return measure([&] { product.multiply(op, T(1), x, T(0), y); }, budget);
}

#define NZ_INSTANTIATE(T)                                                                  \
  template Timing measure_product(const Product<T>&, Op, std::span<const T>, std::span<T>, \
                                  const Budget&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)
#undef NZ_INSTANTIATE
#define NZ_INSTANTIATE(T, O) \
  template Prepared<T> prepare(const Kernel&, const CsrView<T, O>&, const Parameters&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::lab
