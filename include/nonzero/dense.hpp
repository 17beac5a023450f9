#pragma once
#include <cstdint>
#include <type_traits>

#include <nonzero/export.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// How the elements of a dense matrix follow each other: row by row, or column by column.
enum class Layout : char { row_major, column_major };

// Several vectors in somebody's memory, a column each. Nothing is looked at here: multiply() does.
template <class T>
class DenseView {
 public:
  DenseView() = default;
  // `leading` elements lie from one row to the next (row-major), or from one column to the next
  // (column-major); 0: they follow each other without a gap.
  DenseView(T* data, index_t rows, index_t columns, Layout layout, std::int64_t leading = 0)
      : data_(data),
        rows_(rows),
        columns_(columns),
        layout_(layout),
        leading_(leading != 0                  ? leading
                 : layout == Layout::row_major ? std::int64_t{columns}
                                               : std::int64_t{rows}) {}
  // What may be written may be read.
  template <class U>
  requires(std::is_same_v<T, const U>) DenseView(const DenseView<U>& other)
      : DenseView(other.data(), other.rows(), other.columns(), other.layout(), other.leading()) {}

  T* data() const { return data_; }
  index_t rows() const { return rows_; }
  index_t columns() const { return columns_; }
  Layout layout() const { return layout_; }
  std::int64_t leading() const { return leading_; }

  // Elements from one row, and from one column, to the next.
  std::int64_t row_stride() const { return layout_ == Layout::row_major ? leading_ : 1; }
  std::int64_t column_stride() const { return layout_ == Layout::row_major ? 1 : leading_; }
  T& operator()(index_t row, index_t column) const {
    return data_[row * row_stride() + column * column_stride()];
  }
  bool empty() const { return rows_ == 0 || columns_ == 0; }
  // From the first element to behind the last one.
  std::int64_t extent() const {
    return empty() ? 0 : (rows_ - 1) * row_stride() + (columns_ - 1) * column_stride() + 1;
  }
  // A column's elements follow each other: it is a vector as multiply() takes one.
  bool has_plain_columns() const { return rows_ <= 1 || row_stride() == 1; }
  // Columns from the given one on.
  DenseView some_columns(index_t first, index_t count) const {
    DenseView part = *this;
    part.data_ += first * column_stride();
    part.columns_ = count;
    return part;
  }

 private:
  T* data_ = nullptr;
  index_t rows_ = 0, columns_ = 0;
  Layout layout_ = Layout::column_major;
  std::int64_t leading_ = 0;
};

template <class T>
DenseView<T> row_major(T* data, index_t rows, index_t columns, std::int64_t leading = 0) {
  return {data, rows, columns, Layout::row_major, leading};
}
template <class T>
DenseView<T> column_major(T* data, index_t rows, index_t columns, std::int64_t leading = 0) {
  return {data, rows, columns, Layout::column_major, leading};
}

}  // namespace nz
