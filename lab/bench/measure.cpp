#include "lab/bench/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <nonzero/device.hpp>

#include "base/instantiate.hpp"
#include "plan/fitted.hpp"
#include "plan/make_product.hpp"
#include "plan/timing.hpp"

namespace nz::lab {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<double> sorted(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return samples;
}

// Between the two nearest samples.
double quantile(const std::vector<double>& s, double q) {
  const double at = q * static_cast<double>(s.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const double part = at - static_cast<double>(below);
  return part == 0 ? s[below] : s[below] + part * (s[below + 1] - s[below]);
}

}  // namespace

double Timing::best() const { return *std::min_element(samples.begin(), samples.end()); }

double Timing::median() const { return quantile(sorted(samples), 0.5); }

double Timing::spread() const {
  const auto s = sorted(samples);
  const double middle = quantile(s, 0.5);
  return middle > 0 ? (quantile(s, 0.75) - quantile(s, 0.25)) / middle : 0;
}

double Timing::noise() const {
  const auto s = sorted(samples);
  const double middle = quantile(s, 0.5);
  if (middle <= 0) return 0;
  constexpr std::size_t enough = 6;
  std::size_t low = 0;  // the order statistic below the median; the one above mirrors it
  if (s.size() >= enough) {
    const double n = static_cast<double>(s.size());
    // The number of samples below the median is binomial, near normal; 1.96 deviations of it.
    low = static_cast<std::size_t>(std::max(0.0, std::floor((n - 1.96 * std::sqrt(n)) / 2)));
  }
  return (s[s.size() - 1 - low] - s[low]) / 2 / middle;
}

bool wants_more(const Timing& t, const Budget& budget, double elapsed) {
  const auto n = static_cast<int>(t.samples.size());
  if (n < budget.min_samples) return true;
  if (n >= budget.max_samples || elapsed >= budget.seconds) return false;
  // The interval needs a few samples to mean something.
  constexpr int fewest = 7;
  return budget.noise <= 0 || n < fewest || t.noise() > budget.noise;
}

Timing measure(const std::function<void()>& once, const Budget& budget) {
  const auto warm_up = Clock::now();
  int warm_ups = 0;
  do once(), ++warm_ups;
  while (seconds_since(warm_up) < budget.warm_up_seconds);

  Timing t;
  if (budget.runs_per_sample > 0) {
    t.runs_per_sample = budget.runs_per_sample;
  } else if (budget.sample_seconds > 0) {
    const double one = std::max(seconds_since(warm_up) / warm_ups, 1e-9);
    t.runs_per_sample = static_cast<int>(std::clamp(budget.sample_seconds / one, 1.0, 1e6));
  }
  const auto start = Clock::now();
  while (wants_more(t, budget, seconds_since(start))) {
    const auto sample = Clock::now();
    for (int r = 0; r < t.runs_per_sample; ++r) once();
    t.samples.push_back(seconds_since(sample) / t.runs_per_sample);
  }
  return t;
}

template <Value T, Offset O>
Prepared<T> prepare(const Kernel& kernel, const CsrView<T, O>& a, const Parameters& wanted,
                    Device device) {
  Prepared<T> p{.parameters = fitted(kernel, wanted, a, device)};
  wait_for(device);
  {
    const Stopwatch watch(p.seconds);
    p.product = make_product(kernel, a, p.parameters, device);
    wait_for(device);
  }
  return p;
}

template <Value T>
Timing measure_product(const Product<T>& product, Op op, std::span<const T> x, std::span<T> y,
                       const Budget& budget, T alpha, T beta) {
  return measure([&] { product.multiply(op, alpha, x, beta, y); }, budget);
}

#define NZ_INSTANTIATE(T)                                                                  \
  template Timing measure_product(const Product<T>&, Op, std::span<const T>, std::span<T>, \
                                  const Budget&, T, T);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)
#undef NZ_INSTANTIATE
#define NZ_INSTANTIATE(T, O) \
  template Prepared<T> prepare(const Kernel&, const CsrView<T, O>&, const Parameters&, Device);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::lab
