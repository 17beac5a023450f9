#include "c/c99.h"

#include <string.h>

#include <nonzero/nonzero.h>

/* What only a C compiler can say: that the header is C99, and that its structs and handles are used
 * as C programs use them. Returns the number of the first check that fails, 0 for none. */
int c99_round_trip(void) {
  static const int32_t offsets[] = {0, 2, 2, 5}, columns[] = {0, 1, 1, 2, 3};
  static const double values[] = {1, 2, 3, -4, 5}, x[] = {1, 1, 1, 1};
  double y[3] = {9, 9, 9};
  char text[64];
  nz_matrix* matrix = NULL;
  nz_plan* plan = NULL;
  nz_plan_options options;
  if (nz_plan_options_init(&options, sizeof options) != NZ_OK) return 1;
  if (options.size != sizeof options || options.effort != NZ_BALANCED) return 2;
  options.effort = NZ_INSTANT;
  options.op = NZ_BOTH;
  options.threads = 1;
  if (nz_matrix_csr_f64_i32(&matrix, 3, 4, 5, offsets, columns, values, NZ_COPY) != NZ_OK) return 3;
  if (nz_plan_create(&plan, matrix, &options) != NZ_OK) return 4;
  nz_matrix_destroy(matrix);
  if (nz_multiply_f64(plan, NZ_NONE, 1, x, 0, y, NULL) != NZ_OK) return 5;
  if (y[0] != 3 || y[1] != 0 || y[2] != 4) return 6;
  if (nz_multiply_f32(plan, NZ_NONE, 1, NULL, 0, NULL, NULL) != NZ_INVALID_ARGUMENT) return 7;
  if (strcmp(nz_status_name(NZ_INVALID_ARGUMENT), "invalid argument") != 0) return 8;
  if (strstr(nz_last_error(), "double") == NULL) return 9;
  if (nz_plan_explain(plan, text, sizeof text) <= 0 || strlen(text) == 0) return 10;
  nz_plan_destroy(plan);
  return 0;
}

/* Complex numbers as C has them, without <complex.h>: i comes from parts. */
int c99_complex(void) {
  static const int32_t offsets[] = {0, 1, 3}, columns[] = {1, 0, 1};
  static const double parts[] = {0, 1, 2, 0, 3, -1}; /* i; 2, 3 - i */
  static const double ones[] = {1, 0, 1, 0}, h[] = {2, 0, 3, 0};
  nz_c128 values[3], x[2], y[2], factors[2];
  double result[4];
  nz_matrix* matrix = NULL;
  nz_plan* plan = NULL;
  if (sizeof(nz_c64) != 2 * sizeof(float) || sizeof(nz_c128) != 2 * sizeof(double)) return 1;
  memcpy(values, parts, sizeof values);
  memcpy(x, ones, sizeof x);
  memset(factors, 0, sizeof factors);
  factors[0] = 1;
  memset(y, 0xff, sizeof y); /* NaN, which beta = 0 does not read */
  if (nz_matrix_csr_c128_i32(&matrix, 2, 2, 3, offsets, columns, values, NZ_COPY) != NZ_OK)
    return 2;
  if (nz_matrix_type(matrix) != NZ_C128) return 3;
  if (nz_plan_create(&plan, matrix, NULL) != NZ_OK) return 4;
  nz_matrix_destroy(matrix);
  if (nz_multiply_c128(plan, NZ_CONJUGATE_TRANSPOSE, &factors[0], x, &factors[1], y, NULL) != NZ_OK)
    return 5;
  memcpy(result, y, sizeof result); /* 2 and -i + 3 + i */
  for (int i = 0; i < 4; ++i)
    if (result[i] != h[i]) return 6;
  if (nz_multiply_c64(plan, NZ_NONE, NULL, NULL, NULL, NULL, NULL) != NZ_INVALID_ARGUMENT) return 7;
  if (strstr(nz_last_error(), "complex double") == NULL) return 8;
  nz_plan_destroy(plan);
  return 0;
}

/* How C lays out the structs, for comparison with C++: sizes and last members. */
size_t c99_layout(int which) {
  switch (which) {
    case 0:
      return sizeof(nz_plan_options);
    case 1:
      return offsetof(nz_plan_options, layout);
    case 2:
      return sizeof(nz_solve_options);
    case 3:
      return offsetof(nz_solve_options, stream);
    case 4:
      return sizeof(nz_solve_result);
    case 5:
      return offsetof(nz_solve_result, message);
    case 6:
      return sizeof(nz_walk_options);
    case 7:
      return offsetof(nz_walk_options, stream);
    case 8:
      return sizeof(nz_eigen_options);
    default:
      return offsetof(nz_eigen_options, stream);
  }
}
