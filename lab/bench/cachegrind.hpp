#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace nz::lab {

// What Valgrind's cachegrind counts: references to data, and those that missed the first and the
// last level of the caches that it simulates.
struct CacheCounts {
  double references = 0, first_misses = 0, last_misses = 0;
  std::string caches{};  // of data, as simulated: "D1 65536 B, 64 B, 2-way associative; LL ..."
};

// Of one product, or why there are none.
struct CountedCache {
  std::optional<CacheCounts> product;
  std::string why_not;
};

// Caches of data to simulate, each as valgrind has it: "32768,8,64" is 32 KiB, 8-way, lines of 64
// bytes. Empty: those of this machine, as far as valgrind knows them.
struct SimulatedCaches {
  std::string first{}, last{};
};

// This program as a child under cachegrind, in f32 on one thread: the difference between a run with
// one product and one with `products` more, so that nothing but products is counted.
CountedCache count_cache(const std::string& matrix, const std::string& kernel, int products,
                         const SimulatedCaches& caches = {});

// The counts of a cachegrind output file; nothing where there are none.
std::optional<CacheCounts> cache_counts(std::string_view file);

}  // namespace nz::lab
