#include "kernels/gpu/several/multiply.hpp"

#include <nonzero/array.hpp>

#include "base/complex.hpp"
#include "base/instantiate.hpp"
#include "kernels/columns_of_vectors.hpp"
#include "kernels/gpu/several/transpose.hpp"
#include "kernels/gpu/several/widen.hpp"
#include "kernels/gpu/several/zip.hpp"
#include "kernels/wide_rows.hpp"
#include "simt/backend.hpp"
#include "simt/queued_memory.hpp"

// All that products of several vectors have in common: scalars, memory of the host, layouts.
//
// Kernels read X by rows: what an entry needs of it lies together then. X by columns, unless there
// are very few, or by rows that begin anywhere, is brought into such rows first, which costs a
// launch and two passes over X, and saves a pass over the matrix a vector. Y by rows is written
// where it is, Y by columns as long as they are few, and through rows otherwise. A product that
// takes columns gets them as they are where both are such. Where the matrix is small beside the
// vectors, as stencils are in the packed format, columns are multiplied one by one instead. A few
// that are added up in registers are brought into rows too, unless the plan says that they are
// taken as they lie (columns=1).
namespace nz::NZ_HOME {
namespace {

template <class T>
Several<T> as_several(const DenseView<T>& v) {
  return {v.data(), v.row_stride(), v.column_stride(), v.columns()};
}

// to = alpha from + beta to, whatever their layouts.
template <class T>
void bring(CUstream_st* stream, std::int64_t rows, T alpha, const Several<const T>& from, T beta,
           const Several<T>& to) {
  if (transposes(from, to))
    transpose_several(stream, rows, alpha, from, beta, to);
  else
    copy_several(stream, rows, alpha, from, beta, to);
}

template <class T>
std::size_t bytes_of(std::int64_t rows, std::int64_t columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * sizeof(T);
}

template <class T>
class Call {
 public:
  Call(Device device, CUstream_st* stream, const SeveralCalls<T>& by)
      : device_(device), stream_(stream), by_(by) {}

  void run(T alpha, const Several<const T>& x, std::int64_t x_rows, T beta, const Several<T>& y,
           std::int64_t y_rows) const {
    if (alpha == T(0)) return scale_several(stream_, y_rows, beta, y);
    if (is_nan(alpha)) return copy_several(stream_, y_rows, all_nan(alpha), {}, T(0), y, true);
    if (is_finite(alpha)) return by_layout(alpha, x, x_rows, beta, y, y_rows);
    // Infinity times a sum of 0 is NaN: the sums must be there before it is multiplied.
    const simt::QueuedMemory sums(device_, bytes_of<T>(y_rows, y.columns), stream_);
    const Several<T> s{sums.template as<T>(), y.columns, 1, y.columns};
    by_layout(T(1), x, x_rows, T(0), s, y_rows);
    bring(stream_, y_rows, alpha, constant(s), beta, y);
  }

 private:
  static Several<const T> constant(const Several<T>& s) {
    return {s.data, s.row, s.column, s.columns};
  }

  void by_layout(T alpha, const Several<const T>& x, std::int64_t x_rows, T beta,
                 const Several<T>& y, std::int64_t y_rows) const {
    if (by_.own() && by_.takes_columns(x.columns) && x.columns > 1 && x.row == 1 && y.row == 1)
      return by_.several(stream_, alpha, x, beta, y);
    const bool as_one = by_.own() && by_.in_registers(x.columns);
    if (!by_.own() || (!as_one && better_one_by_one(x, x_rows, y, y_rows)))
      return one_by_one(alpha, x, x_rows, beta, y, y_rows);
    if (!by_.wants_rows()) return by_.several(stream_, alpha, x, beta, y);
    // Rows of whole packs; what fills them up is 0.
    constexpr int most = 16 / int(sizeof(T));
    const int pack = x.columns < 3 ? x.columns : most;
    const int wide = (x.columns + pack - 1) / pack * pack;
    const bool in_place = has_packs(x, elements_of_pack(x.columns, sizeof(T))) ||
                          read_in_place(x) || (as_one && loose_rows_in_place(x));
    const simt::QueuedMemory memory(device_, in_place ? 0 : bytes_of<T>(x_rows, wide), stream_);
    const Several<T> rows{memory.template as<T>(), wide, 1, wide};
    if (!in_place && x.row == 1 && (wide == 2 || wide == most_zipped))
      zip_several(stream_, x_rows, x, rows.data, wide);
    else if (!in_place && pack == most && x.column == 1)
      widen_several(stream_, x_rows, x, rows.data, wide / pack);
    else if (!in_place)
      bring(stream_, x_rows, T(1), x, T(0), rows);
    const Several<const T> from = in_place ? x : constant(rows);
    const bool few = columns_written_in_place(y.columns, sizeof(T));
    const bool wants_rows = from.column == 1 && by_.wants_rows_of_y(from.columns);
    if (y.column == 1 || (few && !wants_rows)) return by_.several(stream_, alpha, from, beta, y);
    const simt::QueuedMemory out(device_, bytes_of<T>(y_rows, wide), stream_);
    const Several<T> to{out.template as<T>(), wide, 1, y.columns};
    by_.several(stream_, alpha, from, T(0), to);
    bring(stream_, y_rows, T(1), constant(to), beta, y);
  }

  bool read_in_place(const Several<const T>& x) const {
    const double entries = static_cast<double>(by_.matrix_bytes()) / (sizeof(T) + sizeof(index_t));
    return x.row == 1 && columns_read_in_place(entries, x.columns);
  }

  // Rows that are no whole packs, of a kernel that takes them: loads of 4 bytes from lines apart
  // take longer than a copy.
  bool loose_rows_in_place(const Several<const T>& x) const {
    const double entries = static_cast<double>(by_.matrix_bytes()) / (sizeof(T) + sizeof(index_t));
    return x.column == 1 && (sizeof(T) > 4 || by_.takes_columns(x.columns) ||
                             columns_read_in_place(entries, x.columns));
  }

  bool better_one_by_one(const Several<const T>& x, std::int64_t x_rows, const Several<T>& y,
                         std::int64_t y_rows) const {
    return by_.wants_rows() && x.row == 1 && y.row == 1 &&
           columns_one_by_one(static_cast<double>(by_.matrix_bytes()),
                              static_cast<double>(bytes_of<T>(x_rows + y_rows, y.columns)),
                              y.columns, by_.dear_to_begin(), read_in_place(x));
  }

  void one_by_one(T alpha, const Several<const T>& x, std::int64_t x_rows, T beta,
                  const Several<T>& y, std::int64_t y_rows) const {
    const bool gather = x.row != 1 && x_rows > 1, scatter = y.row != 1 && y_rows > 1;
    const simt::QueuedMemory in(device_, gather ? bytes_of<T>(x_rows, x.columns) : 0, stream_),
        out(device_, scatter ? bytes_of<T>(y_rows, y.columns) : 0, stream_);
    Several<const T> from = x;
    Several<T> to = y;
    if (gather) {
      const Several<T> columns{in.template as<T>(), 1, x_rows, x.columns};
      bring(stream_, x_rows, T(1), x, T(0), columns);
      from = constant(columns);
    }
    if (scatter) to = {out.template as<T>(), 1, y_rows, y.columns};
    for (int j = 0; j < y.columns; ++j)
      by_.one(stream_, alpha, from.data + j * from.column, scatter ? T(0) : beta,
              to.data + j * to.column);
    if (scatter) bring(stream_, y_rows, T(1), constant(to), beta, y);
  }

  Device device_;
  CUstream_st* stream_;
  const SeveralCalls<T>& by_;
};

// In host memory, without gaps, row by row.
template <class T>
Array<std::remove_const_t<T>> together(const DenseView<T>& v, bool read) {
  const auto columns = static_cast<std::size_t>(v.columns());
  Array<std::remove_const_t<T>> all(static_cast<std::size_t>(v.rows()) * columns);
  if (read)
    for (index_t i = 0; i < v.rows(); ++i)
      for (index_t j = 0; j < v.columns(); ++j)
        all[static_cast<std::size_t>(i) * columns + static_cast<std::size_t>(j)] = v(i, j);
  return all;
}

}  // namespace

template <Value T>
void multiply_several(Device device, CUstream_st* stream, const SeveralCalls<T>& by, T alpha,
                      DenseView<const T> x, T beta, DenseView<T> y) {
  if (y.empty()) return;
  simt::Backend& b = simt::backend(device);
  const bool far_x = alpha != T(0) && !x.empty() && !b.owns(x.data()), far_y = !b.owns(y.data());
  const simt::QueuedMemory x_there(device, far_x ? bytes_of<T>(x.rows(), x.columns()) : 0, stream),
      y_there(device, far_y ? bytes_of<T>(y.rows(), y.columns()) : 0, stream);
  Several<const T> from = as_several(x);
  Several<T> to = as_several(y);
  if (far_x) {
    const auto here = together(x, true);
    b.copy(x_there.template as<T>(), here.data(), here.size() * sizeof(T), stream);
    from = {x_there.template as<T>(), x.columns(), 1, x.columns()};
  }
  Array<T> result;
  if (far_y) {
    result = together(y, beta != T(0));
    if (beta != T(0))
      b.copy(y_there.template as<T>(), result.data(), result.size() * sizeof(T), stream);
    to = {y_there.template as<T>(), y.columns(), 1, y.columns()};
  }
  Call<T>(device, stream, by).run(alpha, from, x.rows(), beta, to, y.rows());
  if (!far_y) return;
  b.copy(result.data(), y_there.template as<T>(), result.size() * sizeof(T), stream);
  for (index_t i = 0; i < y.rows(); ++i)
    for (index_t j = 0; j < y.columns(); ++j)
      y(i, j) = result[static_cast<std::size_t>(i) * static_cast<std::size_t>(y.columns()) +
                       static_cast<std::size_t>(j)];
}

#define NZ_INSTANTIATE(T)                                                         \
  template void multiply_several(Device, CUstream_st*, const SeveralCalls<T>&, T, \
                                 DenseView<const T>, T, DenseView<T>);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)
NZ_FOR_EACH_KERNEL_COMPLEX(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
