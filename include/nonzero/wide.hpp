#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include <nonzero/dense.hpp>
#include <nonzero/export.hpp>
#include <nonzero/formats/wide.hpp>
#include <nonzero/plan.hpp>

namespace NZ_API nz {

// Several vectors as DenseView has them, of any length; a DenseView is taken for one.
template <class T>
class WideDenseView {
 public:
  WideDenseView() = default;
  WideDenseView(T* data, std::int64_t rows, index_t columns, Layout layout,
                std::int64_t leading = 0)
      : data_(data),
        rows_(rows),
        columns_(columns),
        layout_(layout),
        leading_(leading != 0                  ? leading
                 : layout == Layout::row_major ? std::int64_t{columns}
                                               : rows) {}
  // What may be written may be read.
  template <class U>
  requires(std::is_same_v<T, U> || std::is_same_v<T, const U>)
      WideDenseView(const DenseView<U>& other)
      : WideDenseView(other.data(), other.rows(), other.columns(), other.layout(),
                      other.leading()) {}
  template <class U>
  requires(std::is_same_v<T, const U>) WideDenseView(const WideDenseView<U>& other)
      : WideDenseView(other.data(), other.rows(), other.columns(), other.layout(),
                      other.leading()) {}

  T* data() const { return data_; }
  std::int64_t rows() const { return rows_; }
  index_t columns() const { return columns_; }
  Layout layout() const { return layout_; }
  std::int64_t leading() const { return leading_; }

  // Elements from one row, and from one column, to the next.
  std::int64_t row_stride() const { return layout_ == Layout::row_major ? leading_ : 1; }
  std::int64_t column_stride() const { return layout_ == Layout::row_major ? 1 : leading_; }
  bool empty() const { return rows_ == 0 || columns_ == 0; }
  // From the first element to behind the last one.
  std::int64_t extent() const {
    return empty() ? 0 : (rows_ - 1) * row_stride() + (columns_ - 1) * column_stride() + 1;
  }
  // A column's elements follow each other.
  bool has_plain_columns() const { return rows_ <= 1 || row_stride() == 1; }

 private:
  T* data_ = nullptr;
  std::int64_t rows_ = 0;
  index_t columns_ = 0;
  Layout layout_ = Layout::column_major;
  std::int64_t leading_ = 0;
};

// A matrix with more rows or columns than index_t counts, ready to be multiplied. It is cut into
// panels of columns and bands of rows. Where a panel meets a band and there are entries, an
// ordinary plan of its own choice multiplies; rows and columns without entries that lie between
// others are left out of it where they are most, so that memory goes with the entries, not with the
// shape.
//
// Sums are those of an ordinary plan: a row with n entries is within the same bound
// (truth.hpp), (n + 3) u (|alpha| sum |a||x| + |beta||y|) and what belongs to it. An entry in a
// part of m of them takes m roundings for the part's sum, one for alpha, and one for every part of
// the row that is added from then on; each of the k - 1 other parts has an entry at least, so that
// these are m + 1 + k <= n + 2. beta y takes 1 + k.
//
// Threads may share it as they may share a Plan.
template <RealValue T>
class WidePlan {
 public:
  WidePlan() noexcept;
  struct State;  // the library's own
  explicit WidePlan(std::unique_ptr<State> state);
  WidePlan(WidePlan&&) noexcept;
  WidePlan& operator=(WidePlan&&) noexcept;
  ~WidePlan();

  // y = alpha op(A) x + beta y, with the rules of Plan::multiply(): beta = 0 does not read y,
  // alpha = 0 reads neither A nor x, and an infinite alpha, which waits for whole sums, takes
  // memory for them. Throws InvalidArgument when a length is wrong and when x and y overlap.
  // On a GPU it runs on the stream, and takes memory for the call in the stream's order where rows
  // or columns were left out.
  void multiply(T alpha, std::span<const T> x, T beta, std::span<T> y, Op op = Op::none,
                StreamView stream = {}) const;

  // Y = alpha op(A) X + beta Y for several vectors, the columns of X and Y, each in its own layout,
  // with the rules of Plan::multiply(). Each part reads its matrix once for many. Where rows or
  // columns were left out, their elements are copied beside each other first, and sums are added
  // from such a copy: as many elements for each vector as the part has places. On a GPU this is
  // queued for vectors by columns; for device memory by rows the list of places goes there anew in
  // each call, which waits, and so it may not be captured in a graph.
  void multiply(T alpha, WideDenseView<const T> x, T beta, WideDenseView<T> y, Op op = Op::none,
                StreamView stream = {}) const;

  std::int64_t rows() const;
  std::int64_t cols() const;
  // As those of Plan: what all parts take, and what all of them repeat.
  bool supports(Op op) const;
  bool repeats(Op op) const;
  int threads() const;
  // Parts with a plan of their own.
  std::size_t parts() const;
  const Plan<T>& part(std::size_t i) const;
  Device device() const;
  // All memory that the plans and their places keep on the device.
  std::size_t bytes() const;
  // What the parts are and which kernels they have, in lines.
  std::string text() const;

 private:
  std::unique_ptr<State> state_;
};

// Each part is planned with these options; memory_limit is that of all together. Throws as plan()
// does; what is wrong with the entries is a BadInput with the first that is. Copies the entries.
template <RealValue T>
NZ_API WidePlan<T> wide_plan(const WideCooView<T>& a, const PlanOptions& options = {});
template <RealValue T>
NZ_API WidePlan<T> wide_plan(const WideCsr<T>& a, const PlanOptions& options = {});

}  // namespace nz
