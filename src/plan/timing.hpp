#pragma once
#include <chrono>
#include <span>

#include <nonzero/array.hpp>
#include <nonzero/kernel.hpp>

namespace nz {

// Seconds of one multiply by op on so many vectors of `in` and `out` elements: the best of
// a few batches, hot, until they have taken about `budget` seconds. On the emulator it is one
// multiply. The bench has lab::measure() for figures: medians, with their noise, on GPUs by events
// and cold as well. What disturbs a short batch only makes it longer, so that the best is the
// better guess here.
template <Value T>
double time_multiply(const Product<T>& product, Op op, index_t in, index_t out, int vectors,
                     Layout layout, double budget);

// How many products time_few() takes. Times in seconds; 0: no such limit.
struct Few {
  int products;
  double enough = 0;    // two products are enough where they take longer
  double doubtful = 0;  // where all take longer, up to three more are taken
};

// The same within a few multiplies from x to y: the shortest of `products`, or of up to 8 that are
// over within a quarter of a millisecond, each timed alone after one that warms up. What disturbs a
// product may last for several of them. For CPUs.
template <Value T>
double time_few(const Product<T>& product, Op op, int vectors, Layout layout, std::span<const T> x,
                std::span<T> y, Few few);

// A vector to multiply with, which all threads have filled.
template <Value T>
Array<T> ones(std::size_t n);

// What one candidate after the other is timed with, made once.
template <Value T>
struct TrialVectors {
  class Vector {
   public:
    // The first n elements: it is made longer where it has fewer.
    std::span<T> first(std::size_t n) {
      if (all_.size() < n) {
        all_ = {};
        all_ = ones<T>(n);
      }
      return {all_.data(), n};
    }

   private:
    Array<T> all_;
  };
  Vector x, y;
};

// Seconds that this thread works at one y = A x, the product's first: the processor has not learnt
// its branches, as it has not those of the next rows in a product of a whole matrix. For one
// thread.
template <Value T>
double time_first(const Product<T>& product, std::span<const T> x, std::span<T> y);

// Adds the time that it lives to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum), start_(std::chrono::steady_clock::now()) {}
  ~Stopwatch() { sum_ += seconds(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  double& sum_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace nz
