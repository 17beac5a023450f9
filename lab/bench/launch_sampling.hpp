#pragma once
#include <string>

#include "lab/bench/measure.hpp"

namespace nz::lab {

// A product on a GPU, timed in two states of its caches.
struct LaunchTiming {
  Timing cold;               // nothing of the matrix or the vectors is in cache
  std::string why_not_cold;  // where there are no samples of it
  Timing hot;                // what the product before left there
  Timing batches;            // the same, of batches; then neither of the others
  bool replayed = false;     // launched from a CUDA graph
};

// A stopwatch for what is queued on a GPU. An interface, so that tests hold one of their own.
class LaunchWatch {
 public:
  virtual ~LaunchWatch() = default;
  // Seconds on the device. One product, with nothing done for it before.
  virtual double first() = 0;
  // n of them one behind the other, caches as a product before them left them.
  virtual double products(int n) = 0;
  virtual double flushes(int n) = 0;               // of the cache
  virtual double products_and_flushes(int n) = 0;  // in turns
  // From now on all three come from a graph that is recorded once; false where that is impossible.
  virtual bool replay() = 0;
};

// Times a product by the differences that docs/bench.md explains. The budget counts seconds of the
// device, half of them for each state. A product that takes longer than that is timed once.
LaunchTiming sample_launches(LaunchWatch& watch, const Budget& budget);

// Batches of budget.runs_per_sample products, one behind the other, each batch timed as a whole,
// after one to warm up: what papers do that do not flush. As many as the budget asks for.
LaunchTiming sample_batches(LaunchWatch& watch, const Budget& budget);

}  // namespace nz::lab
