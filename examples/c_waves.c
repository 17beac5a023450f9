#include <nonzero/nonzero.h>
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Says what was wrong and ends the program. */
static void check(nz_status status) {
  if (status == NZ_OK) return;
  fprintf(stderr, "%s: %s\n", nz_status_name(status), nz_last_error());
  exit(1);
}

/* A string of n pieces, held at both ends: its deepest tones, and how it answers to a force that
 * moves to and fro between two of them, with some friction. */
int main(void) {
  enum { n = 200, tones = 4, place = 70 };
  static int32_t offsets[n + 1], columns[3 * n];
  static double stiffness[3 * n], modes[n * tones];
  static double complex driven[3 * n], force[n], answer[n], rest[n];
  int32_t nonzeros = 0;
  for (int32_t i = 0; i < n; ++i) {
    for (int32_t j = i - 1; j <= i + 1; ++j) {
      if (j < 0 || j >= n) continue;
      columns[nonzeros] = j;
      stiffness[nonzeros++] = i == j ? 2 : -1;
    }
    offsets[i + 1] = nonzeros;
  }

  /* The smallest eigenvalues are the squares of the deepest tones. */
  nz_matrix* matrix;
  nz_plan* plan;
  nz_preconditioner* factors;
  nz_solve_result result;
  nz_eigen_options eigen;
  double squares[tones];
  check(nz_solve_result_init(&result, sizeof result));
  check(nz_eigen_options_init(&eigen, sizeof eigen));
  check(nz_matrix_csr_f64_i32(&matrix, n, n, nonzeros, offsets, columns, stiffness, NZ_BORROW));
  check(nz_preconditioner_create(&factors, matrix, "ic0", NULL));
  eigen.preconditioner = factors;
  check(nz_plan_create(&plan, matrix, NULL));
  check(nz_lobpcg_f64(plan, tones, squares, modes, NZ_COLUMN_MAJOR, 0, &eigen, &result));
  printf("tones:");
  for (int k = 0; k < tones; ++k) printf(" %.6f", sqrt(squares[k]));
  printf(" (%s)\n", result.message);
  const double pi = acos(-1);
  int right = result.converged;
  for (int k = 0; k < tones; ++k) /* as the textbook has them */
    right = right && fabs(sqrt(squares[k]) - 2 * sin((k + 1) * pi / (2 * (n + 1)))) < 1e-9;
  nz_preconditioner_destroy(factors);
  nz_plan_destroy(plan);
  nz_matrix_destroy(matrix);

  /* (K - w^2 + i c w) u = f */
  const double w = (sqrt(squares[1]) + sqrt(squares[2])) / 2, friction = 0.01;
  for (int32_t i = 0; i < n; ++i) {
    for (int32_t e = offsets[i]; e < offsets[i + 1]; ++e)
      driven[e] = stiffness[e] - (columns[e] == i ? w * w - I * friction * w : 0);
    force[i] = rest[i] = i == place ? 1 : 0;
  }
  nz_solve_options options;
  check(nz_solve_options_init(&options, sizeof options));
  options.tolerance = 1e-10;
  options.restart = n;
  check(nz_matrix_csr_c128_i32(&matrix, n, n, nonzeros, offsets, columns, driven, NZ_BORROW));
  check(nz_plan_create(&plan, matrix, NULL));
  check(nz_solve_c128(plan, "gmres", force, answer, &options, &result));
  const double complex minus = -1, one = 1;
  check(nz_multiply_c128(plan, NZ_NONE, &minus, answer, &one, rest, NULL)); /* f - A u */
  double worst = 0;
  for (int32_t i = 0; i < n; ++i) worst = fmax(worst, cabs(rest[i]));
  printf("driven at %.6f: %.3f where the force is, largest residual %.1e\n", w, cabs(answer[place]),
         worst);
  nz_plan_destroy(plan);
  nz_matrix_destroy(matrix);
  return right && result.converged && worst < 1e-8 ? 0 : 1;
}
