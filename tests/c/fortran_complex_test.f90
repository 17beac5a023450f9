! Complex numbers and eigenpairs in the Fortran module: both kinds, all ops, columns of arrays,
! lengths that are checked. Ends with an error where a check fails.
program fortran_complex_test
  use, intrinsic :: iso_c_binding
  use nonzero
  use fortran_checks
  implicit none

  call random_init(.false., .false.)
  call small_c64
  call small_c128
  call drawn_products
  call files
  call solvers
  call eigenpairs
  call refusals
  call expect_more_than(150)

contains

  ! i  2  .
  ! .  . 3-i
  subroutine expect_small_c64(m)
    type(nz_matrix), intent(inout) :: m
    type(nz_plan) :: plan
    complex(c_float_complex) :: x(3), y(2), z(3)
    call expect_ok('a matrix of complex float')
    call expect(nz_matrix_rows(m) == 2 .and. nz_matrix_columns(m) == 3, 'its shape')
    call nz_plan_create(plan, m, status, op=nz_both)
    call expect_ok('a plan of complex float')
    call nz_matrix_destroy(m)
    x = [(1.0, 1.0), (0.0, 0.5), (2.0, 0.0)]
    y = (9.0, 9.0)
    call nz_multiply(plan, nz_none, (1.0, 0.0), x, (0.0, 0.0), y, status)
    call expect_ok('a product of complex float')
    call expect(all(abs(y - [(-1.0, 2.0), (6.0, -2.0)]) <= 0), 'the product of complex float')
    z = 0
    call nz_multiply(plan, nz_conjugate_transpose, (1.0, 0.0), [(1.0, 0.0), (0.0, 1.0)], &
                     (1.0, 0.0), z, status)
    call expect_ok('a conjugate transpose of complex float')
    call expect(all(abs(z - [(0.0, -1.0), (2.0, 0.0), (-1.0, 3.0)]) <= 0), 'its product')
    call nz_plan_destroy(plan)
  end subroutine

  subroutine expect_small_c128(m)
    type(nz_matrix), intent(inout) :: m
    type(nz_plan) :: plan
    complex(c_double_complex) :: y(2), z(3)
    call expect_ok('a matrix of complex double')
    call nz_plan_create(plan, m, status, op=nz_conjugate_transpose)
    call expect_ok('a plan of complex double')
    call expect(index(nz_plan_explain(plan), nz_plan_kernel(plan)) > 0, 'an explanation')
    call nz_matrix_destroy(m)
    z = 1
    y = [(1d0, 0d0), (0d0, 1d0)]
    call nz_multiply(plan, nz_transpose, (0d0, 1d0), y, (-1d0, 0d0), z, status)
    call expect_ok('a transpose of complex double')
    call expect(all(abs(z - [(-2d0, 0d0), (-1d0, 2d0), (-4d0, 1d0)]) <= 0), 'its product')
    call nz_plan_destroy(plan)
  end subroutine

  subroutine small_c64
    type(nz_matrix) :: m
    complex(c_float_complex), parameter :: v(3) = [(0.0, 1.0), (2.0, 0.0), (3.0, -1.0)]
    call nz_matrix_csr(m, 2, 3, [1, 3, 4], [1, 2, 3], v, status)
    call expect_small_c64(m)
    call nz_matrix_csr(m, 2, 3, int([0, 2, 3], c_int64_t), [0, 1, 2], v, status, base=0)
    call expect_small_c64(m)
    call nz_matrix_csc(m, 2, 3, [1, 2, 3, 4], [1, 1, 2], v, status)
    call expect_small_c64(m)
    call nz_matrix_csc(m, 2, 3, int([1, 2, 3, 4], c_int64_t), [1, 1, 2], v, status)
    call expect_small_c64(m)
    call nz_matrix_coo(m, 2, 3, [2, 1, 1], [3, 2, 1], v(3:1:-1), status)
    call expect_small_c64(m)
  end subroutine

  subroutine small_c128
    type(nz_matrix) :: m
    complex(c_double_complex), parameter :: v(3) = [(0d0, 1d0), (2d0, 0d0), (3d0, -1d0)]
    call nz_matrix_csr(m, 2, 3, [1, 3, 4], [1, 2, 3], v, status)
    call expect_small_c128(m)
    call nz_matrix_csr(m, 2, 3, int([1, 3, 4], c_int64_t), [1, 2, 3], v, status)
    call expect_small_c128(m)
    call nz_matrix_csc(m, 2, 3, [0, 1, 2, 3], [0, 0, 1], v, status, base=0)
    call expect_small_c128(m)
    call nz_matrix_csc(m, 2, 3, int([1, 2, 3, 4], c_int64_t), [1, 1, 2], v, status)
    call expect_small_c128(m)
    call nz_matrix_coo(m, 2, 3, [2, 1, 1], [3, 2, 1], v(3:1:-1), status)
    call expect_small_c128(m)
    call nz_matrix_coo(m, 2, 3, [2, 1], [3, 2, 1], v, status)
    call expect_refused('differ in length', 'entries without rows')
  end subroutine

  subroutine draw(z)
    complex(c_double_complex), intent(out) :: z(:)
    real(c_double) :: re(size(z)), im(size(z))
    call random_number(re)
    call random_number(im)
    z = cmplx(re - 0.5d0, im - 0.5d0, c_double_complex)
  end subroutine

  ! A dense matrix, against what Fortran has for it: one vector and columns of arrays.
  subroutine drawn_products
    integer(c_int32_t), parameter :: rows = 7, columns = 5
    integer(c_int32_t), parameter :: ops(4) = [nz_none, nz_transpose, nz_conjugate_transpose, &
                                               nz_conjugate]
    type(nz_matrix) :: m
    type(nz_plan) :: plan
    complex(c_double_complex) :: v(rows*columns), a(rows, columns), s(2)
    complex(c_double_complex), allocatable :: b(:, :), x(:, :), y(:, :), before(:, :)
    integer(c_int32_t) :: i, j
    call draw(v)
    call draw(s)
    a = reshape(v, [rows, columns])
    call nz_matrix_coo(m, rows, columns, [((i, i=1, rows), j=1, columns)], &
                       [((j, i=1, rows), j=1, columns)], v, status)
    call expect_ok('a drawn matrix')
    call nz_plan_create(plan, m, status, op=nz_both, vectors=3)
    call expect_ok('its plan')
    do i = 1, size(ops)
      b = a
      if (ops(i) == nz_transpose) b = transpose(a)
      if (ops(i) == nz_conjugate_transpose) b = conjg(transpose(a))
      if (ops(i) == nz_conjugate) b = conjg(a)
      allocate (x(size(b, 2), 3), y(2*size(b, 1), 3))
      do j = 1, 3
        call draw(x(:, j))
        call draw(y(:, j))
      end do
      before = y
      ! Every second row of y.
      call nz_multiply(plan, ops(i), s(1), x, s(2), y(::2, :), status)
      call expect_ok('columns of complex double')
      call expect(maxval(abs(y(::2, :) - s(1)*matmul(b, x) - s(2)*before(::2, :))) < 1d-14, &
                  'their product')
      call expect(all(abs(y(2::2, :) - before(2::2, :)) <= 0), 'what lies between')
      y(:, 1) = before(:, 1)
      call nz_multiply(plan, ops(i), s(1), x(:, 1), s(2), y(::2, 1), status)
      call expect_ok('a vector of complex double')
      call expect(maxval(abs(y(::2, 1) - s(1)*matmul(b, x(:, 1)) - s(2)*before(::2, 1))) < 1d-14, &
                  'its product')
      deallocate (x, y)
    end do
    v = v*(0d0, 2d0)
    call nz_matrix_destroy(m)
    call nz_matrix_coo(m, rows, columns, [((i, i=1, rows), j=1, columns)], &
                       [((j, i=1, rows), j=1, columns)], v, status)
    call nz_plan_update_values(plan, m, status)
    call expect_ok('new complex values')
    allocate (x(columns, 1), y(rows, 1))
    call draw(x(:, 1))
    y = 99
    call nz_multiply(plan, nz_none, (1d0, 0d0), x, (0d0, 0d0), y, status)
    call expect(maxval(abs(y - (0d0, 2d0)*matmul(a, x))) < 1d-14, 'a product with them')
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)
  end subroutine

  subroutine files
    type(nz_matrix) :: m
    character(*), parameter :: path = 'fortran_complex_test.mtx'
    integer :: unit
    call nz_matrix_csr(m, 2, 3, [1, 3, 4], [1, 2, 3], [(0d0, 1d0), (2d0, 0d0), (3d0, -1d0)], &
                       status)
    call nz_matrix_write(m, path, status)
    call expect_ok('a complex file that is written')
    call nz_matrix_destroy(m)
    call nz_matrix_read(m, path, nz_c128, status)
    call expect_small_c128(m)
    call nz_matrix_read(m, path, nz_c64, status)
    call expect_small_c64(m)
    open (newunit=unit, file=path)
    close (unit, status='delete')
  end subroutine

  ! -exp(i phase) beside 2.2 on the diagonal: Hermitian where shift is 0.
  subroutine chain(n, shift, m)
    integer(c_int32_t), intent(in) :: n
    real(c_double), intent(in) :: shift
    type(nz_matrix), intent(out) :: m
    complex(c_double_complex) :: right
    integer(c_int32_t) :: i
    right = -exp((0d0, 0.7d0))
    call nz_matrix_coo(m, n, n, [(i, i=1, n), (i, i=1, n - 1), (i + 1, i=1, n - 1)], &
                       [(i, i=1, n), (i + 1, i=1, n - 1), (i, i=1, n - 1)], &
                       [(cmplx(2.2d0, shift, c_double_complex), i=1, n), (right, i=1, n - 1), &
                        (conjg(right), i=1, n - 1)], status)
    call expect_ok('a chain')
  end subroutine

  subroutine solvers
    integer(c_int32_t), parameter :: n = 40
    type(nz_matrix) :: m
    type(nz_plan) :: plan
    type(nz_result) :: r
    complex(c_double_complex) :: b(n), x(n), rest(n)
    complex(c_float_complex) :: y(2)
    real(c_double) :: history(500)
    character(8) :: methods(3) = [character(8) :: 'cg', 'bicgstab', 'gmres']
    integer :: i
    call draw(b)
    do i = 1, 3
      call chain(n, merge(0d0, 0.9d0, i == 1), m)
      call nz_plan_create(plan, m, status)
      x = 0
      history = -1
      call nz_solve(plan, methods(i), b, x, status, r, tolerance=1d-9, max_iterations=400, &
                    restart=40, history=history)
      call expect_ok(methods(i))
      call expect(r%converged .and. r%reason == nz_converged, methods(i)//trim(r%message))
      call expect(abs(history(r%iterations + 1) - r%residual) <= 0, 'its history')
      rest = b
      call nz_multiply(plan, nz_none, (-1d0, 0d0), x, (1d0, 0d0), rest, status)
      call expect(maxval(abs(rest)) < 1d-7, 'a solution')
      if (i > 1) then
        call nz_solve(plan, 'cg', b, x, status, r)
        call expect(status == nz_ok .and. r%reason == nz_not_symmetric, 'not Hermitian')
      end if
      call nz_plan_destroy(plan)
      call nz_matrix_destroy(m)
    end do
    call nz_matrix_csr(m, 2, 2, [1, 2, 3], [1, 2], [(0.0, 2.0), (4.0, 0.0)], status)
    call nz_plan_create(plan, m, status)
    y = 0
    call nz_solve(plan, 'gmres', [(2.0, 0.0), (0.0, 4.0)], y, status, r, tolerance=1d-6)
    call expect(r%converged .and. maxval(abs(y - [(0.0, -1.0), (0.0, 1.0)])) < 1e-5, &
                'GMRES of complex float')
    call nz_solve(plan, 'lsqr', [(2.0, 0.0), (0.0, 4.0)], y, status, r)
    call expect_refused("'lsqr'; there are cg, bicgstab, gmres", 'no such solver')
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)
  end subroutine

  subroutine eigenpairs
    integer(c_int32_t), parameter :: n = 40, k = 3
    real(c_double), parameter :: pi = acos(-1d0)
    type(nz_matrix) :: m
    type(nz_plan) :: plan
    type(nz_preconditioner) :: factors
    type(nz_result) :: r
    real(c_double) :: values(k), x(n, k), residuals(k), history(1000), product(n, k), angles(k, k)
    real(c_float) :: y(4, 2)
    integer(c_int32_t) :: i, j
    call bar(n, m)
    call nz_plan_create(plan, m, status, vectors=k)
    call nz_preconditioner_create(factors, m, 'ic0', status)
    do j = 0, 1
      values = -1
      residuals = -1
      x = 99
      if (j == 0) then
        call nz_lobpcg(plan, values, x, status, r, tolerance=1d-10, max_iterations=500, guard=2, &
                       preconditioner=factors, residuals=residuals, history=history)
      else
        call nz_lobpcg(plan, values, x, status, r, tolerance=1d-10, largest=.true., &
                       residuals=residuals, history=history)
      end if
      call expect_ok('eigenpairs')
      call expect(r%converged, 'eigenpairs: '//trim(r%message))
      call expect(all(residuals >= 0 .and. residuals <= 1d-10), 'their residuals')
      call expect(abs(history(r%iterations + 1) - r%residual) <= 0, 'their history')
      call expect(maxval(abs(values - [(2 - 2*cos(merge(i, n + 1 - i, j == 0)*pi/(n + 1)), &
                                        i=1, k)])) < 1d-8, 'the eigenvalues of a bar')
      call nz_multiply(plan, nz_none, 1d0, x, 0d0, product, status)
      do i = 1, k
        call expect(norm2(product(:, i) - values(i)*x(:, i)) < 1d-8, 'an eigenvector')
      end do
      angles = matmul(transpose(x), x)
      do i = 1, k
        angles(i, i) = angles(i, i) - 1
      end do
      call expect(maxval(abs(angles)) < 1d-8, 'right angles')
    end do
    call nz_lobpcg(plan, values, x, status, r, tolerance=1d-10, largest=.true., from_x=.true.)
    call expect(r%converged .and. r%iterations <= 1, 'a start that is the end')
    call nz_lobpcg(plan, values(:2), x, status)
    call expect_refused('values has 2 elements, x has 3 columns', 'too few values')
    call nz_lobpcg(plan, values, x(:n - 1, :), status)
    call expect_refused('needs 40', 'short columns')
    call nz_lobpcg(plan, values, x, status, residuals=residuals(:2))
    call expect_refused('residuals has 2', 'too few residuals')
    call nz_lobpcg(plan, values(:0), x(:, :0), status)
    call expect_refused('count is 0', 'no pairs')
    call nz_preconditioner_destroy(factors)
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)
    call nz_matrix_csr(m, 4, 4, [1, 2, 3, 4, 5], [1, 2, 3, 4], [4.0, 3.0, 2.0, 1.0], status)
    call nz_plan_create(plan, m, status)
    call nz_lobpcg(plan, values(:2), y, status, r, tolerance=1d-5)
    call expect_ok('eigenpairs of float')
    call expect(r%converged .and. maxval(abs(values(:2) - [1, 2])) < 1d-4, 'their values')
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)
  end subroutine

  subroutine refusals
    type(nz_matrix) :: m
    type(nz_plan) :: plan, none
    type(nz_preconditioner) :: jacobi
    complex(c_double_complex) :: x(3), y(2), z(3, 2)
    real(c_double) :: real_x(3), real_y(2), values(1), vectors(1, 1)
    x = 1
    y = 1
    z = 1
    real_x = 1
    call nz_matrix_csr(m, 2, 3, [1, 3, 4], [1, 2, 3], [(0d0, 1d0), (2d0, 0d0), (3d0, -1d0)], &
                       status)
    call nz_plan_create(plan, m, status)
    call nz_multiply(plan, nz_none, (1d0, 0d0), x(:2), (0d0, 0d0), y, status)
    call expect_refused('x has 2 elements, needs 3', 'a short x')
    call nz_multiply(plan, nz_conjugate_transpose, (1d0, 0d0), x, (0d0, 0d0), y, status)
    call expect_refused('x has 3 elements, needs 2', 'x and y the other way round')
    call nz_multiply(plan, nz_none, (1d0, 0d0), z, (0d0, 0d0), z(:2, :1), status)
    call expect_refused('x has 2 columns, y has 1', 'fewer columns')
    call nz_multiply(plan, nz_none, 1d0, real_x, 0d0, real_y, status)
    call expect_refused('plan is of complex double, not of double', 'real vectors')
    call nz_preconditioner_jacobi(jacobi, m, status)
    call expect_refused('real numbers', 'a complex preconditioner')
    call nz_multiply(none, nz_none, (1d0, 0d0), x, (0d0, 0d0), y, status)
    call expect_refused('plan is NULL', 'a product of nothing')
    call nz_lobpcg(none, values, vectors, status)
    call expect_refused('plan is NULL', 'eigenpairs of nothing')
    call expect(all(abs(y - 1) <= 0), 'what was refused changed nothing')
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)
  end subroutine
end program
