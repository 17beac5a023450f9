#pragma once
/* Matrices with more rows or columns than 32 bits count: WidePlan of <nonzero/wide.hpp>. */
#include <nonzero/nonzero.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Such a matrix, ready to be multiplied. */
typedef struct nz_wide_plan nz_wide_plan;

/* Compressed sparse rows whose columns have 64 bits, and entries in any order; those with the same
 * place are summed in the order given. All lie in host memory and are copied. The options are those
 * of each of the parts that the matrix is cut into; memory_limit is that of all together. NULL:
 * none. */
NZ_C_API nz_status nz_wide_plan_csr_f32(nz_wide_plan** plan, int64_t rows, int64_t columns,
                                        int64_t nonzeros, const int64_t* offsets,
                                        const int64_t* column_indices, const float* values,
                                        const nz_plan_options* options);
NZ_C_API nz_status nz_wide_plan_csr_f64(nz_wide_plan** plan, int64_t rows, int64_t columns,
                                        int64_t nonzeros, const int64_t* offsets,
                                        const int64_t* column_indices, const double* values,
                                        const nz_plan_options* options);
NZ_C_API nz_status nz_wide_plan_coo_f32(nz_wide_plan** plan, int64_t rows, int64_t columns,
                                        int64_t nonzeros, const int64_t* row_indices,
                                        const int64_t* column_indices, const float* values,
                                        const nz_plan_options* options);
NZ_C_API nz_status nz_wide_plan_coo_f64(nz_wide_plan** plan, int64_t rows, int64_t columns,
                                        int64_t nonzeros, const int64_t* row_indices,
                                        const int64_t* column_indices, const double* values,
                                        const nz_plan_options* options);

NZ_C_API int64_t nz_wide_plan_rows(const nz_wide_plan* plan);
NZ_C_API int64_t nz_wide_plan_columns(const nz_wide_plan* plan);
NZ_C_API nz_type nz_wide_plan_type(const nz_wide_plan* plan);
NZ_C_API int32_t nz_wide_plan_threads(const nz_wide_plan* plan);
NZ_C_API int64_t nz_wide_plan_bytes(const nz_wide_plan* plan);      /* kept on its device */
NZ_C_API const char* nz_wide_plan_device(const nz_wide_plan* plan); /* as long as the plan lives */

/* What the parts are and which kernels they have: otherwise as nz_plan_explain. */
NZ_C_API int64_t nz_wide_plan_explain(const nz_wide_plan* plan, char* text, size_t room);

/* y = alpha op(A) x + beta y, with the rules of nz_multiply and nz_enqueue. */
NZ_C_API nz_status nz_multiply_wide_f32(const nz_wide_plan* plan, nz_op op, float alpha,
                                        const float* x, float beta, float* y, void* stream);
NZ_C_API nz_status nz_multiply_wide_f64(const nz_wide_plan* plan, nz_op op, double alpha,
                                        const double* x, double beta, double* y, void* stream);

NZ_C_API nz_status nz_enqueue_wide_f32(const nz_wide_plan* plan, nz_op op, float alpha,
                                       const float* x, float beta, float* y, void* stream);
NZ_C_API nz_status nz_enqueue_wide_f64(const nz_wide_plan* plan, nz_op op, double alpha,
                                       const double* x, double beta, double* y, void* stream);

/* Y = alpha op(A) X + beta Y for `count` vectors, with the rules of nz_multiply_several and
 * nz_enqueue_several. Calls with vectors by rows in a device's memory wait where the plan has parts
 * whose rows or columns are not neighbours: their places go to the device in each call. */
NZ_C_API nz_status nz_multiply_wide_several_f32(const nz_wide_plan* plan, nz_op op, int32_t count,
                                                float alpha, const float* x, nz_layout x_layout,
                                                int64_t x_leading, float beta, float* y,
                                                nz_layout y_layout, int64_t y_leading,
                                                void* stream);
NZ_C_API nz_status nz_multiply_wide_several_f64(const nz_wide_plan* plan, nz_op op, int32_t count,
                                                double alpha, const double* x, nz_layout x_layout,
                                                int64_t x_leading, double beta, double* y,
                                                nz_layout y_layout, int64_t y_leading,
                                                void* stream);
NZ_C_API nz_status nz_enqueue_wide_several_f32(const nz_wide_plan* plan, nz_op op, int32_t count,
                                               float alpha, const float* x, nz_layout x_layout,
                                               int64_t x_leading, float beta, float* y,
                                               nz_layout y_layout, int64_t y_leading, void* stream);
NZ_C_API nz_status nz_enqueue_wide_several_f64(const nz_wide_plan* plan, nz_op op, int32_t count,
                                               double alpha, const double* x, nz_layout x_layout,
                                               int64_t x_leading, double beta, double* y,
                                               nz_layout y_layout, int64_t y_leading, void* stream);

/* Solves A x = b as nz_solve does, where A has at most 2^31 - 1 rows and columns. */
NZ_C_API nz_status nz_solve_wide_f32(const nz_wide_plan* plan, const char* method, const float* b,
                                     float* x, const nz_solve_options* options,
                                     nz_solve_result* result);
NZ_C_API nz_status nz_solve_wide_f64(const nz_wide_plan* plan, const char* method, const double* b,
                                     double* x, const nz_solve_options* options,
                                     nz_solve_result* result);

/* Largest eigenvalue, PageRank, Markov chains and eigenpairs as those of a plan, of the same shapes
 * as nz_solve_wide. */
NZ_C_API nz_status nz_largest_eigenvalue_wide(const nz_wide_plan* plan, double* value,
                                              const nz_solve_options* options,
                                              nz_solve_result* result);
NZ_C_API nz_status nz_pagerank_wide_f32(const nz_wide_plan* plan, float* x,
                                        const nz_walk_options* options, nz_solve_result* result);
NZ_C_API nz_status nz_pagerank_wide_f64(const nz_wide_plan* plan, double* x,
                                        const nz_walk_options* options, nz_solve_result* result);
NZ_C_API nz_status nz_pagerank_wide_several_f32(const nz_wide_plan* plan, int32_t count,
                                                const float* p, nz_layout p_layout,
                                                int64_t p_leading, float* x, nz_layout x_layout,
                                                int64_t x_leading, const nz_walk_options* options,
                                                nz_solve_result* result);
NZ_C_API nz_status nz_pagerank_wide_several_f64(const nz_wide_plan* plan, int32_t count,
                                                const double* p, nz_layout p_layout,
                                                int64_t p_leading, double* x, nz_layout x_layout,
                                                int64_t x_leading, const nz_walk_options* options,
                                                nz_solve_result* result);
NZ_C_API nz_status nz_stationary_wide_f32(const nz_wide_plan* plan, float* x,
                                          const nz_walk_options* options, nz_solve_result* result);
NZ_C_API nz_status nz_stationary_wide_f64(const nz_wide_plan* plan, double* x,
                                          const nz_walk_options* options, nz_solve_result* result);
NZ_C_API nz_status nz_lobpcg_wide_f32(const nz_wide_plan* plan, int32_t count, double* values,
                                      float* x, nz_layout x_layout, int64_t x_leading,
                                      const nz_eigen_options* options, nz_solve_result* result);
NZ_C_API nz_status nz_lobpcg_wide_f64(const nz_wide_plan* plan, int32_t count, double* values,
                                      double* x, nz_layout x_layout, int64_t x_leading,
                                      const nz_eigen_options* options, nz_solve_result* result);

/* Until all work that was queued on the stream of the plan's device has ended. */
NZ_C_API nz_status nz_wide_plan_wait(const nz_wide_plan* plan, void* stream);

/* NULL is left alone. Work that was queued must have ended. */
NZ_C_API void nz_wide_plan_destroy(nz_wide_plan* plan);

#ifdef __cplusplus
}
#endif
