#pragma once
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <nonzero/formats/csr.hpp>
#include <nonzero/types.hpp>

#include "base/parallel.hpp"
#include "kernels/cpu/scratch_pool.hpp"

namespace nz::cpu {

struct ColumnRange {
  index_t begin = 0;
  index_t end = 0;
};

// The columns that rows begin to end touch; rows are sorted, so their ends tell.
template <Value T, Offset O>
ColumnRange columns_touched(const CsrView<T, O>& a, index_t begin, index_t end) {
  index_t low = a.cols, high = 0;
  for (index_t i = begin; i < end; ++i) {
    if (a.offsets[i] == a.offsets[i + 1]) continue;
    low = std::min(low, a.columns[a.offsets[i]]);
    high = std::max(high, a.columns[a.offsets[i + 1] - 1] + 1);
  }
  return low < high ? ColumnRange{low, high} : ColumnRange{};
}

// Private sums for products that scatter into y, as a transposed product does: each part adds to a
// buffer of its own, which spans only the columns that the part touches, and then all are added up
// in the order of the parts. Where a matrix is local, the buffers barely overlap and together are
// little more than y. The result depends on the parts, not on when they run. Each call has buffers
// of its own, so that several may go on at once.
template <Value T>
class Windows {
 public:
  using Range = ColumnRange;

  Windows() = default;
  Windows(index_t length, std::vector<Range> ranges) : length_(length), ranges_(std::move(ranges)) {
    std::size_t total = 0;
    for (const Range& r : ranges_) {
      starts_.push_back(total);
      total += static_cast<std::size_t>(r.end - r.begin);
    }
    pool_ = std::make_unique<ScratchPool<T>>(total);
  }

  std::size_t bytes() const { return pool_->bytes(); }
  // The columns of each part.
  const std::vector<Range>& ranges() const { return ranges_; }

  // The buffers of one call.
  class Sums {
   public:
    explicit Sums(const Windows& w) : w_(w), buffer_(w.pool_->borrow()) {}

    // The part's buffer, cleared: element j of y is at [j], for the columns that the part touches.
    T* clear(int part) {
      const auto p = static_cast<std::size_t>(part);
      T* first = buffer_.data() + w_.starts_[p];
      const Range r = w_.ranges_[p];
      std::fill_n(first, r.end - r.begin, T(0));
      return first - r.begin;
    }

    // y = alpha (sum of the buffers) + beta y, on `team` threads; beta = 0 does not read y.
    void reduce(int team, T alpha, T beta, T* y) {
      const T* from = buffer_.data();
      parallel(team, [&, from](int thread, int count) {
        const auto [begin, end] = part_of(w_.length_, thread, count);
        // Strips that stay in the first-level cache while every buffer passes over them.
        constexpr index_t strip = 1024;
        for (index_t at = begin; at < end; at += strip)
          w_.add_up(from, at, std::min<index_t>(end, at + strip), alpha, beta, y);
      });
    }

   private:
    const Windows& w_;
    typename ScratchPool<T>::Lease buffer_;
  };

 private:
  void add_up(const T* buffer, index_t begin, index_t end, T alpha, T beta, T* y) const {
    if (beta == T(0))
      std::fill(y + begin, y + end, T(0));
    else if (beta != T(1))
      for (index_t j = begin; j < end; ++j) y[j] *= beta;
    for (std::size_t p = 0; p < ranges_.size(); ++p) {
      const index_t low = std::max(begin, ranges_[p].begin), high = std::min(end, ranges_[p].end);
      if (low >= high) continue;
      const T* from = buffer + starts_[p] + (low - ranges_[p].begin);
      T* to = y + low;
      for (index_t j = 0; j < high - low; ++j) to[j] += alpha * from[j];
    }
  }

  index_t length_ = 0;
  std::vector<Range> ranges_;
  std::vector<std::size_t> starts_;
  std::unique_ptr<ScratchPool<T>> pool_;
};

}  // namespace nz::cpu
