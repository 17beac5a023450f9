#pragma once
#include <algorithm>
#include <cstdint>

#include "base/parallel.hpp"
#include "generate/hash.hpp"
#include "generate/memory.hpp"
#include "generate/permutation.hpp"
#include "generate/settings.hpp"

namespace nz {

inline constexpr Setting window_setting{
    "window", "nodes are numbered in a drawn order within so many; 0: in order", 0, 0, max_index};

// An irregular numbering, as mesh generators leave it: things keep their order from window to
// window and have none within one.
class Numbering {
 public:
  Numbering(index_t n, index_t window, const Hash& hash)
      : n_(n), window_(std::min(n, window)), hash_(hash) {
    if (window_ < 2) return;
    require_memory("numbers", n, sizeof(index_t));
    numbers_ = Array<index_t>(static_cast<std::size_t>(n));
    parallel_ranges(n, [&](index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i) numbers_[static_cast<std::size_t>(thing(i))] = i;
    });
  }

  // The thing with number i.
  index_t thing(index_t i) const {
    if (window_ < 2) return i;
    const index_t first = i - i % window_, size = std::min(window_, n_ - first);
    const Permutation shuffled(static_cast<std::uint64_t>(size), hash_.at(first));
    return first + static_cast<index_t>(shuffled(static_cast<std::uint64_t>(i - first)));
  }
  index_t number(index_t thing) const {
    return window_ < 2 ? thing : numbers_[static_cast<std::size_t>(thing)];
  }
  static double bytes(double n) { return sizeof(index_t) * n; }

 private:
  index_t n_, window_;
  Hash hash_;
  Array<index_t> numbers_;
};

}  // namespace nz
