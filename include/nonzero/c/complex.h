#pragma once
/* Complex numbers in C: matrices, products and solvers as <nonzero/nonzero.h> has them for real
 * ones, on the same handles. What is not for one type there, plans, their options and what they
 * tell of themselves, is for complex matrices, too. Factors come by pointer, so that nothing
 * depends on how a compiler hands over complex numbers. */
#include <nonzero/nonzero.h>

/* Real and imaginary part, one behind the other, as C99, C++ and Fortran have them. */
#if defined(__cplusplus)
extern "C++" { /* programs may include this within extern "C" */
#include <complex>
}
typedef std::complex<float> nz_c64;
typedef std::complex<double> nz_c128;
extern "C" {
#elif defined(__STDC_NO_COMPLEX__)
typedef struct nz_c64 {
  float real, imaginary;
} nz_c64;
typedef struct nz_c128 {
  double real, imaginary;
} nz_c128;
#else
typedef float _Complex nz_c64;
typedef double _Complex nz_c128;
#endif

/* ---- Matrices ------------------------------------------------------------------------------ */

NZ_C_API nz_status nz_matrix_csr_c64_i32(nz_matrix** matrix, int32_t rows, int32_t columns,
                                         int64_t nonzeros, const int32_t* offsets,
                                         const int32_t* column_indices, const nz_c64* values,
                                         nz_arrays arrays);
NZ_C_API nz_status nz_matrix_csr_c64_i64(nz_matrix** matrix, int32_t rows, int32_t columns,
                                         int64_t nonzeros, const int64_t* offsets,
                                         const int32_t* column_indices, const nz_c64* values,
                                         nz_arrays arrays);
NZ_C_API nz_status nz_matrix_csr_c128_i32(nz_matrix** matrix, int32_t rows, int32_t columns,
                                          int64_t nonzeros, const int32_t* offsets,
                                          const int32_t* column_indices, const nz_c128* values,
                                          nz_arrays arrays);
NZ_C_API nz_status nz_matrix_csr_c128_i64(nz_matrix** matrix, int32_t rows, int32_t columns,
                                          int64_t nonzeros, const int64_t* offsets,
                                          const int32_t* column_indices, const nz_c128* values,
                                          nz_arrays arrays);

NZ_C_API nz_status nz_matrix_csc_c64_i32(nz_matrix** matrix, int32_t rows, int32_t columns,
                                         int64_t nonzeros, const int32_t* offsets,
                                         const int32_t* row_indices, const nz_c64* values);
NZ_C_API nz_status nz_matrix_csc_c64_i64(nz_matrix** matrix, int32_t rows, int32_t columns,
                                         int64_t nonzeros, const int64_t* offsets,
                                         const int32_t* row_indices, const nz_c64* values);
NZ_C_API nz_status nz_matrix_csc_c128_i32(nz_matrix** matrix, int32_t rows, int32_t columns,
                                          int64_t nonzeros, const int32_t* offsets,
                                          const int32_t* row_indices, const nz_c128* values);
NZ_C_API nz_status nz_matrix_csc_c128_i64(nz_matrix** matrix, int32_t rows, int32_t columns,
                                          int64_t nonzeros, const int64_t* offsets,
                                          const int32_t* row_indices, const nz_c128* values);

NZ_C_API nz_status nz_matrix_coo_c64(nz_matrix** matrix, int32_t rows, int32_t columns,
                                     int64_t nonzeros, const int32_t* row_indices,
                                     const int32_t* column_indices, const nz_c64* values);
NZ_C_API nz_status nz_matrix_coo_c128(nz_matrix** matrix, int32_t rows, int32_t columns,
                                      int64_t nonzeros, const int32_t* row_indices,
                                      const int32_t* column_indices, const nz_c128* values);

NZ_C_API nz_status nz_matrix_get_c64(const nz_matrix* matrix, int64_t* offsets,
                                     int32_t* column_indices, nz_c64* values);
NZ_C_API nz_status nz_matrix_get_c128(const nz_matrix* matrix, int64_t* offsets,
                                      int32_t* column_indices, nz_c128* values);

/* ---- Products ------------------------------------------------------------------------------ */

/* y = alpha op(A) x + beta y; NZ_TRANSPOSE is the transpose without a conjugate, NZ_CONJUGATE the
 * conjugate without a transpose. */
NZ_C_API nz_status nz_multiply_c64(const nz_plan* plan, nz_op op, const nz_c64* alpha,
                                   const nz_c64* x, const nz_c64* beta, nz_c64* y, void* stream);
NZ_C_API nz_status nz_multiply_c128(const nz_plan* plan, nz_op op, const nz_c128* alpha,
                                    const nz_c128* x, const nz_c128* beta, nz_c128* y,
                                    void* stream);
NZ_C_API nz_status nz_enqueue_c64(const nz_plan* plan, nz_op op, const nz_c64* alpha,
                                  const nz_c64* x, const nz_c64* beta, nz_c64* y, void* stream);
NZ_C_API nz_status nz_enqueue_c128(const nz_plan* plan, nz_op op, const nz_c128* alpha,
                                   const nz_c128* x, const nz_c128* beta, nz_c128* y, void* stream);

/* For `count` vectors at any distance, as nz_multiply_vectors_f64 has them. */
NZ_C_API nz_status nz_multiply_vectors_c64(const nz_plan* plan, nz_op op, int32_t count,
                                           const nz_c64* alpha, const nz_c64* x, int64_t x_stride,
                                           const nz_c64* beta, nz_c64* y, int64_t y_stride,
                                           void* stream);
NZ_C_API nz_status nz_multiply_vectors_c128(const nz_plan* plan, nz_op op, int32_t count,
                                            const nz_c128* alpha, const nz_c128* x,
                                            int64_t x_stride, const nz_c128* beta, nz_c128* y,
                                            int64_t y_stride, void* stream);

/* For `count` vectors, the columns of X and Y. */
NZ_C_API nz_status nz_multiply_several_c64(const nz_plan* plan, nz_op op, int32_t count,
                                           const nz_c64* alpha, const nz_c64* x, nz_layout x_layout,
                                           int64_t x_leading, const nz_c64* beta, nz_c64* y,
                                           nz_layout y_layout, int64_t y_leading, void* stream);
NZ_C_API nz_status nz_multiply_several_c128(const nz_plan* plan, nz_op op, int32_t count,
                                            const nz_c128* alpha, const nz_c128* x,
                                            nz_layout x_layout, int64_t x_leading,
                                            const nz_c128* beta, nz_c128* y, nz_layout y_layout,
                                            int64_t y_leading, void* stream);
NZ_C_API nz_status nz_enqueue_several_c64(const nz_plan* plan, nz_op op, int32_t count,
                                          const nz_c64* alpha, const nz_c64* x, nz_layout x_layout,
                                          int64_t x_leading, const nz_c64* beta, nz_c64* y,
                                          nz_layout y_layout, int64_t y_leading, void* stream);
NZ_C_API nz_status nz_enqueue_several_c128(const nz_plan* plan, nz_op op, int32_t count,
                                           const nz_c128* alpha, const nz_c128* x,
                                           nz_layout x_layout, int64_t x_leading,
                                           const nz_c128* beta, nz_c128* y, nz_layout y_layout,
                                           int64_t y_leading, void* stream);

NZ_C_API nz_status nz_bound_enqueue_c64(nz_bound* bound, const nz_c64* alpha, const nz_c64* x,
                                        const nz_c64* beta, nz_c64* y);
NZ_C_API nz_status nz_bound_enqueue_c128(nz_bound* bound, const nz_c128* alpha, const nz_c128* x,
                                         const nz_c128* beta, nz_c128* y);

/* ---- Solvers ------------------------------------------------------------------------------- */

/* By "cg", of Hermitian positive definite matrices, "bicgstab" or "gmres", without a
 * preconditioner. The vectors of their iteration lie in host memory: a plan on a GPU has them
 * copied there and back, which is slow. */
NZ_C_API nz_status nz_solve_c64(const nz_plan* plan, const char* method, const nz_c64* b, nz_c64* x,
                                const nz_solve_options* options, nz_solve_result* result);
NZ_C_API nz_status nz_solve_c128(const nz_plan* plan, const char* method, const nz_c128* b,
                                 nz_c128* x, const nz_solve_options* options,
                                 nz_solve_result* result);

#ifdef __cplusplus
}
#endif
