#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include <nonzero/array.hpp>
#include <nonzero/nonzero.h>
#include <nonzero/wide.hpp>

#include "c/each_type.hpp"
#include "c/handles.hpp"
#include "c/options.hpp"
#include "c/wide_handle.hpp"

namespace nz::c {
namespace {

// Throws InvalidArgument for a shape that there is not.
void check_shape(std::int64_t rows, std::int64_t cols, std::int64_t nonzeros) {
  if (rows < 0 || cols < 0)
    throw InvalidArgument("a matrix of " + std::to_string(rows) + " x " + std::to_string(cols));
  if (nonzeros < 0) throw InvalidArgument(std::to_string(nonzeros) + " nonzeros");
}

// The row of every entry. Throws InvalidArgument, with the row, for offsets that fall or go beyond
// what there is; nothing beyond is written.
Array<std::int64_t> rows_of_entries(std::int64_t rows, std::int64_t nonzeros,
                                    const std::int64_t* offsets) {
  const std::int64_t first = offsets[0], last = offsets[rows];
  if (first < 0 || last < first || last - first != nonzeros)
    throw InvalidArgument("offsets go from " + std::to_string(first) + " to " +
                          std::to_string(last) + ", and nonzeros is " + std::to_string(nonzeros));
  Array<std::int64_t> all(static_cast<std::size_t>(nonzeros));
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t begin = offsets[i], end = offsets[i + 1];
    if (end < begin || end > last)
      throw InvalidArgument("row " + std::to_string(i) + ": its entries go from " +
                            std::to_string(begin) + " to " + std::to_string(end));
    std::fill(all.begin() + (begin - first), all.begin() + (end - first), i);
  }
  return all;
}

template <Value T>
std::unique_ptr<nz_wide_plan> planned(const WideCooView<T>& a, const nz_plan_options* options) {
  WidePlan<T> plan = wide_plan(a, plan_options(options));
  std::string device = plan.device().name();
  return std::make_unique<nz_wide_plan>(nz_wide_plan{std::move(plan), std::move(device)});
}

template <Value T>
nz_status from_rows(nz_wide_plan** plan, std::int64_t rows, std::int64_t cols,
                    std::int64_t nonzeros, const std::int64_t* offsets, const std::int64_t* columns,
                    const T* values, const nz_plan_options* options) {
  return made(plan, "plan", [&] {
    check_shape(rows, cols, nonzeros);
    const auto size = static_cast<std::size_t>(nonzeros);
    given(offsets, "offsets");
    array(columns, size, "column_indices");
    array(values, size, "values");
    const Array<std::int64_t> row = rows_of_entries(rows, nonzeros, offsets);
    const std::int64_t first = size > 0 ? offsets[0] : 0;
    return planned<T>({rows, cols, nonzeros, row.data(), columns + first, values + first}, options);
  });
}

template <Value T>
nz_status from_entries(nz_wide_plan** plan, std::int64_t rows, std::int64_t cols,
                       std::int64_t nonzeros, const std::int64_t* row_indices,
                       const std::int64_t* column_indices, const T* values,
                       const nz_plan_options* options) {
  return made(plan, "plan", [&] {
    check_shape(rows, cols, nonzeros);
    const auto size = static_cast<std::size_t>(nonzeros);
    array(row_indices, size, "row_indices");
    array(column_indices, size, "column_indices");
    array(values, size, "values");
    return planned<T>({rows, cols, nonzeros, row_indices, column_indices, values}, options);
  });
}

template <Value T>
nz_status multiply(const nz_wide_plan* handle, nz_op op, T alpha, const T* x, T beta, T* y,
                   void* stream, bool wait) {
  return guarded([&] {
    const WidePlan<T>& plan = typed<T, WidePlan<T>>(given(handle, "plan").of, "plan");
    const Op which = op_for<T>(op_of(op));
    const auto rows = static_cast<std::size_t>(plan.rows()),
               cols = static_cast<std::size_t>(plan.cols());
    const bool turned = is_transposed(which);
    const std::size_t width = turned ? rows : cols, height = turned ? cols : rows;
    const StreamView where = stream_of(plan, stream);
    plan.multiply(alpha, {array(x, width, "x"), width}, beta, {array(y, height, "y"), height},
                  which, where);
    if (wait) wait_for(plan.device(), where);
  });
}

// X or Y as the caller gives it.
template <class P>
struct WideDense {
  P* data;
  nz_layout layout;
  std::int64_t leading;

  WideDenseView<P> view(std::int64_t rows, std::int32_t count, const char* name) const {
    const bool none = rows == 0 || count == 0;
    return {array(data, none ? 0 : 1, name), rows, count, layout_of(layout), leading};
  }
};

template <Value T>
nz_status multiply_several(const nz_wide_plan* handle, nz_op op, std::int32_t count, T alpha,
                           const WideDense<const T>& x, T beta, const WideDense<T>& y, void* stream,
                           bool wait) {
  return guarded([&] {
    const WidePlan<T>& plan = typed<T, WidePlan<T>>(given(handle, "plan").of, "plan");
    const Op which = op_for<T>(op_of(op));
    if (count < 0) throw InvalidArgument("count is " + std::to_string(count) + ", below 0");
    const bool turned = is_transposed(which);
    const StreamView where = stream_of(plan, stream);
    plan.multiply(alpha, x.view(turned ? plan.rows() : plan.cols(), count, "x"), beta,
                  y.view(turned ? plan.cols() : plan.rows(), count, "y"), which, where);
    if (wait) wait_for(plan.device(), where);
  });
}

}  // namespace
}  // namespace nz::c

using namespace nz::c;

#define NZ_DEFINE(name, T, factor, address)                                                        \
  nz_status nz_wide_plan_csr_##name(nz_wide_plan** plan, int64_t rows, int64_t columns,            \
                                    int64_t nonzeros, const int64_t* offsets,                      \
                                    const int64_t* column_indices, const T* values,                \
                                    const nz_plan_options* options) {                              \
    return from_rows(plan, rows, columns, nonzeros, offsets, column_indices, values, options);     \
  }                                                                                                \
  nz_status nz_wide_plan_coo_##name(nz_wide_plan** plan, int64_t rows, int64_t columns,            \
                                    int64_t nonzeros, const int64_t* row_indices,                  \
                                    const int64_t* column_indices, const T* values,                \
                                    const nz_plan_options* options) {                              \
    return from_entries(plan, rows, columns, nonzeros, row_indices, column_indices, values,        \
                        options);                                                                  \
  }                                                                                                \
  nz_status nz_multiply_wide_##name(const nz_wide_plan* plan, nz_op op, factor alpha, const T* x,  \
                                    factor beta, T* y, void* stream) {                             \
    return multiply<T>(plan, op, alpha, x, beta, y, stream, true);                                 \
  }                                                                                                \
  nz_status nz_enqueue_wide_##name(const nz_wide_plan* plan, nz_op op, factor alpha, const T* x,   \
                                   factor beta, T* y, void* stream) {                              \
    return multiply<T>(plan, op, alpha, x, beta, y, stream, false);                                \
  }                                                                                                \
  nz_status nz_multiply_wide_several_##name(const nz_wide_plan* plan, nz_op op, int32_t count,     \
                                            factor alpha, const T* x, nz_layout x_layout,          \
                                            int64_t x_leading, factor beta, T* y,                  \
                                            nz_layout y_layout, int64_t y_leading, void* stream) { \
    return multiply_several<T>(plan, op, count, alpha, {x, x_layout, x_leading}, beta,             \
                               {y, y_layout, y_leading}, stream, true);                            \
  }                                                                                                \
  nz_status nz_enqueue_wide_several_##name(const nz_wide_plan* plan, nz_op op, int32_t count,      \
                                           factor alpha, const T* x, nz_layout x_layout,           \
                                           int64_t x_leading, factor beta, T* y,                   \
                                           nz_layout y_layout, int64_t y_leading, void* stream) {  \
    return multiply_several<T>(plan, op, count, alpha, {x, x_layout, x_leading}, beta,             \
                               {y, y_layout, y_leading}, stream, false);                           \
  }
NZ_C_REAL(NZ_DEFINE)
#undef NZ_DEFINE

int64_t nz_wide_plan_rows(const nz_wide_plan* plan) {
  return value_or(int64_t{-1},
                  [&] { return with_wide(plan, [](const auto& p) { return p.rows(); }); });
}
int64_t nz_wide_plan_columns(const nz_wide_plan* plan) {
  return value_or(int64_t{-1},
                  [&] { return with_wide(plan, [](const auto& p) { return p.cols(); }); });
}
nz_type nz_wide_plan_type(const nz_wide_plan* plan) {
  return value_or(nz_type{-1}, [&] {
    return with_wide(
        plan, []<nz::Value T>(const nz::WidePlan<T>&) { return type_of(nz::value_type_of<T>); });
  });
}
int32_t nz_wide_plan_threads(const nz_wide_plan* plan) {
  return value_or(int32_t{-1},
                  [&] { return with_wide(plan, [](const auto& p) { return p.threads(); }); });
}
int64_t nz_wide_plan_bytes(const nz_wide_plan* plan) {
  return value_or(int64_t{-1},
                  [&] { return with_wide(plan, [](const auto& p) { return p.bytes(); }); });
}
const char* nz_wide_plan_device(const nz_wide_plan* plan) {
  return value_or<const char*>(nullptr, [&] { return given(plan, "plan").device.c_str(); });
}

int64_t nz_wide_plan_explain(const nz_wide_plan* plan, char* text, size_t room) {
  return told(text, room, [&] { return with_wide(plan, [](const auto& p) { return p.text(); }); });
}

nz_status nz_wide_plan_wait(const nz_wide_plan* plan, void* stream) {
  return guarded(
      [&] { with_wide(plan, [&](const auto& p) { wait_for(p.device(), stream_of(p, stream)); }); });
}

void nz_wide_plan_destroy(nz_wide_plan* plan) { delete plan; }
