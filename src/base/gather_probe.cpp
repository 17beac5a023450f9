#include "base/gather_probe.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace nz {

#if defined(__x86_64__)
namespace {

constexpr int entries = 1024, repetitions = 50;
// Gathers must be about as fast as loads: in a product they lose more than in the probe.
constexpr double at_most = 1.15;

struct Probe {
  alignas(64) std::array<std::int32_t, entries> columns;
  alignas(64) std::array<double, entries> values, x;
};

__attribute__((target("avx512f,avx512vl"), noinline)) double by_gather(const Probe& p) {
  __m512d even = _mm512_setzero_pd(), odd = even;
  for (int k = 0; k < entries; k += 16) {
    const auto* at = reinterpret_cast<const __m256i*>(p.columns.data() + k);
    even = _mm512_fmadd_pd(_mm512_load_pd(p.values.data() + k),
                           _mm512_i32gather_pd(_mm256_load_si256(at), p.x.data(), 8), even);
    odd = _mm512_fmadd_pd(_mm512_load_pd(p.values.data() + k + 8),
                          _mm512_i32gather_pd(_mm256_load_si256(at + 1), p.x.data(), 8), odd);
  }
  return _mm512_reduce_add_pd(_mm512_add_pd(even, odd));
}

// Without AVX2, so that the compiler has no gather to take.
__attribute__((target("fma"), noinline)) double by_loads(const Probe& p) {
  double sums[4] = {};
  for (int k = 0; k < entries; k += 4)
    for (int c = 0; c < 4; ++c) sums[c] += p.values[k + c] * p.x[p.columns[k + c]];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class Sum>
double seconds_of(const Probe& p, Sum&& sum) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  volatile double kept = sum(p);
  (void)kept;
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

bool gathers_pay() {
  Probe p;
  for (int k = 0; k < entries; ++k) {
    p.columns[k] = k * 37 % entries;
    p.values[k] = p.x[k] = 1;
  }
  // In pairs, so that both are disturbed alike. The median of the pairs and the shortest of each
  // must agree: a busy machine may mislead one of them.
  std::array<double, repetitions> ratios;
  double shortest_gather = 1, shortest_loads = 1;
  for (double& ratio : ratios) {
    const double gather = seconds_of(p, by_gather), loads = seconds_of(p, by_loads);
    ratio = gather / loads;
    shortest_gather = std::min(shortest_gather, gather);
    shortest_loads = std::min(shortest_loads, loads);
  }
  std::nth_element(ratios.begin(), ratios.begin() + repetitions / 2, ratios.end());
  return ratios[repetitions / 2] <= at_most && shortest_gather <= at_most * shortest_loads;
}
#else
bool gathers_pay() { return false; }
#endif

}  // namespace nz
