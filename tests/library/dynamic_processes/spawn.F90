! Processes of one command and of several: arguments with blanks, a table of arguments, none, and error codes.
! -DF08 and -DMPIF choose the interface; without them it is the module mpi.
#ifdef F08
#define COMM type(MPI_Comm)
#define INFO type(MPI_Info)
#else
#define COMM integer
#define INFO integer
#endif
program spawning
#ifdef F08
  use mpi_f08
#endif
#if !defined(F08) && !defined(MPIF)
  use mpi
#endif
  implicit none
#ifdef MPIF
  include 'mpif.h'
#endif
  COMM :: parent
  integer :: rank, ranks, ierr
  character(len=4096) :: command
  character(len=24) :: role
  call MPI_Init(ierr)
  call MPI_Comm_get_parent(parent, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call get_command_argument(0, command)
  call get_command_argument(1, role)
  if (parent /= MPI_COMM_NULL) then
    call child()
  else if (role == 'lost') then
    call lost()
  else
    call one_command()
    call several_commands()
    call no_arguments()
  end if
  call MPI_Finalize(ierr)

contains

  subroutine say(text)
    character(len=*), intent(in) :: text
    print '(a)', text
    flush(6)
  end subroutine

  ! Only the root's arguments count: those of the other rank have no end.
  subroutine one_command()
    COMM :: inter, all
    integer :: codes(3), remote, total
    character(len=24) :: arguments(4)
    character(len=80) :: line
    arguments = 'no argument ends here'
    if (rank == 1) then
      arguments(1) = 'child'
      arguments(2) = '  two words'
      arguments(3) = ''
    end if
    codes = -1
    call MPI_Comm_spawn(command, arguments, 3, MPI_INFO_NULL, 1, MPI_COMM_WORLD, inter, codes, ierr)
    call MPI_Comm_remote_size(inter, remote, ierr)
    write(line, '(a,i0,a,3(1x,i0))') 'children ', remote, ', codes', codes
    if (rank == 0) call say(trim(line))
    call MPI_Intercomm_merge(inter, .false., all, ierr)
    call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, all, ierr)
    write(line, '(a,i0)') 'merged sum ', total
    if (rank == 0) call say(trim(line))
    call MPI_Comm_free(all, ierr)
    call MPI_Comm_disconnect(inter, ierr)
  end subroutine

  subroutine several_commands()
    COMM :: inter
    INFO :: infos(2)
    integer :: codes(3)
    character(len=24) :: table(2, 3)
    character(len=80) :: line
    table = ''
    table(1, 1) = 'one'
    table(2, 1) = 'two'
    table(2, 2) = 'of two'
    infos = MPI_INFO_NULL
    codes = -1
    call MPI_Comm_spawn_multiple(2, [command, command], table, [1, 2], infos, 0, MPI_COMM_WORLD, inter, codes, ierr)
    call MPI_Barrier(inter, ierr)
    write(line, '(a,3(1x,i0))') 'several, codes', codes
    if (rank == 0) call say(trim(line))
    call MPI_Comm_disconnect(inter, ierr)
  end subroutine

  subroutine no_arguments()
    COMM :: inter
    INFO :: infos(2)
    infos = MPI_INFO_NULL
    call MPI_Comm_spawn(command, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, inter, MPI_ERRCODES_IGNORE, ierr)
    call MPI_Barrier(inter, ierr)
    call MPI_Comm_disconnect(inter, ierr)
    call MPI_Comm_spawn_multiple(2, [command, command], MPI_ARGVS_NULL, [1, 1], infos, 0, MPI_COMM_WORLD, inter, &
                                 MPI_ERRCODES_IGNORE, ierr)
    call MPI_Barrier(inter, ierr)
    call MPI_Comm_disconnect(inter, ierr)
  end subroutine

  ! A program that is not there: an error class for each process.
  subroutine lost()
    COMM :: inter
    integer :: codes(2), class
    codes = -1
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
    call MPI_Comm_spawn('no such program', MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, inter, codes, ierr)
    call MPI_Error_class(ierr, class, ierr)
    if (rank == 0) print '(4(l1,1x))', class == MPI_ERR_SPAWN, codes == MPI_ERR_SPAWN, inter == MPI_COMM_NULL
    if (rank /= 0) print '(2(l1,1x))', class == MPI_ERR_SPAWN, codes(1) == -1
  end subroutine

  subroutine child()
    COMM :: all
    integer :: nth, total, length
    character(len=24) :: word
    character(len=120) :: line
    if (role == 'child') then
      call MPI_Intercomm_merge(parent, .true., all, ierr)
      call MPI_Allreduce(rank + 10, total, 1, MPI_INTEGER, MPI_SUM, all, ierr)
      call MPI_Comm_free(all, ierr)
    end if
    call get_command_argument(2, word, length)
    write(line, '(a,i0,a,i0,5a,i0,a,i0)') 'child ', rank, ' of ', ranks, ': <', trim(role), '> <', trim(word), '>, ', length, &
      ' long, arguments ', command_argument_count()
    do nth = 0, ranks - 1
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
      if (nth == rank) call say(trim(line))
    end do
    if (role /= 'child') call MPI_Barrier(parent, ierr)
    call MPI_Comm_disconnect(parent, ierr)
  end subroutine
end program
