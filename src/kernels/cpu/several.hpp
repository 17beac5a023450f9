#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nonzero/array.hpp>
#include <nonzero/dense.hpp>
#include <nonzero/kernel.hpp>

#include "kernels/cpu/windows.hpp"

// Products of several vectors on CPUs: what does not depend on the instruction set.
namespace nz::cpu {

// Several vectors as the loops take them: X mostly row by row, so that an entry meets one stretch
// of it, Y in any layout. alpha is finite and not 0.
template <Value T>
struct Several {
  const T* x = nullptr;
  std::int64_t x_leading = 0;  // from one row of X to the next
  std::int64_t x_stride = 1;   // from one column to the next
  index_t columns = 0;
  bool padded =
      false;  // rows of X can be read by whole vectors: the call's own memory follows them
  T alpha = 1, beta = 0;
  DenseView<T> y{};
  // A copy of the last row of X, followed by zeros to a power of two. Where there is one, rows lie
  // without gaps and the others can be read so far beyond their ends.
  const T* last_row = nullptr;
  index_t x_rows = 0;

  Several some_columns(index_t first, index_t count) const {
    Several part = *this;
    part.x += first * x_stride;
    part.columns = count;
    part.last_row = nullptr;  // between parts of rows there are gaps
    part.y = y.some_columns(first, count);
    return part;
  }
};

// What is to be known of the matrix and the instruction set.
struct SeveralShape {
  index_t lanes = 1;             // of a vector
  std::int64_t entries = 0;      // of the matrix, as they are stored
  int team = 1;                  // threads
  bool fast_alone = false;       // so that few vectors are better taken one by one
  bool reads_rows = false;       // X by rows is what the loops are made for
  index_t alone_by_columns = 0;  // of these, so many vectors at most are better taken one by one
  index_t streams = 0;           // of A, so many vectors at most are better taken as streams
  index_t streams_of_rows = 0;   // and so many where X lies by rows
  bool streams_gather = false;   // from columns of X that are best near
  bool streams_rows = false;     // which can read X by rows
};

// Columns up to which rows of X are read beyond their ends.
constexpr index_t most_over = 8;

// Numbers from one row of so many columns to the next, where rows are padded: whole vectors, or a
// power of two.
std::int64_t padded_columns(index_t columns, index_t lanes);

// A product that reads its matrix once for several vectors. One that derives from it gives the
// loops; layouts and scalars that are not ordinary are seen to here.
template <Value T>
class SeveralProduct : public Product<T> {
 public:
  bool has_several(Op) const override { return true; }
  void multiply_several(StreamView stream, Op op, T alpha, DenseView<const T> x, T beta,
                        DenseView<T> y) const final;

 protected:
  virtual SeveralShape several_shape() const = 0;
  virtual void several(Op op, const Several<T>& s) const = 0;
  // A X where lanes go down the rows (vector/streams.hpp): X by columns, and x_leading is 1; or X
  // and Y by rows without gaps.
  virtual void streams(const Several<T>&) const {}

 private:
  void by_streams(const SeveralShape& shape, const Several<T>& s, DenseView<const T> x) const;
  void one_by_one(const SeveralShape& shape, Op op, const Several<T>& s,
                  DenseView<const T> x) const;
};

extern template class SeveralProduct<float>;
extern template class SeveralProduct<double>;

// Y = beta Y on `team` threads, without reading Y when beta = 0.
template <Value T>
void scale_several(T beta, DenseView<T> y, int team);

// Rows `begin` to `end` of Y = alpha sums + beta Y, of sums row by row, `leading` apart.
template <Value T>
void put_rows(const Several<T>& s, index_t begin, index_t end, const T* sums, std::int64_t leading);

// Windows (windows.hpp) for several columns: private sums of each part, row by row, for as many of
// the columns at a time as memory allows. They take memory for the call.
template <Value T>
class SeveralWindows {
 public:
  SeveralWindows(const Windows<T>& windows, const Several<T>& s, index_t lanes);

  int parts() const { return static_cast<int>(ranges_.size()); }
  index_t columns_at_once() const { return at_once_; }
  // From one row of the sums to the next: padded_columns().
  std::int64_t leading() const { return leading_; }
  // The part's sums, cleared: row j of Y is at [j * leading()].
  T* clear(int part);
  // Y = alpha (sum of them) + beta Y for those columns, on as many threads as there are parts.
  void reduce(const Several<T>& s) const;

 private:
  void add_up(const Several<T>& s, index_t begin, index_t end, T* sums) const;

  const std::vector<ColumnRange>& ranges_;
  index_t at_once_ = 0;
  std::int64_t leading_ = 0;
  std::vector<std::size_t> starts_;  // rows before each part's
  Array<T> buffer_;
};

extern template class SeveralWindows<float>;
extern template class SeveralWindows<double>;

}  // namespace nz::cpu
