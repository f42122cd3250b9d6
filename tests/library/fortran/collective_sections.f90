! use mpi_f08: array sections with gaps between their elements, as buffers of collectives.
program collective_sections
  use mpi_f08
  implicit none
  integer :: rank, ranks, i
  integer :: a(6, 40), b(6, 40)
  integer, allocatable :: counts(:), starts(:)
  type(MPI_Datatype), allocatable :: types(:)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  allocate(counts(ranks), starts(ranks), types(ranks))

  call reset()
  call MPI_Allreduce(MPI_IN_PLACE, a(1:6:2, 3), 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  b = a
  call show('in place')
  call reset()
  call MPI_Allreduce(a(2, 1:9), b(3, 2:18:2), 9, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
  call show('allreduce')
  call reset()
  call MPI_Allreduce(a(1:6:5, 2:8:3), b(1, :), 6, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call show('two dimensions')
  call reset()
  call MPI_Reduce(a(6:1:-2, 1), b(6:1:-1, 2), 3, MPI_INTEGER, MPI_SUM, ranks - 1, MPI_COMM_WORLD)
  call show('reduce')
  call reset()
  call MPI_Scan(a(1, :), b(2, :), 40, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call show('scan')
  call reset()
  call MPI_Exscan(a(1, :), b(2, :), 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) b = -1
  call show('exscan')
  call reset()
  call MPI_Reduce_local(a(1:5:2, 1:2), b(2:6:2, 1:2), 6, MPI_INTEGER, MPI_SUM)
  call show('reduce_local')
  call reset()
  counts = 2
  counts(ranks) = 3
  call MPI_Reduce_scatter(a(3, :), b(4, :), counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call show('reduce_scatter')
  call reset()
  call MPI_Reduce_scatter_block(a(3, :), b(4, 1:40:2), 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call show('reduce_scatter_block')

  counts = 2
  starts = [(3 * (i - 1), i = 1, ranks)]
  types = MPI_INTEGER
  call reset()
  call MPI_Allgather(a(1:4:3, 1), 2, MPI_INTEGER, b(5, :), 2, MPI_INTEGER, MPI_COMM_WORLD)
  call show('allgather')
  call reset()
  call MPI_Allgatherv(a(1:4:3, 1), 2, MPI_INTEGER, b(5, :), counts, starts, MPI_INTEGER, MPI_COMM_WORLD)
  call show('allgatherv')
  call reset()
  call MPI_Gather(a(1:4:3, 1), 2, MPI_INTEGER, b(5, :), 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call show('gather')
  call reset()
  call MPI_Gatherv(a(1:4:3, 1), 2, MPI_INTEGER, b(1:6:3, 1:15), counts, starts, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call show('gatherv')
  call reset()
  call MPI_Scatter(a(2, 1:40:2), 2, MPI_INTEGER, b(1:3:2, 7), 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call show('scatter')
  call reset()
  call MPI_Scatterv(a(2, :), counts, starts, MPI_INTEGER, b(1:3:2, 7), 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call show('scatterv')
  call reset()
  call MPI_Alltoall(a(1:6:2, :), 2, MPI_INTEGER, b(2:6:2, :), 2, MPI_INTEGER, MPI_COMM_WORLD)
  call show('alltoall')
  call reset()
  call MPI_Alltoallv(a(1, :), counts, starts, MPI_INTEGER, b(2, :), counts, starts, MPI_INTEGER, MPI_COMM_WORLD)
  call show('alltoallv')
  call reset()
  call MPI_Alltoallw(a(1, :), counts, 4 * starts, types, b(2, :), counts, 4 * starts, types, MPI_COMM_WORLD)
  call show('alltoallw')
  call MPI_Finalize()

contains

  subroutine reset()
    integer :: nth
    a = reshape([(1000 * rank + nth, nth = 1, 240)], [6, 40])
    b = -1
  end subroutine

  ! The elements of b that have changed on any rank, as sums that tell places apart.
  subroutine show(what)
    character(len=*), intent(in) :: what
    integer :: sums(4), all(4, ranks), row, column
    sums = 0
    do column = 1, 40
      do row = 1, 6
        if (b(row, column) == -1) cycle
        sums = sums + [1, b(row, column), b(row, column) * row, mod(b(row, column) * column, 9973)]
      end do
    end do
    call MPI_Gather(sums, 4, MPI_INTEGER, all, 4, MPI_INTEGER, 0, MPI_COMM_WORLD)
    if (rank == 0) print '(a,99(1x,i0))', what, all
  end subroutine
end program
