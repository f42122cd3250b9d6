! use mpi: topologies, datatypes, groups, errors, texts, attributes of address size, packing, probes.
module answers
  use mpi
  implicit none
  integer :: errors_seen = 0
contains
  subroutine note_error(comm, code)
    integer :: comm, code
    integer :: class, ierr
    call MPI_Error_class(code, class, ierr)
    if (comm == MPI_COMM_NULL) print *, 'no communicator'
    errors_seen = errors_seen + 1
    if (class /= MPI_ERR_RANK) print *, 'wrong class', class
  end subroutine

  subroutine double_it(comm, key, extra, old, new, flag, ierr)
    integer :: comm, key, ierr
    integer(kind=MPI_ADDRESS_KIND) :: extra, old, new
    logical :: flag
    new = 2 * old + extra
    flag = .true.
    ierr = MPI_SUCCESS
  end subroutine
end module

program module_program
  use answers
  implicit none
  integer :: rank, ranks, ierr, cart, group, subgroup, subcomm, newtype, key, info, handler, length, n, position, i
  integer :: dims(2), coords(2), source, target, status(MPI_STATUS_SIZE), sizes(2), starts(2), subsizes(2)
  integer :: matrix(4, 4), line(4), all(8), message, indices(2), done
  integer :: requests(2)
  logical :: periods(2), flag
  integer(kind=MPI_ADDRESS_KIND) :: value, extra, lower, extent, places(2)
  character(len=40) :: text
  character(len=MPI_MAX_ERROR_STRING) :: message_text
  character :: packed(100), arrived(100)
  double precision :: x
  ! The compiler must expect that MPI changes them by their addresses.
  volatile :: x, n
  complex :: z, zs

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)

  dims = 0
  call MPI_Dims_create(ranks, 2, dims, ierr)
  periods = [.true., .false.]
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., cart, ierr)
  call MPI_Cart_coords(cart, rank, 2, coords, ierr)
  call MPI_Cart_shift(cart, 0, 1, source, target, ierr)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, target, 1, n, 1, MPI_INTEGER, source, 1, cart, MPI_STATUS_IGNORE, ierr)
  if (n /= source) print *, 'wrong source'
  periods = .false.
  call MPI_Cart_get(cart, 2, dims, periods, coords, ierr)
  if (rank == 0) print '(a,2i3,2l2)', 'grid', dims, periods
  call MPI_Comm_free(cart, ierr)

  ! A block of a matrix, in the order of Fortran.
  sizes = 4; subsizes = 2; starts = [1, 2]
  call MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_INTEGER, newtype, ierr)
  call MPI_Type_commit(newtype, ierr)
  matrix = reshape([(i, i = 1, 16)], [4, 4])
  call MPI_Sendrecv(matrix, 1, newtype, 0, 2, line, 4, MPI_INTEGER, 0, 2, MPI_COMM_SELF, status, ierr)
  if (rank == 0) print '(a,4i4)', 'block', line
  call MPI_Type_get_extent(newtype, lower, extent, ierr)
  if (extent /= 64) print *, 'wrong extent', extent
  call MPI_Type_free(newtype, ierr)

  ! A section that is not contiguous.
  call MPI_Bcast(matrix(2, :), 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)

  ! Two variables by their addresses.
  call MPI_Get_address(x, places(1), ierr)
  call MPI_Get_address(n, places(2), ierr)
  call MPI_Type_create_struct(2, [1, 1], places, [MPI_DOUBLE_PRECISION, MPI_INTEGER], newtype, ierr)
  call MPI_Type_commit(newtype, ierr)
  x = rank + 0.5d0; n = rank
  call MPI_Bcast(MPI_BOTTOM, 1, newtype, ranks - 1, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,f6.2,i4)', 'bottom', x - ranks, n - ranks
  call MPI_Type_free(newtype, ierr)

  ! Groups: the even ranks.
  call MPI_Comm_group(MPI_COMM_WORLD, group, ierr)
  call MPI_Group_range_incl(group, 1, reshape([0, ranks - 1, 2], [3, 1]), subgroup, ierr)
  call MPI_Group_size(subgroup, n, ierr)
  call MPI_Comm_create(MPI_COMM_WORLD, subgroup, subcomm, ierr)
  if (mod(rank, 2) == 0) then
    if (subcomm == MPI_COMM_NULL) print *, 'no communicator'
    call MPI_Comm_set_name(subcomm, 'even ranks  ', ierr)
    call MPI_Comm_get_name(subcomm, text, length, ierr)
    if (rank == 0) print '(a,i3,3a)', 'even', n, ' [', text(1:length), ']'
    call MPI_Comm_free(subcomm, ierr)
  end if
  call MPI_Group_free(group, ierr)
  call MPI_Group_free(subgroup, ierr)

  ! Errors that return, and errors that call a procedure of the program.
  call MPI_Comm_dup(MPI_COMM_WORLD, subcomm, ierr)
  call MPI_Comm_set_errhandler(subcomm, MPI_ERRORS_RETURN, ierr)
  call MPI_Send(n, 1, MPI_INTEGER, ranks + 5, 0, subcomm, ierr)
  call MPI_Error_class(ierr, n, i)
  call MPI_Error_string(n, message_text, length, i)
  if (n /= MPI_ERR_RANK .or. length < 1) print *, 'no error'
  call MPI_Comm_create_errhandler(note_error, handler, ierr)
  call MPI_Comm_set_errhandler(subcomm, handler, ierr)
  call MPI_Send(n, 1, MPI_INTEGER, ranks + 5, 0, subcomm, ierr)
  call MPI_Errhandler_free(handler, ierr)
  if (rank == 0) print '(a,i3)', 'errors', errors_seen

  ! Attributes of address size.
  extra = 5
  call MPI_Comm_create_keyval(double_it, MPI_COMM_NULL_DELETE_FN, key, extra, ierr)
  call MPI_Comm_set_attr(subcomm, key, 10000000000_MPI_ADDRESS_KIND, ierr)
  call MPI_Comm_dup(subcomm, cart, ierr)
  call MPI_Comm_get_attr(cart, key, value, flag, ierr)
  if (rank == 0) print '(a,l2,i13)', 'attribute', flag, value
  call MPI_Comm_free(cart, ierr)
  call MPI_Comm_free(subcomm, ierr)
  call MPI_Comm_free_keyval(key, ierr)
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, extra, ierr)
  call MPI_Comm_set_attr(MPI_COMM_SELF, key, 77_MPI_ADDRESS_KIND, ierr)
  call MPI_Comm_dup(MPI_COMM_SELF, subcomm, ierr)
  call MPI_Comm_get_attr(subcomm, key, value, flag, ierr)
  if (rank == 0) print '(a,l2,i13)', 'copied', flag, value
  call MPI_Comm_free(subcomm, ierr)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
  if (.not. flag .or. value < 32767) print *, 'tag limit', value

  ! Texts.
  call MPI_Info_create(info, ierr)
  call MPI_Info_set(info, ' a key ', ' a value  ', ierr)
  call MPI_Info_get(info, 'a key', 39, text, flag, ierr)
  if (rank == 0) print '(a,l2,3a)', 'info', flag, ' [', trim(text), ']'
  text = 'untouched'
  call MPI_Info_get(info, 'another', 39, text, flag, ierr)
  if (flag .or. text /= 'untouched') print *, 'found what is not there'
  call MPI_Info_free(info, ierr)

  ! Packing, probing, testing.
  position = 0
  call MPI_Pack(rank, 1, MPI_INTEGER, packed, 100, position, MPI_COMM_WORLD, ierr)
  z = cmplx(rank, -rank)
  call MPI_Pack(z, 1, MPI_COMPLEX, packed, 100, position, MPI_COMM_WORLD, ierr)
  call MPI_Isend(packed, position, MPI_PACKED, mod(rank + 1, ranks), 9, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Mprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, message, status, ierr)
  call MPI_Get_count(status, MPI_PACKED, n, ierr)
  call MPI_Mrecv(arrived, n, MPI_PACKED, message, status, ierr)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
  position = 0
  call MPI_Unpack(arrived, n, position, i, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call MPI_Unpack(arrived, n, position, z, 1, MPI_COMPLEX, MPI_COMM_WORLD, ierr)
  if (i /= mod(rank - 1 + ranks, ranks) .or. real(z) /= i) print *, 'wrong message'
  call MPI_Allreduce(z, zs, 1, MPI_COMPLEX, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,2f8.2)', 'complex', zs

  call MPI_Irecv(n, 1, MPI_INTEGER, rank, 11, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(rank, 1, MPI_INTEGER, rank, 11, MPI_COMM_WORLD, requests(2), ierr)
  i = 0
  do while (i < 2)
    call MPI_Waitsome(2, requests, done, indices, MPI_STATUSES_IGNORE, ierr)
    if (any(indices(1:done) < 1 .or. indices(1:done) > 2)) print *, 'wrong indices'
    i = i + done
  end do
  all = 0
  call MPI_Gather(rank, 1, MPI_INTEGER, all, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,8i3)', 'gathered', all
  flag = rank >= 0
  call MPI_Allreduce(MPI_IN_PLACE, flag, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierr)
  if (.not. flag) print *, 'not all true'
  call MPI_Finalize(ierr)
end program
