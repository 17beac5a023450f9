#pragma once
#include <cstdint>
#include <exception>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>
#ifdef _OPENMP
#include <omp.h>
#else
#include <atomic>
#include <thread>
#endif

#include <nonzero/threads.hpp>

#include "base/pinning.hpp"
#ifdef _OPENMP
#include "base/team_size.hpp"
#endif

// The only door to threads outside the kernels. OpenMP when the compiler has it; std::thread
// otherwise, which is also what the thread sanitizer can follow.
namespace nz {

// Runs body(thread, threads) once on each of `wanted` threads and waits. The first exception
// thrown by any of them is rethrown here; the others finish their part. Where not all threads can
// be had, fewer are told so and do the work, at last this one alone.
template <class Body>
void parallel(int wanted, Body&& body) {
  if (wanted <= 1) {
    body(0, 1);
    return;
  }
  std::exception_ptr failure;
  std::mutex guard;
  const Pins* pins = team_pins();
  auto run = [&](int thread, int threads) {
    try {
      if (pins) bind_to(*pins, thread);
      body(thread, threads);
    } catch (...) {
      std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
    }
  };
#ifdef _OPENMP
  const TeamSize team(wanted);
  // The runtime may grant fewer threads than asked for: the body splits by what it got.
#pragma omp parallel num_threads(team.size())
  run(omp_get_thread_num(), omp_get_num_threads());
#else
  std::atomic<int> granted{0};  // 0: not all have been created
  std::vector<std::thread> others;
  try {
    others.reserve(static_cast<std::size_t>(wanted - 1));
    for (int t = 1; t < wanted; ++t)
      others.emplace_back([&run, &granted, t] {
        granted.wait(0);
        run(t, granted.load());
      });
  } catch (...) {  // no thread, or no memory for one
  }
  granted = static_cast<int>(others.size()) + 1;
  granted.notify_all();
  run(0, granted.load());
  for (auto& t : others) t.join();
#endif
  if (failure) std::rethrow_exception(failure);
}

// The half-open range of [0, n) that belongs to one of `parts` equal parts.
template <class I>
constexpr std::pair<I, I> part_of(I n, int part, int parts) {
  const I size = n / static_cast<I>(parts), rest = n % static_cast<I>(parts);
  const auto cut = [&](int p) {
    const I before = static_cast<I>(p);
    return before * size + (before < rest ? before : rest);
  };
  return {cut(part), cut(part + 1)};
}

// body(part) for each of `parts` parts, on as many threads; the parts stay the same when the
// runtime grants fewer.
template <class Body>
void parallel_parts(int parts, Body&& body) {
  parallel(parts, [&](int thread, int threads) {
    for (int p = thread; p < parts; p += threads) body(p);
  });
}

// body(begin, end) over equal parts of [0, n), one per thread; serial below `grain` elements.
template <class I, class Body>
void parallel_ranges(I n, Body&& body, std::type_identity_t<I> grain = 1 << 14) {
  const int wanted = n < grain ? 1 : threads();
  parallel(wanted, [&](int thread, int count) {
    const auto [begin, end] = part_of(n, thread, count);
    if (begin < end) body(begin, end);
  });
}

}  // namespace nz
