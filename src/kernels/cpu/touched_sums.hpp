#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <nonzero/array.hpp>
#include <nonzero/types.hpp>

#include "base/parallel.hpp"
#include "kernels/cpu/scratch_pool.hpp"

namespace nz::cpu {

// Private sums for parts of a matrix that scatter into a y most of which none of them touches: a
// part has one for each column that it touches, and knows of each entry which that is. So neither
// the sums nor y cost anything where there are no entries. They are added to y in the order of the
// parts: the result does not depend on when these run.
template <Value T>
class TouchedSums {
 public:
  TouchedSums() = default;
  // Of `parts` parts of the entries, part p from cut(p) to cut(p + 1).
  template <class Cut>
  TouchedSums(std::span<const index_t> columns, int parts, Cut&& cut)
      : places_(columns.size()), touched_(static_cast<std::size_t>(parts)) {
    parallel_parts(parts, [&](int part) {
      const auto begin = static_cast<std::size_t>(cut(part));
      number(columns.subspan(begin, static_cast<std::size_t>(cut(part + 1)) - begin),
             places_.data() + begin, touched_[static_cast<std::size_t>(part)]);
    });
    starts_.push_back(0);
    for (const Array<index_t>& t : touched_) starts_.push_back(starts_.back() + t.size());
    pool_ = std::make_unique<ScratchPool<T>>(starts_.back());
  }

  std::size_t bytes() const {
    return pool_ ? (places_.size() + starts_.back()) * sizeof(index_t) + pool_->bytes() : 0;
  }
  // Of each entry, its sum among those of its part.
  const index_t* places() const { return places_.data(); }

  // The sums of one call.
  class Sums {
   public:
    explicit Sums(const TouchedSums& of) : of_(of), buffer_(of.pool_->borrow()) {}

    T* clear(int part) {
      const auto p = static_cast<std::size_t>(part);
      T* const first = buffer_.data() + of_.starts_[p];
      std::fill_n(first, of_.touched_[p].size(), T(0));
      return first;
    }

    // y += alpha (sum of them), on `team` threads, for a y of `length` elements.
    void add_to(T* y, index_t length, T alpha, int team) {
      const T* const sums = buffer_.data();
      parallel(team, [&, sums](int thread, int count) {
        const auto [begin, end] = part_of(length, thread, count);
        for (std::size_t p = 0; p < of_.touched_.size(); ++p) {
          const Array<index_t>& its = of_.touched_[p];
          const index_t* at = std::lower_bound(its.begin(), its.end(), begin);
          const T* from = sums + of_.starts_[p] + (at - its.begin());
          for (; at != its.end() && *at < end; ++at, ++from) y[*at] += alpha * *from;
        }
      });
    }

   private:
    const TouchedSums& of_;
    typename ScratchPool<T>::Lease buffer_;
  };

 private:
  // The different columns, increasing, and of each entry the place of its own among them: a bit a
  // column of the range, and how many are set before each word.
  static void number(std::span<const index_t> columns, index_t* places, Array<index_t>& touched) {
    if (columns.empty()) return;
    const auto [low, high] = std::minmax_element(columns.begin(), columns.end());
    const index_t first = *low;
    std::vector<std::uint64_t> bits((static_cast<std::size_t>(*high) - first) / 64 + 1);
    const auto word = [&](index_t c) { return static_cast<std::size_t>(c - first) / 64; };
    const auto bit = [&](index_t c) { return std::uint64_t{1} << ((c - first) % 64); };
    for (const index_t c : columns) bits[word(c)] |= bit(c);
    std::vector<index_t> before(bits.size());
    index_t count = 0;
    for (std::size_t w = 0; w < bits.size(); ++w) {
      before[w] = count;
      count += std::popcount(bits[w]);
    }
    touched = Array<index_t>(static_cast<std::size_t>(count));
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const index_t c = columns[k];
      places[k] = before[word(c)] + std::popcount(bits[word(c)] & (bit(c) - 1));
      touched[static_cast<std::size_t>(places[k])] = c;
    }
  }

  Array<index_t> places_;
  std::vector<Array<index_t>> touched_;
  std::vector<std::size_t> starts_;
  std::unique_ptr<ScratchPool<T>> pool_;
};

}  // namespace nz::cpu
