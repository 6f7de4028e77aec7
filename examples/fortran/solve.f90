! clgauss from Fortran 2003 by iso_c_binding: arrays are column-major, as they lie.
!   gfortran solve.f90 $(pkg-config --libs clgauss)      (libclgauss.a: --static)
module clgauss
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), parameter :: clgauss_ok = 0, clgauss_column_major = 102
  integer(c_int), parameter :: clgauss_use_environment = 1   ! kernels are kept on disk

  interface
    integer(c_int) function clgauss_context_create(device, flags, context) bind(c)
      import
      character(kind=c_char), intent(in) :: device(*)
      integer(c_int), value :: flags
      type(c_ptr), intent(out) :: context
    end function
    integer(c_int) function clgauss_context_destroy(context) bind(c)
      import
      type(c_ptr), value :: context
    end function
    integer(c_int) function clgauss_dsolve(context, layout, n, nrhs, a, lda, b, ldb, x, ldx, options, report) bind(c)
      import
      type(c_ptr), value :: context, options, report        ! c_null_ptr: the defaults, no report
      integer(c_int), value :: layout
      integer(c_size_t), value :: n, nrhs, lda, ldb, ldx
      real(c_double), intent(in) :: a(lda, *), b(ldb, *)
      real(c_double), intent(out) :: x(ldx, *)
    end function
    function clgauss_last_error() bind(c) result(text)
      import
      type(c_ptr) :: text
    end function
    integer(c_size_t) function strlen(text) bind(c)
      import
      type(c_ptr), value :: text
    end function
  end interface

contains

  subroutine check(status)
    integer(c_int), intent(in) :: status
    character(kind=c_char), pointer :: message(:)
    type(c_ptr) :: text
    if (status == clgauss_ok) return
    text = clgauss_last_error()
    call c_f_pointer(text, message, [strlen(text)])
    print *, message
    error stop 1
  end subroutine

end module

program solve
  use clgauss
  implicit none
  integer(c_size_t), parameter :: n = 100
  real(c_double) :: a(n, n), b(n, 1), x(n, 1)
  type(c_ptr) :: context
  integer(c_size_t) :: i, j

  do j = 1, n
    do i = 1, n
      a(i, j) = merge(0d0, 1d0 / (1 + i + 2 * j), i == j)
    end do
  end do
  b(:, 1) = sum(a, 2)                                        ! so that x is all ones

  call check(clgauss_context_create("auto" // c_null_char, clgauss_use_environment, context))
  call check(clgauss_dsolve(context, clgauss_column_major, n, 1_c_size_t, a, n, b, n, x, n, c_null_ptr, c_null_ptr))
  call check(clgauss_context_destroy(context))
  print "(a, es8.1)", "largest residual", maxval(abs(b - matmul(a, x)))
  if (.not. maxval(abs(b - matmul(a, x))) <= 1d-10) error stop 1
end program
