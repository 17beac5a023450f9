#pragma once
/* Several eigenpairs of a real symmetric matrix: solve::lobpcg of <nonzero/solve.hpp>. */
#include <nonzero/nonzero.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Later versions add members at the end: nz_eigen_options_init sets `size`, and all others to what
 * they are where no options are given. */
typedef struct nz_eigen_options {
  size_t size;
  double tolerance;       /* of |A v - value v| / |A|, |A| as a few products show it; 1e-8 */
  int32_t max_iterations; /* 1000 */
  int32_t largest;        /* the largest eigenvalues, not the smallest; 0 */
  int32_t guard;          /* vectors of the block beyond those that are asked for; 0 */
  int32_t from_x;         /* begins with the x that is given, not with a fixed one; 0 */
  int32_t check_symmetry; /* 1 */
  int32_t reserved;       /* 0 */
  const nz_preconditioner* preconditioner; /* symmetric positive definite, near the inverse of A;
                                              NULL: none */
  nz_callback callback;                    /* is told the largest of the residuals; NULL: none */
  void* callback_data;
  double* residuals;    /* NULL, or room for one of each pair */
  double* history;      /* NULL, or room for the largest residual of each iteration */
  int64_t history_room; /* how many */
  void* stream;         /* work on it is waited for before the solver begins */
} nz_eigen_options;
NZ_C_API nz_status nz_eigen_options_init(nz_eigen_options* options, size_t size);

/* `count` eigenpairs, 1 to as many as there are rows: the smallest ones, rising, or the largest
 * ones, falling. `values` has room for count numbers. x has n rows and count columns, and gets the
 * eigenvectors, of length 1 and at right angles to each other: x_leading elements lie from one row
 * to the next (row by row) or from one column to the next (column by column); 0: no gaps. Both lie
 * in host memory. NZ_OK says that the solver ran; the result, which may be NULL, says how it ended:
 * after NZ_NOT_SYMMETRIC and NZ_NOT_A_NUMBER nothing was written. */
NZ_C_API nz_status nz_lobpcg_f32(const nz_plan* plan, int32_t count, double* values, float* x,
                                 nz_layout x_layout, int64_t x_leading,
                                 const nz_eigen_options* options, nz_solve_result* result);
NZ_C_API nz_status nz_lobpcg_f64(const nz_plan* plan, int32_t count, double* values, double* x,
                                 nz_layout x_layout, int64_t x_leading,
                                 const nz_eigen_options* options, nz_solve_result* result);

#ifdef __cplusplus
}
#endif
