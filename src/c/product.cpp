#include <functional>
#include <string>

#include <nonzero/nonzero.h>

#include "c/each_type.hpp"
#include "c/handles.hpp"

// y = alpha op(A) x + beta y in its forms.
namespace nz::c {
namespace {

template <Value T>
void queue(const Plan<T>& plan, Op op, T alpha, const T* x, T beta, T* y, StreamView stream) {
  const auto [width, height] = lengths(plan, op);
  plan.multiply(alpha, {array(x, width, "x"), width}, beta, {array(y, height, "y"), height}, op,
                stream);
}

template <Value T>
nz_status multiply(const nz_plan* handle, nz_op op, const T* alpha, const T* x, const T* beta, T* y,
                   void* stream, bool wait) {
  return guarded([&] {
    const Plan<T>& plan = plan_of<T>(handle);
    const StreamView where = stream_of(plan, stream);
    queue(plan, op_of(op), given(alpha, "alpha"), x, given(beta, "beta"), y, where);
    if (wait) wait_for(plan.device(), where);
  });
}

// Vectors one after the other, `stride` apart.
template <class P>
struct Vectors {
  P* first;
  std::size_t length, stride;
  P* operator[](std::size_t k) const { return length > 0 ? first + k * stride : first; }
};

template <class P>
Vectors<P> vectors(P* first, std::size_t length, std::int64_t stride, std::size_t count,
                   const std::string& name) {
  if (stride < 0 || static_cast<std::size_t>(stride) < length)
    throw InvalidArgument(name + "_stride is " + std::to_string(stride) + ", and " + name +
                          " has " + std::to_string(length) + " elements");
  array(first, count * length, name);
  return {first, length, static_cast<std::size_t>(stride)};
}

// Throws InvalidArgument where a vector of y overlaps any of x. Both rise: what ends first is left
// behind.
template <Value T>
void check_apart(const Vectors<const T>& x, const Vectors<T>& y, std::size_t count) {
  if (x.length == 0 || y.length == 0) return;
  const std::less_equal<const T*> not_behind;
  for (std::size_t i = 0, j = 0; i < count && j < count;) {
    const bool x_first = not_behind(x[i] + x.length, y[j]);
    const bool y_first = not_behind(y[j] + y.length, x[i]);
    if (!x_first && !y_first)
      throw InvalidArgument("vector " + std::to_string(i) + " of x and vector " +
                            std::to_string(j) + " of y overlap");
    if (x_first)
      ++i;
    else
      ++j;
  }
}

// All of x before all of y, or behind it.
template <Value T>
bool apart_as_a_whole(const Vectors<const T>& x, const Vectors<T>& y, std::size_t count) {
  const std::less_equal<const T*> not_behind;
  const std::size_t last = count - 1;
  return not_behind(x[last] + x.length, y[0]) || not_behind(y[last] + y.length, x[0]);
}

template <Value T>
nz_status multiply_vectors(const nz_plan* handle, nz_op op, std::int32_t count, const T* by,
                           const T* x, std::int64_t x_stride, const T* keep, T* y,
                           std::int64_t y_stride, void* stream) {
  return guarded([&] {
    const Plan<T>& plan = plan_of<T>(handle);
    const Op which = op_of(op);
    const T alpha = given(by, "alpha"), beta = given(keep, "beta");
    if (count < 0) throw InvalidArgument("count is " + std::to_string(count) + ", below 0");
    const auto n = static_cast<std::size_t>(count);
    const auto [width, height] = lengths(plan, which);
    const auto from = vectors<const T>(x, width, x_stride, n, "x");
    const auto to = vectors<T>(y, height, y_stride, n, "y");
    check_apart(from, to, n);
    const StreamView where = stream_of(plan, stream);
    if (n > 1 && apart_as_a_whole(from, to, n)) {
      plan.multiply(alpha, column_major<const T>(x, static_cast<index_t>(width), count, x_stride),
                    beta, column_major<T>(y, static_cast<index_t>(height), count, y_stride), which,
                    where);
    } else {
      for (std::size_t k = 0; k < n; ++k) queue(plan, which, alpha, from[k], beta, to[k], where);
    }
    wait_for(plan.device(), where);
  });
}

// X or Y as the caller gives it.
template <class P>
struct Dense {
  P* data;
  nz_layout layout;
  std::int64_t leading;

  DenseView<P> view(std::size_t rows, std::int32_t count, const char* name) const {
    return {array(data, rows * static_cast<std::size_t>(count), name), static_cast<index_t>(rows),
            count, layout_of(layout), leading};
  }
};

template <Value T>
nz_status multiply_several(const nz_plan* handle, nz_op op, std::int32_t count, const T* alpha,
                           const Dense<const T>& x, const T* beta, const Dense<T>& y, void* stream,
                           bool wait) {
  return guarded([&] {
    const Plan<T>& plan = plan_of<T>(handle);
    const Op which = op_of(op);
    if (count < 0) throw InvalidArgument("count is " + std::to_string(count) + ", below 0");
    const auto [width, height] = lengths(plan, which);
    const StreamView where = stream_of(plan, stream);
    plan.multiply(given(alpha, "alpha"), x.view(width, count, "x"), given(beta, "beta"),
                  y.view(height, count, "y"), which, where);
    if (wait) wait_for(plan.device(), where);
  });
}

template <Value T>
nz_status bound_enqueue(nz_bound* bound, const T* alpha, const T* x, const T* beta, T* y) {
  return guarded([&] {
    typed<T, Bound<T>>(given(bound, "bound").of, "bound")
        ->enqueue(given(alpha, "alpha"), x, given(beta, "beta"), y);
  });
}

}  // namespace
}  // namespace nz::c

using namespace nz::c;

#define NZ_DEFINE(name, T, factor, address)                                                        \
  nz_status nz_multiply_##name(const nz_plan* plan, nz_op op, factor alpha, const T* x,            \
                               factor beta, T* y, void* stream) {                                  \
    return multiply<T>(plan, op, address alpha, x, address beta, y, stream, true);                 \
  }                                                                                                \
  nz_status nz_enqueue_##name(const nz_plan* plan, nz_op op, factor alpha, const T* x,             \
                              factor beta, T* y, void* stream) {                                   \
    return multiply<T>(plan, op, address alpha, x, address beta, y, stream, false);                \
  }                                                                                                \
  nz_status nz_multiply_vectors_##name(const nz_plan* plan, nz_op op, int32_t count, factor alpha, \
                                       const T* x, int64_t x_stride, factor beta, T* y,            \
                                       int64_t y_stride, void* stream) {                           \
    return multiply_vectors<T>(plan, op, count, address alpha, x, x_stride, address beta, y,       \
                               y_stride, stream);                                                  \
  }                                                                                                \
  nz_status nz_multiply_several_##name(                                                            \
      const nz_plan* plan, nz_op op, int32_t count, factor alpha, const T* x, nz_layout x_layout,  \
      int64_t x_leading, factor beta, T* y, nz_layout y_layout, int64_t y_leading, void* stream) { \
    return multiply_several<T>(plan, op, count, address alpha, {x, x_layout, x_leading},           \
                               address beta, {y, y_layout, y_leading}, stream, true);              \
  }                                                                                                \
  nz_status nz_enqueue_several_##name(                                                             \
      const nz_plan* plan, nz_op op, int32_t count, factor alpha, const T* x, nz_layout x_layout,  \
      int64_t x_leading, factor beta, T* y, nz_layout y_layout, int64_t y_leading, void* stream) { \
    return multiply_several<T>(plan, op, count, address alpha, {x, x_layout, x_leading},           \
                               address beta, {y, y_layout, y_leading}, stream, false);             \
  }                                                                                                \
  nz_status nz_bound_enqueue_##name(nz_bound* bound, factor alpha, const T* x, factor beta,        \
                                    T* y) {                                                        \
    return bound_enqueue<T>(bound, address alpha, x, address beta, y);                             \
  }
NZ_C_ALL(NZ_DEFINE)
#undef NZ_DEFINE

nz_status nz_bound_create(nz_bound** bound, const nz_plan* plan, nz_op op, void* stream) {
  return made(bound, "bound", [&] {
    return with_plan(plan, [&](const auto& p) {
      return std::make_unique<nz_bound>(nz_bound{p.bind(op_of(op), stream_of(p, stream))});
    });
  });
}
void nz_bound_destroy(nz_bound* bound) { delete bound; }
