! Sections with gaps as buffers of mpi_f08: each result is compared with what the standard says, in all kinds of procedures.
program subarrays
  use mpi_f08
  implicit none
  integer :: rank, ranks, left, right, i, j, wrong
  integer :: a(6, 8), b(6, 8), c(6, 8), line(10), packed(48)
  type(MPI_Request) :: request(2)
  type(MPI_Win) :: win
  type(MPI_File) :: file
  type(MPI_Datatype) :: pair
  integer(MPI_ADDRESS_KIND) :: at
  integer(MPI_OFFSET_KIND) :: start
  integer :: position, scalar

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  right = modulo(rank + 1, ranks)
  left = modulo(rank - 1, ranks)
  wrong = 0
  do j = 1, 8
    do i = 1, 6
      a(i, j) = rank * 1000 + i * 10 + j
    end do
  end do

  call clear
  call MPI_Irecv(b(1:6:2, 2:8:3), 9, MPI_INTEGER, left, 1, MPI_COMM_WORLD, request(1))
  call MPI_Isend(a(2:4, 8:1:-3), 9, MPI_INTEGER, right, 1, MPI_COMM_WORLD, request(2))
  call MPI_Waitall(2, request, MPI_STATUSES_IGNORE)
  c(1:6:2, 2:8:3) = a(2:4, 8:1:-3) + (left - rank) * 1000
  call compare('Irecv, Isend')

  call clear
  call MPI_Recv_init(b(6:1:-2, 1), 3, MPI_INTEGER, left, 2, MPI_COMM_WORLD, request(1))
  call MPI_Send_init(a(1, 1:8:3), 3, MPI_INTEGER, right, 2, MPI_COMM_WORLD, request(2))
  do i = 1, 2
    b = -1
    call MPI_Startall(2, request)
    call MPI_Waitall(2, request, MPI_STATUSES_IGNORE)
  end do
  call MPI_Request_free(request(1))
  call MPI_Request_free(request(2))
  c(6:1:-2, 1) = a(1, 1:8:3) + (left - rank) * 1000
  call compare('Recv_init, Send_init')

  call clear
  call MPI_Sendrecv(a(5, 1:8:2), 4, MPI_INTEGER, right, 3, b(3, 8:1:-2), 4, MPI_INTEGER, left, 3, &
    MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  c(3, 8:1:-2) = a(5, 1:8:2) + (left - rank) * 1000
  call compare('Sendrecv')

  call clear
  if (rank == 0) b(::5, ::7) = a(::5, ::7)
  call MPI_Ibcast(b(::5, ::7), 4, MPI_INTEGER, 0, MPI_COMM_WORLD, request(1))
  call MPI_Wait(request(1), MPI_STATUS_IGNORE)
  c(::5, ::7) = a(::5, ::7) - rank * 1000
  call compare('Ibcast')

  call clear
  b(::2, 3) = rank
  call MPI_Allreduce(MPI_IN_PLACE, b(::2, 3), 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  c(::2, 3) = ranks * (ranks - 1) / 2
  call compare('Allreduce in place')

  call clear
  call MPI_Isend(a(1:0:2, 3), 0, MPI_INTEGER, right, 4, MPI_COMM_WORLD, request(1))
  call MPI_Recv(b(1:0, ::2), 0, MPI_INTEGER, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_Wait(request(1), MPI_STATUS_IGNORE)
  call compare('nothing')

  call clear
  scalar = rank
  call MPI_Sendrecv_replace(scalar, 1, MPI_INTEGER, right, 5, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  if (scalar /= left) wrong = wrong + 1
  call MPI_Get_address(b(4, 4), at)
  call MPI_Type_create_hindexed(1, [1], [at], MPI_INTEGER, pair)
  call MPI_Type_commit(pair)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, right, 6, MPI_BOTTOM, 1, pair, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_Type_free(pair)
  c(4, 4) = left
  call compare('scalars and MPI_BOTTOM')

  call clear
  call assumed_size(b)
  c(:, 1) = a(:, 2) + (left - rank) * 1000
  call compare('assumed size')

  call clear
  line = rank
  call MPI_Win_create(line, 40_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Win_fence(0, win)
  call MPI_Put(a(1, 1:8:4), 2, MPI_INTEGER, right, 3_MPI_ADDRESS_KIND, 2, MPI_INTEGER, win)
  call MPI_Win_fence(0, win)
  call MPI_Get(b(2, 1:8:3), 3, MPI_INTEGER, right, 2_MPI_ADDRESS_KIND, 3, MPI_INTEGER, win)
  call MPI_Win_fence(0, win)
  call MPI_Win_free(win)
  c(2, 1:8:3) = [right, a(1, 1), a(1, 5)]
  call compare('Put, Get')

  call clear
  start = rank * 24
  call MPI_File_open(MPI_COMM_WORLD, 'subarrays.data', MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
    MPI_INFO_NULL, file)
  call MPI_File_iwrite_at(file, start, a(::2, ::7), 6, MPI_INTEGER, request(1))
  call MPI_Wait(request(1), MPI_STATUS_IGNORE)
  call MPI_File_read_at_all_begin(file, start, b(1:3, ::5), 6, MPI_INTEGER)
  call MPI_File_read_at_all_end(file, b(1:3, ::5), MPI_STATUS_IGNORE)
  call MPI_File_close(file)
  c(1:3, ::5) = a(::2, ::7)
  call compare('files')

  call clear
  position = 0
  packed = 0
  call MPI_Pack(a(::5, 2), 2, MPI_INTEGER, packed(::3), 64, position, MPI_COMM_WORLD)
  position = 0
  call MPI_Unpack(packed(::3), 64, position, b(3, ::7), 2, MPI_INTEGER, MPI_COMM_WORLD)
  c(3, ::7) = a(::5, 2)
  call compare('Pack, Unpack')

  if (rank == 0) print '(a,l1)', 'subarrays ', MPI_SUBARRAYS_SUPPORTED
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(i0,a)', wrong, ' mistakes'
  call MPI_Finalize()

contains

  subroutine clear
    b = -1
    c = -1
  end subroutine

  subroutine compare(what)
    character(len=*), intent(in) :: what
    if (any(b /= c)) then
      wrong = wrong + 1
      print '(i0,3a,48(1x,i0))', rank, ' ', what, ':', b
    end if
  end subroutine

  subroutine assumed_size(array)
    integer, intent(inout) :: array(6, *)
    call MPI_Irecv(array, 6, MPI_INTEGER, left, 7, MPI_COMM_WORLD, request(1))
    call MPI_Send(a(:, 2), 6, MPI_INTEGER, right, 7, MPI_COMM_WORLD)
    call MPI_Wait(request(1), MPI_STATUS_IGNORE)
  end subroutine
end program
