#include "plan/cache_rate.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>

#include <nonzero/array.hpp>

#include "base/caches.hpp"
#include "base/parallel.hpp"

namespace nz {
namespace {

// What a thread reads: more than its own cache holds, less than its share of the last one.
constexpr std::size_t most_bytes = 4 << 20, fewest_bytes = 1 << 20;
constexpr int passes = 6;  // the first brings it there
// Passes are ended where one of them takes so many times what memory would.
constexpr double hopeless = 8;

// By the first `readers` of a whole team: a smaller team would end the threads that it leaves out.
double measured(int readers, int team, double memory_rate) {
  const std::size_t share = last_level_cache_bytes() / 2 / static_cast<std::size_t>(readers);
  const std::size_t bytes = std::min(most_bytes, share);
  if (bytes < fewest_bytes) return 0;
  using Word = std::uint64_t;
  const std::size_t each = bytes / sizeof(Word);
  Array<Word> words(each * static_cast<std::size_t>(readers));
  const double all_bytes = static_cast<double>(bytes) * readers;
  double best = std::numeric_limits<double>::infinity();
  bool all_there = true;
  for (int pass = 0; pass < passes && all_there; ++pass) {
    const auto begin = std::chrono::steady_clock::now();
    parallel(team, [&](int thread, int count) {
      if (thread == 0) all_there = count == team;
      if (thread >= readers) return;
      const auto part = static_cast<std::size_t>(thread);
      Word* const from = words.data() + part * each;
      if (pass == 0) std::fill(from, from + each, Word(part));
      Word sum = 0;
      for (std::size_t i = 0; i < each; ++i) sum += from[i];
      [[maybe_unused]] volatile Word wanted = sum;
    });
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (pass > 0) best = std::min(best, taken.count());
    if (pass > 1 && best > hopeless * all_bytes / memory_rate) return 0;
  }
  return all_there && all_bytes / best > memory_rate ? all_bytes / best : 0;
}

}  // namespace

double cache_rate(int threads, double memory_rate) {
  static std::mutex guard;
  static std::map<int, double> known;
  const std::lock_guard lock(guard);
  const int team = std::max(threads, 1);
  const int below = static_cast<int>(std::bit_floor(static_cast<unsigned>(team)));
  auto at = known.find(below);
  if (at == known.end()) {
    const double rate = measured(below, team, memory_rate * below / team);
    if (rate == 0) return 0;  // another call may be from outside of a region, or less disturbed
    at = known.emplace(below, rate).first;
  }
  return at->second * team / below;
}

}  // namespace nz
