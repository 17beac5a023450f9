! What the Fortran module tells of matrices and plans, and the options of plans and solvers that C
! has: rows of a matrix as arrays again, types, threads, times, caches, walks. Ends with an error
! where a check fails.
program fortran_options_test
  use, intrinsic :: iso_c_binding
  use nonzero
  use fortran_checks
  implicit none

  interface
    ! Arrays of the caller's, which the module itself does not borrow.
    function borrow(matrix, rows, columns, nonzeros, offsets, indices, values, arrays) &
      bind(c, name='nz_matrix_csr_f64_i32') result(r)
      import :: c_int32_t, c_int64_t, c_double, c_ptr
      type(c_ptr), intent(out) :: matrix
      integer(c_int32_t), value :: rows, columns, arrays
      integer(c_int64_t), value :: nonzeros
      integer(c_int32_t), intent(in) :: offsets(*), indices(*)
      real(c_double), intent(in) :: values(*)
      integer(c_int32_t) :: r
    end function
  end interface

  call rows_of_f32
  call rows_of_f64
  call rows_of_complex_ones
  call rows_without_room
  call told_of_plans
  call wide_plans
  call wide_walks_f32
  call wide_walks_f64
  call trusted_arrays
  call caches
  call solvers
  call walks
  call several_walks
  call nothing
  call expect_more_than(150)

contains

  ! 1  2  .  .
  ! .  .  .  .
  ! .  3 -4  5
  subroutine small(m)
    type(nz_matrix), intent(out) :: m
    call nz_matrix_csr(m, 3, 4, [1, 3, 3, 6], [1, 2, 2, 3, 4], [1d0, 2d0, 3d0, -4d0, 5d0], status)
    call expect_ok('a small matrix')
  end subroutine

  subroutine rows_of_f32
    type(nz_matrix) :: m
    integer(c_int32_t) :: offsets(3), columns(3)
    integer(c_int64_t) :: long_offsets(3)
    real(c_float) :: values(3)
    call nz_matrix_coo(m, 2, 3, [2, 1, 1], [2, 3, 1], [3.0, -1.0, 4.0], status)
    call expect(nz_matrix_type(m) == nz_f32, 'float')
    call nz_matrix_get(m, offsets, columns, values, status)
    call expect_ok('rows of float')
    call expect(all(offsets == [1, 3, 4]) .and. all(columns == [1, 3, 2]), 'their places')
    call expect(all(abs(values - [4.0, -1.0, 3.0]) <= 0), 'their values')
    call nz_matrix_get(m, long_offsets, columns, values, status, base=0)
    call expect_ok('rows of float from 0')
    call expect(all(long_offsets == [0, 2, 3]) .and. all(columns == [0, 2, 1]), 'places from 0')
    call nz_matrix_destroy(m)
  end subroutine

  ! Every second element of arrays that have room for more.
  subroutine rows_of_f64
    type(nz_matrix) :: m
    integer(c_int64_t) :: offsets(8)
    integer(c_int32_t) :: columns(7), short_offsets(4)
    real(c_double) :: values(12)
    call small(m)
    call expect(nz_matrix_type(m) == nz_f64, 'double')
    offsets = -7
    columns = -7
    values = -7
    call nz_matrix_get(m, offsets(::2), columns, values(::2), status)
    call expect_ok('rows of double')
    call expect(all(offsets == [1, -7, 3, -7, 3, -7, 6, -7]), 'offsets apart')
    call expect(all(columns == [1, 2, 2, 3, 4, -7, -7]), 'columns, and what lies behind')
    call expect(all(abs(values(:9:2) - [1, 2, 3, -4, 5]) <= 0), 'values apart')
    call expect(all(abs(values(2::2) + 7) <= 0) .and. abs(values(11) + 7) <= 0, 'what lies between')
    call nz_matrix_get(m, short_offsets, columns, values, status, base=0)
    call expect_ok('rows of double from 0')
    call expect(all(short_offsets == [0, 2, 2, 5]), 'offsets from 0')
    call expect(all(columns(:5) == [0, 1, 1, 2, 3]), 'columns from 0')
    call nz_matrix_destroy(m)
  end subroutine

  subroutine rows_of_complex_ones
    type(nz_matrix) :: m
    integer(c_int32_t) :: offsets(3), columns(2)
    integer(c_int64_t) :: long_offsets(3)
    complex(c_float_complex) :: v(2)
    complex(c_double_complex) :: w(2)
    call nz_matrix_coo(m, 2, 2, [2, 1], [1, 2], [(3.0, -1.0), (0.0, 2.0)], status)
    call expect(nz_matrix_type(m) == nz_c64, 'complex float')
    call nz_matrix_get(m, offsets, columns, v, status)
    call expect_ok('rows of complex float')
    call expect(all(offsets == [1, 2, 3]) .and. all(columns == [2, 1]), 'their places')
    call expect(all(abs(v - [(0.0, 2.0), (3.0, -1.0)]) <= 0), 'their values')
    call nz_matrix_get(m, long_offsets, columns, v, status, base=0)
    call expect(status == nz_ok .and. all(long_offsets == [0, 1, 2]), 'long offsets')
    call nz_matrix_get(m, offsets, columns, w, status)
    call expect_refused('matrix is of complex float, not of complex double', 'another type')
    call nz_matrix_destroy(m)
    call nz_matrix_coo(m, 2, 2, [2, 1], [1, 2], [(3d0, -1d0), (0d0, 2d0)], status)
    call expect(nz_matrix_type(m) == nz_c128, 'complex double')
    call nz_matrix_get(m, long_offsets, columns, w, status)
    call expect_ok('rows of complex double')
    call expect(all(long_offsets == [1, 2, 3]) .and. all(columns == [2, 1]), 'their places')
    call expect(all(abs(w - [(0d0, 2d0), (3d0, -1d0)]) <= 0), 'their values')
    call nz_matrix_get(m, offsets, columns, w, status, base=0)
    call expect(status == nz_ok .and. all(offsets == [0, 1, 2]), 'short offsets')
    call nz_matrix_destroy(m)
  end subroutine

  subroutine rows_without_room
    type(nz_matrix) :: m, none
    integer(c_int32_t) :: offsets(4), columns(5)
    integer(c_int64_t) :: long_offsets(4)
    real(c_double) :: values(5)
    real(c_float) :: other(5)
    call small(m)
    offsets = -7
    columns = -7
    values = -7
    other = -7
    call nz_matrix_get(m, offsets(:3), columns, values, status)
    call expect_refused('offsets has 3 elements, needs 4', 'few offsets')
    call nz_matrix_get(m, offsets, columns(:4), values, status)
    call expect_refused('column_indices has 4 elements, needs 5', 'few columns')
    call nz_matrix_get(m, long_offsets, columns, values(:4), status)
    call expect_refused('values has 4 elements, needs 5', 'few values')
    call nz_matrix_get(m, offsets, columns, values, status, base=huge(1_c_int32_t))
    call expect_refused('offsets of 32 bits do not count to 2147483652', 'offsets that are too large')
    call nz_matrix_get(m, long_offsets, columns, values, status, base=huge(1_c_int32_t))
    call expect_refused('column_indices of 32 bits do not count to 2147483650', 'columns that are too large')
    call nz_matrix_get(m, offsets, columns, other, status)
    call expect_refused('matrix is of double, not of float', 'another type')
    call nz_matrix_get(none, offsets, columns, values, status)
    call expect_refused('matrix is NULL', 'rows of nothing')
    call expect(all(offsets == -7) .and. all(columns == -7), 'what was refused wrote no places')
    call expect(all(abs(values + 7) <= 0) .and. all(abs(other + 7) <= 0), 'nor values')
    call nz_matrix_destroy(m)
  end subroutine

  subroutine told_of_plans
    type(nz_matrix) :: m
    type(nz_plan) :: plan
    real(c_double) :: seconds
    integer(c_int32_t) :: threads
    call small(m)
    do threads = 1, 2
      call nz_plan_create(plan, m, status, kernel='cpu/csr/serial', threads=threads)
      call expect_ok('a plan with threads')
      call expect(nz_plan_threads(plan) == threads, 'its threads')
      call expect(nz_plan_type(plan) == nz_f64, 'its type')
      call expect(nz_plan_setup_seconds(plan) > 0, 'its time')
      seconds = -1
      call nz_plan_measure(plan, nz_none, seconds, status)
      call expect_ok('a measurement')
      call expect(seconds > 0, 'what it measured')
      seconds = -1
      call nz_plan_measure(plan, nz_both, seconds, status)
      call expect_refused('NZ_BOTH', 'both at once')
      call expect(abs(seconds + 1) <= 0, 'no measurement')
      call nz_plan_destroy(plan)
    end do
    call nz_matrix_destroy(m)
    call nz_matrix_coo(m, 2, 2, [2, 1], [1, 2], [(3.0, -1.0), (0.0, 2.0)], status)
    call nz_plan_create(plan, m, status)
    call expect(nz_plan_type(plan) == nz_c64, 'a plan of complex float')
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)
  end subroutine

  ! nz_multiply takes them, too.
  subroutine wide_plans
    integer, parameter :: i8 = c_int64_t
    type(nz_wide_plan) :: plan
    type(nz_result) :: r
    real(c_float) :: y(2), s(2, 2)
    real(c_double) :: z(2), t(2, 2), lopsided(2)
    call nz_wide_plan_csr(plan, 2_i8, 3_i8, [1_i8, 3_i8, 4_i8], [1_i8, 3_i8, 2_i8], [1.0, 2.0, 3.0], &
                          status, threads=2, trusted=.true., use_cache=.false.)
    call expect_ok('a wide plan of float')
    call expect(nz_wide_plan_type(plan) == nz_f32 .and. nz_wide_plan_threads(plan) == 2, 'its type')
    call expect(nz_wide_plan_device(plan) == 'cpu', 'its device')
    y = 1
    call nz_multiply(plan, nz_none, 2.0, [1.0, 10.0, 100.0], -1.0, y, status)
    call expect(status == nz_ok .and. all(abs(y - [401.0, 59.0]) <= 0), 'a wide product of float')
    call nz_multiply(plan, nz_none, 1.0, reshape([1.0, 10.0, 100.0, 1.0, 1.0, 1.0], [3, 2]), 0.0, &
                     s, status)
    call expect(status == nz_ok .and. all(abs(s - reshape([201.0, 30.0, 3.0, 3.0], [2, 2])) <= 0), &
                'two columns of float')
    call nz_multiply(plan, nz_none, 1.0, [1.0, 10.0], 0.0, y, status)
    call expect_refused('x has 2 elements, needs 3', 'a short x')
    call nz_wide_plan_destroy(plan)
    call nz_wide_plan_coo(plan, 2_i8, 2_i8, [1_i8, 1_i8, 2_i8], [1_i8, 2_i8, 2_i8], [4d0, 1d0, 3d0], &
                          status, trusted=.true., cache_directory='not_made')
    call expect_ok('a wide plan of double')
    call expect(nz_wide_plan_type(plan) == nz_f64, 'double')
    call nz_multiply(plan, nz_none, 1d0, [1d0, 2d0], 0d0, z, status)
    call expect(status == nz_ok .and. all(abs(z - [6, 6]) <= 0), 'a wide product of double')
    call nz_multiply(plan, nz_none, 1d0, reshape([1d0, 2d0, 0d0, 1d0], [2, 2]), 0d0, t, status)
    call expect(status == nz_ok .and. all(abs(t - reshape([6d0, 6d0, 1d0, 3d0], [2, 2])) <= 0), &
                'two columns of double')
    lopsided = 0
    call nz_solve(plan, 'cg', z, lopsided, status, r)
    call expect(status == nz_ok .and. r%reason == nz_not_symmetric, 'a look at symmetry')
    call nz_solve(plan, 'cg', z, lopsided, status, r, check_symmetry=.false., max_iterations=5)
    call expect(status == nz_ok .and. r%reason /= nz_not_symmetric, 'no look at symmetry')
    call nz_solve(plan, 'cg', z, lopsided, status, r, check_every=-1)
    call expect_refused('check_every', 'looks that are fewer than none')
    call nz_wide_plan_destroy(plan)
  end subroutine

  ! PageRank, a Markov chain and eigenvalues with 64-bit rows and columns.
  subroutine wide_walks_f32
    integer, parameter :: i8 = c_int64_t
    type(nz_wide_plan) :: plan
    type(nz_result) :: r
    real(c_double) :: value, values(2)
    real(c_float) :: x(2), several(2, 2), vectors(2, 2)
    call nz_wide_plan_csr(plan, 2_i8, 2_i8, [1_i8, 3_i8, 5_i8], [1_i8, 2_i8, 1_i8, 2_i8], &
                          [0.5, 0.5, 0.25, 0.75], status)
    call nz_stationary(plan, x, status, r, tolerance=1d-5)
    call expect(status == nz_ok .and. r%converged .and. abs(x(1) - 1/3d0) < 1d-3, 'a wide chain')
    call nz_pagerank(plan, x, status, r, damping=0.5d0, personalisation=[1.0, 0.0], tolerance=1d-5)
    call expect(status == nz_ok .and. r%converged .and. x(1) > 0.5, 'wide ranks')
    call nz_pagerank(plan, several, status, r, damping=0.5d0, tolerance=1d-5, &
                     personalisation=reshape([1.0, 0.0, 0.0, 1.0], [2, 2]))
    call expect(status == nz_ok .and. r%converged .and. all(abs(several(:, 1) - x) < 1d-3), &
                'wide ranks of several')
    call nz_pagerank(plan, x, status, personalisation=[1.0, 0.0, 0.0])
    call expect_refused('personalisation has 3', 'a long personalisation')
    call nz_pagerank(plan, several, status, personalisation=reshape([1.0, 0.0], [2, 1]))
    call expect_refused('personalisation has 2 x 1', 'a personalisation for two')
    call nz_stationary(plan, x(:1), status)
    call expect_refused('elements, needs 2', 'a short x')
    call nz_wide_plan_destroy(plan)
    call nz_wide_plan_csr(plan, 2_i8, 2_i8, [1_i8, 3_i8, 5_i8], [1_i8, 2_i8, 1_i8, 2_i8], &
                          [2.0, 1.0, 1.0, 2.0], status)
    call nz_largest_eigenvalue(plan, value, status, r)
    call expect(status == nz_ok .and. r%converged .and. abs(value - 3) < 1d-3, 'a wide eigenvalue')
    call nz_lobpcg(plan, values, vectors, status, r, tolerance=1d-5)
    call expect(status == nz_ok .and. r%converged .and. all(abs(values - [1, 3]) < 1d-3), &
                'wide eigenvalues')
    call nz_wide_plan_destroy(plan)
  end subroutine

  ! PageRank, a Markov chain and eigenvalues with 64-bit rows and columns.
  subroutine wide_walks_f64
    integer, parameter :: i8 = c_int64_t
    type(nz_wide_plan) :: plan
    type(nz_result) :: r
    real(c_double) :: value, values(2)
    real(c_double) :: x(2), several(2, 2), vectors(2, 2)
    call nz_wide_plan_csr(plan, 2_i8, 2_i8, [1_i8, 3_i8, 5_i8], [1_i8, 2_i8, 1_i8, 2_i8], &
                          [0.5d0, 0.5d0, 0.25d0, 0.75d0], status)
    call nz_stationary(plan, x, status, r, tolerance=1d-11)
    call expect(status == nz_ok .and. r%converged .and. abs(x(1) - 1/3d0) < 1d-8, 'a wide chain')
    call nz_pagerank(plan, x, status, r, damping=0.5d0, personalisation=[1d0, 0d0], tolerance=1d-11)
    call expect(status == nz_ok .and. r%converged .and. x(1) > 0.5, 'wide ranks')
    call nz_pagerank(plan, several, status, r, damping=0.5d0, tolerance=1d-11, &
                     personalisation=reshape([1d0, 0d0, 0d0, 1d0], [2, 2]))
    call expect(status == nz_ok .and. r%converged .and. all(abs(several(:, 1) - x) < 1d-8), &
                'wide ranks of several')
    call nz_pagerank(plan, x, status, personalisation=[1d0, 0d0, 0d0])
    call expect_refused('personalisation has 3', 'a long personalisation')
    call nz_pagerank(plan, several, status, personalisation=reshape([1d0, 0d0], [2, 1]))
    call expect_refused('personalisation has 2 x 1', 'a personalisation for two')
    call nz_stationary(plan, x(:1), status)
    call expect_refused('elements, needs 2', 'a short x')
    call nz_wide_plan_destroy(plan)
    call nz_wide_plan_csr(plan, 2_i8, 2_i8, [1_i8, 3_i8, 5_i8], [1_i8, 2_i8, 1_i8, 2_i8], &
                          [2d0, 1d0, 1d0, 2d0], status)
    call nz_largest_eigenvalue(plan, value, status, r)
    call expect(status == nz_ok .and. r%converged .and. abs(value - 3) < 1d-8, 'a wide eigenvalue')
    call nz_lobpcg(plan, values, vectors, status, r, tolerance=1d-11)
    call expect(status == nz_ok .and. r%converged .and. all(abs(values - [1, 3]) < 1d-8), &
                'wide eigenvalues')
    call nz_lobpcg(plan, values(:1), vectors, status)
    call expect_refused('values has 1 elements, x has 2 columns', 'a value too few')
    call nz_wide_plan_destroy(plan)
  end subroutine

  ! Rows that are out of order are sorted in a copy, which a plan has no need for that does not look.
  subroutine trusted_arrays
    type(nz_matrix) :: m
    type(nz_plan) :: plan
    integer(c_int32_t), target :: offsets(3) = [0, 2, 3], columns(3) = [2, 0, 1]
    real(c_double), target :: values(3) = [1d0, 2d0, 3d0]
    integer :: i
    status = borrow(m%handle, 2, 3, 3_c_int64_t, offsets, columns, values, 0)
    call expect_ok('arrays that are borrowed')
    do i = 1, 2
      call nz_plan_create(plan, m, status, kernel='cpu/csr/serial', trusted=i == 2)
      call expect_ok('a plan of them')
      call expect((nz_plan_bytes(plan) == 0) .eqv. (i == 2), 'whether they are copied')
      call nz_plan_destroy(plan)
    end do
    call nz_matrix_destroy(m)
  end subroutine

  ! Thorough plans keep what they found where they are told to.
  subroutine caches
    character(*), parameter :: directory = 'fortran_options_cache'
    type(nz_matrix) :: m
    type(nz_plan) :: plan
    integer :: i, found
    call bar(3000, m)
    call execute_command_line('rm -rf '//directory)
    do i = 1, 2
      call nz_plan_create(plan, m, status, effort=nz_thorough, threads=1, use_cache=i == 2, &
                          cache_directory=directory)
      call expect_ok('a thorough plan')
      call execute_command_line('ls '//directory//'/* > /dev/null 2>&1', exitstat=found)
      call expect((found == 0) .eqv. (i == 2), 'whether there is a file')
      call nz_plan_destroy(plan)
    end do
    call execute_command_line('rm -rf '//directory)
    call nz_matrix_destroy(m)
  end subroutine

  subroutine solvers
    type(nz_matrix) :: m
    type(nz_plan) :: plan
    type(nz_result) :: r
    real(c_double) :: b(2), x(2), value, pair(1), vector(2, 1), dense(30), rest(30)
    real(c_float) :: y(2)
    complex(c_double_complex) :: z(2)
    complex(c_float_complex) :: w(2)
    integer(c_int64_t) :: often
    ! 4  1, which CG should not be given.
    ! 0  3
    call nz_matrix_coo(m, 2, 2, [1, 1, 2], [1, 2, 2], [4d0, 1d0, 3d0], status)
    call nz_plan_create(plan, m, status, op=nz_both)
    b = [5, 3]
    x = 0
    call nz_solve(plan, 'cg', b, x, status, r)
    call expect(status == nz_ok .and. r%reason == nz_not_symmetric, 'a look of CG')
    call nz_solve(plan, 'cg', b, x, status, r, check_symmetry=.false., max_iterations=3)
    call expect(status == nz_ok .and. r%reason /= nz_not_symmetric, 'CG without a look')
    call nz_largest_eigenvalue(plan, value, status, r)
    call expect(status == nz_ok .and. r%reason == nz_not_symmetric, 'a look of Lanczos')
    call nz_largest_eigenvalue(plan, value, status, r, check_symmetry=.false.)
    call expect(status == nz_ok .and. r%reason /= nz_not_symmetric, 'Lanczos without a look')
    call nz_lobpcg(plan, pair, vector, status, r)
    call expect(status == nz_ok .and. r%reason == nz_not_symmetric, 'a look of LOBPCG')
    call nz_lobpcg(plan, pair, vector, status, r, check_symmetry=.false., max_iterations=3)
    call expect(status == nz_ok .and. r%reason /= nz_not_symmetric, 'LOBPCG without a look')
    call nz_solve(plan, 'gmres', b, x, status, r, check_every=-1)
    call expect_refused('check_every', 'looks that are fewer than none')
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)

    call nz_matrix_coo(m, 2, 2, [1, 1, 2], [1, 2, 2], [4.0, 1.0, 3.0], status)
    call nz_plan_create(plan, m, status, op=nz_both)
    y = 0
    call nz_solve(plan, 'cg', [5.0, 3.0], y, status, r, check_symmetry=.false., max_iterations=3)
    call expect(status == nz_ok .and. r%reason /= nz_not_symmetric, 'CG of float without a look')
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)

    ! Not Hermitian either.
    call nz_matrix_coo(m, 2, 2, [1, 1, 2], [1, 2, 2], [(4d0, 0d0), (1d0, 0d0), (3d0, 0d0)], status)
    call nz_plan_create(plan, m, status)
    z = 0
    call nz_solve(plan, 'cg', [(5d0, 0d0), (3d0, 0d0)], z, status, r, check_symmetry=.false., &
                  max_iterations=3)
    call expect(status == nz_ok .and. r%reason /= nz_not_symmetric, 'complex CG without a look')
    call nz_solve(plan, 'cg', [(5d0, 0d0), (3d0, 0d0)], z, status, r, check_every=-1)
    call expect_refused('check_every', 'looks of complex CG')
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)
    call nz_matrix_coo(m, 2, 2, [1, 1, 2], [1, 2, 2], [(4.0, 0.0), (1.0, 0.0), (3.0, 0.0)], status)
    call nz_plan_create(plan, m, status)
    w = 0
    call nz_solve(plan, 'cg', [(5.0, 0.0), (3.0, 0.0)], w, status, r, check_symmetry=.false., &
                  max_iterations=3)
    call expect(status == nz_ok .and. r%reason /= nz_not_symmetric, 'CG of complex float')
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)

    ! Lanczos has a residual a look.
    call bar(30, m)
    call nz_plan_create(plan, m, status)
    call nz_largest_eigenvalue(plan, value, status, r, tolerance=1d-12, check_every=1)
    often = r%history_length
    call nz_largest_eigenvalue(plan, value, status, r, tolerance=1d-12, check_every=15)
    call expect(status == nz_ok .and. r%history_length < often, 'fewer looks')
    dense = 1
    rest = 0
    call nz_solve(plan, 'cg', dense, rest, status, r, tolerance=1d-9, check_every=7)
    call expect(status == nz_ok .and. r%converged, 'CG that is looked at every 7 iterations')
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)
  end subroutine

  ! Walks that begin with their end.
  subroutine walks
    type(nz_matrix) :: m
    type(nz_plan) :: plan
    type(nz_result) :: r
    real(c_double) :: x(2)
    real(c_float) :: y(2)
    call nz_matrix_csr(m, 2, 2, [1, 3, 5], [1, 2, 1, 2], [0.5d0, 0.5d0, 0.25d0, 0.75d0], status)
    call nz_plan_create(plan, m, status, op=nz_both)
    call nz_stationary(plan, x, status, r, check_every=3)
    call expect(r%converged .and. r%iterations > 2, 'a chain')
    call nz_stationary(plan, x, status, r, from_x=.true.)
    call expect(r%converged .and. r%iterations <= 1, 'a chain that is at its end')
    call nz_stationary(plan, x, status, r, check_every=-1)
    call expect_refused('check_every', 'looks at a chain')
    call nz_pagerank(plan, x, status, r, personalisation=[1d0, 0d0], check_every=3)
    call expect(r%converged .and. r%iterations > 2, 'PageRank')
    call nz_pagerank(plan, x, status, r, personalisation=[1d0, 0d0], from_x=.true.)
    call expect(r%converged .and. r%iterations <= 1, 'PageRank that is at its end')
    call nz_pagerank(plan, x, status, r, check_every=-1)
    call expect_refused('check_every', 'looks at PageRank')
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)
    call nz_matrix_csr(m, 2, 2, [1, 3, 5], [1, 2, 1, 2], [0.5, 0.5, 0.25, 0.75], status)
    call nz_plan_create(plan, m, status, op=nz_both)
    call nz_stationary(plan, y, status, r, tolerance=1d-5)
    call nz_stationary(plan, y, status, r, tolerance=1d-5, from_x=.true.)
    call expect(r%converged .and. r%iterations <= 1, 'a chain of float that is at its end')
    call nz_pagerank(plan, y, status, r, tolerance=1d-5)
    call nz_pagerank(plan, y, status, r, tolerance=1d-5, from_x=.true.)
    call expect(r%converged .and. r%iterations <= 1, 'PageRank of float that is at its end')
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)
  end subroutine

  ! 1 -> 2 -> 3 -> 1 and 4 -> 1, from several nodes at once.
  subroutine several_walks
    type(nz_matrix) :: m
    type(nz_plan) :: plan
    type(nz_result) :: r
    real(c_double) :: p(4, 2), x(8, 2), alone(4), history(200)
    real(c_float) :: q(4, 1), y(4, 1)
    integer :: j
    call nz_matrix_csr(m, 4, 4, [1, 2, 3, 4, 5], [2, 3, 1, 1], [1d0, 1d0, 1d0, 1d0], status)
    call nz_plan_create(plan, m, status, op=nz_both)
    p = reshape([0d0, 0d0, 0d0, 2d0, 1d0, 1d0, 0d0, 0d0], [4, 2])
    x = 7
    history = -1
    ! Every second row of x.
    call nz_pagerank(plan, x(::2, :), status, r, damping=0.5d0, personalisation=p, history=history)
    call expect_ok('PageRank with two personalisations')
    call expect(r%converged .and. abs(history(r%iterations + 1) - r%residual) <= 0, 'its history')
    do j = 1, 2
      call nz_pagerank(plan, alone, status, damping=0.5d0, personalisation=p(:, j))
      call expect(status == nz_ok .and. all(abs(x(::2, j) - alone) < 1d-8), 'what one makes of it')
    end do
    call expect(all(abs(x(2::2, :) - 7) <= 0), 'what lies between')
    call nz_pagerank(plan, x(::2, :), status, r, damping=0.5d0, personalisation=p, from_x=.true.)
    call expect(r%converged .and. r%iterations <= 1, 'two that are at their end')
    call nz_pagerank(plan, x(:4, :), status, personalisation=p(:, :1))
    call expect_refused('personalisation has 4 x 1 elements, x has 4 x 2', 'one personalisation')
    call nz_pagerank(plan, x, status, personalisation=p)
    call expect_refused('elements, needs 4', 'long columns')
    call nz_pagerank(plan, x(:4, :0), status, personalisation=p(:, :0))
    call expect_refused('count is 0', 'no personalisation')
    call nz_pagerank(plan, y, status, personalisation=q)
    call expect_refused('plan is of double, not of float', 'another type')
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)
    call nz_matrix_csr(m, 4, 4, [1, 2, 3, 4, 5], [2, 3, 1, 1], [1.0, 1.0, 1.0, 1.0], status)
    call nz_plan_create(plan, m, status, op=nz_both)
    q = reshape([0.0, 0.0, 0.0, 1.0], [4, 1])
    call nz_pagerank(plan, y, status, r, damping=0.5d0, personalisation=q, tolerance=1d-5)
    call expect(r%converged .and. all(abs(y(:, 1) - real(x(:7:2, 1))) < 1e-4), 'PageRank of float')
    call nz_plan_destroy(plan)
    call nz_matrix_destroy(m)
  end subroutine

  subroutine nothing
    type(nz_matrix) :: m
    type(nz_plan) :: plan
    type(nz_wide_plan) :: wide
    real(c_double) :: seconds, p(1, 1), x(1, 1)
    seconds = 0
    p = 1
    x = 1
    call expect(nz_matrix_type(m) == -1 .and. nz_plan_type(plan) == -1, 'no type')
    call expect(nz_plan_threads(plan) == -1 .and. nz_plan_setup_seconds(plan) < 0, 'no threads')
    call nz_plan_measure(plan, nz_none, seconds, status)
    call expect_refused('plan is NULL', 'a measurement of nothing')
    call nz_pagerank(plan, x, status, personalisation=p)
    call expect_refused('plan is NULL', 'ranks of nothing')
    call expect(nz_wide_plan_type(wide) == -1 .and. nz_wide_plan_threads(wide) == -1, 'no wide plan')
    call expect(nz_wide_plan_device(wide) == '', 'no device')
  end subroutine
end program
