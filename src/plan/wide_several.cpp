#include <algorithm>
#include <cmath>
#include <optional>

#include <nonzero/threads.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "base/parallel.hpp"
#include "plan/check_several.hpp"
#include "plan/wide_state.hpp"
#include "plan/wide_steps.hpp"

// Several vectors at once: each part multiplies its rows of X into its rows of Y, where they lie,
// or where most rows are not the part's, from and into a copy of those that are.
namespace nz {
namespace {

using wide::Queue, wide::Room, wide::Steps;

template <class T>
bool has_gaps(const WideDenseView<T>& v) {
  const bool by_rows = v.layout() == Layout::row_major;
  return v.leading() != (by_rows ? std::int64_t{v.columns()} : v.rows());
}

std::size_t size_of(std::int64_t rows, index_t columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

// A list of places on the device for one call. It comes from host memory, which waits.
class SentPlaces {
 public:
  SentPlaces(const Queue& q, const Array<std::int64_t>& places)
      : memory_(q.device, places.size() * sizeof(std::int64_t), q.stream) {
    simt::backend(q.device).copy(memory_.as<std::int64_t>(), places.data(),
                                 places.size() * sizeof(std::int64_t), q.stream);
  }
  const std::int64_t* data() const { return memory_.as<std::int64_t>(); }

 private:
  simt::QueuedMemory memory_;
};

// Where the elements of a column that a part has lie from the column's first one on.
template <class T>
class Places {
 public:
  Places(const Queue& q, const WideSide& side, const WideDenseView<T>& v)
      : data_(side.there.data()) {
    if (v.row_stride() == 1) return;
    Array<std::int64_t> apart(side.places.size());
    for (std::size_t i = 0; i < apart.size(); ++i) apart[i] = side.places[i] * v.row_stride();
    sent_.emplace(q, apart);
    data_ = sent_->data();
  }
  const std::int64_t* data() const { return data_; }

 private:
  const std::int64_t* data_;
  std::optional<SentPlaces> sent_;
};

// each(place in the copy, place in v) for all that a part has of vectors in host memory, in the
// order in which they lie there.
template <class T, class Each>
void each_element(const WideSide& side, const WideDenseView<T>& v, const DenseView<T>& copy,
                  Each&& each) {
  const std::int64_t rows = side.count, columns = v.columns();
  parallel_ranges(rows, [&](std::int64_t begin, std::int64_t end) {
    const auto one = [&](std::int64_t i, std::int64_t j) {
      each(i * copy.row_stride() + j * copy.column_stride(),
           side.places[static_cast<std::size_t>(i)] * v.row_stride() + j * v.column_stride());
    };
    if (v.layout() == Layout::row_major)
      for (std::int64_t i = begin; i < end; ++i)
        for (std::int64_t j = 0; j < columns; ++j) one(i, j);
    else
      for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t i = begin; i < end; ++i) one(i, j);
  });
}

// Rows that lie beside each other, as they are.
template <class T>
DenseView<T> in_place(const WideSide& side, const WideDenseView<T>& v) {
  return {v.data() + side.first * v.row_stride(), side.count, v.columns(), v.layout(), v.leading()};
}

// Memory for a copy of a part's rows: by columns on a device, which picks them one by one.
template <class T>
DenseView<T> copy_of(const Queue& q, bool far, const WideSide& side, index_t columns, Layout layout,
                     Room<std::remove_const_t<T>>& room) {
  room = Room<std::remove_const_t<T>>(q, far, size_of(side.count, columns));
  return {room.data(), side.count, columns, far ? Layout::column_major : layout};
}

// The rows of X that a part has.
template <RealValue T>
DenseView<const T> picked(const Queue& q, const WideSide& side, const WideDenseView<const T>& x,
                          Room<T>& room) {
  if (!side.scattered()) return in_place(side, x);
  const bool far = q.far(x.data());
  const DenseView<const T> copy = copy_of<const T>(q, far, side, x.columns(), x.layout(), room);
  if (far) {
    const Places<const T> places(q, side, x);
    wide::on_device<T>(q.device, [&](const Steps<T>& steps) {
      for (std::int64_t j = 0; j < x.columns(); ++j)
        steps.pick(q.stream, std::int64_t{side.count}, places.data(),
                   x.data() + j * x.column_stride(), room.data() + j * copy.column_stride());
    });
  } else {
    each_element(side, x, copy,
                 [&](std::int64_t to, std::int64_t from) { room.data()[to] = x.data()[from]; });
  }
  return copy;
}

// Y += alpha op(part) X.
template <RealValue T>
void add_part(const Queue& q, const WidePart<T>& part, T alpha, const WideDenseView<const T>& x,
              const WideDenseView<T>& y, Op op, StreamView stream) {
  const bool turned = is_transposed(op);
  const WideSide &in = turned ? part.rows : part.cols, &out = turned ? part.cols : part.rows;
  Room<T> of_x, of_y;
  const DenseView<const T> its = picked(q, in, x, of_x);
  if (!out.scattered()) return part.plan.multiply(alpha, its, T(1), in_place(out, y), op, stream);
  const bool far = q.far(y.data());
  const DenseView<T> sums = copy_of<T>(q, far, out, y.columns(), y.layout(), of_y);
  part.plan.multiply(alpha, its, T(0), sums, op, stream);
  if (far) {
    const Places<T> places(q, out, y);
    wide::on_device<T>(q.device, [&](const Steps<T>& steps) {
      for (std::int64_t j = 0; j < y.columns(); ++j)
        steps.add(q.stream, std::int64_t{out.count}, places.data(),
                  static_cast<const T*>(of_y.data() + j * sums.column_stride()),
                  y.data() + j * y.column_stride());
    });
  } else {  // a product into host memory is done when it returns
    each_element(out, y, sums,
                 [&](std::int64_t from, std::int64_t to) { y.data()[to] += of_y.data()[from]; });
  }
}

// Y = beta Y, and where alpha is NaN Y = alpha. `by` is any product on the device: with such an
// alpha it reads no matrix, and does it for rows in any layout.
template <RealValue T>
void scale(const Queue& q, const Product<T>& by, T alpha, T beta, const WideDenseView<T>& y,
           StreamView stream) {
  if (y.empty() || (!std::isnan(alpha) && beta == T(1))) return;
  if (!has_gaps(y))
    return wide::combine<T>(q, y.rows() * y.columns(), alpha, nullptr, beta, y.data());
  if (y.layout() == Layout::column_major) {
    for (std::int64_t j = 0; j < y.columns(); ++j)
      wide::combine<T>(q, y.rows(), alpha, nullptr, beta, y.data() + j * y.leading());
    return;
  }
  if (!q.far(y.data()))
    return parallel_ranges(y.rows(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        for (T *v = y.data() + i * y.leading(), *last = v + y.columns(); v < last; ++v)
          *v = std::isnan(alpha) ? alpha : beta == T(0) ? T(0) : beta * *v;
    });
  constexpr std::int64_t most = WideCut{}.rows;
  for (std::int64_t first = 0; first < y.rows(); first += most)
    by.multiply_several(stream, Op::none, alpha, DenseView<const T>{}, beta,
                        row_major(y.data() + first * y.leading(),
                                  static_cast<index_t>(std::min(most, y.rows() - first)),
                                  y.columns(), y.leading()));
}

// Y += s, which has the layout of Y without its gaps and lies where Y does.
template <RealValue T>
void add(const Queue& q, const T* s, const WideDenseView<T>& y) {
  if (!has_gaps(y)) return wide::combine<T>(q, y.rows() * y.columns(), T(1), s, T(1), y.data());
  const bool by_rows = y.layout() == Layout::row_major;
  const std::int64_t lines = by_rows ? y.rows() : y.columns(),
                     length = by_rows ? y.columns() : y.rows();
  if (!by_rows) {
    for (std::int64_t j = 0; j < lines; ++j)
      wide::combine<T>(q, length, T(1), s + j * length, T(1), y.data() + j * y.leading());
    return;
  }
  if (!q.far(y.data()))
    return parallel_ranges(lines, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        for (std::int64_t j = 0; j < length; ++j)
          y.data()[i * y.leading() + j] += s[i * length + j];
    });
  const std::int64_t some = std::max<std::int64_t>(1, (std::int64_t{1} << 20) / length);
  for (std::int64_t first = 0; first < lines; first += some) {
    const std::int64_t n = std::min(some, lines - first);
    Array<std::int64_t> places(static_cast<std::size_t>(n * length));
    for (std::int64_t k = 0; k < n * length; ++k)
      places[static_cast<std::size_t>(k)] = k / length * y.leading() + k % length;
    const SentPlaces sent(q, places);
    wide::on_device<T>(q.device, [&](const Steps<T>& steps) {
      steps.add(q.stream, n * length, sent.data(), s + first * length,
                y.data() + first * y.leading());
    });
  }
}

}  // namespace

template <RealValue T>
void WidePlan<T>::multiply(T alpha, WideDenseView<const T> x, T beta, WideDenseView<T> y, Op op,
                           StreamView stream) const {
  const State& s = *state_;
  op = op_for<T>(op);
  check_several(x, y, s.rows, s.cols, op);
  if (y.columns() == 1 && x.has_plain_columns() && y.has_plain_columns())
    return multiply(alpha, {x.data(), static_cast<std::size_t>(x.rows())}, beta,
                    std::span<T>(y.data(), static_cast<std::size_t>(y.rows())), op, stream);
  s.check_op(op);
  or_no_memory("a multiply", [&] {
    const ThreadScope scope(s.threads);
    const Queue q = s.queue(stream);
    if (y.empty()) return;
    const auto add_all = [&](T factor, const WideDenseView<T>& to) {
      for (const WidePart<T>& part : s.parts) add_part(q, part, factor, x, to, op, stream);
    };
    const auto scaled = [&](T factor, T by, const WideDenseView<T>& to) {
      scale(q, s.some_product(), factor, by, to, stream);
    };
    if (alpha == T(0) || std::isnan(alpha)) return scaled(alpha, beta, y);
    if (std::isinf(alpha)) {  // times a part of a sum it may be of the wrong sign, or no number
      const std::size_t size = size_of(y.rows(), y.columns());
      const Room<T> room(q, q.far(y.data()), size);
      const WideDenseView<T> sums(room.data(), y.rows(), y.columns(), y.layout());
      scaled(T(0), T(0), sums);
      add_all(T(1), sums);
      wide::combine<T>(q, static_cast<std::int64_t>(size), alpha, room.data(), T(0), room.data());
      scaled(T(0), beta, y);
      return add(q, static_cast<const T*>(room.data()), y);
    }
    scaled(T(0), beta, y);
    add_all(alpha, y);
  });
}

#define NZ_INSTANTIATE(T)                                                                 \
  template void WidePlan<T>::multiply(T, WideDenseView<const T>, T, WideDenseView<T>, Op, \
                                      StreamView) const;
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz
