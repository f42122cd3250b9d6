! Everything that a Fortran program keeps belongs to its rank: module variables, SAVE, COMMON, units, random numbers, the command line.
module kept
  implicit none
  integer :: number = -1
  real(8), allocatable :: field(:)
end module

program own_state
  use mpi
  use kept
  implicit none
  integer, save :: visits = 0
  integer :: ierr, rank, ranks, mistakes, total, unit, back, step, block(3)
  integer, allocatable :: seed(:)
  real(8) :: mine(2), drawn
  character(20) :: name, line
  common /shared/ block

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  number = rank
  block = 10 * rank
  allocate(field(rank + 1))
  field = rank
  write(name, '(a,i0)') 'unit.', rank
  open(newunit=unit, file=name, status='replace')
  call random_seed(size=total)
  allocate(seed(total))
  seed = 7
  call random_seed(put=seed)
  mistakes = 0
  do step = 1, 5
    visits = visits + 1
    write(unit, '(i0,1x,i0)') rank, step
    call random_number(mine(step - 2 * ((step - 1) / 2)))
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    if (visits /= step .or. number /= rank .or. any(block /= 10 * rank) .or. any(field /= rank)) mistakes = mistakes + 1
  end do
  ! All ranks began with one seed and drew as often, so all have drawn the same.
  drawn = mine(1)
  call MPI_Bcast(drawn, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  if (drawn /= mine(1)) mistakes = mistakes + 1
  rewind(unit)
  do step = 1, 5
    read(unit, *) back, total
    if (back /= rank .or. total /= step) mistakes = mistakes + 1
  end do
  read(unit, '(a)', iostat=ierr) line
  if (ierr >= 0) mistakes = mistakes + 1
  close(unit, status='delete')
  call MPI_Allreduce(MPI_IN_PLACE, mistakes, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(i0,a,i0,a)', ranks, ' ranks, ', mistakes, ' mistakes'
  call MPI_Finalize(ierr)
end program
