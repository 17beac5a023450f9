#pragma once
#include <algorithm>
#include <vector>

#include <nonzero/array.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/types.hpp>

#include "base/parallel.hpp"

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
// little more than y. The result depends on the parts, not on when they run.
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
    buffer_ = Array<T>(total);
  }

  int parts() const { return static_cast<int>(ranges_.size()); }
  std::size_t bytes() const { return buffer_.size() * sizeof(T); }
  Range range(int part) const { return ranges_[static_cast<std::size_t>(part)]; }

  // The part's buffer, cleared; element j of y is at [j - range(part).begin].
  T* clear(int part) {
    T* first = buffer_.data() + starts_[static_cast<std::size_t>(part)];
    const Range r = range(part);
    std::fill_n(first, r.end - r.begin, T(0));
    return first;
  }

  // y = alpha (sum of the buffers) + beta y, on `team` threads; beta = 0 does not read y.
  void reduce(int team, T alpha, T beta, T* y) const {
    parallel(team, [&](int thread, int count) {
      const auto [begin, end] = part_of(length_, thread, count);
      // Strips that stay in the first-level cache while every buffer passes over them.
      constexpr index_t strip = 1024;
      for (index_t at = begin; at < end; at += strip)
        add_up(at, std::min<index_t>(end, at + strip), alpha, beta, y);
    });
  }

 private:
  void add_up(index_t begin, index_t end, T alpha, T beta, T* y) const {
    if (beta == T(0))
      std::fill(y + begin, y + end, T(0));
    else if (beta != T(1))
      for (index_t j = begin; j < end; ++j) y[j] *= beta;
    for (std::size_t p = 0; p < ranges_.size(); ++p) {
      const index_t low = std::max(begin, ranges_[p].begin), high = std::min(end, ranges_[p].end);
      if (low >= high) continue;
      const T* from = buffer_.data() + starts_[p] + (low - ranges_[p].begin);
      T* to = y + low;
      for (index_t j = 0; j < high - low; ++j) to[j] += alpha * from[j];
    }
  }

  index_t length_ = 0;
  std::vector<Range> ranges_;
  std::vector<std::size_t> starts_;
  Array<T> buffer_;
};

}  // namespace nz::cpu
