! nonzero for Fortran: sparse products y = alpha op(A) x + beta y and solvers, over the C interface
! (include/nonzero/nonzero.h, docs/c-api.md). Add this file, which includes those beside it, to the
! sources of a program, and link that with the library. A procedure nz_... does what the function of
! C with that name does; where C has one for each type, it is one generic name here.
!
! Every subroutine has a status: nz_ok, or what nz_error() explains. Arrays count from 1 unless
! base says otherwise; a matrix copies them. What was made is destroyed by hand; a copy of a handle
! is the same handle.
module nonzero
  use, intrinsic :: iso_c_binding
  implicit none
  private

  integer(c_int32_t), parameter, public :: nz_ok = 0, nz_invalid_argument = 1, nz_bad_input = 2, &
    nz_refused = 3, nz_no_resource = 4, nz_device_fault = 5, nz_failed = 6, nz_internal = 7
  integer(c_int32_t), parameter, public :: nz_f32 = 1, nz_f64 = 2, nz_c64 = 3, nz_c128 = 4
  integer(c_int32_t), parameter :: copy_arrays = 1, column_major = 1
  integer(c_int32_t), parameter, public :: nz_none = 0, nz_transpose = 1, nz_both = 2, &
                                           nz_conjugate_transpose = 3, nz_conjugate = 4
  integer(c_int32_t), parameter, public :: nz_instant = 0, nz_balanced = 1, nz_thorough = 2
  integer(c_int32_t), parameter, public :: nz_values_exact = 0, nz_values_f32 = 1, nz_values_f16 = 2, &
                                           nz_values_bf16 = 3
  integer(c_int32_t), parameter, public :: nz_converged = 1, nz_least_squares = 2, &
    nz_iteration_limit = 3, nz_stopped = 4, nz_breakdown = 5, nz_diverged = 6, &
    nz_not_a_number = 7, nz_not_symmetric = 8, nz_not_definite = 9, nz_not_stochastic = 10, &
    nz_stagnated = 11

  type, public :: nz_matrix
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, public :: nz_plan
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, public :: nz_preconditioner
    type(c_ptr) :: handle = c_null_ptr
  end type
  ! Of a matrix whose rows and columns are counted with 64 bits.
  type, public :: nz_wide_plan
    type(c_ptr) :: handle = c_null_ptr
  end type

  ! How a solver ended.
  type, public :: nz_result
    integer(c_int32_t) :: reason = 0, iterations = 0
    logical :: converged = .false.
    real(c_double) :: residual = 0, seconds = 0
    integer(c_int64_t) :: history_length = 0
    character(256) :: message = ''
  end type

  public :: nz_error, nz_status_name, nz_version, nz_set_threads, nz_threads, nz_device_check
  public :: nz_matrix_csr, nz_matrix_csc, nz_matrix_coo, nz_matrix_read, nz_matrix_write
  public :: nz_matrix_rows, nz_matrix_columns, nz_matrix_nonzeros, nz_matrix_type, nz_matrix_get
  public :: nz_matrix_destroy, nz_plan_type, nz_plan_threads, nz_plan_setup_seconds, nz_plan_measure
  public :: nz_plan_create, nz_plan_update_values, nz_plan_destroy, nz_plan_rows, nz_plan_columns
  public :: nz_plan_nonzeros, nz_plan_bytes, nz_plan_kernel, nz_plan_device, nz_plan_explain
  public :: nz_multiply, nz_preconditioner_create, nz_preconditioner_jacobi
  public :: nz_preconditioner_destroy, nz_callback
  public :: nz_wide_plan_csr, nz_wide_plan_coo, nz_wide_plan_rows, nz_wide_plan_columns
  public :: nz_wide_plan_type, nz_wide_plan_threads, nz_wide_plan_device
  public :: nz_wide_plan_bytes, nz_wide_plan_explain, nz_wide_plan_destroy, nz_multiply_wide
  public :: nz_solve, nz_pagerank, nz_stationary, nz_largest_eigenvalue, nz_lobpcg

  interface nz_matrix_csr
    procedure csr_f32_i32, csr_f32_i64, csr_f64_i32, csr_f64_i64
    procedure csr_c64_i32, csr_c64_i64, csr_c128_i32, csr_c128_i64
  end interface
  interface nz_matrix_csc
    procedure csc_f32_i32, csc_f32_i64, csc_f64_i32, csc_f64_i64
    procedure csc_c64_i32, csc_c64_i64, csc_c128_i32, csc_c128_i64
  end interface
  interface nz_matrix_coo
    procedure coo_f32, coo_f64, coo_c64, coo_c128
  end interface
  interface nz_matrix_get
    procedure get_f32_i32, get_f32_i64, get_f64_i32, get_f64_i64
    procedure get_c64_i32, get_c64_i64, get_c128_i32, get_c128_i64
  end interface
  ! Of one vector, or of the columns of two arrays; by a plan, wide or not.
  interface nz_multiply
    procedure multiply_f32, multiply_f64, multiply_columns_f32, multiply_columns_f64
    procedure multiply_c64, multiply_c128, multiply_columns_c64, multiply_columns_c128
    procedure multiply_wide_f32, multiply_wide_f64
    procedure multiply_wide_columns_f32, multiply_wide_columns_f64
  end interface
  interface nz_wide_plan_csr
    procedure wide_csr_f32, wide_csr_f64
  end interface
  interface nz_wide_plan_coo
    procedure wide_coo_f32, wide_coo_f64
  end interface
  interface nz_multiply_wide
    procedure multiply_wide_f32, multiply_wide_f64
    procedure multiply_wide_columns_f32, multiply_wide_columns_f64
  end interface
  interface nz_solve
    procedure solve_f32, solve_f64, solve_c64, solve_c128
    procedure solve_wide_f32, solve_wide_f64
  end interface
  ! The smallest eigenpairs, or the largest: one for each column of an array.
  interface nz_lobpcg
    procedure lobpcg_f32, lobpcg_f64, lobpcg_wide_f32, lobpcg_wide_f64
  end interface
  ! Of one personalisation, or of several, a column of x each.
  interface nz_pagerank
    procedure pagerank_f32, pagerank_f64, pagerank_columns_f32, pagerank_columns_f64
    procedure pagerank_wide_f32, pagerank_wide_f64
    procedure pagerank_wide_columns_f32, pagerank_wide_columns_f64
  end interface
  interface nz_stationary
    procedure stationary_f32, stationary_f64, stationary_wide_f32, stationary_wide_f64
  end interface
  interface nz_largest_eigenvalue
    procedure largest_eigenvalue, largest_eigenvalue_wide
  end interface

  ! Told of every iteration; whatever is not 0 ends the solver.
  abstract interface
    function nz_callback(iteration, residual, data) bind(c) result(stop)
      import :: c_int32_t, c_double, c_ptr
      integer(c_int32_t), value :: iteration
      real(c_double), value :: residual
      type(c_ptr), value :: data
      integer(c_int32_t) :: stop
    end function
  end interface

  include 'interfaces.inc'
  include 'walk_interfaces.inc'
  include 'complex_interfaces.inc'
  include 'wide_interfaces.inc'

contains

  function c_text(text) result(to)
    character(*), intent(in) :: text
    character(kind=c_char), allocatable :: to(:)
    integer :: i
    allocate (to(len_trim(text) + 1))
    do i = 1, len_trim(text)
      to(i) = text(i:i)
    end do
    to(size(to)) = c_null_char
  end function

  function text_of(characters) result(text)
    character(kind=c_char), intent(in) :: characters(:)
    character(:), allocatable :: text
    integer :: i, length
    length = 0
    do while (length < size(characters))
      if (characters(length + 1) == c_null_char) exit
      length = length + 1
    end do
    allocate (character(length) :: text)
    do i = 1, length
      text(i:i) = characters(i)
    end do
  end function

  ! The text that C points to; empty where it points nowhere.
  function text_at(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    text = ''
    if (.not. c_associated(pointer)) return
    call c_f_pointer(pointer, characters, [c_strlen(pointer)])
    text = text_of(characters)
  end function

  function fail(text) result(status)
    character(*), intent(in) :: text
    integer(c_int32_t) :: status
    status = c_fail(nz_invalid_argument, c_text(text))
  end function

  function number(n) result(text)
    integer(c_int64_t), intent(in) :: n
    character(:), allocatable :: text
    character(24) :: digits
    write (digits, '(i0)') n
    text = trim(digits)
  end function

  ! What was wrong in the last call of this thread that failed.
  function nz_error() result(text)
    character(:), allocatable :: text
    text = text_at(c_last_error())
  end function

  function nz_status_name(status) result(text)
    integer(c_int32_t), intent(in) :: status
    character(:), allocatable :: text
    text = text_at(c_status_name(status))
  end function

  function nz_version() result(text)
    character(:), allocatable :: text
    text = text_at(c_version())
  end function

  subroutine nz_set_threads(threads, status)
    integer(c_int32_t), intent(in) :: threads
    integer(c_int32_t), intent(out) :: status
    status = c_set_threads(threads)
  end subroutine

  integer(c_int32_t) function nz_threads()
    nz_threads = c_threads()
  end function

  subroutine nz_device_check(device, status)
    character(*), intent(in) :: device
    integer(c_int32_t), intent(out) :: status
    status = c_device_check(c_text(device))
  end subroutine

  include 'matrices.inc'
  include 'plans.inc'
  include 'solvers.inc'
  include 'walks.inc'
  include 'complex.inc'
  include 'eigen.inc'
  include 'wide.inc'
  include 'wide_walks.inc'
end module
