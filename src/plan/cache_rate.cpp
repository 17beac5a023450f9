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
constexpr int passes = 4;  // the first brings it there

double measured(int threads) {
  const std::size_t share = last_level_cache_bytes() / 2 / static_cast<std::size_t>(threads);
  const std::size_t bytes = std::min(most_bytes, share);
  if (bytes < fewest_bytes) return 0;
  using Word = std::uint64_t;
  const std::size_t each = bytes / sizeof(Word);
  Array<Word> words(each * static_cast<std::size_t>(threads));
  Array<Word> sums(static_cast<std::size_t>(threads), 0);
  double best = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass <= passes; ++pass) {
    const auto begin = std::chrono::steady_clock::now();
    parallel(threads, [&](int thread, int count) {
      for (int part = thread; part < threads; part += count) {
        Word* const from = words.data() + static_cast<std::size_t>(part) * each;
        if (pass == 0) std::fill(from, from + each, Word(part));
        Word sum = 0;
        for (std::size_t i = 0; i < each; ++i) sum += from[i];
        sums[static_cast<std::size_t>(part)] += sum;
      }
    });
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (pass > 0) best = std::min(best, taken.count());
  }
  // That the sums are wanted.
  const bool right = std::all_of(sums.begin(), sums.end(), [&](Word s) { return s % each == 0; });
  return right && best > 0 ? static_cast<double>(bytes) * threads / best : 0;
}

}  // namespace

double cache_rate(int threads) {
  static std::mutex guard;
  static std::map<int, double> known;
  const std::lock_guard lock(guard);
  const int below = static_cast<int>(std::bit_floor(static_cast<unsigned>(std::max(threads, 1))));
  if (!known.contains(below)) known[below] = measured(below);
  return known[below] * threads / below;
}

}  // namespace nz
