! What the Fortran programs of these tests share: checks that are counted, the status that all calls
! write, and a matrix. A check that fails ends the program with an error.
module fortran_checks
  use, intrinsic :: iso_c_binding
  use nonzero
  implicit none
  integer(c_int32_t) :: status
  integer :: heard = 0
  integer, private :: checks = 0

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    checks = checks + 1
    if (.not. holds) error stop 'expected: '//what//' (last error: '//nz_error()//')'
  end subroutine

  subroutine expect_ok(what)
    character(*), intent(in) :: what
    call expect(status == nz_ok, what)
  end subroutine

  subroutine expect_refused(part, what)
    character(*), intent(in) :: part, what
    call expect(status == nz_invalid_argument, what)
    call expect(index(nz_error(), part) > 0, what//', saying '//part)
  end subroutine

  ! For the end of a program.
  subroutine expect_more_than(fewest)
    integer, intent(in) :: fewest
    call expect(checks > fewest, 'that all was run')
    print '(i0, a)', checks, ' checks'
  end subroutine

  ! 2 on the diagonal, -1 beside it.
  subroutine bar(n, m)
    integer(c_int32_t), intent(in) :: n
    type(nz_matrix), intent(out) :: m
    integer(c_int32_t) :: i
    call nz_matrix_coo(m, n, n, [(i, i=1, n), (i, i=1, n - 1), (i + 1, i=1, n - 1)], &
                       [(i, i=1, n), (i + 1, i=1, n - 1), (i, i=1, n - 1)], &
                       [(2d0, i=1, n), (-1d0, i=1, 2*(n - 1))], status)
    call expect_ok('a bar')
  end subroutine

  ! A callback that ends a solver after three iterations.
  function hear(iteration, residual, data) bind(c) result(stop)
    integer(c_int32_t), value :: iteration
    real(c_double), value :: residual
    type(c_ptr), value :: data
    integer(c_int32_t) :: stop
    if (c_associated(data) .or. residual < 0) error stop 'a callback with nonsense'
    heard = heard + 1
    stop = merge(1, 0, iteration >= 3)
  end function
end module
