! A small matrix, multiplied both ways, and a system solved by conjugate gradients.
program fortran_multiply
  use, intrinsic :: iso_c_binding
  use nonzero
  implicit none
  integer(c_int32_t), parameter :: n = 100
  type(nz_matrix) :: matrix
  type(nz_plan) :: plan
  type(nz_preconditioner) :: fsai
  type(nz_result) :: result
  integer(c_int32_t) :: status, i, row(3*n), column(3*n), entries
  real(c_double) :: x(3), y(2), value(3*n), b(n), solution(n)

  ! 4  .  -1
  ! .  3   .
  call nz_matrix_csr(matrix, 2, 3, [1, 3, 4], [1, 3, 2], [4d0, -1d0, 3d0], status)
  call check
  call nz_plan_create(plan, matrix, status, op=nz_both)
  call check
  call nz_matrix_destroy(matrix)
  x = [1, 2, 3]
  call nz_multiply(plan, nz_none, 1d0, x, 0d0, y, status)       ! y = A x
  call check
  call nz_multiply(plan, nz_transpose, 2d0, y, 1d0, x, status)  ! x = x + 2 A' y
  call check
  print '(a, 2f8.2, a, 3f8.2)', nz_plan_kernel(plan)//': y =', y, ', x =', x
  if (any(abs(y - [1, 6]) > 0) .or. any(abs(x - [9, 38, 1]) > 0)) error stop 'wrong'
  call nz_plan_destroy(plan)

  ! A bar of n pieces: 2 on the diagonal and -1 beside it, entry by entry in any order.
  entries = 0
  do i = 1, n
    call add(i, i, 2d0)
    if (i > 1) call add(i, i - 1, -1d0)
    if (i < n) call add(i, i + 1, -1d0)
  end do
  call nz_matrix_coo(matrix, n, n, row(:entries), column(:entries), value(:entries), status)
  call check
  call nz_plan_create(plan, matrix, status)
  call check
  call nz_preconditioner_create(fsai, matrix, 'fsai', status)
  call check
  b = 1
  solution = 0
  call nz_solve(plan, 'cg', b, solution, status, result, tolerance=1d-10, preconditioner=fsai)
  call check
  print '(a, f10.2)', trim(result%message)//'; in the middle', solution(n/2)
  call nz_multiply(plan, nz_none, -1d0, solution, 1d0, b, status)  ! b - A x
  call check
  if (.not. result%converged .or. maxval(abs(b)) > 1d-6) error stop 'wrong'
  call nz_preconditioner_destroy(fsai)
  call nz_plan_destroy(plan)
  call nz_matrix_destroy(matrix)

contains

  subroutine check
    if (status /= nz_ok) error stop nz_status_name(status)//': '//nz_error()
  end subroutine

  subroutine add(i_row, i_column, v)
    integer(c_int32_t), intent(in) :: i_row, i_column
    real(c_double), intent(in) :: v
    entries = entries + 1
    row(entries) = i_row
    column(entries) = i_column
    value(entries) = v
  end subroutine
end program
