#include "c/rows.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include <nonzero/array.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/inspect.hpp"

namespace nz::c {
namespace {

template <class To, class From>
Array<To> copy(const From* from, std::size_t size, From less = 0) {
  Array<To> to(size);
  parallel_ranges(size, [&](std::size_t begin, std::size_t end) {
    std::transform(from + begin, from + end, to.data() + begin,
                   [less](From v) { return static_cast<To>(v - less); });
  });
  return to;
}

// The rows as they come, without what lies before and behind a slice of a larger matrix.
template <Offset P, Value T, Offset O>
Csr<T, P> own_rows(const CsrView<T, O>& a) {
  const auto size = static_cast<std::size_t>(a.nnz);
  const O first = a.offsets[0];
  return {a.rows, a.cols, copy<P>(a.offsets, static_cast<std::size_t>(a.rows) + 1, first),
          size ? copy<index_t>(a.columns + first, size) : Array<index_t>{},
          size ? copy<T>(a.values + first, size) : Array<T>{}};
}

template <Value T, Offset O>
std::unique_ptr<nz_matrix> wrapped(Csr<T, O> a) {
  auto owner = std::make_shared<const Csr<T, O>>(std::move(a));
  const CsrView<T, O> view = owner->view();
  auto matrix = std::make_unique<nz_matrix>();
  matrix->rows = Rows<T, O>{view, std::move(owner)};
  return matrix;
}

}  // namespace

template <Value T, Offset O>
CsrView<T, O> view_of(std::int32_t rows, std::int32_t cols, std::int64_t nonzeros, const O* offsets,
                      const index_t* columns, const T* values) {
  if (nonzeros > std::numeric_limits<O>::max())
    throw InvalidArgument(std::to_string(nonzeros) + " nonzeros cannot be counted in 32 bits");
  const CsrView<T, O> a{rows, cols, static_cast<O>(nonzeros), offsets, columns, values};
  check_view(a);
  return a;
}

template <Value T, Offset O>
std::unique_ptr<nz_matrix> copied(const CsrView<T, O>& a) {
  const CsrOrder order = inspect(a);
  const auto settled = [&](auto csr) {
    if (!order.rising) settle(csr);
    return wrapped(std::move(csr));
  };
  if (a.nnz <= std::numeric_limits<std::int32_t>::max()) return settled(own_rows<std::int32_t>(a));
  return settled(own_rows<std::int64_t>(a));
}

template <Value T, Offset O>
std::unique_ptr<nz_matrix> transposed(const CsrView<T, O>& a) {
  const CsrOrder order = inspect(a);
  if (order.from_zero && order.rising) return owned(transpose(a));
  return std::visit([](const auto& rows) { return owned(transpose(rows.view)); }, copied(a)->rows);
}

template <Value T, Offset O>
std::unique_ptr<nz_matrix> owned(Csr<T, O> a) {
  if (a.nnz() <= std::numeric_limits<std::int32_t>::max())
    return wrapped(csr_with_offsets<std::int32_t>(std::move(a)));
  return wrapped(csr_with_offsets<std::int64_t>(std::move(a)));
}

#define NZ_INSTANTIATE(T, O)                                                         \
  template CsrView<T, O> view_of(std::int32_t, std::int32_t, std::int64_t, const O*, \
                                 const index_t*, const T*);                          \
  template std::unique_ptr<nz_matrix> copied(const CsrView<T, O>&);                  \
  template std::unique_ptr<nz_matrix> transposed(const CsrView<T, O>&);              \
  template std::unique_ptr<nz_matrix> owned(Csr<T, O>);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::c
