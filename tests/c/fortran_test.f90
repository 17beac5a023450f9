! What the Fortran module adds to the C interface: generic names, both types, both kinds of offsets,
! arrays that count from 1 or from 0, columns of arrays, lengths that are checked, optional
! arguments. Ends with an error where a check fails.
program fortran_test
  use, intrinsic :: iso_c_binding
  use nonzero
  use fortran_checks
  implicit none

  call matrices_f32
  call matrices_f64
  call offsets_that_are_wrong
  call plans
  call products_f32
  call products_f64
  call solvers_f32
  call solvers_f64
  call preconditioners
  call walks
  call wide_plans
  call nothing
  call expect_more_than(220)

contains

  ! 1  2  .  .
  ! .  .  .  .
  ! .  3 -4  5
  subroutine expect_small_f32(matrix)
    type(nz_matrix), intent(inout) :: matrix
    type(nz_plan) :: plan
    real(c_float) :: y(3)
    call expect_ok('a matrix of float')
    call expect(nz_matrix_rows(matrix) == 3 .and. nz_matrix_columns(matrix) == 4, 'the shape')
    call expect(nz_matrix_nonzeros(matrix) == 5_c_int64_t, 'five entries')
    call nz_plan_create(plan, matrix, status, effort=nz_instant)
    call expect_ok('a plan of float')
    call nz_matrix_destroy(matrix)
    y = 9
    call nz_multiply(plan, nz_none, 1.0, [1.0, 10.0, 100.0, 1000.0], 0.0, y, status)
    call expect_ok('a product of float')
    call expect(all(abs(y - [21.0, 0.0, 4630.0]) <= 0), 'the product of float')
    call nz_plan_destroy(plan)
  end subroutine

  subroutine expect_small_f64(matrix)
    type(nz_matrix), intent(inout) :: matrix
    type(nz_plan) :: plan
    real(c_double) :: y(4)
    call expect_ok('a matrix of double')
    call nz_plan_create(plan, matrix, status, op=nz_transpose)
    call expect_ok('a plan of double')
    call nz_matrix_destroy(matrix)
    y = 1
    call nz_multiply(plan, nz_transpose, 2d0, [1d0, 10d0, 100d0], -1d0, y, status)
    call expect_ok('a transposed product of double')
    call expect(all(abs(y - [1d0, 603d0, -801d0, 999d0]) <= 0), 'the transposed product of double')
    call nz_plan_destroy(plan)
  end subroutine

  subroutine matrices_f32
    type(nz_matrix) :: m
    real(c_float), parameter :: v(5) = [1.0, 2.0, 3.0, -4.0, 5.0]
    call nz_matrix_csr(m, 3, 4, [1, 3, 3, 6], [1, 2, 2, 3, 4], v, status)
    call expect_small_f32(m)
    call nz_matrix_csr(m, 3, 4, [1_c_int64_t, 3_c_int64_t, 3_c_int64_t, 6_c_int64_t], &
                       [1, 2, 2, 3, 4], v, status)
    call expect_small_f32(m)
    call nz_matrix_csr(m, 3, 4, [0, 2, 2, 5], [0, 1, 1, 2, 3], v, status, base=0)
    call expect_small_f32(m)
    call nz_matrix_csc(m, 3, 4, [1, 2, 4, 5, 6], [1, 1, 3, 3, 3], v, status)
    call expect_small_f32(m)
    call nz_matrix_csc(m, 3, 4, int([0, 1, 3, 4, 5], c_int64_t), [0, 0, 2, 2, 2], v, status, 0)
    call expect_small_f32(m)
    call nz_matrix_coo(m, 3, 4, [3, 3, 3, 1, 1], [4, 3, 2, 2, 1], v(5:1:-1), status)
    call expect_small_f32(m)
    ! Room for more entries than there are, and every second element of an array.
    call nz_matrix_csr(m, 3, 4, [1, 3, 3, 6], [1, 2, 2, 3, 4, 99, 99], [v, 9.0, 9.0], status)
    call expect_small_f32(m)
  end subroutine

  subroutine matrices_f64
    type(nz_matrix) :: m
    real(c_double), parameter :: v(5) = [1d0, 2d0, 3d0, -4d0, 5d0]
    real(c_double) :: apart(10)
    character(*), parameter :: path = 'fortran_test.mtx'
    integer :: unit
    call nz_matrix_csr(m, 3, 4, [1, 3, 3, 6], [1, 2, 2, 3, 4], v, status)
    call expect_small_f64(m)
    call nz_matrix_csr(m, 3, 4, int([1, 3, 3, 6], c_int64_t), [1, 2, 2, 3, 4], v, status)
    call expect_small_f64(m)
    call nz_matrix_csc(m, 3, 4, [1, 2, 4, 5, 6], [1, 1, 3, 3, 3], v, status)
    call expect_small_f64(m)
    call nz_matrix_csc(m, 3, 4, int([1, 2, 4, 5, 6], c_int64_t), [1, 1, 3, 3, 3], v, status)
    call expect_small_f64(m)
    apart = 99
    apart(::2) = v
    call nz_matrix_coo(m, 3, 4, [0, 0, 2, 2, 2], [0, 1, 1, 2, 3], apart(::2), status, base=0)
    call expect_ok('entries of double')
    call nz_matrix_write(m, path, status)
    call expect_ok('a file that is written')
    call expect_small_f64(m)
    call nz_matrix_read(m, path, nz_f64, status)
    call expect_small_f64(m)
    open (newunit=unit, file=path)
    close (unit, status='delete')
    call nz_matrix_read(m, path, nz_f64, status)
    call expect(status /= nz_ok .and. index(nz_error(), path) > 0, 'no file to be read')
  end subroutine

  subroutine offsets_that_are_wrong
    type(nz_matrix) :: m
    real(c_double), parameter :: v(2) = [1d0, 2d0]
    call nz_matrix_csr(m, 2, 2, [1, 2], [1, 2], v, status)
    call expect_refused('offsets has 2 elements, needs 3', 'too few offsets')
    call nz_matrix_csr(m, -1, 2, [1, 2], [1, 2], v, status)
    call expect_refused('offsets', 'fewer than no rows')
    call nz_matrix_csr(m, 2, 2, [1, 2, 4], [1, 2], v, status)
    call expect_refused('offsets end with entry 4', 'offsets beyond the arrays')
    call nz_matrix_csr(m, 2, 2, [0, 1, 2], [1, 2], v, status)
    call expect(status == nz_invalid_argument, 'offsets from 0 taken for those from 1')
    call nz_matrix_csr(m, 2, 2, [1, 2, 3], [1, 3], v, status)
    call expect(status == nz_invalid_argument, 'a column that is not there')
    call nz_matrix_csr(m, 2, 2, [1, 3, 2], [1, 2], v, status)
    call expect(status == nz_invalid_argument, 'offsets that fall')
    call nz_matrix_csc(m, 2, 2, [1, 2], [1, 2], v, status)
    call expect_refused('offsets has 2 elements, needs 3', 'too few offsets of columns')
    call nz_matrix_coo(m, 2, 2, [1, 2], [1], v, status)
    call expect_refused('differ in length', 'entries without columns')
    call expect(.not. c_associated(m%handle), 'no handle where there is an error')
  end subroutine

  subroutine plans
    type(nz_matrix) :: m, twice
    type(nz_plan) :: plan
    real(c_double) :: y(4)
    integer(c_int32_t) :: before
    call expect(index(nz_version(), '.') > 0, 'a version')
    before = nz_threads()
    call nz_set_threads(2, status)
    call expect(nz_threads() == 2, 'two threads')
    call nz_set_threads(before, status)
    call nz_device_check('cpu', status)
    call expect_ok('a CPU')
    call nz_device_check('abacus', status)
    call expect_refused("'abacus'", 'an unknown device')
    call bar(4, m)
    call nz_plan_create(plan, m, status, device='cpu', kernel='cpu/bsr/serial', &
                        parameters='block_rows=2,block_cols=2', op=nz_both, effort=nz_balanced, &
                        threads=1, memory_limit=1000000_c_int64_t, deterministic=.true., &
                        store_transpose=.false.)
    call expect_ok('a plan with all options')
    call expect(nz_plan_kernel(plan) == 'cpu/bsr/serial', 'the kernel asked for')
    call expect(nz_plan_device(plan) == 'cpu', 'the device asked for')
    call expect(nz_plan_rows(plan) == 4 .and. nz_plan_columns(plan) == 4, 'the shape of a plan')
    call expect(nz_plan_nonzeros(plan) == 10_c_int64_t, 'ten entries')
    call expect(nz_plan_bytes(plan) > 0, 'bytes')
    call expect(index(nz_plan_explain(plan), 'cpu/bsr/serial') > 0, 'an explanation')
    call nz_matrix_coo(twice, 4, 4, [1, 2, 3, 4, 1, 2, 3, 2, 3, 4], &
                       [1, 2, 3, 4, 2, 3, 4, 1, 2, 3], [4d0, 4d0, 4d0, 4d0, -2d0, -2d0, -2d0, &
                                                       -2d0, -2d0, -2d0], status)
    call nz_plan_update_values(plan, twice, status)
    call expect_ok('new values')
    call nz_multiply(plan, nz_none, 1d0, [1d0, 1d0, 1d0, 1d0], 0d0, y, status)
    call expect(all(abs(y - [2d0, 0d0, 0d0, 2d0]) <= 0), 'a product with the new values')
    call nz_plan_destroy(plan)
    call nz_plan_create(plan, m, status, kernel='cpu/csr/seriel')
    call expect_refused('cpu/csr/serial', 'an unknown kernel')
    call nz_plan_create(plan, m, status, device='cuda:99')
    call expect(status == nz_no_resource, 'no such GPU')
    call expect(nz_status_name(status) == 'no resource', 'the name of a status')
    call nz_matrix_destroy(m)
    call nz_matrix_destroy(twice)
  end subroutine

  subroutine products_f32
    type(nz_matrix) :: m
    type(nz_plan) :: plan
    real(c_float) :: x(3, 2), y(2, 2), wrong(3), z(1, 2)
    call nz_matrix_csr(m, 2, 3, [1, 3, 4], [1, 3, 2], [4.0, -1.0, 3.0], status)
    call nz_plan_create(plan, m, status, vectors=0)
    call expect_refused('vectors is 0', 'a plan for no vectors')
    call nz_plan_create(plan, m, status, op=nz_both, vectors=2)
    x = reshape([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [3, 2])
    y = 1
    call nz_multiply(plan, nz_none, 2.0, x, 1.0, y, status)
    call expect_ok('columns of float')
    call expect(all(abs(y - reshape([3.0, 13.0, 21.0, 31.0], [2, 2])) <= 0), 'their product')
    ! Rows of arrays are not contiguous.
    call nz_multiply(plan, nz_transpose, 1.0, y(:, 2), 0.0, x(:, 1), status)
    call expect(all(abs(x(:, 1) - [84.0, 93.0, -21.0]) <= 0), 'a transposed product of float')
    call nz_multiply(plan, nz_none, 1.0, [1.0, 2.0], 0.0, y(:, 1), status)
    call expect_refused('x has 2 elements, needs 3', 'a short x')
    call nz_multiply(plan, nz_none, 1.0, [1.0, 2.0, 3.0], 0.0, wrong, status)
    call expect_refused('y has 3 elements, needs 2', 'a long y')
    call nz_multiply(plan, nz_none, 1.0, x, 0.0, y(:, :1), status)
    call expect_refused('columns', 'fewer columns')
    call nz_multiply(plan, nz_none, 1.0, x, 0.0, z, status)
    call expect_refused('y has 1 elements', 'short columns')
    call nz_multiply(plan, nz_both, 1.0, x, 0.0, y, status)
    call expect_refused('NZ_BOTH', 'both at once')
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)
  end subroutine

  subroutine products_f64
    type(nz_matrix) :: m
    type(nz_plan) :: plan
    real(c_double) :: x(2, 3), y(4, 2)
    real(c_float) :: other(2)
    call nz_matrix_csr(m, 2, 3, [1, 3, 4], [1, 3, 2], [4d0, -1d0, 3d0], status)
    call nz_plan_create(plan, m, status, op=nz_both)
    x = reshape([1d0, 4d0, 2d0, 5d0, 3d0, 6d0], [2, 3])
    y = 7
    ! A row of x, and the middle of y.
    call nz_multiply(plan, nz_none, 1d0, x(2, :), 0d0, y(2:3, 1), status)
    call expect_ok('parts of arrays')
    call expect(all(abs(y(:, 1) - [7d0, 10d0, 15d0, 7d0]) <= 0), 'the product of parts')
    call nz_multiply(plan, nz_none, 1d0, transpose(x), 1d0, y(2:3, :), status)
    call expect_ok('parts of columns')
    call expect(all(abs(y(:, 2) - [7d0, 17d0, 22d0, 7d0]) <= 0), 'the product of parts of columns')
    call nz_multiply(plan, nz_none, 1.0, [1.0, 2.0, 3.0], 0.0, other, status)
    call expect_refused('double', 'float for a plan of double')
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)
  end subroutine

  subroutine solvers_f64
    type(nz_matrix) :: m
    type(nz_plan) :: plan
    type(nz_preconditioner) :: jacobi
    type(nz_result) :: r
    real(c_double) :: b(30), x(30), history(100), value
    character(8) :: methods(6) = [character(8) :: 'cg', 'bicg', 'bicgstab', 'qmr', 'gmres', 'lsqr']
    integer :: i
    call bar(30, m)
    call nz_plan_create(plan, m, status, op=nz_both)
    call nz_preconditioner_jacobi(jacobi, m, status, block=3, device='cpu')
    call expect_ok('block Jacobi')
    b = [(real(mod(7*i, 11), c_double), i=1, 30)]
    do i = 1, size(methods)
      x = 0
      history = -1
      call nz_solve(plan, methods(i), b, x, status, r, tolerance=1d-9, max_iterations=500, &
                    restart=40, history=history)
      call expect_ok(methods(i))
      call expect(r%converged .and. r%reason == nz_converged, methods(i)//trim(r%message))
      call expect(r%history_length == r%iterations + 1, 'a history')
      call expect(abs(history(r%iterations + 1) - r%residual) <= 0, 'its last residual')
      call expect(r%residual <= 1d-9 .and. r%seconds >= 0, 'a residual')
    end do
    x = 0
    call nz_solve(plan, 'cg', b, x, status, r, preconditioner=jacobi)
    call expect(r%converged, 'CG with block Jacobi')
    ! What CG carries along gets there, b - A x does not.
    x = 0
    call nz_solve(plan, 'cg', b, x, status, r, tolerance=1d-17)
    call expect(.not. r%converged .and. r%reason == nz_stagnated, 'CG beyond double')
    call expect(r%residual > 1d-17 .and. r%residual < 1d-12, 'the residual of its x')
    x = 0
    call nz_solve(plan, 'cg', b, x, status, r, callback=hear)
    call expect(r%reason == nz_stopped .and. heard == 4, 'a callback that stops')
    call nz_solve(plan, 'cg', b, x, status)
    call expect_ok('CG that tells nothing')
    call nz_solve(plan, 'cg', b(:29), x, status, r)
    call expect_refused('y has 29', 'a short b')
    call nz_solve(plan, 'gauss', b, x, status, r)
    call expect_refused("'gauss'", 'an unknown solver')
    call nz_largest_eigenvalue(plan, value, status, r, tolerance=1d-8)
    call expect_ok('an eigenvalue')
    call expect(r%converged .and. abs(value - 2 - 2*cos(acos(-1d0)/31)) < 1d-6, 'the largest one')
    call nz_preconditioner_destroy(jacobi)
    call nz_preconditioner_jacobi(jacobi, m, status, block=0)
    call expect(status == nz_invalid_argument, 'blocks without rows')
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)
  end subroutine

  subroutine preconditioners
    type(nz_matrix) :: m, lopsided
    type(nz_plan) :: plan
    type(nz_preconditioner) :: p
    type(nz_result) :: r
    real(c_double) :: b(60), x(60)
    character(9) :: names(8) = [character(9) :: 'jacobi', 'block', 'fsai', 'chebyshev', 'spai0', &
                                'spai1', 'ic0', 'ilu0']
    integer :: i, plain
    call bar(60, m)
    call nz_plan_create(plan, m, status, op=nz_both)
    b = [(real(mod(7*i, 11), c_double), i=1, 60)]
    x = 0
    call nz_solve(plan, 'gmres', b, x, status, r, tolerance=1d-9, restart=60)
    plain = r%iterations
    do i = 1, size(names)
      call nz_preconditioner_create(p, m, names(i), status)
      call expect_ok(names(i))
      x = 0
      call nz_solve(plan, 'gmres', b, x, status, r, tolerance=1d-9, restart=60, preconditioner=p)
      call expect_ok('GMRES with '//names(i))
      call expect(r%converged .and. r%iterations <= plain, names(i)//trim(r%message))
      call nz_preconditioner_destroy(p)
    end do
    ! Of a bar, the factors of ic0 are exact.
    call nz_preconditioner_create(p, m, 'ic0', status)
    x = 0
    call nz_solve(plan, 'cg', b, x, status, r, tolerance=1d-9, preconditioner=p)
    call expect(r%converged .and. r%iterations <= 2, 'CG with exact factors')
    call nz_preconditioner_destroy(p)
    call nz_preconditioner_create(p, m, 'fsai', status, device='cpu', power=3, drop=1d-6, &
                                  row_limit=10)
    call expect_ok('FSAI with all options')
    x = 0
    call nz_solve(plan, 'cg', b, x, status, r, tolerance=1d-9, preconditioner=p)
    call expect(r%converged .and. r%iterations < plain, 'CG with FSAI')
    call nz_preconditioner_destroy(p)
    call nz_preconditioner_create(p, m, 'chebyshev', status, plan=plan, degree=8, lower=0.01d0, &
                                  upper=2d0)
    call expect_ok('Chebyshev with all options')
    x = 0
    call nz_solve(plan, 'cg', b, x, status, r, tolerance=1d-9, preconditioner=p)
    call expect(r%converged .and. r%iterations < plain, 'CG with Chebyshev')
    call nz_preconditioner_destroy(p)
    call nz_preconditioner_create(p, m, 'block', status, block=15)
    call expect_ok('blocks')
    call nz_preconditioner_destroy(p)
    call nz_preconditioner_create(p, m, 'fsai', status, power=9)
    call expect_refused('9', 'a power that is too large')
    call nz_preconditioner_create(p, m, 'magic', status)
    call expect_refused("'magic'; there are jacobi", 'an unknown preconditioner')
    call nz_preconditioner_create(p, m, 'fsai', status, device='abacus')
    call expect_refused("'abacus'", 'an unknown device of a preconditioner')
    call nz_matrix_csr(lopsided, 2, 2, [1, 2, 3], [2, 1], [1d0, 1d0], status)
    call nz_preconditioner_create(p, lopsided, 'fsai', status)
    call expect(status == nz_bad_input .and. index(nz_error(), 'row 0') > 0, 'no diagonal')
    call expect(.not. c_associated(p%handle), 'no preconditioner where there is an error')
    call nz_matrix_destroy(lopsided)
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)
  end subroutine

  subroutine solvers_f32
    type(nz_matrix) :: m
    type(nz_plan) :: plan
    type(nz_preconditioner) :: jacobi
    type(nz_result) :: r
    real(c_float) :: b(2), x(2)
    call nz_matrix_csr(m, 2, 2, [1, 3, 5], [1, 2, 1, 2], [4.0, 1.0, 1.0, 3.0], status)
    call nz_plan_create(plan, m, status)
    call nz_preconditioner_jacobi(jacobi, m, status)
    b = [1.0, 2.0]
    x = 0
    call nz_solve(plan, 'cg', b, x, status, r, tolerance=1d-6, preconditioner=jacobi)
    call expect_ok('CG of float')
    call expect(r%converged .and. abs(x(1) - 1/11.0) < 1e-5 .and. abs(x(2) - 7/11.0) < 1e-5, &
                'its solution')
    call nz_preconditioner_destroy(jacobi)
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)
  end subroutine

  subroutine walks
    type(nz_matrix) :: m
    type(nz_plan) :: plan
    type(nz_result) :: r
    real(c_double) :: x(2), history(3)
    real(c_float) :: y(2)
    call nz_matrix_csr(m, 2, 2, [1, 3, 5], [1, 2, 1, 2], [0.5d0, 0.5d0, 0.25d0, 0.75d0], status)
    call nz_plan_create(plan, m, status, op=nz_transpose)
    history = -1
    call nz_stationary(plan, x, status, r, laziness=0.1d0, tolerance=1d-12, max_iterations=500, &
                       transposed=.false., history=history)
    call expect_ok('a chain')
    call expect(r%converged .and. abs(x(1) - 1/3d0) < 1d-8 .and. all(history >= 0), 'its end')
    call nz_pagerank(plan, x, status, r, damping=0.5d0, personalisation=[1d0, 0d0])
    call expect_ok('PageRank')
    call expect(r%converged .and. abs(sum(x) - 1) < 1d-8 .and. x(1) > 0.5, 'its ranks')
    call nz_pagerank(plan, x, status, r, personalisation=[1d0, 0d0, 0d0])
    call expect_refused('personalisation has 3', 'a long personalisation')
    call nz_stationary(plan, x(:1), status)
    call expect_refused('elements, needs 2', 'a short x')
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)
    call nz_matrix_csr(m, 2, 2, [1, 3, 5], [1, 2, 1, 2], [0.5, 0.5, 0.25, 0.75], status)
    call nz_plan_create(plan, m, status)
    call nz_stationary(plan, y, status, r, tolerance=1d-6)
    call expect(r%converged .and. abs(y(1) - 1/3.0) < 1e-4, 'a chain of float')
    call nz_pagerank(plan, y, status, r, tolerance=1d-6)
    call expect(r%converged .and. abs(sum(y) - 1) < 1e-4, 'PageRank of float')
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)
  end subroutine

  ! 1  .  2  in 64 bits, and a matrix with more columns than 32 bits count.
  ! .  3  .
  subroutine wide_plans
    integer, parameter :: i8 = c_int64_t
    type(nz_wide_plan) :: plan
    real(c_float) :: y(2), z(3), s(2, 2)
    real(c_double) :: b(2), c(3), d(3, 2)
    call nz_wide_plan_csr(plan, 2_i8, 3_i8, [1_i8, 3_i8, 4_i8], [1_i8, 3_i8, 2_i8], [1.0, 2.0, 3.0], &
                          status, op=nz_both, kernel='cpu/csr/serial')
    call expect_ok('a wide plan of float')
    call expect(index(nz_wide_plan_explain(plan), 'cpu/csr/serial') > 0, 'the kernel asked for')
    call expect(nz_wide_plan_rows(plan) == 2 .and. nz_wide_plan_columns(plan) == 3, 'its shape')
    y = 1
    call nz_multiply_wide(plan, nz_none, 2.0, [1.0, 10.0, 100.0], -1.0, y, status)
    call expect(status == nz_ok .and. all(abs(y - [401.0, 59.0]) <= 0), 'a wide product of float')
    call nz_multiply_wide(plan, nz_transpose, 1.0, [1.0, 10.0], 0.0, z, status)
    call expect(status == nz_ok .and. all(abs(z - [1.0, 30.0, 2.0]) <= 0), 'the other way')
    call nz_multiply_wide(plan, nz_none, 1.0, z(:2), 0.0, y, status)
    call expect_refused('x has 2 elements, needs 3', 'a short x')
    s = 1
    call nz_multiply_wide(plan, nz_none, 2.0, reshape([1.0, 10.0, 100.0, 1.0, 1.0, 1.0], [3, 2]), -1.0, s, status)
    call expect(status == nz_ok .and. all(abs(s - reshape([401.0, 59.0, 5.0, 5.0], [2, 2])) <= 0), 'two columns of float')
    call nz_multiply_wide(plan, nz_none, 1.0, reshape([1.0, 1.0, 1.0, 1.0], [2, 2]), 0.0, s, status)
    call expect_refused('x has 2 elements, needs 3', 'short columns')
    call nz_multiply_wide(plan, nz_none, 1.0, reshape([1.0, 1.0, 1.0], [3, 1]), 0.0, s, status)
    call expect_refused('x has 1 columns, y has 2', 'other columns')
    call nz_multiply_wide(plan, nz_none, 1d0, [1d0, 1d0, 1d0], 0d0, b, status)
    call expect_refused('plan is of float, not of double', 'another type')
    call nz_wide_plan_destroy(plan)
    call nz_wide_plan_coo(plan, 2_i8, 3_i8, [1_i8, 0_i8, 0_i8], [1_i8, 2_i8, 0_i8], &
                          [3d0, 2d0, 1d0], status, base=0)
    call expect_ok('a wide plan of double')
    c = [1, 10, 100]
    call nz_multiply_wide(plan, nz_none, 1d0, c, 0d0, b, status)
    call expect(status == nz_ok .and. all(abs(b - [201, 30]) <= 0), 'a wide product of double')
    call nz_multiply_wide(plan, nz_transpose, 1d0, reshape([1d0, 10d0, 0d0, 1d0], [2, 2]), 0d0, d, status)
    call expect(status == nz_ok .and. all(abs(d - reshape([1d0, 30d0, 2d0, 0d0, 3d0, 0d0], [3, 2])) <= 0), &
                'two columns of double')
    call nz_wide_plan_destroy(plan)
    call nz_wide_plan_coo(plan, 2_i8, 5000000000_i8, [1_i8], [5000000000_i8], [1d0], status)
    call expect(status == nz_ok .and. nz_wide_plan_columns(plan) == 5000000000_i8, 'many columns')
    call expect(nz_wide_plan_bytes(plan) < 1000000, 'a few bytes')
    call nz_wide_plan_destroy(plan)
    call wide_solvers
    call nz_wide_plan_csr(plan, 2_i8, 3_i8, [1_i8, 3_i8], [1_i8, 3_i8], [1d0, 2d0], status)
    call expect_refused('offsets has 2 elements, needs 3', 'a short array of offsets')
    call nz_wide_plan_coo(plan, 2_i8, 3_i8, [1_i8], [1_i8, 3_i8], [1.0, 2.0], status)
    call expect_refused('differ in length', 'wide entries without rows')
    call nz_multiply_wide(plan, nz_none, 1d0, c, 0d0, b, status)
    call expect_refused('plan is NULL', 'a wide product of nothing')
  end subroutine

  ! 4  1
  ! 1  3
  subroutine wide_solvers
    integer, parameter :: i8 = c_int64_t
    type(nz_wide_plan) :: plan
    type(nz_result) :: r
    real(c_float) :: x(2)
    real(c_double) :: z(2)
    call nz_wide_plan_csr(plan, 2_i8, 2_i8, [1_i8, 3_i8, 5_i8], [1_i8, 2_i8, 1_i8, 2_i8], &
                          [4.0, 1.0, 1.0, 3.0], status)
    x = 0
    call nz_solve(plan, 'cg', [6.0, 7.0], x, status, r, tolerance=1d-5)
    call expect(status == nz_ok .and. r%converged .and. all(abs(x - [1.0, 2.0]) < 1e-4), 'a wide system of float')
    call nz_solve(plan, 'cg', [6.0, 7.0, 8.0], x, status)
    call expect_refused('y has 3 elements, needs 2', 'a long right side')
    call nz_wide_plan_destroy(plan)
    call nz_wide_plan_coo(plan, 2_i8, 2_i8, [1_i8, 1_i8, 2_i8, 2_i8], [1_i8, 2_i8, 1_i8, 2_i8], &
                          [4d0, 1d0, 1d0, 3d0], status)
    z = 0
    call nz_solve(plan, 'gmres', [6d0, 7d0], z, status, r, tolerance=1d-12)
    call expect(status == nz_ok .and. r%converged .and. all(abs(z - [1d0, 2d0]) < 1d-10), 'a wide system of double')
    call nz_wide_plan_destroy(plan)
  end subroutine

  subroutine nothing
    type(nz_matrix) :: m
    type(nz_plan) :: plan
    type(nz_preconditioner) :: jacobi
    real(c_double) :: x(1), y(1), value
    x = 0
    y = 0
    call nz_plan_create(plan, m, status)
    call expect_refused('matrix is NULL', 'a plan of nothing')
    call nz_multiply(plan, nz_none, 1d0, x, 0d0, y, status)
    call expect_refused('plan is NULL', 'a product of nothing')
    call nz_largest_eigenvalue(plan, value, status)
    call expect_refused('plan is NULL', 'an eigenvalue of nothing')
    call expect(nz_plan_rows(plan) == -1 .and. nz_matrix_nonzeros(m) == -1_c_int64_t, 'no rows')
    call expect(nz_plan_kernel(plan) == '' .and. nz_plan_explain(plan) == '', 'no kernel')
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)
    call nz_preconditioner_destroy(jacobi)
  end subroutine
end program
