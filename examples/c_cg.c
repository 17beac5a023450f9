#include <nonzero/nonzero.h>
#include <stdio.h>
#include <stdlib.h>

/* Says what was wrong and ends the program. */
static void check(nz_status status) {
  if (status == NZ_OK) return;
  fprintf(stderr, "%s: %s\n", nz_status_name(status), nz_last_error());
  exit(1);
}

/* A bar of n pieces, both ends held at 0, heated everywhere alike: the matrix has 2 on its
 * diagonal and -1 beside it. */
int main(void) {
  enum { n = 1000 };
  static int32_t offsets[n + 1], columns[3 * n];
  static double values[3 * n], b[n], x[n], r[n];
  int32_t nonzeros = 0;
  for (int32_t i = 0; i < n; ++i) {
    for (int32_t j = i - 1; j <= i + 1; ++j) {
      if (j < 0 || j >= n) continue;
      columns[nonzeros] = j;
      values[nonzeros++] = i == j ? 2 : -1;
    }
    offsets[i + 1] = nonzeros;
    b[i] = 1;
  }

  nz_matrix* matrix;
  nz_plan* plan;
  nz_preconditioner* jacobi;
  check(nz_matrix_csr_f64_i32(&matrix, n, n, nonzeros, offsets, columns, values, NZ_BORROW));
  check(nz_plan_create(&plan, matrix, NULL)); /* prepare once */
  check(nz_preconditioner_jacobi(&jacobi, matrix, 1, "cpu"));

  nz_solve_options options;
  nz_solve_result result;
  check(nz_solve_options_init(&options, sizeof options));
  check(nz_solve_result_init(&result, sizeof result));
  options.tolerance = 1e-10;
  options.preconditioner = jacobi;
  check(nz_solve_f64(plan, "cg", b, x, &options, &result));
  printf("%s after %d iterations: %s\n", nz_plan_kernel(plan), (int)result.iterations,
         result.message);

  for (int32_t i = 0; i < n; ++i) r[i] = b[i];
  check(nz_multiply_f64(plan, NZ_NONE, -1, x, 1, r, NULL)); /* r = b - A x */
  double worst = 0;
  for (int32_t i = 0; i < n; ++i) worst = r[i] > worst ? r[i] : -r[i] > worst ? -r[i] : worst;
  printf("in the middle %g, largest residual %g\n", x[n / 2], worst);

  nz_preconditioner_destroy(jacobi);
  nz_plan_destroy(plan);
  nz_matrix_destroy(matrix);
  return result.converged && worst < 1e-6 ? 0 : 1;
}
