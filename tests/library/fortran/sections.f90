! use mpi_f08: array sections with gaps between their elements, as buffers.
program sections
  use mpi_f08
  implicit none
  type cell
    integer :: kind
    real :: value
  end type
  integer :: rank, ranks, left, right, i, j, n
  integer :: grid(6, 4), got(6, 4), line(12), packed(64), position
  type(cell) :: cells(5)
  real :: values(5)
  type(MPI_Status) :: status
  type(MPI_Request) :: requests(2)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  grid = reshape([(100 * rank + i, i = 1, 24)], [6, 4])

  ! A row, every second row, and a part of the last column: whole lines of elements or not.
  got = 0
  call MPI_Sendrecv(grid(2, :), 4, MPI_INTEGER, right, 1, got(5, :), 4, MPI_INTEGER, left, 1, MPI_COMM_WORLD, status)
  call MPI_Get_count(status, MPI_INTEGER, n)
  if (rank == 0) print '(a,i3,4i6)', 'row', n, got(5, :)
  got = 0
  call MPI_Sendrecv(grid(1:6:2, 2:3), 6, MPI_INTEGER, right, 2, line, 12, MPI_INTEGER, left, 2, MPI_COMM_WORLD, status)
  if (rank == 0) print '(a,6i6)', 'every second', line(1:6)
  line = [(i, i = 1, 12)]
  call MPI_Sendrecv(grid(1:6:2, 1:4), 5, MPI_INTEGER, right, 3, got(2:5:3, 1:4), 5, MPI_INTEGER, left, 3, MPI_COMM_WORLD, status)
  if (rank == 0) print '(a,8i6)', 'uneven', got(2, :), got(5, :)
  got = 0
  call MPI_Sendrecv(grid(6:1:-1, 4), 6, MPI_INTEGER, right, 4, got(:, 1), 6, MPI_INTEGER, left, 4, MPI_COMM_WORLD, status)
  if (rank == 0) print '(a,6i6)', 'backwards', got(:, 1)

  ! A component of a type, and bytes instead of numbers.
  do i = 1, 5
    cells(i) = cell(i, rank + 0.5 * i)
  end do
  values = -1
  call MPI_Sendrecv(cells%value, 5, MPI_REAL, right, 5, values, 5, MPI_REAL, left, 5, MPI_COMM_WORLD, status)
  if (rank == 0) print '(a,5f7.2)', 'component', values
  call MPI_Sendrecv(cells%kind, 20, MPI_BYTE, right, 6, line, 48, MPI_BYTE, left, 6, MPI_COMM_WORLD, status)
  if (rank == 0) print '(a,5i4)', 'bytes', line(1:5)

  ! Collectives.
  got = 0
  if (rank == ranks - 1) got(3, :) = [7, 8, 9, 10 + ranks]
  call MPI_Bcast(got(3, :), 4, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD)
  if (rank == 0) print '(a,4i4)', 'broadcast', got(3, :)
  position = 0
  call MPI_Pack(grid(4, 1:4:3), 2, MPI_INTEGER, packed, 256, position, MPI_COMM_WORLD)
  line = 0
  j = 0
  call MPI_Unpack(packed, 256, j, line(2:12:5), 2, MPI_INTEGER, MPI_COMM_WORLD)
  if (rank == 0) print '(a,2i4,12i4)', 'packed', position, j, line

  ! The library may look at a section after the call only if it says that it supports sections.
  got = 0
  if (MPI_SUBARRAYS_SUPPORTED) then
    call MPI_Irecv(got(1, :), 4, MPI_INTEGER, left, 7, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(grid(6, :), 4, MPI_INTEGER, right, 7, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  else
    call MPI_Sendrecv(grid(6, :), 4, MPI_INTEGER, right, 7, got(1, :), 4, MPI_INTEGER, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end if
  if (rank == 0) print '(a,4i6)', 'later', got(1, :)
  call MPI_Finalize()
end program
