#include "lab/bench/bandwidth.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

#include <nonzero/array.hpp>
#include <nonzero/error.hpp>

#include "base/caches.hpp"
#include "base/parallel.hpp"

namespace nz::lab {
namespace {

using Clock = std::chrono::steady_clock;

// Sixteen sums side by side: enough independent chains to fill the widest vector units, so that
// memory is what the loop waits for, without asking the compiler to reorder additions.
double sum(const double* a, std::size_t n) {
  constexpr std::size_t lanes = 16;
  double s[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (std::size_t k = 0; k < lanes; ++k) s[k] += a[i + k];
  for (; i < n; ++i) s[0] += a[i];
  double all = 0;
  for (const double v : s) all += v;
  return all;
}

void triad(double* a, const double* b, const double* c, double factor, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + factor * c[i];
}

template <class Once>
double best_of(int runs, Once&& once) {
  double best = std::numeric_limits<double>::infinity();
  for (int r = 0; r < runs; ++r) {
    const auto start = Clock::now();
    once(r);
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

}  // namespace

Bandwidth measure_bandwidth() {
  return measure_bandwidth(std::max<std::size_t>(4 * last_level_cache_bytes(), 256u << 20));
}

Bandwidth measure_bandwidth(std::size_t array_bytes) {
  constexpr int runs = 5;
  // One buffer: read whole for the sum, in thirds for the triad.
  const std::size_t n = std::max<std::size_t>(array_bytes / sizeof(double), 3), third = n / 3;
  Array<double> buffer(n);
  // Each thread writes first what it will read, so that the pages are near it.
  parallel(threads(), [&](int t, int count) {
    const auto [begin, end] = part_of(n, t, count);
    std::fill(buffer.begin() + begin, buffer.begin() + end, 1.0);
  });

  Bandwidth b{.array_bytes = n * sizeof(double), .threads = threads()};
  double total = 0;
  const double read = best_of(runs, [&](int) {
    std::atomic<double> all{0};
    parallel(threads(), [&](int t, int count) {
      const auto [begin, end] = part_of(n, t, count);
      all.fetch_add(sum(buffer.data() + begin, end - begin));
    });
    total = all.load();
  });
  // The sum is looked at, so that no compiler may leave it out.
  if (total != static_cast<double>(n)) throw Error("the memory test read back a wrong sum");
  b.read = static_cast<double>(b.array_bytes) / read;

  const double move = best_of(runs, [&](int r) {
    parallel(threads(), [&](int t, int count) {
      const auto [begin, end] = part_of(third, t, count);
      triad(buffer.data() + begin, buffer.data() + third + begin, buffer.data() + 2 * third + begin,
            r, end - begin);
    });
  });
  if (buffer[third - 1] != 1.0 + (runs - 1)) throw Error("the memory test wrote a wrong value");
  b.triad = static_cast<double>(3 * third * sizeof(double)) / move;
  return b;
}

}  // namespace nz::lab
