#include <algorithm>
#include <complex>
#include <concepts>
#include <limits>
#include <memory>
#include <string>

#include <nonzero/io.hpp>
#include <nonzero/nonzero.h>

#include "c/each_type.hpp"
#include "c/handles.hpp"
#include "c/rows.hpp"
#include "formats/inspect.hpp"

// Matrices: from arrays and files, and back.
namespace nz::c {
namespace {

template <Value T, Offset O>
nz_status from_rows(nz_matrix** matrix, std::int32_t rows, std::int32_t cols, std::int64_t nonzeros,
                    const O* offsets, const index_t* columns, const T* values, nz_arrays arrays) {
  return made(matrix, "matrix", [&] {
    if (arrays != NZ_BORROW && arrays != NZ_COPY)
      throw InvalidArgument("arrays are NZ_BORROW or NZ_COPY, not " + std::to_string(arrays));
    const CsrView<T, O> a = view_of(rows, cols, nonzeros, offsets, columns, values);
    if (arrays == NZ_COPY) return copied(a);
    return std::make_unique<nz_matrix>(nz_matrix{Rows<T, O>{a, nullptr}});
  });
}

template <Value T, Offset O>
nz_status from_columns(nz_matrix** matrix, std::int32_t rows, std::int32_t cols,
                       std::int64_t nonzeros, const O* offsets, const index_t* row_indices,
                       const T* values) {
  return made(matrix, "matrix", [&] {
    try {
      return transposed(view_of(cols, rows, nonzeros, offsets, row_indices, values));
    } catch (const InvalidArgument& e) {
      throw InvalidArgument(std::string("CSC, taken as the rows of the transpose: ") + e.what());
    }
  });
}

template <Value T>
nz_status from_entries(nz_matrix** matrix, std::int32_t rows, std::int32_t cols,
                       std::int64_t nonzeros, const index_t* row_indices,
                       const index_t* column_indices, const T* values) {
  return made(matrix, "matrix", [&] {
    if (nonzeros < 0) throw InvalidArgument(std::to_string(nonzeros) + " nonzeros");
    const auto size = static_cast<std::size_t>(nonzeros);
    const std::span<const index_t> row(array(row_indices, size, "row_indices"), size),
        column(array(column_indices, size, "column_indices"), size);
    const std::span<const T> value(array(values, size, "values"), size);
    return owned(csr_from_triplets<T, std::int64_t>(rows, cols, row, column, value));
  });
}

template <Value T>
nz_status get(const nz_matrix* matrix, std::int64_t* offsets, index_t* columns, T* values) {
  return guarded([&] {
    with_rows(matrix, [&]<Value U, Offset O>(const Rows<U, O>& rows) {
      if constexpr (!std::same_as<U, T>) {
        throw InvalidArgument(std::string("matrix is of ") + words(value_type_of<U>) + ", not of " +
                              words(value_type_of<T>));
      } else {
        const CsrView<U, O>& a = rows.view;
        if (!rows.owner) inspect(a);
        const O first = a.offsets[0];
        if (offsets)
          std::transform(a.offsets, a.offsets + a.rows + 1, offsets,
                         [first](O o) { return std::int64_t{o} - first; });
        if (columns && a.nnz > 0) std::copy_n(a.columns + first, a.nnz, columns);
        if (values && a.nnz > 0) std::copy_n(a.values + first, a.nnz, values);
      }
    });
  });
}

}  // namespace
}  // namespace nz::c

using namespace nz::c;

#define NZ_DEFINE_OF_LINES(name, T, O, offset)                                                  \
  nz_status nz_matrix_csr_##name##_##offset(                                                    \
      nz_matrix** matrix, int32_t rows, int32_t columns, int64_t nonzeros, const O* offsets,    \
      const int32_t* column_indices, const T* values, nz_arrays arrays) {                       \
    return from_rows(matrix, rows, columns, nonzeros, offsets, column_indices, values, arrays); \
  }                                                                                             \
  nz_status nz_matrix_csc_##name##_##offset(nz_matrix** matrix, int32_t rows, int32_t columns,  \
                                            int64_t nonzeros, const O* offsets,                 \
                                            const int32_t* row_indices, const T* values) {      \
    return from_columns(matrix, rows, columns, nonzeros, offsets, row_indices, values);         \
  }
#define NZ_DEFINE(name, T, factor, address)                                                    \
  NZ_DEFINE_OF_LINES(name, T, int32_t, i32)                                                    \
  NZ_DEFINE_OF_LINES(name, T, int64_t, i64)                                                    \
  nz_status nz_matrix_coo_##name(nz_matrix** matrix, int32_t rows, int32_t columns,            \
                                 int64_t nonzeros, const int32_t* row_indices,                 \
                                 const int32_t* column_indices, const T* values) {             \
    return from_entries(matrix, rows, columns, nonzeros, row_indices, column_indices, values); \
  }                                                                                            \
  nz_status nz_matrix_get_##name(const nz_matrix* matrix, int64_t* offsets,                    \
                                 int32_t* column_indices, T* values) {                         \
    return get(matrix, offsets, column_indices, values);                                       \
  }
NZ_C_ALL(NZ_DEFINE)
#undef NZ_DEFINE
#undef NZ_DEFINE_OF_LINES

nz_status nz_matrix_read(nz_matrix** matrix, const char* path, nz_type type) {
  return made(matrix, "matrix", [&] {
    given(path, "path");
    if (type == NZ_F32) return owned(nz::read_matrix<float, std::int64_t>(path));
    if (type == NZ_F64) return owned(nz::read_matrix<double, std::int64_t>(path));
    if (type == NZ_C64) return owned(nz::read_matrix<std::complex<float>, std::int64_t>(path));
    if (type == NZ_C128) return owned(nz::read_matrix<std::complex<double>, std::int64_t>(path));
    throw nz::InvalidArgument("the type is NZ_F32, NZ_F64, NZ_C64 or NZ_C128, not " +
                              std::to_string(type));
  });
}

nz_status nz_matrix_write(const nz_matrix* matrix, const char* path) {
  return guarded([&] {
    with_rows(matrix, [&]<nz::Value T, nz::Offset O>(const Rows<T, O>& rows) {
      given(path, "path");
      // Borrowed arrays were not looked at yet, may be a slice, and need not be sorted.
      if (rows.owner)
        nz::write_matrix(path, rows.view);
      else
        with_rows(copied(rows.view).get(),
                  [&](const auto& own) { nz::write_matrix(path, own.view); });
    });
  });
}

int32_t nz_matrix_rows(const nz_matrix* matrix) {
  return value_or(int32_t{-1},
                  [&] { return with_rows(matrix, [](const auto& r) { return r.view.rows; }); });
}
int32_t nz_matrix_columns(const nz_matrix* matrix) {
  return value_or(int32_t{-1},
                  [&] { return with_rows(matrix, [](const auto& r) { return r.view.cols; }); });
}
int64_t nz_matrix_nonzeros(const nz_matrix* matrix) {
  return value_or(int64_t{-1}, [&] {
    return with_rows(matrix, [](const auto& r) { return int64_t{r.view.nnz}; });
  });
}
nz_type nz_matrix_type(const nz_matrix* matrix) {
  return value_or(nz_type{-1}, [&] {
    return with_rows(matrix, []<nz::Value T, nz::Offset O>(const Rows<T, O>&) {
      return type_of(nz::value_type_of<T>);
    });
  });
}

void nz_matrix_destroy(nz_matrix* matrix) { delete matrix; }
