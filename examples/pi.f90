! Computes pi: each rank sums part of the midpoint rule, and a reduction adds the parts.
program pi
  use mpi_f08
  implicit none
  integer, parameter :: intervals = 1000000
  integer :: rank, ranks, i
  double precision :: part, total, x

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  part = 0
  do i = rank + 1, intervals, ranks
    x = (i - 0.5d0) / intervals
    part = part + 4 / (1 + x * x)
  end do
  call MPI_Reduce(part / intervals, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print '(a,f12.9)', 'pi is about ', total
  call MPI_Finalize()
end program
