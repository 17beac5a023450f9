#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <nonzero/kernel.hpp>

namespace nz::lab {

// How long to keep measuring one thing.
struct Budget {
  double warm_up_seconds = 0.02;
  double seconds = 0.2;
  int min_samples = 3;
  int max_samples = 1000;
  // Enough is known when Timing::noise() is at most this; 0: only time and samples count.
  double noise = 0;
  // Shorter runs are timed several at once, so that the clock does not show.
  double sample_seconds = 0;
  // So many runs are a sample, whatever they take; 0: as many as sample_seconds asks for.
  int runs_per_sample = 0;
};

struct Timing {
  std::vector<double> samples;  // seconds of one run, in the order taken
  int runs_per_sample = 1;
  double median() const;
  double best() const;
  // The interquartile range as a share of the median.
  double spread() const;
  // Half the width of the median's 95 % confidence interval as a share of the median. The interval
  // lies between two order statistics, whatever the distribution; below 6 samples, which cannot
  // give it, between the smallest and the largest.
  double noise() const;
};

// Whether the budget asks for another sample after so many seconds of sampling.
bool wants_more(const Timing& t, const Budget& budget, double elapsed);

// What is recorded. Plans, which have a few milliseconds and want an order, not a figure, take the
// best of a few batches instead (plan/timing.hpp).
// Runs `once` to warm up, at least once, then again and again, until the budget is spent or the
// noise is low enough.
Timing measure(const std::function<void()>& once, const Budget& budget = {});

// A kernel made ready for a matrix, and what that took. Kernels of the registry and any other that
// speaks the same interface.
template <Value T>
struct Prepared {
  std::unique_ptr<Product<T>> product;
  Parameters parameters;  // complete
  double seconds = 0;
};

// What nz::prepare() does but for the look at the arrays, which the bench takes once for all of its
// kernels: seconds are those of the kernel alone. Borrows the matrix, which for a GPU may lie in
// its memory. Throws what the kernel throws:
// Refused, NoResource; InvalidArgument when it cannot take these types on that device.
template <Value T, Offset O>
Prepared<T> prepare(const Kernel& kernel, const CsrView<T, O>& a, const Parameters& wanted = {},
                    Device device = cpu_device);

// y = alpha op(A) x + beta y.
template <Value T>
Timing measure_product(const Product<T>& product, Op op, std::span<const T> x, std::span<T> y,
                       const Budget& budget = {}, T alpha = 1, T beta = 0);

}  // namespace nz::lab
