! MPI_Sizeof in both modules: scalars and arrays of each kind, and an error code that is left out.
subroutine with_mpi
  use mpi
  use, intrinsic :: iso_fortran_env
  implicit none
  integer(int8) :: byte
  integer(int16) :: short(3)
  integer :: plain
  integer(int64), allocatable :: long(:, :)
  real(real32) :: single(2, 2, 2)
  real(real64) :: double
  complex(real32) :: pair
  complex(real64) :: pairs(5)
  integer :: ierror(8), sizes(8)
  allocate(long(2, 3))
  ierror = -1
  call MPI_Sizeof(byte, sizes(1), ierror(1))
  call MPI_Sizeof(short, sizes(2), ierror(2))
  call MPI_Sizeof(plain, sizes(3), ierror(3))
  call MPI_Sizeof(long, sizes(4), ierror(4))
  call MPI_Sizeof(single, sizes(5), ierror(5))
  call MPI_Sizeof(double, sizes(6), ierror(6))
  call MPI_Sizeof(pair, sizes(7), ierror(7))
  call MPI_Sizeof(pairs(2:4), sizes(8), ierror(8))
  print '(8(i0,1x),a,i0)', sizes, 'errors ', count(ierror /= MPI_SUCCESS)
end subroutine

program sizeof
  use mpi_f08
  implicit none
  real(8) :: matrix(3, 3)
  integer :: size, rank
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  if (rank == 0) then
    call with_mpi
    call MPI_Sizeof(matrix, size)
    print '(i0)', size
  end if
  call MPI_Finalize()
end program
