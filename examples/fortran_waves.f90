! A string, held at both ends: its deepest tones, and how it answers to a force that moves to and fro
! between two of them, with some friction.
program fortran_waves
  use, intrinsic :: iso_c_binding
  use nonzero
  implicit none
  integer(c_int32_t), parameter :: n = 200, tones = 4, place = 70
  real(c_double), parameter :: pi = acos(-1d0), friction = 0.01d0
  complex(c_double_complex), parameter :: one = (1d0, 0d0)
  type(nz_matrix) :: matrix
  type(nz_plan) :: plan
  type(nz_preconditioner) :: factors
  type(nz_result) :: result
  integer(c_int32_t) :: status, i, row(3*n - 2), column(3*n - 2)
  real(c_double) :: stiffness(3*n - 2), squares(tones), modes(n, tones), w
  complex(c_double_complex) :: driven(3*n - 2), force(n), answer(n)

  ! 2 on the diagonal and -1 beside it.
  row = [(i, i=1, n), (i, i=1, n - 1), (i + 1, i=1, n - 1)]
  column = [(i, i=1, n), (i + 1, i=1, n - 1), (i, i=1, n - 1)]
  stiffness = [(2d0, i=1, n), (-1d0, i=1, 2*(n - 1))]
  call nz_matrix_coo(matrix, n, n, row, column, stiffness, status)
  call check
  call nz_plan_create(plan, matrix, status)
  call check
  call nz_preconditioner_create(factors, matrix, 'ic0', status)
  call check
  ! The smallest eigenvalues are the squares of the deepest tones.
  call nz_lobpcg(plan, squares, modes, status, result, preconditioner=factors)
  call check
  print '(a, 4f10.6)', 'tones:', sqrt(squares)
  if (.not. result%converged) error stop 'no tones'
  if (any(abs(sqrt(squares) - [(2*sin(i*pi/(2*(n + 1))), i=1, tones)]) > 1d-9)) error stop 'wrong'
  call nz_preconditioner_destroy(factors)
  call nz_plan_destroy(plan)
  call nz_matrix_destroy(matrix)

  ! (K - w**2 + i c w) u = f
  w = (sqrt(squares(2)) + sqrt(squares(3)))/2
  driven = cmplx(stiffness, 0, c_double_complex)
  driven(:n) = driven(:n) - cmplx(w**2, -friction*w, c_double_complex)
  call nz_matrix_coo(matrix, n, n, row, column, driven, status)
  call check
  call nz_plan_create(plan, matrix, status)
  call check
  force = 0
  force(place) = 1
  answer = 0
  call nz_solve(plan, 'gmres', force, answer, status, result, tolerance=1d-10, restart=n)
  call check
  call nz_multiply(plan, nz_none, -one, answer, one, force, status)  ! f - A u
  call check
  print '(a, f9.6, a, f9.3)', 'driven at', w, ':', abs(answer(place))
  if (.not. result%converged .or. maxval(abs(force)) > 1d-8) error stop 'wrong'
  call nz_plan_destroy(plan)
  call nz_matrix_destroy(matrix)

contains

  subroutine check
    if (status /= nz_ok) error stop nz_status_name(status)//': '//nz_error()
  end subroutine
end program
