#include "lab/bench/launch_sampling.hpp"

#include <algorithm>
#include <cmath>

namespace nz::lab {
namespace {

// Shorter products are launched from a graph: the host could not launch them one by one as fast as
// they run. Measured by single launches a product of 20 us can show up to 50 us of launching, so
// that is the limit.
constexpr double graph_below = 50e-6;

// A sample is long against the microsecond or so that beginning and ending it takes.
constexpr double hot_sample = 1e-3, cold_sample = 2e-3;
constexpr int most_launches = 500;
// The first product of a kernel loads its code and asks for its memory, for up to so long, which
// says nothing of the next ones: so many short ones are made before one of them is judged.
constexpr double slow_start = 0.05;
constexpr int least_launches = 8;

int launches(double sample, double one) {
  return static_cast<int>(
      std::clamp(std::ceil(sample / std::max(one, 1e-9)), 1.0, double{most_launches}));
}

// What a product adds to a flush of the cache. More rounds where that is nothing or less: what the
// flushes vary by weighs less then.
void sample_cold(LaunchWatch& watch, const Budget& budget, double one, LaunchTiming& t) {
  const double flush = watch.flushes(2) / 2;
  double spent = 0;
  for (int rounds = launches(cold_sample, one + flush);;
       rounds = std::min(4 * rounds, most_launches)) {
    t.cold = {.samples = {}, .runs_per_sample = rounds};
    while (wants_more(t.cold, budget, spent)) {
      const double without = watch.flushes(rounds), both = watch.products_and_flushes(rounds);
      t.cold.samples.push_back((both - without) / rounds);
      spent += without + both;
    }
    if (t.cold.median() > 0) return;
    if (rounds == most_launches) break;
  }
  t.cold = {};
  t.why_not_cold = "right, but too short to be told from the flush of the cache before it";
}

}  // namespace

LaunchTiming sample_launches(LaunchWatch& watch, const Budget& budget) {
  LaunchTiming t;
  Budget half = budget;
  half.seconds /= 2;
  double one = watch.first(), spent = one;
  if (one > hot_sample && one < slow_start) one = std::min(one, watch.products(1));
  if (one > half.seconds && one > hot_sample) {
    // Caches mean nothing to it, and nobody wants to wait for more.
    t.hot.samples = t.cold.samples = {one};
    return t;
  }
  for (int n = 1;
       spent < budget.warm_up_seconds || (n <= least_launches && (n == 1 || one < hot_sample));
       n = std::min(2 * n, most_launches)) {
    const double many = watch.products(n);
    one = many / n;
    // A watch that stands still must not be asked for ever.
    spent += std::max(many, 1e-6);
  }
  if (one < graph_below && (t.replayed = watch.replay())) one = watch.products(64) / 64;

  t.hot.runs_per_sample = launches(hot_sample, one);
  for (spent = 0; wants_more(t.hot, half, spent);) {
    const double many = watch.products(t.hot.runs_per_sample);
    t.hot.samples.push_back(many / t.hot.runs_per_sample);
    spent += many;
  }

  sample_cold(watch, half, one, t);
  return t;
}

LaunchTiming sample_batches(LaunchWatch& watch, const Budget& budget) {
  LaunchTiming t;
  double one = watch.first();
  if (one >= graph_below && one < slow_start) one = std::min(one, watch.products(1));
  if (one < graph_below) t.replayed = watch.replay();
  t.batches.runs_per_sample = std::max(budget.runs_per_sample, 1);
  watch.products(t.batches.runs_per_sample);
  for (double spent = 0; wants_more(t.batches, budget, spent);) {
    const double many = watch.products(t.batches.runs_per_sample);
    t.batches.samples.push_back(many / t.batches.runs_per_sample);
    spent += many;
  }
  return t;
}

}  // namespace nz::lab
