#include "kernels/cpu/several.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "kernels/cpu/cpu_product.hpp"
#include "kernels/cpu_several_rules.hpp"

namespace nz::cpu {
namespace {

// Columns from which on a copy of X row by row is worth its time.
constexpr index_t few = 4;

// Columns from which on it pays to write down entries that are fast to multiply as they are.
constexpr index_t worth_writing = 8, worth_writing_gathers = 3;

// Rows that stay in the first-level cache while all columns pass over them.
constexpr index_t strip = 32;

// body(element) for all of Y, on `team` threads, in the order of its memory.
template <class T, class Body>
void for_elements(DenseView<T> y, int team, Body&& body) {
  parallel(team, [&](int thread, int count) {
    const auto [begin, end] = part_of(y.rows(), thread, count);
    if (y.column_stride() == 1) {
      for (index_t i = begin; i < end; ++i)
        for (index_t j = 0; j < y.columns(); ++j) body(y(i, j), i, j);
    } else {
      for (index_t j = 0; j < y.columns(); ++j)
        for (index_t i = begin; i < end; ++i) body(y(i, j), i, j);
    }
  });
}

// X row by row, each row followed by zeros to whole vectors.
template <class T>
void to_rows(DenseView<const T> x, T* to, std::int64_t leading, int team) {
  const index_t columns = x.columns();
  const bool by_rows = x.column_stride() == 1;
  parallel(team, [&](int thread, int count) {
    const auto [begin, end] = part_of(x.rows(), thread, count);
    for (index_t top = begin; top < end; top += strip) {
      const index_t bottom = std::min<index_t>(end, top + strip);
      if (by_rows) {
        for (index_t i = top; i < bottom; ++i) std::copy_n(&x(i, 0), columns, to + i * leading);
      } else {
        for (index_t j = 0; j < columns; ++j) {
          const T* from = x.data() + j * x.column_stride();
          for (index_t i = top; i < bottom; ++i) to[i * leading + j] = from[i * x.row_stride()];
        }
      }
      for (index_t i = top; i < bottom; ++i)
        std::fill(to + i * leading + columns, to + (i + 1) * leading, T(0));
    }
  });
}

// X column by column, `leading` apart.
template <class T>
void to_columns(DenseView<const T> x, T* to, std::int64_t leading, int team) {
  parallel(team, [&](int thread, int count) {
    const auto [begin, end] = part_of(x.rows(), thread, count);
    for (index_t top = begin; top < end; top += strip) {
      const index_t bottom = std::min<index_t>(end, top + strip);
      for (index_t j = 0; j < x.columns(); ++j) {
        const T* const from = x.data() + j * x.column_stride();
        T* const column = to + j * leading;
        const std::int64_t stride = x.row_stride();
        for (index_t i = top; i < bottom; ++i) column[i] = from[i * stride];
      }
    }
  });
}

// Y = alpha sums + beta Y, of sums column by column.
template <class T>
void from_columns(const T* sums, std::int64_t leading, T alpha, T beta, DenseView<T> y, int team) {
  parallel(team, [&](int thread, int count) {
    const auto [begin, end] = part_of(y.rows(), thread, count);
    for (index_t top = begin; top < end; top += strip) {
      const index_t bottom = std::min<index_t>(end, top + strip);
      for (index_t j = 0; j < y.columns(); ++j) {
        const T* const column = sums + j * leading;
        T* const to = y.data() + j * y.column_stride();
        const std::int64_t stride = y.row_stride();
        if (beta == T(0))
          for (index_t i = top; i < bottom; ++i) to[i * stride] = alpha * column[i];
        else
          for (index_t i = top; i < bottom; ++i)
            to[i * stride] = alpha * column[i] + beta * to[i * stride];
      }
    }
  });
}

// Columns that are copied at a time, to take little memory, and elements from one to the next: not
// a power of two, so that a row of all of them fits the nearest cache.
constexpr index_t copied_together = 8;
template <class T>
std::int64_t apart(index_t rows) {
  constexpr std::int64_t line = 64 / sizeof(T);
  return (std::int64_t{rows} + line - 1) / line * line + line;
}

// take_rare_alpha() of one vector, for several.
template <Value T>
bool take_rare_alpha(const Product<T>& product, StreamView stream, Op op, T alpha,
                     DenseView<const T> x, T beta, DenseView<T> y, int team) {
  if (alpha == T(0)) {
    scale_several(beta, y, team);
    return true;
  }
  if (std::isfinite(alpha)) return false;
  if (std::isnan(alpha)) {
    for_elements(y, team, [=](T& e, index_t, index_t) { e = alpha; });
    return true;
  }
  Array<T> sums(static_cast<std::size_t>(y.rows()) * static_cast<std::size_t>(y.columns()));
  const DenseView<T> all{sums.data(), y.rows(), y.columns(), y.layout()};
  product.multiply_several(stream, op, T(1), x, T(0), all);
  for_elements(y, team, [&](T& e, index_t i, index_t j) { store(e, alpha, all(i, j), beta); });
  return true;
}

}  // namespace

template <Value T>
void scale_several(T beta, DenseView<T> y, int team) {
  if (beta == T(0))
    for_elements(y, team, [](T& e, index_t, index_t) { e = T(0); });
  else if (beta != T(1))
    for_elements(y, team, [=](T& e, index_t, index_t) { e *= beta; });
}

template <Value T>
void put_rows(const Several<T>& s, index_t begin, index_t end, const T* sums,
              std::int64_t leading) {
  const auto write = [&](index_t i, index_t j) {
    store(s.y(i, j), s.alpha, sums[(i - begin) * leading + j], s.beta);
  };
  if (s.y.column_stride() == 1) {
    for (index_t i = begin; i < end; ++i)
      for (index_t j = 0; j < s.columns; ++j) write(i, j);
  } else {
    for (index_t j = 0; j < s.columns; ++j)
      for (index_t i = begin; i < end; ++i) write(i, j);
  }
}

template <Value T>
void SeveralProduct<T>::multiply_several(StreamView stream, Op op, T alpha, DenseView<const T> x,
                                         T beta, DenseView<T> y) const {
  const index_t columns = y.columns();
  // That also refuses a stream of another device.
  if (!stream.any_device() || columns <= 1 || x.empty() || y.empty() || !this->has_several(op))
    return Product<T>::multiply_several(stream, op, alpha, x, beta, y);
  const SeveralShape shape = several_shape();
  if (take_rare_alpha<T>(*this, stream, op, alpha, x, beta, y, shape.team)) return;
  Several<T> s{x.data(), x.row_stride(), x.column_stride(), columns, false, alpha, beta, y};
  if (op == Op::none && columns <= (s.x_stride == 1 ? shape.streams_of_rows : shape.streams))
    return by_streams(shape, s, x);
  const bool columns_apart = op == Op::none && s.x_stride != 1;
  const bool reads_over = op == Op::none && !shape.reads_rows && columns < most_over &&
                          x.column_stride() == 1 && x.row_stride() == columns &&
                          padded_columns(columns, shape.lanes) < shape.lanes;
  const bool short_rows = shape.entries < (columns_apart ? worth_copying
                                           : reads_over  ? worth_padding_narrow
                                                         : worth_padding) *
                                              x.rows();
  const bool plain = x.has_plain_columns() && y.has_plain_columns();
  const index_t alone = shape.streams_gather ? worth_writing_gathers : worth_writing;
  const bool by_one =
      shape.reads_rows
          ? s.x_stride != 1 && plain && (short_rows || columns <= shape.alone_by_columns)
          : shape.fast_alone && (columns < alone || (plain && short_rows));
  if (by_one) return one_by_one(shape, op, s, x);
  // Rows that a vector would reach over the end of are copied to where they begin at whole ones.
  const bool odd = columns != padded_columns(columns, shape.lanes) &&
                   (columns < shape.lanes || shape.reads_rows);
  const bool pays = (op == Op::none || shape.reads_rows) && !short_rows;
  const bool copy = s.x_stride == 1 ? pays && odd : shape.reads_rows || (pays && columns >= few);
  if (!copy) {
    T last_row[most_over] = {};
    if (reads_over) {
      std::copy_n(&x(x.rows() - 1, 0), columns, last_row);
      s.last_row = last_row;
      s.x_rows = x.rows();
    }
    return several(op, s);
  }
  // As many columns at a time as the loops hold in registers, to take little memory.
  const index_t most = std::min(columns, 8 * shape.lanes);
  s.x_leading = padded_columns(most, shape.lanes);
  s.x_stride = 1;
  s.padded = true;
  Array<T> rows(static_cast<std::size_t>(x.rows()) * static_cast<std::size_t>(s.x_leading));
  for (index_t first = 0; first < columns; first += most) {
    const index_t count = std::min(most, columns - first);
    to_rows(x.some_columns(first, count), rows.data(), s.x_leading, shape.team);
    Several<T> part = s.some_columns(first, count);
    part.x = rows.data();
    several(op, part);
  }
}

template <Value T>
void SeveralProduct<T>::by_streams(const SeveralShape& shape, const Several<T>& s,
                                   DenseView<const T> x) const {
  const auto without_gaps = [&](const auto& v) {
    return v.column_stride() == 1 && v.row_stride() == s.columns;
  };
  // Places in X by rows must be indices.
  if (!shape.streams_gather && shape.streams_rows && without_gaps(x) && without_gaps(s.y) &&
      std::int64_t{x.rows()} * s.columns <= std::numeric_limits<index_t>::max())
    return streams(s);
  const bool plain = x.has_plain_columns();
  const std::int64_t leading = apart<T>(x.rows());
  const double bytes = static_cast<double>(x.rows()) * sizeof(T);
  const index_t together =
      shape.streams_gather && bytes <= near_bytes
          ? static_cast<index_t>(std::min(near_bytes / bytes, double{copied_together}))
          : copied_together;
  const index_t most = std::min(together, s.columns);
  Array<T> columns(plain ? 0 : static_cast<std::size_t>(leading * most));
  for (index_t first = 0; first < s.columns; first += most) {
    const index_t count = std::min(most, s.columns - first);
    Several<T> part = s.some_columns(first, count);
    part.x_leading = 1;
    if (!plain) {
      to_columns(x.some_columns(first, count), columns.data(), leading, shape.team);
      part.x = columns.data();
      part.x_stride = leading;
    }
    streams(part);
  }
}

// Columns whose elements lie apart go through vectors of the call's own.
template <Value T>
void SeveralProduct<T>::one_by_one(const SeveralShape& shape, Op op, const Several<T>& s,
                                   DenseView<const T> x) const {
  const bool gather = !x.has_plain_columns(), scatter = !s.y.has_plain_columns();
  const std::int64_t from = apart<T>(x.rows()), to = apart<T>(s.y.rows());
  const index_t most = std::min(copied_together, s.columns);
  Array<T> in(static_cast<std::size_t>(gather ? from * most : 0));
  Array<T> out(static_cast<std::size_t>(scatter ? to * most : 0));
  const auto rows = [](const auto& v) { return static_cast<std::size_t>(v.rows()); };
  for (index_t first = 0; first < s.columns; first += most) {
    const index_t count = std::min(most, s.columns - first);
    const DenseView<const T> xs = x.some_columns(first, count);
    const DenseView<T> ys = s.y.some_columns(first, count);
    if (gather) to_columns(xs, in.data(), from, shape.team);
    for (index_t j = 0; j < count; ++j) {
      const std::span<const T> one{gather ? in.data() + j * from : &xs(0, j), rows(x)};
      if (scatter)
        this->multiply(op, T(1), one, T(0), {out.data() + j * to, rows(s.y)});
      else
        this->multiply(op, s.alpha, one, s.beta, {&ys(0, j), rows(s.y)});
    }
    if (scatter) from_columns(out.data(), to, s.alpha, s.beta, ys, shape.team);
  }
}

std::int64_t padded_columns(index_t columns, index_t lanes) {
  if (columns < lanes) return std::bit_ceil(static_cast<std::uint32_t>(columns));
  return (std::int64_t{columns} + lanes - 1) / lanes * lanes;
}

template <Value T>
SeveralWindows<T>::SeveralWindows(const Windows<T>& windows, const Several<T>& s, index_t lanes)
    : ranges_(windows.ranges()) {
  std::size_t total = 0;
  for (const ColumnRange& r : ranges_) {
    starts_.push_back(total);
    total += static_cast<std::size_t>(r.end - r.begin);
  }
  // About twice as much as Y takes, but some vectors at least: fewer where each thread touches most
  // columns, as then one vector already takes many times what y does.
  const double share = 2.0 * s.y.rows() / static_cast<double>(std::max<std::size_t>(total, 1));
  const index_t unit = share < 0.25 ? lanes : 4 * lanes;
  const auto wanted = static_cast<index_t>(std::min(share, 1.0) * s.columns) / unit * unit;
  at_once_ = share >= 1.0 ? s.columns : std::min(s.columns, std::max(unit, wanted));
  leading_ = padded_columns(at_once_, lanes);
  buffer_ = Array<T>(total * static_cast<std::size_t>(leading_));
}

template <Value T>
T* SeveralWindows<T>::clear(int part) {
  const auto p = static_cast<std::size_t>(part);
  const ColumnRange r = ranges_[p];
  T* const first = buffer_.data() + starts_[p] * static_cast<std::size_t>(leading_);
  std::fill_n(first, (r.end - r.begin) * leading_, T(0));
  return first - r.begin * leading_;
}

template <Value T>
void SeveralWindows<T>::reduce(const Several<T>& s) const {
  parallel(parts(), [&](int thread, int count) {
    const auto [begin, end] = part_of(s.y.rows(), thread, count);
    std::vector<T> sums(static_cast<std::size_t>(strip * leading_));
    for (index_t at = begin; at < end; at += strip)
      add_up(s, at, std::min<index_t>(end, at + strip), sums.data());
  });
}

template <Value T>
void SeveralWindows<T>::add_up(const Several<T>& s, index_t begin, index_t end, T* sums) const {
  std::fill_n(sums, (end - begin) * leading_, T(0));
  for (std::size_t p = 0; p < ranges_.size(); ++p) {
    const index_t low = std::max(begin, ranges_[p].begin), high = std::min(end, ranges_[p].end);
    if (low >= high) continue;
    const T* from = buffer_.data() +
                    (static_cast<std::int64_t>(starts_[p]) + low - ranges_[p].begin) * leading_;
    T* to = sums + (low - begin) * leading_;
    for (std::int64_t e = 0; e < (high - low) * leading_; ++e) to[e] += from[e];
  }
  put_rows(s, begin, end, sums, leading_);
}

#define NZ_SEVERAL(T)                                                                  \
  template void scale_several(T, DenseView<T>, int);                                   \
  template void put_rows(const Several<T>&, index_t, index_t, const T*, std::int64_t); \
  template class SeveralProduct<T>;                                                    \
  template class SeveralWindows<T>;
NZ_FOR_EACH_VALUE(NZ_SEVERAL)
#undef NZ_SEVERAL

}  // namespace nz::cpu
