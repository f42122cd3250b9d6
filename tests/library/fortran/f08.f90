! use mpi_f08: typed handles, statuses with names, error codes left out, procedures, large counts left to the library.
module operators
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
contains
  subroutine keep_larger(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    real(c_double), pointer :: a(:), b(:)
    if (datatype /= MPI_DOUBLE_PRECISION) print *, 'wrong type'
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    b = max(a, b)
  end subroutine

  subroutine copy_attribute(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    attribute_val_out = attribute_val_in + extra_state
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine
end module

program f08
  use operators
  implicit none
  type(MPI_Comm) :: comm, half
  type(MPI_Status) :: status, statuses(2)
  type(MPI_Request) :: requests(2)
  type(MPI_Op) :: op
  type(MPI_Datatype) :: column
  type(MPI_Group) :: group, other
  integer :: rank, ranks, n, i, key, length, counts(8), displacements(8), all(36)
  integer(kind=MPI_ADDRESS_KIND) :: value, extra, lower, extent
  integer(kind=MPI_COUNT_KIND) :: many
  double precision :: x(3), y(3)
  real :: table(3, 3)
  logical :: flag
  character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
  character(len=12) :: word

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  if (comm == MPI_COMM_WORLD) print *, 'the same communicator'

  call MPI_Irecv(n, 1, MPI_INTEGER, MPI_ANY_SOURCE, 5, comm, requests(1))
  call MPI_Isend(rank, 1, MPI_INTEGER, mod(rank + 1, ranks), 5, comm, requests(2))
  call MPI_Waitall(2, requests, statuses)
  if (statuses(1)%MPI_SOURCE /= n .or. statuses(1)%MPI_TAG /= 5) print *, 'wrong status'
  if (requests(1) /= MPI_REQUEST_NULL) print *, 'not null'
  call MPI_Get_count(statuses(1), MPI_INTEGER, i)
  if (i /= 1) print *, 'wrong count'

  x = [rank, -rank, 2 * rank] * 1d0
  call MPI_Op_create(keep_larger, .true., op)
  call MPI_Allreduce(x, y, 3, MPI_DOUBLE_PRECISION, op, comm)
  if (rank == 0) print '(a,3f7.2)', 'largest', y
  call MPI_Op_free(op)
  call MPI_Allreduce(MPI_IN_PLACE, x, 3, MPI_DOUBLE_PRECISION, MPI_SUM, comm)
  if (rank == 0) print '(a,3f7.2)', 'sums', x

  call MPI_Type_vector(3, 1, 3, MPI_REAL, column)
  call MPI_Type_commit(column)
  table = rank
  call MPI_Bcast(table(1, 1), 1, column, ranks - 1, comm)
  if (rank == 0) print '(a,2f6.1)', 'row', table(1, 3) - ranks, table(2, 3)
  call MPI_Type_get_extent(column, lower, extent)
  if (extent /= 28) print *, 'wrong extent', extent
  call MPI_Type_free(column)

  do i = 1, ranks
    counts(i) = i
    displacements(i) = (i * (i - 1)) / 2
  end do
  all = -1
  call MPI_Gatherv([(rank, i = 0, rank)], rank + 1, MPI_INTEGER, all, counts, displacements, MPI_INTEGER, 0, comm)
  if (rank == 0) print '(a,6i3)', 'gathered', all(1:6)

  extra = 3
  call MPI_Comm_create_keyval(copy_attribute, MPI_COMM_NULL_DELETE_FN, key, extra)
  value = 39
  call MPI_Comm_set_attr(comm, key, value)
  call MPI_Comm_split(comm, mod(rank, 2), -rank, half)
  call MPI_Comm_size(half, n)
  if (rank == 0) print '(a,i3)', 'half', n
  call MPI_Comm_free(half)
  call MPI_Comm_dup(comm, half)
  call MPI_Comm_get_attr(half, key, value, flag)
  if (rank == 0) print '(a,l2,i4)', 'attribute', flag, value
  call MPI_Comm_free(half)

  call MPI_Comm_group(comm, group)
  call MPI_Group_excl(group, 1, [0], other)
  call MPI_Group_compare(group, other, i)
  if (i /= MPI_UNEQUAL) print *, 'groups are equal'
  call MPI_Group_free(group)
  call MPI_Group_free(other)

  call MPI_Get_library_version(version, length)
  if (length < 3) print *, 'no version'
  call MPI_Sendrecv('twelve chars', 12, MPI_CHARACTER, rank, 1, word, 12, MPI_CHARACTER, rank, 1, comm, status)
  if (rank == 0) print '(a)', word
  call MPI_Probe_self(comm)
  call MPI_Type_size(MPI_DOUBLE_COMPLEX, n)
  if (n /= 16) print *, 'wrong size'
  call MPI_Get_elements_x(status, MPI_CHARACTER, many)
  if (many /= 12) print *, 'wrong elements', many
  call MPI_Barrier(comm)
  call MPI_Comm_free(comm)
  call MPI_Finalize()
contains
  subroutine MPI_Probe_self(comm)
    type(MPI_Comm), intent(in) :: comm
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    integer :: n, sent
    logical :: flag
    sent = 4
    call MPI_Isend(sent, 1, MPI_INTEGER, rank, 8, comm, request)
    flag = .false.
    do while (.not. flag)
      call MPI_Iprobe(rank, 8, comm, flag, status)
    end do
    call MPI_Recv(n, 1, MPI_INTEGER, rank, 8, comm, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (n /= 4) print *, 'wrong message'
  end subroutine
end program
