#pragma once
/* The C interface of nonzero: y = alpha op(A) x + beta y with op(A) = A or its transpose, and the
 * solvers on top of it. C99, and C++ as well. docs/c-api.md tells the story; the headers beside
 * this one say more of each thing under its C++ name. What is for complex numbers, several
 * eigenpairs and more than 2^31 - 1 rows stands in <nonzero/c/...>, which this header includes at
 * its end.
 *
 * Every function that can fail returns a status. Where it is not NZ_OK, nz_last_error() says what
 * was wrong, handles that would have been made are NULL, and nothing has changed but vectors that
 * were being written. Functions that
 * return a value instead return -1 or NULL then. A NULL where something is needed is such an error,
 * never a crash, but for the vectors of nz_bound_enqueue; other pointers must point to what they
 * claim to. No exception leaves a function, and none prints, exits or aborts. */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <nonzero/export.hpp>
#define NZ_C_API NZ_API
extern "C" {
#elif defined(__GNUC__)
#define NZ_C_API __attribute__((visibility("default")))
#else
#define NZ_C_API
#endif

/* ---- Errors, versions, threads, devices ---------------------------------------------------- */

/* The exceptions of <nonzero/error.hpp>. */
typedef int32_t nz_status;
enum {
  NZ_OK = 0,
  NZ_INVALID_ARGUMENT = 1, /* it makes no sense: NULL, an unknown name, arrays that are no matrix */
  NZ_BAD_INPUT = 2,        /* a broken file, entries out of range, values a method cannot take */
  NZ_REFUSED = 3,          /* a kernel declines a matrix that it could only hold wastefully */
  NZ_NO_RESOURCE = 4,      /* memory is short, or a device is not there */
  NZ_DEVICE_FAULT = 5,     /* work on a device went wrong */
  NZ_FAILED = 6,           /* the system refused: a file that cannot be opened or written */
  NZ_INTERNAL = 7          /* an error in nonzero itself */
};

/* "no resource"; for another number "unknown status". */
NZ_C_API const char* nz_status_name(nz_status status);

/* What was wrong in the last call of the calling thread that failed; empty before the first one.
 * The text is the thread's own and stays until its next failure. Never NULL. */
NZ_C_API const char* nz_last_error(void);

/* For bindings to other languages, which check more: keeps a text as that of a failure of the
 * calling thread, and returns the status. */
NZ_C_API nz_status nz_fail(nz_status status, const char* text);

/* Of the library that is linked: "0.1.0". */
NZ_C_API const char* nz_version(void);

/* How many threads the library uses to build, read and plan from now on. */
NZ_C_API int32_t nz_threads(void);
NZ_C_API nz_status nz_set_threads(int32_t threads);

/* NZ_OK where "cpu", "cuda:0", ..., or "emu" is there; otherwise the error says why not. */
NZ_C_API nz_status nz_device_check(const char* device);

/* Memory of a device that is not the CPU, uninitialised, for those who do not use CUDA themselves.
 * Copies go either way or stay there, and have ended when the call returns. Freeing NULL does
 * nothing; work that uses what is freed must have ended. */
NZ_C_API nz_status nz_device_allocate(void** memory, const char* device, size_t bytes);
NZ_C_API nz_status nz_device_free(void* memory, const char* device);
NZ_C_API nz_status nz_device_copy(void* to, const void* from, size_t bytes, const char* device);

/* ---- Matrices ------------------------------------------------------------------------------ */

typedef int32_t nz_type;
enum { NZ_F32 = 1, NZ_F64 = 2, NZ_C64 = 3, NZ_C128 = 4 }; /* float, double, complex of them */

/* Whose arrays a matrix has. */
typedef int32_t nz_arrays;
enum {
  /* The caller's: they stay where they are while the matrix lives, and plans that were made from
   * it. They may lie in the memory of the device that plans are made on. They are looked at when
   * such a plan is made. */
  NZ_BORROW = 0,
  /* Copied and looked at now. They lie in host memory. */
  NZ_COPY = 1
};

typedef struct nz_matrix nz_matrix;

/* Compressed sparse rows: row i has the entries offsets[i] to offsets[i + 1]; all count from 0.
 * nonzeros is offsets[rows] - offsets[0]. Rows may be unsorted and name a column twice: plans
 * then make a sorted copy with sums. Where offsets[0] is not 0, they are rows of a larger matrix,
 * in whose columns and values the offsets count. */
NZ_C_API nz_status nz_matrix_csr_f32_i32(nz_matrix** matrix, int32_t rows, int32_t columns,
                                         int64_t nonzeros, const int32_t* offsets,
                                         const int32_t* column_indices, const float* values,
                                         nz_arrays arrays);
NZ_C_API nz_status nz_matrix_csr_f32_i64(nz_matrix** matrix, int32_t rows, int32_t columns,
                                         int64_t nonzeros, const int64_t* offsets,
                                         const int32_t* column_indices, const float* values,
                                         nz_arrays arrays);
NZ_C_API nz_status nz_matrix_csr_f64_i32(nz_matrix** matrix, int32_t rows, int32_t columns,
                                         int64_t nonzeros, const int32_t* offsets,
                                         const int32_t* column_indices, const double* values,
                                         nz_arrays arrays);
NZ_C_API nz_status nz_matrix_csr_f64_i64(nz_matrix** matrix, int32_t rows, int32_t columns,
                                         int64_t nonzeros, const int64_t* offsets,
                                         const int32_t* column_indices, const double* values,
                                         nz_arrays arrays);

/* Compressed sparse columns, in host memory: converted to rows now, in arrays of the matrix's own.
 * Who wants no copy gives the same arrays as the rows of the transpose, rows and columns swapped,
 * and asks for the other op. */
NZ_C_API nz_status nz_matrix_csc_f32_i32(nz_matrix** matrix, int32_t rows, int32_t columns,
                                         int64_t nonzeros, const int32_t* offsets,
                                         const int32_t* row_indices, const float* values);
NZ_C_API nz_status nz_matrix_csc_f32_i64(nz_matrix** matrix, int32_t rows, int32_t columns,
                                         int64_t nonzeros, const int64_t* offsets,
                                         const int32_t* row_indices, const float* values);
NZ_C_API nz_status nz_matrix_csc_f64_i32(nz_matrix** matrix, int32_t rows, int32_t columns,
                                         int64_t nonzeros, const int32_t* offsets,
                                         const int32_t* row_indices, const double* values);
NZ_C_API nz_status nz_matrix_csc_f64_i64(nz_matrix** matrix, int32_t rows, int32_t columns,
                                         int64_t nonzeros, const int64_t* offsets,
                                         const int32_t* row_indices, const double* values);

/* Entries in any order, in host memory; those with the same place are summed in the order given.
 * Converted to rows now, in arrays of the matrix's own. */
NZ_C_API nz_status nz_matrix_coo_f32(nz_matrix** matrix, int32_t rows, int32_t columns,
                                     int64_t nonzeros, const int32_t* row_indices,
                                     const int32_t* column_indices, const float* values);
NZ_C_API nz_status nz_matrix_coo_f64(nz_matrix** matrix, int32_t rows, int32_t columns,
                                     int64_t nonzeros, const int32_t* row_indices,
                                     const int32_t* column_indices, const double* values);

/* From and to .mtx, .mtx.gz, .mtx.zst and .nzb files; .npz, .mat, .rb and .tar.gz are read, too
 * (docs/files.md). Complex types are for Matrix Market, .mtx. Borrowed arrays that are written lie
 * in host memory. */
NZ_C_API nz_status nz_matrix_read(nz_matrix** matrix, const char* path, nz_type type);
NZ_C_API nz_status nz_matrix_write(const nz_matrix* matrix, const char* path);

/* The matrix in compressed sparse rows, copied to arrays of rows + 1, nonzeros and nonzeros
 * elements; each may be NULL. The type must be the matrix's, its arrays in host memory. */
NZ_C_API nz_status nz_matrix_get_f32(const nz_matrix* matrix, int64_t* offsets,
                                     int32_t* column_indices, float* values);
NZ_C_API nz_status nz_matrix_get_f64(const nz_matrix* matrix, int64_t* offsets,
                                     int32_t* column_indices, double* values);

NZ_C_API int32_t nz_matrix_rows(const nz_matrix* matrix);
NZ_C_API int32_t nz_matrix_columns(const nz_matrix* matrix);
NZ_C_API int64_t nz_matrix_nonzeros(const nz_matrix* matrix);
NZ_C_API nz_type nz_matrix_type(const nz_matrix* matrix);

/* Plans keep what they need of the matrix's own arrays. NULL is left alone. */
NZ_C_API void nz_matrix_destroy(nz_matrix* matrix);

/* ---- Plans --------------------------------------------------------------------------------- */

/* A, its transpose, both (options alone), its conjugate transpose, its conjugate: of real matrices
 * these two are the transpose and A, and options count them as such. */
typedef int32_t nz_op;
enum { NZ_NONE = 0, NZ_TRANSPOSE = 1, NZ_BOTH = 2, NZ_CONJUGATE_TRANSPOSE = 3, NZ_CONJUGATE = 4 };

typedef int32_t nz_effort;
enum { NZ_INSTANT = 0, NZ_BALANCED = 1, NZ_THOROUGH = 2 };

/* What values are rounded to and stored as: F32 for matrices of double, F16 and BF16 for those of
 * float. Vectors, products and sums keep their type; nz_plan_explain states the error. */
typedef int32_t nz_values;
enum { NZ_VALUES_EXACT = 0, NZ_VALUES_F32 = 1, NZ_VALUES_F16 = 2, NZ_VALUES_BF16 = 3 };

/* How the elements of a dense matrix follow each other. */
typedef int32_t nz_layout;
enum { NZ_ROW_MAJOR = 0, NZ_COLUMN_MAJOR = 1 };

/* PlanOptions of <nonzero/plan.hpp>. Later versions add members at the end: nz_plan_options_init
 * sets `size`, and all others to what they are where no options are given. */
typedef struct nz_plan_options {
  size_t size;
  const char* device;     /* "cpu", "cuda:0", "emu"; NULL: where the kernel runs, else the CPU */
  const char* kernel;     /* an id such as "cpu/csr/balanced"; NULL: the plan chooses */
  const char* parameters; /* of that kernel, "block_rows=4,block_cols=2"; NULL: its own choice */
  const char* cache_directory; /* of thorough plans; NULL: where the environment says */
  int64_t memory_limit;        /* bytes that the plan may keep on its device; 0: no limit */
  nz_op op;                    /* the products that will be asked for; NZ_NONE */
  nz_effort effort;            /* what making the plan may cost; NZ_BALANCED */
  int32_t threads;             /* of every multiply; 0: nz_threads() */
  int32_t deterministic;       /* the same bits whenever the same product is repeated; 0 */
  int32_t
      store_transpose; /* with NZ_BOTH, whether the transpose is kept too: 1 where that is faster, 0
                          where both are no larger than CSR, -1 where memory is plenty; -1 */
  int32_t trusted;     /* arrays are not looked at: what is wrong in them is undefined; 0 */
  int32_t use_cache;   /* thorough plans are kept in files; 1 */
  int32_t reserved;    /* 0 */
  /* How many vectors most products will have; others work as well; 1. */
  int64_t vectors;
  nz_values store_values_as; /* NZ_VALUES_EXACT */
  nz_layout layout;          /* how several vectors will mostly lie; NZ_ROW_MAJOR */
} nz_plan_options;

/* nz_plan_options_init(&options, sizeof options). */
NZ_C_API nz_status nz_plan_options_init(nz_plan_options* options, size_t size);

typedef struct nz_plan nz_plan;

/* A matrix ready to be multiplied. Without options, NULL, the plan chooses for A on the CPU. The
 * matrix may be destroyed at once; arrays that it borrowed must stay while the plan lives. */
NZ_C_API nz_status nz_plan_create(nz_plan** plan, const nz_matrix* matrix,
                                  const nz_plan_options* options);

/* Other values for the same structure: the same kernel, without choosing again. Nobody may use the
 * plan meanwhile. Where it fails the plan is as it was. */
NZ_C_API nz_status nz_plan_update_values(nz_plan* plan, const nz_matrix* matrix);

/* NULL is left alone. Work that was queued must have ended. */
NZ_C_API void nz_plan_destroy(nz_plan* plan);

NZ_C_API int32_t nz_plan_rows(const nz_plan* plan);
NZ_C_API int32_t nz_plan_columns(const nz_plan* plan);
NZ_C_API int64_t nz_plan_nonzeros(const nz_plan* plan); /* as the matrix had them */
NZ_C_API nz_type nz_plan_type(const nz_plan* plan);
NZ_C_API int32_t nz_plan_threads(const nz_plan* plan);
NZ_C_API int64_t nz_plan_bytes(const nz_plan* plan); /* kept on its device, beyond the matrix */
NZ_C_API const char* nz_plan_kernel(const nz_plan* plan); /* as long as the plan lives */
NZ_C_API const char* nz_plan_device(const nz_plan* plan); /* the same */
NZ_C_API double nz_plan_setup_seconds(const nz_plan* plan);

/* How the plan came about, for people, in lines: as much as there is room for, with a 0 at the end.
 * Returns the length of the whole without that 0, so that room for it can be made: text is NULL and
 * room 0. */
NZ_C_API int64_t nz_plan_explain(const nz_plan* plan, char* text, size_t room);

/* Seconds of one multiply, measured now in a few hundredths of a second. */
NZ_C_API nz_status nz_plan_measure(const nz_plan* plan, nz_op op, double* seconds);

/* ---- Products ------------------------------------------------------------------------------ */

/* y = alpha op(A) x + beta y. Several threads may multiply with one plan, each into its own y. The
 * type must be the plan's. x and y are as long as op(A) is wide and high, and may not overlap.
 * beta = 0 never reads y, alpha = 0 never reads A or x.
 * On a GPU they lie in the device's memory, or in host memory, which is slow; the stream is a
 * cudaStream_t of that device, NULL its default one. On the CPU it is NULL.
 * multiply returns when y is there; enqueue may return before, unless x or y lies in host memory.
 */
NZ_C_API nz_status nz_multiply_f32(const nz_plan* plan, nz_op op, float alpha, const float* x,
                                   float beta, float* y, void* stream);
NZ_C_API nz_status nz_multiply_f64(const nz_plan* plan, nz_op op, double alpha, const double* x,
                                   double beta, double* y, void* stream);
NZ_C_API nz_status nz_enqueue_f32(const nz_plan* plan, nz_op op, float alpha, const float* x,
                                  float beta, float* y, void* stream);
NZ_C_API nz_status nz_enqueue_f64(const nz_plan* plan, nz_op op, double alpha, const double* x,
                                  double beta, double* y, void* stream);

/* Y = alpha op(A) X + beta Y for `count` vectors: x of vector k begins at x + k * x_stride, y
 * likewise. Strides are at least the vectors' lengths. Where X and Y lie in memory of their own,
 * not between each other, A is read once for several vectors, as below. Returns when Y is there. */
NZ_C_API nz_status nz_multiply_vectors_f32(const nz_plan* plan, nz_op op, int32_t count,
                                           float alpha, const float* x, int64_t x_stride,
                                           float beta, float* y, int64_t y_stride, void* stream);
NZ_C_API nz_status nz_multiply_vectors_f64(const nz_plan* plan, nz_op op, int32_t count,
                                           double alpha, const double* x, int64_t x_stride,
                                           double beta, double* y, int64_t y_stride, void* stream);

/* Y = alpha op(A) X + beta Y for `count` vectors, the columns of X and Y, each in its own layout:
 * x_leading elements lie from one row of X to the next (row by row) or from one column to the next
 * (column by column); 0: no gaps. A is read once for several vectors. The memory of X and Y, gaps
 * included, may not overlap. Everything else is as for one vector. */
NZ_C_API nz_status nz_multiply_several_f32(const nz_plan* plan, nz_op op, int32_t count,
                                           float alpha, const float* x, nz_layout x_layout,
                                           int64_t x_leading, float beta, float* y,
                                           nz_layout y_layout, int64_t y_leading, void* stream);
NZ_C_API nz_status nz_multiply_several_f64(const nz_plan* plan, nz_op op, int32_t count,
                                           double alpha, const double* x, nz_layout x_layout,
                                           int64_t x_leading, double beta, double* y,
                                           nz_layout y_layout, int64_t y_leading, void* stream);
NZ_C_API nz_status nz_enqueue_several_f32(const nz_plan* plan, nz_op op, int32_t count, float alpha,
                                          const float* x, nz_layout x_layout, int64_t x_leading,
                                          float beta, float* y, nz_layout y_layout,
                                          int64_t y_leading, void* stream);
NZ_C_API nz_status nz_enqueue_several_f64(const nz_plan* plan, nz_op op, int32_t count,
                                          double alpha, const double* x, nz_layout x_layout,
                                          int64_t x_leading, double beta, double* y,
                                          nz_layout y_layout, int64_t y_leading, void* stream);

/* Until all work that was queued on the stream of the plan's device has ended. */
NZ_C_API nz_status nz_plan_wait(const nz_plan* plan, void* stream);

/* The shortest way to a GPU: op and stream are settled once, and enqueue only launches. It looks at
 * nothing but its handle and the plan's end; <nonzero/kernel.hpp> says what the caller promises
 * instead (BoundProduct). One thread at a time uses a handle. */
typedef struct nz_bound nz_bound;
NZ_C_API nz_status nz_bound_create(nz_bound** bound, const nz_plan* plan, nz_op op, void* stream);
NZ_C_API nz_status nz_bound_enqueue_f32(nz_bound* bound, float alpha, const float* x, float beta,
                                        float* y);
NZ_C_API nz_status nz_bound_enqueue_f64(nz_bound* bound, double alpha, const double* x, double beta,
                                        double* y);
NZ_C_API void nz_bound_destroy(nz_bound* bound);

/* ---- Batches ------------------------------------------------------------------------------- */

/* Many small matrices, each multiplied by a vector of its own, at once. */
typedef struct nz_batch nz_batch;

/* So many matrices of one structure, whose own values and type do not count: `values` has the
 * nonzeros of one matrix behind those of another. Where they lie in the memory of the batch's
 * device, on the CPU in the host's, they are borrowed and must stay while the batch lives. Of the
 * options device, op, threads and trusted count, and a kernel, a memory limit, several vectors and
 * rounded values are refused; without options, NULL, it is for both products on the CPU. The matrix
 * may be destroyed at once. */
NZ_C_API nz_status nz_batch_create_f32(nz_batch** batch, const nz_matrix* structure,
                                       int64_t matrices, const float* values,
                                       const nz_plan_options* options);
NZ_C_API nz_status nz_batch_create_f64(nz_batch** batch, const nz_matrix* structure,
                                       int64_t matrices, const double* values,
                                       const nz_plan_options* options);
/* `count` matrices, at least one, of any shapes, all of the same types: they are copied. */
NZ_C_API nz_status nz_batch_of(nz_batch** batch, int64_t count, const nz_matrix* const* matrices,
                               const nz_plan_options* options);

/* As many other values for matrices of one structure, borrowed or copied as the first were. */
NZ_C_API nz_status nz_batch_update_values_f32(nz_batch* batch, const float* values);
NZ_C_API nz_status nz_batch_update_values_f64(nz_batch* batch, const double* values);

/* Vectors of all matrices lie one behind the other. Where those of one begin; of the number of
 * matrices: where they end, which is how long x and y are. -1: an error. */
NZ_C_API int64_t nz_batch_matrices(const nz_batch* batch);
NZ_C_API int64_t nz_batch_x_offset(const nz_batch* batch, nz_op op, int64_t matrix);
NZ_C_API int64_t nz_batch_y_offset(const nz_batch* batch, nz_op op, int64_t matrix);

/* y = alpha op(A) x + beta y for every matrix; all else is as nz_multiply and nz_enqueue have it.
 */
NZ_C_API nz_status nz_multiply_batch_f32(const nz_batch* batch, nz_op op, float alpha,
                                         const float* x, float beta, float* y, void* stream);
NZ_C_API nz_status nz_multiply_batch_f64(const nz_batch* batch, nz_op op, double alpha,
                                         const double* x, double beta, double* y, void* stream);
NZ_C_API nz_status nz_enqueue_batch_f32(const nz_batch* batch, nz_op op, float alpha,
                                        const float* x, float beta, float* y, void* stream);
NZ_C_API nz_status nz_enqueue_batch_f64(const nz_batch* batch, nz_op op, double alpha,
                                        const double* x, double beta, double* y, void* stream);
NZ_C_API void nz_batch_destroy(nz_batch* batch);

/* ---- Solvers ------------------------------------------------------------------------------- */

/* Why a solver ended: Stop of <nonzero/solve.hpp>. */
typedef int32_t nz_stop;
enum {
  NZ_CONVERGED = 1,
  NZ_LEAST_SQUARES = 2,
  NZ_ITERATION_LIMIT = 3,
  NZ_STOPPED = 4,
  NZ_BREAKDOWN = 5,
  NZ_DIVERGED = 6,
  NZ_NOT_A_NUMBER = 7,
  NZ_NOT_SYMMETRIC = 8,
  NZ_NOT_DEFINITE = 9,
  NZ_NOT_STOCHASTIC = 10,
  NZ_STAGNATED = 11 /* b - A x falls no further, though the method's own residual does */
};

/* Told of every iteration, in order; whatever is not 0 ends the solver. */
typedef int32_t (*nz_callback)(int32_t iteration, double residual, void* data);

/* An approximate inverse, of the type of the matrix, which is real, on a device. The matrix lies in
 * host memory and is not needed any more. */
typedef struct nz_preconditioner nz_preconditioner;

/* Each member belongs to the preconditioners that it names. Later versions add members at the end:
 * nz_preconditioner_options_init sets `size`, and all others to what they are without options. */
typedef struct nz_preconditioner_options {
  size_t size;
  const char* device;  /* NULL: that of the plan, the CPU where there is none */
  const nz_plan* plan; /* chebyshev: of the matrix, lives longer; NULL: it makes one of its own */
  double drop;         /* fsai: entries that are smaller make no places; 0 */
  double lower, upper; /* chebyshev: the eigenvalues that it damps, of the matrix divided by its
                          diagonal; 0: found by Lanczos */
  int32_t block;       /* block: rows of a block, 1 to 256; 1 */
  int32_t power;       /* fsai: places of the matrix to this power, 1 to 4; 1 */
  int32_t row_limit;   /* fsai: the most places of a row, 1 to 1000; 200 */
  int32_t degree;      /* chebyshev: products of an application, 1 to 100; 4 */
} nz_preconditioner_options;
NZ_C_API nz_status nz_preconditioner_options_init(nz_preconditioner_options* options, size_t size);

/* By name, as the program has them: "jacobi", "block", "fsai", "chebyshev", "spai0", "spai1", and
 * on the CPU alone "ic0" and "ilu0". <nonzero/preconditioners.hpp> says what each is, and for which
 * matrices. NZ_BAD_INPUT, with the row, where the matrix has no such inverse. */
NZ_C_API nz_status nz_preconditioner_create(nz_preconditioner** preconditioner,
                                            const nz_matrix* matrix, const char* name,
                                            const nz_preconditioner_options* options);
/* Block Jacobi; with blocks of one row it is Jacobi. The device may be NULL: the CPU. */
NZ_C_API nz_status nz_preconditioner_jacobi(nz_preconditioner** preconditioner,
                                            const nz_matrix* matrix, int32_t block,
                                            const char* device);
NZ_C_API void nz_preconditioner_destroy(nz_preconditioner* preconditioner);

/* Later versions add members at the end: nz_solve_options_init sets `size`. */
typedef struct nz_solve_options {
  size_t size;
  double tolerance;       /* of |b - A x| / |b|; 1e-8 */
  int32_t max_iterations; /* 1000 */
  int32_t check_every;    /* iterations between two looks; 0: 1 on the CPU, 25 on a GPU */
  int32_t restart;        /* of GMRES: vectors that it keeps; 30 */
  int32_t check_symmetry; /* CG and the eigenvalue; 1 */
  const nz_preconditioner* preconditioner; /* NULL: none */
  nz_callback callback;                    /* NULL: none */
  void* callback_data;
  double* history;      /* NULL, or room for residuals, the initial one first */
  int64_t history_room; /* how many */
  void* stream;         /* work on it is waited for before the solver begins */
} nz_solve_options;
NZ_C_API nz_status nz_solve_options_init(nz_solve_options* options, size_t size);

typedef struct nz_solve_result {
  size_t size;
  nz_stop reason;
  /* 1 where x is what was asked for: NZ_CONVERGED, NZ_LEAST_SQUARES. Solvers of A x = b compute
   * b - A x before they say so: what a method carries along may be far smaller. */
  int32_t converged;
  int32_t iterations;
  int32_t replayed;       /* 1 where most of them were a CUDA graph */
  double residual;        /* the last one; that of x itself if converged, or NZ_STAGNATED */
  double seconds;         /* of the iterations alone */
  int64_t history_length; /* residuals that there were, perhaps more than there was room for */
  char message[256];      /* for people, one line */
} nz_solve_result;
NZ_C_API nz_status nz_solve_result_init(nz_solve_result* result, size_t size);

/* Solves A x = b from the x that it is given, by "cg", "bicg", "bicgstab", "qmr", "gmres" or
 * "lsqr". b and x lie in host memory or in that of the plan's device. NZ_OK says that the solver
 * ran; the result, which may be NULL, says how it ended. */
NZ_C_API nz_status nz_solve_f32(const nz_plan* plan, const char* method, const float* b, float* x,
                                const nz_solve_options* options, nz_solve_result* result);
NZ_C_API nz_status nz_solve_f64(const nz_plan* plan, const char* method, const double* b, double* x,
                                const nz_solve_options* options, nz_solve_result* result);

/* The largest eigenvalue of a real symmetric matrix, by Lanczos. It looks every 10 iterations where
 * check_every is 0; callback and history have one residual a look. */
NZ_C_API nz_status nz_largest_eigenvalue(const nz_plan* plan, double* value,
                                         const nz_solve_options* options, nz_solve_result* result);

typedef struct nz_walk_options {
  size_t size;
  double tolerance; /* of what the sum of |x| changes by; 1e-10 */
  double damping;   /* of PageRank; 0.85 */
  double laziness;  /* of stationary: the probability of staying; 0 */
  const void*
      personalisation;    /* of PageRank, of the plan's type, in host memory; NULL: all alike */
  int32_t max_iterations; /* 1000 */
  int32_t check_every;
  int32_t transposed; /* the plan is of the transpose; 0 */
  int32_t from_x;     /* begins with the x that is given, all of it at least 0, not all 0; 0 */
  nz_callback callback;
  void* callback_data;
  double* history;
  int64_t history_room;
  void* stream;
} nz_walk_options;
NZ_C_API nz_status nz_walk_options_init(nz_walk_options* options, size_t size);

/* PageRank of a graph with an edge, or a weight >= 0, from row to column, and the stationary
 * distribution x = x P of a Markov chain. x is made, and read only with from_x. */
NZ_C_API nz_status nz_pagerank_f32(const nz_plan* plan, float* x, const nz_walk_options* options,
                                   nz_solve_result* result);
NZ_C_API nz_status nz_pagerank_f64(const nz_plan* plan, double* x, const nz_walk_options* options,
                                   nz_solve_result* result);
/* PageRank with `count` personalisations at once, the columns of P: all are multiplied together,
 * and go on until the largest residual is within the tolerance. p_leading elements lie from one row
 * to the next (row by row) or from one column to the next (column by column); 0: no gaps; x
 * likewise. P lies in host memory, x there or, column by column, in that of the plan's device.
 * `personalisation` of the options is NULL. */
NZ_C_API nz_status nz_pagerank_several_f32(const nz_plan* plan, int32_t count, const float* p,
                                           nz_layout p_layout, int64_t p_leading, float* x,
                                           nz_layout x_layout, int64_t x_leading,
                                           const nz_walk_options* options, nz_solve_result* result);
NZ_C_API nz_status nz_pagerank_several_f64(const nz_plan* plan, int32_t count, const double* p,
                                           nz_layout p_layout, int64_t p_leading, double* x,
                                           nz_layout x_layout, int64_t x_leading,
                                           const nz_walk_options* options, nz_solve_result* result);
NZ_C_API nz_status nz_stationary_f32(const nz_plan* plan, float* x, const nz_walk_options* options,
                                     nz_solve_result* result);
NZ_C_API nz_status nz_stationary_f64(const nz_plan* plan, double* x, const nz_walk_options* options,
                                     nz_solve_result* result);

#ifdef __cplusplus
}
#endif

#include <nonzero/c/complex.h>
#include <nonzero/c/eigen.h>
#include <nonzero/c/wide.h>
