#pragma once
#include <cstddef>

#include <nonzero/array.hpp>
#include <nonzero/dense.hpp>

#include "base/parallel.hpp"
#include "solve/symmetric_eigen.hpp"

namespace nz::solve {

// So many columns from that one on.
struct Columns {
  std::size_t first = 0, count = 0;
  std::size_t end() const { return first + count; }
};

// Several vectors of a block method in host memory, row by row: what a method does with all of them
// is one pass over rows that stay in the nearest cache. Sums are doubles, and the same bits for a
// given number of threads.
template <Value T>
class BlockVectors {
 public:
  BlockVectors(index_t rows, std::size_t columns, int threads);

  index_t rows() const { return rows_; }
  std::size_t width() const { return width_; }
  T& operator()(index_t i, std::size_t j) { return row(i)[j]; }
  T* row(index_t i) { return values_.data() + static_cast<std::size_t>(i) * width_; }
  const T* row(index_t i) const { return values_.data() + static_cast<std::size_t>(i) * width_; }
  DenseView<T> view(Columns c);
  DenseView<const T> view(Columns c) const;

  // The products of columns of this with columns of another one: count x count.
  SmallMatrix products(Columns mine, const BlockVectors& other, Columns theirs) const;
  // The first by.columns columns from `to` on become combinations of those of `from`.
  void combine(Columns from, const SmallMatrix& by, std::size_t to);
  // Columns `to` lose the combinations `by` of those of `from`.
  void subtract(Columns from, const SmallMatrix& by, Columns to);

  // body(first row, last row + 1, part) on each thread's rows; parts() of them.
  template <class Body>
  void each_part(Body&& body) const {
    parallel_parts(parts_, [&](int part) {
      const auto [begin, end] = part_of(rows_, part, parts_);
      body(begin, end, part);
    });
  }
  int parts() const { return parts_; }

 private:
  index_t rows_;
  std::size_t width_;
  int parts_;
  Array<T> values_;
};

}  // namespace nz::solve
