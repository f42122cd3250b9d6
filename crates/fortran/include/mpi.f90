! The module mpi. Made from tables by the tests of mpirage.
module mpi
  implicit none
  include 'mpif-constants.h'

  interface
    subroutine MPI_F_sync_reg(buf)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
    end subroutine
  end interface

  interface
    subroutine MPI_Abi_get_version(abi_major, abi_minor, ierror)
      integer, intent(out) :: abi_major
      integer, intent(out) :: abi_minor
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Abi_get_version(abi_major, abi_minor, ierror)
      integer, intent(out) :: abi_major
      integer, intent(out) :: abi_minor
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Abort(comm, errorcode, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: errorcode
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Abort(comm, errorcode, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: errorcode
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Accumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
        target_datatype, op, win, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      type(*), dimension(*) :: origin_addr
      integer, intent(in) :: origin_count
      integer, intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      integer, intent(in) :: target_datatype
      integer, intent(in) :: op
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Accumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
        target_datatype, op, win, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      type(*), dimension(*) :: origin_addr
      integer, intent(in) :: origin_count
      integer, intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      integer, intent(in) :: target_datatype
      integer, intent(in) :: op
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Add_error_class(errorclass, ierror)
      integer, intent(out) :: errorclass
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Add_error_class(errorclass, ierror)
      integer, intent(out) :: errorclass
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Add_error_code(errorclass, errorcode, ierror)
      integer, intent(in) :: errorclass
      integer, intent(out) :: errorcode
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Add_error_code(errorclass, errorcode, ierror)
      integer, intent(in) :: errorclass
      integer, intent(out) :: errorcode
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Add_error_string(errorcode, string, ierror)
      integer, intent(in) :: errorcode
      character(len=*), intent(in) :: string
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Add_error_string(errorcode, string, ierror)
      integer, intent(in) :: errorcode
      character(len=*), intent(in) :: string
      integer, intent(out) :: ierror
    end subroutine
    function MPI_Aint_add(base, disp)
      import :: MPI_ADDRESS_KIND
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: base
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: disp
      integer(kind=MPI_ADDRESS_KIND) :: MPI_Aint_add
    end function
    function PMPI_Aint_add(base, disp)
      import :: MPI_ADDRESS_KIND
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: base
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: disp
      integer(kind=MPI_ADDRESS_KIND) :: PMPI_Aint_add
    end function
    function MPI_Aint_diff(addr1, addr2)
      import :: MPI_ADDRESS_KIND
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: addr1
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: addr2
      integer(kind=MPI_ADDRESS_KIND) :: MPI_Aint_diff
    end function
    function PMPI_Aint_diff(addr1, addr2)
      import :: MPI_ADDRESS_KIND
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: addr1
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: addr2
      integer(kind=MPI_ADDRESS_KIND) :: PMPI_Aint_diff
    end function
    subroutine MPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Alloc_mem(size, info, baseptr, ierror)
      import :: MPI_ADDRESS_KIND
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: info
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Alloc_mem(size, info, baseptr, ierror)
      import :: MPI_ADDRESS_KIND
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: info
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Allreduce_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Allreduce_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: sdispls(*)
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: rdispls(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: sdispls(*)
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: rdispls(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, &
        comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: sdispls(*)
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: rdispls(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, &
        comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: sdispls(*)
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: rdispls(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: sdispls(*)
      integer, intent(in) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: rdispls(*)
      integer, intent(in) :: recvtypes(*)
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: sdispls(*)
      integer, intent(in) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: rdispls(*)
      integer, intent(in) :: recvtypes(*)
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, &
        comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: sdispls(*)
      integer, intent(in) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: rdispls(*)
      integer, intent(in) :: recvtypes(*)
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, &
        comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: sdispls(*)
      integer, intent(in) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: rdispls(*)
      integer, intent(in) :: recvtypes(*)
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Attr_delete(comm, keyval, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: keyval
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Attr_delete(comm, keyval, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: keyval
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Attr_get(comm, keyval, attribute_val, flag, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: keyval
      integer, intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Attr_get(comm, keyval, attribute_val, flag, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: keyval
      integer, intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Attr_put(comm, keyval, attribute_val, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: keyval
      integer, intent(in) :: attribute_val
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Attr_put(comm, keyval, attribute_val, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: keyval
      integer, intent(in) :: attribute_val
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Barrier(comm, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Barrier(comm, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Barrier_init(comm, info, request, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Barrier_init(comm, info, request, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Bcast(buffer, count, datatype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      type(*), dimension(*) :: buffer
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Bcast(buffer, count, datatype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      type(*), dimension(*) :: buffer
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Bcast_init(buffer, count, datatype, root, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      type(*), dimension(*) :: buffer
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Bcast_init(buffer, count, datatype, root, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      type(*), dimension(*) :: buffer
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Bsend(buf, count, datatype, dest, tag, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Bsend(buf, count, datatype, dest, tag, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Bsend_init(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Bsend_init(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Buffer_attach(buffer, size, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      type(*), dimension(*) :: buffer
      integer, intent(in) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Buffer_attach(buffer, size, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      type(*), dimension(*) :: buffer
      integer, intent(in) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Buffer_detach(buffer_addr, size, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer_addr
      !DIR$ IGNORE_TKR buffer_addr
      type(*), dimension(*) :: buffer_addr
      integer, intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Buffer_detach(buffer_addr, size, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer_addr
      !DIR$ IGNORE_TKR buffer_addr
      type(*), dimension(*) :: buffer_addr
      integer, intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Buffer_flush(ierror)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Buffer_flush(ierror)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Buffer_iflush(request, ierror)
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Buffer_iflush(request, ierror)
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Cancel(request, ierror)
      integer, intent(in) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Cancel(request, ierror)
      integer, intent(in) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Cart_coords(comm, rank, maxdims, coords, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: rank
      integer, intent(in) :: maxdims
      integer, intent(out) :: coords(*)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Cart_coords(comm, rank, maxdims, coords, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: rank
      integer, intent(in) :: maxdims
      integer, intent(out) :: coords(*)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Cart_create(comm_old, ndims, dims, periods, reorder, comm_cart, ierror)
      integer, intent(in) :: comm_old
      integer, intent(in) :: ndims
      integer, intent(in) :: dims(*)
      logical, intent(in) :: periods(*)
      logical, intent(in) :: reorder
      integer, intent(out) :: comm_cart
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Cart_create(comm_old, ndims, dims, periods, reorder, comm_cart, ierror)
      integer, intent(in) :: comm_old
      integer, intent(in) :: ndims
      integer, intent(in) :: dims(*)
      logical, intent(in) :: periods(*)
      logical, intent(in) :: reorder
      integer, intent(out) :: comm_cart
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Cart_get(comm, maxdims, dims, periods, coords, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: maxdims
      integer, intent(out) :: dims(*)
      logical, intent(out) :: periods(*)
      integer, intent(out) :: coords(*)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Cart_get(comm, maxdims, dims, periods, coords, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: maxdims
      integer, intent(out) :: dims(*)
      logical, intent(out) :: periods(*)
      integer, intent(out) :: coords(*)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Cart_map(comm, ndims, dims, periods, newrank, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: ndims
      integer, intent(in) :: dims(*)
      logical, intent(in) :: periods(*)
      integer, intent(out) :: newrank
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Cart_map(comm, ndims, dims, periods, newrank, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: ndims
      integer, intent(in) :: dims(*)
      logical, intent(in) :: periods(*)
      integer, intent(out) :: newrank
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Cart_rank(comm, coords, rank, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: coords(*)
      integer, intent(out) :: rank
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Cart_rank(comm, coords, rank, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: coords(*)
      integer, intent(out) :: rank
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Cart_shift(comm, direction, disp, rank_source, rank_dest, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: direction
      integer, intent(in) :: disp
      integer, intent(out) :: rank_source
      integer, intent(out) :: rank_dest
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Cart_shift(comm, direction, disp, rank_source, rank_dest, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: direction
      integer, intent(in) :: disp
      integer, intent(out) :: rank_source
      integer, intent(out) :: rank_dest
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Cart_sub(comm, remain_dims, newcomm, ierror)
      integer, intent(in) :: comm
      logical, intent(in) :: remain_dims(*)
      integer, intent(out) :: newcomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Cart_sub(comm, remain_dims, newcomm, ierror)
      integer, intent(in) :: comm
      logical, intent(in) :: remain_dims(*)
      integer, intent(out) :: newcomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Cartdim_get(comm, ndims, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: ndims
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Cartdim_get(comm, ndims, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: ndims
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Close_port(port_name, ierror)
      character(len=*), intent(in) :: port_name
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Close_port(port_name, ierror)
      character(len=*), intent(in) :: port_name
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_accept(port_name, info, root, comm, newcomm, ierror)
      character(len=*), intent(in) :: port_name
      integer, intent(in) :: info
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: newcomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_accept(port_name, info, root, comm, newcomm, ierror)
      character(len=*), intent(in) :: port_name
      integer, intent(in) :: info
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: newcomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_attach_buffer(comm, buffer, size, ierror)
      integer, intent(in) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      type(*), dimension(*) :: buffer
      integer, intent(in) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_attach_buffer(comm, buffer, size, ierror)
      integer, intent(in) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      type(*), dimension(*) :: buffer
      integer, intent(in) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_call_errhandler(comm, errorcode, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: errorcode
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_call_errhandler(comm, errorcode, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: errorcode
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_compare(comm1, comm2, result, ierror)
      integer, intent(in) :: comm1
      integer, intent(in) :: comm2
      integer, intent(out) :: result
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_compare(comm1, comm2, result, ierror)
      integer, intent(in) :: comm1
      integer, intent(in) :: comm2
      integer, intent(out) :: result
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_connect(port_name, info, root, comm, newcomm, ierror)
      character(len=*), intent(in) :: port_name
      integer, intent(in) :: info
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: newcomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_connect(port_name, info, root, comm, newcomm, ierror)
      character(len=*), intent(in) :: port_name
      integer, intent(in) :: info
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: newcomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_create(comm, group, newcomm, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: group
      integer, intent(out) :: newcomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_create(comm, group, newcomm, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: group
      integer, intent(out) :: newcomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_create_errhandler(comm_errhandler_fn, errhandler, ierror)
      external :: comm_errhandler_fn
      integer, intent(out) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_create_errhandler(comm_errhandler_fn, errhandler, ierror)
      external :: comm_errhandler_fn
      integer, intent(out) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_create_from_group(group, stringtag, info, errhandler, newcomm, ierror)
      integer, intent(in) :: group
      character(len=*), intent(in) :: stringtag
      integer, intent(in) :: info
      integer, intent(in) :: errhandler
      integer, intent(out) :: newcomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_create_from_group(group, stringtag, info, errhandler, newcomm, ierror)
      integer, intent(in) :: group
      character(len=*), intent(in) :: stringtag
      integer, intent(in) :: info
      integer, intent(in) :: errhandler
      integer, intent(out) :: newcomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_create_group(comm, group, tag, newcomm, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: group
      integer, intent(in) :: tag
      integer, intent(out) :: newcomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_create_group(comm, group, tag, newcomm, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: group
      integer, intent(in) :: tag
      integer, intent(out) :: newcomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_create_keyval(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state, ierror)
      import :: MPI_ADDRESS_KIND
      external :: comm_copy_attr_fn
      external :: comm_delete_attr_fn
      integer, intent(out) :: comm_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_create_keyval(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state, ierror)
      import :: MPI_ADDRESS_KIND
      external :: comm_copy_attr_fn
      external :: comm_delete_attr_fn
      integer, intent(out) :: comm_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_delete_attr(comm, comm_keyval, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_delete_attr(comm, comm_keyval, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_detach_buffer(comm, buffer_addr, size, ierror)
      integer, intent(in) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer_addr
      !DIR$ IGNORE_TKR buffer_addr
      type(*), dimension(*) :: buffer_addr
      integer, intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_detach_buffer(comm, buffer_addr, size, ierror)
      integer, intent(in) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer_addr
      !DIR$ IGNORE_TKR buffer_addr
      type(*), dimension(*) :: buffer_addr
      integer, intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_disconnect(comm, ierror)
      integer, intent(inout) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_disconnect(comm, ierror)
      integer, intent(inout) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_dup(comm, newcomm, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: newcomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_dup(comm, newcomm, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: newcomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_dup_with_info(comm, info, newcomm, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: newcomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_dup_with_info(comm, info, newcomm, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: newcomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_flush_buffer(comm, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_flush_buffer(comm, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_free(comm, ierror)
      integer, intent(inout) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_free(comm, ierror)
      integer, intent(inout) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_free_keyval(comm_keyval, ierror)
      integer, intent(inout) :: comm_keyval
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_free_keyval(comm_keyval, ierror)
      integer, intent(inout) :: comm_keyval
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_get_attr(comm, comm_keyval, attribute_val, flag, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_get_attr(comm, comm_keyval, attribute_val, flag, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_get_errhandler(comm, errhandler, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_get_errhandler(comm, errhandler, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_get_info(comm, info_used, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: info_used
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_get_info(comm, info_used, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: info_used
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_get_name(comm, comm_name, resultlen, ierror)
      integer, intent(in) :: comm
      character(len=*), intent(out) :: comm_name
      integer, intent(out) :: resultlen
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_get_name(comm, comm_name, resultlen, ierror)
      integer, intent(in) :: comm
      character(len=*), intent(out) :: comm_name
      integer, intent(out) :: resultlen
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_get_parent(parent, ierror)
      integer, intent(out) :: parent
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_get_parent(parent, ierror)
      integer, intent(out) :: parent
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_group(comm, group, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: group
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_group(comm, group, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: group
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_idup(comm, newcomm, request, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: newcomm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_idup(comm, newcomm, request, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: newcomm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_idup_with_info(comm, info, newcomm, request, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: newcomm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_idup_with_info(comm, info, newcomm, request, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: newcomm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_iflush_buffer(comm, request, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_iflush_buffer(comm, request, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_join(fd, intercomm, ierror)
      integer, intent(in) :: fd
      integer, intent(out) :: intercomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_join(fd, intercomm, ierror)
      integer, intent(in) :: fd
      integer, intent(out) :: intercomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_rank(comm, rank, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: rank
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_rank(comm, rank, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: rank
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_remote_group(comm, group, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: group
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_remote_group(comm, group, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: group
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_remote_size(comm, size, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_remote_size(comm, size, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_set_attr(comm, comm_keyval, attribute_val, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_set_attr(comm, comm_keyval, attribute_val, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_set_errhandler(comm, errhandler, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_set_errhandler(comm, errhandler, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_set_info(comm, info, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_set_info(comm, info, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_set_name(comm, comm_name, ierror)
      integer, intent(in) :: comm
      character(len=*), intent(in) :: comm_name
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_set_name(comm, comm_name, ierror)
      integer, intent(in) :: comm
      character(len=*), intent(in) :: comm_name
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_size(comm, size, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_size(comm, size, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_split(comm, color, key, newcomm, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: color
      integer, intent(in) :: key
      integer, intent(out) :: newcomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_split(comm, color, key, newcomm, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: color
      integer, intent(in) :: key
      integer, intent(out) :: newcomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_split_type(comm, split_type, key, info, newcomm, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: split_type
      integer, intent(in) :: key
      integer, intent(in) :: info
      integer, intent(out) :: newcomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_split_type(comm, split_type, key, info, newcomm, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: split_type
      integer, intent(in) :: key
      integer, intent(in) :: info
      integer, intent(out) :: newcomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_test_inter(comm, flag, ierror)
      integer, intent(in) :: comm
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Comm_test_inter(comm, flag, ierror)
      integer, intent(in) :: comm
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Compare_and_swap(origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win, &
        ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      type(*), dimension(*) :: origin_addr
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: compare_addr
      !DIR$ IGNORE_TKR compare_addr
      type(*), dimension(*) :: compare_addr
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
      !DIR$ IGNORE_TKR result_addr
      type(*), dimension(*) :: result_addr
      integer, intent(in) :: datatype
      integer, intent(in) :: target_rank
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Compare_and_swap(origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win, &
        ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      type(*), dimension(*) :: origin_addr
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: compare_addr
      !DIR$ IGNORE_TKR compare_addr
      type(*), dimension(*) :: compare_addr
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
      !DIR$ IGNORE_TKR result_addr
      type(*), dimension(*) :: result_addr
      integer, intent(in) :: datatype
      integer, intent(in) :: target_rank
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Dims_create(nnodes, ndims, dims, ierror)
      integer, intent(in) :: nnodes
      integer, intent(in) :: ndims
      integer, intent(inout) :: dims(*)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Dims_create(nnodes, ndims, dims, ierror)
      integer, intent(in) :: nnodes
      integer, intent(in) :: ndims
      integer, intent(inout) :: dims(*)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Dist_graph_create(comm_old, n, sources, degrees, destinations, weights, info, reorder, &
        comm_dist_graph, ierror)
      integer, intent(in) :: comm_old
      integer, intent(in) :: n
      integer, intent(in) :: sources(*)
      integer, intent(in) :: degrees(*)
      integer, intent(in) :: destinations(*)
      integer :: weights(*)
      integer, intent(in) :: info
      logical, intent(in) :: reorder
      integer, intent(out) :: comm_dist_graph
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Dist_graph_create(comm_old, n, sources, degrees, destinations, weights, info, reorder, &
        comm_dist_graph, ierror)
      integer, intent(in) :: comm_old
      integer, intent(in) :: n
      integer, intent(in) :: sources(*)
      integer, intent(in) :: degrees(*)
      integer, intent(in) :: destinations(*)
      integer :: weights(*)
      integer, intent(in) :: info
      logical, intent(in) :: reorder
      integer, intent(out) :: comm_dist_graph
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Dist_graph_create_adjacent(comm_old, indegree, sources, sourceweights, outdegree, destinations, &
        destweights, info, reorder, comm_dist_graph, ierror)
      integer, intent(in) :: comm_old
      integer, intent(in) :: indegree
      integer, intent(in) :: sources(*)
      integer :: sourceweights(*)
      integer, intent(in) :: outdegree
      integer, intent(in) :: destinations(*)
      integer :: destweights(*)
      integer, intent(in) :: info
      logical, intent(in) :: reorder
      integer, intent(out) :: comm_dist_graph
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Dist_graph_create_adjacent(comm_old, indegree, sources, sourceweights, outdegree, destinations, &
        destweights, info, reorder, comm_dist_graph, ierror)
      integer, intent(in) :: comm_old
      integer, intent(in) :: indegree
      integer, intent(in) :: sources(*)
      integer :: sourceweights(*)
      integer, intent(in) :: outdegree
      integer, intent(in) :: destinations(*)
      integer :: destweights(*)
      integer, intent(in) :: info
      logical, intent(in) :: reorder
      integer, intent(out) :: comm_dist_graph
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Dist_graph_neighbors(comm, maxindegree, sources, sourceweights, maxoutdegree, destinations, &
        destweights, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: maxindegree
      integer, intent(out) :: sources(*)
      integer :: sourceweights(*)
      integer, intent(in) :: maxoutdegree
      integer, intent(out) :: destinations(*)
      integer :: destweights(*)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Dist_graph_neighbors(comm, maxindegree, sources, sourceweights, maxoutdegree, destinations, &
        destweights, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: maxindegree
      integer, intent(out) :: sources(*)
      integer :: sourceweights(*)
      integer, intent(in) :: maxoutdegree
      integer, intent(out) :: destinations(*)
      integer :: destweights(*)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Dist_graph_neighbors_count(comm, indegree, outdegree, weighted, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: indegree
      integer, intent(out) :: outdegree
      logical, intent(out) :: weighted
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Dist_graph_neighbors_count(comm, indegree, outdegree, weighted, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: indegree
      integer, intent(out) :: outdegree
      logical, intent(out) :: weighted
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Errhandler_free(errhandler, ierror)
      integer, intent(inout) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Errhandler_free(errhandler, ierror)
      integer, intent(inout) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Error_class(errorcode, errorclass, ierror)
      integer, intent(in) :: errorcode
      integer, intent(out) :: errorclass
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Error_class(errorcode, errorclass, ierror)
      integer, intent(in) :: errorcode
      integer, intent(out) :: errorclass
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Error_string(errorcode, string, resultlen, ierror)
      integer, intent(in) :: errorcode
      character(len=*), intent(out) :: string
      integer, intent(out) :: resultlen
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Error_string(errorcode, string, resultlen, ierror)
      integer, intent(in) :: errorcode
      character(len=*), intent(out) :: string
      integer, intent(out) :: resultlen
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Exscan(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Exscan(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Exscan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Exscan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Fetch_and_op(origin_addr, result_addr, datatype, target_rank, target_disp, op, win, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      type(*), dimension(*) :: origin_addr
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
      !DIR$ IGNORE_TKR result_addr
      type(*), dimension(*) :: result_addr
      integer, intent(in) :: datatype
      integer, intent(in) :: target_rank
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: op
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Fetch_and_op(origin_addr, result_addr, datatype, target_rank, target_disp, op, win, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      type(*), dimension(*) :: origin_addr
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
      !DIR$ IGNORE_TKR result_addr
      type(*), dimension(*) :: result_addr
      integer, intent(in) :: datatype
      integer, intent(in) :: target_rank
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: op
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_call_errhandler(fh, errorcode, ierror)
      integer, intent(in) :: fh
      integer, intent(in) :: errorcode
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_call_errhandler(fh, errorcode, ierror)
      integer, intent(in) :: fh
      integer, intent(in) :: errorcode
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_close(fh, ierror)
      integer, intent(inout) :: fh
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_close(fh, ierror)
      integer, intent(inout) :: fh
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_create_errhandler(file_errhandler_fn, errhandler, ierror)
      external :: file_errhandler_fn
      integer, intent(out) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_create_errhandler(file_errhandler_fn, errhandler, ierror)
      external :: file_errhandler_fn
      integer, intent(out) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_delete(filename, info, ierror)
      character(len=*), intent(in) :: filename
      integer, intent(in) :: info
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_delete(filename, info, ierror)
      character(len=*), intent(in) :: filename
      integer, intent(in) :: info
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_get_amode(fh, amode, ierror)
      integer, intent(in) :: fh
      integer, intent(out) :: amode
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_get_amode(fh, amode, ierror)
      integer, intent(in) :: fh
      integer, intent(out) :: amode
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_get_atomicity(fh, flag, ierror)
      integer, intent(in) :: fh
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_get_atomicity(fh, flag, ierror)
      integer, intent(in) :: fh
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_get_byte_offset(fh, offset, disp, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      integer(kind=MPI_OFFSET_KIND), intent(out) :: disp
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_get_byte_offset(fh, offset, disp, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      integer(kind=MPI_OFFSET_KIND), intent(out) :: disp
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_get_errhandler(file, errhandler, ierror)
      integer, intent(in) :: file
      integer, intent(out) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_get_errhandler(file, errhandler, ierror)
      integer, intent(in) :: file
      integer, intent(out) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_get_group(fh, group, ierror)
      integer, intent(in) :: fh
      integer, intent(out) :: group
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_get_group(fh, group, ierror)
      integer, intent(in) :: fh
      integer, intent(out) :: group
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_get_info(fh, info_used, ierror)
      integer, intent(in) :: fh
      integer, intent(out) :: info_used
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_get_info(fh, info_used, ierror)
      integer, intent(in) :: fh
      integer, intent(out) :: info_used
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_get_position(fh, offset, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(out) :: offset
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_get_position(fh, offset, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(out) :: offset
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_get_position_shared(fh, offset, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(out) :: offset
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_get_position_shared(fh, offset, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(out) :: offset
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_get_size(fh, size, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_get_size(fh, size, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_get_type_extent(fh, datatype, extent, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: fh
      integer, intent(in) :: datatype
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: extent
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_get_type_extent(fh, datatype, extent, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: fh
      integer, intent(in) :: datatype
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: extent
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_get_view(fh, disp, etype, filetype, datarep, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(out) :: disp
      integer, intent(out) :: etype
      integer, intent(out) :: filetype
      character(len=*), intent(out) :: datarep
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_get_view(fh, disp, etype, filetype, datarep, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(out) :: disp
      integer, intent(out) :: etype
      integer, intent(out) :: filetype
      character(len=*), intent(out) :: datarep
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_iread(fh, buf, count, datatype, request, ierror)
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_iread(fh, buf, count, datatype, request, ierror)
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_iread_all(fh, buf, count, datatype, request, ierror)
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_iread_all(fh, buf, count, datatype, request, ierror)
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_iread_at(fh, offset, buf, count, datatype, request, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_iread_at(fh, offset, buf, count, datatype, request, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_iread_at_all(fh, offset, buf, count, datatype, request, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_iread_at_all(fh, offset, buf, count, datatype, request, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_iread_shared(fh, buf, count, datatype, request, ierror)
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_iread_shared(fh, buf, count, datatype, request, ierror)
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_iwrite(fh, buf, count, datatype, request, ierror)
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_iwrite(fh, buf, count, datatype, request, ierror)
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_iwrite_all(fh, buf, count, datatype, request, ierror)
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_iwrite_all(fh, buf, count, datatype, request, ierror)
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_iwrite_at(fh, offset, buf, count, datatype, request, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_iwrite_at(fh, offset, buf, count, datatype, request, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_iwrite_at_all(fh, offset, buf, count, datatype, request, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_iwrite_at_all(fh, offset, buf, count, datatype, request, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_iwrite_shared(fh, buf, count, datatype, request, ierror)
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_iwrite_shared(fh, buf, count, datatype, request, ierror)
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_open(comm, filename, amode, info, fh, ierror)
      integer, intent(in) :: comm
      character(len=*), intent(in) :: filename
      integer, intent(in) :: amode
      integer, intent(in) :: info
      integer, intent(out) :: fh
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_open(comm, filename, amode, info, fh, ierror)
      integer, intent(in) :: comm
      character(len=*), intent(in) :: filename
      integer, intent(in) :: amode
      integer, intent(in) :: info
      integer, intent(out) :: fh
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_preallocate(fh, size, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_preallocate(fh, size, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read(fh, buf, count, datatype, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_read(fh, buf, count, datatype, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read_all(fh, buf, count, datatype, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_read_all(fh, buf, count, datatype, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read_all_begin(fh, buf, count, datatype, ierror)
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_read_all_begin(fh, buf, count, datatype, ierror)
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read_all_end(fh, buf, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_read_all_end(fh, buf, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read_at(fh, offset, buf, count, datatype, status, ierror)
      import :: MPI_OFFSET_KIND, MPI_STATUS_SIZE
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_read_at(fh, offset, buf, count, datatype, status, ierror)
      import :: MPI_OFFSET_KIND, MPI_STATUS_SIZE
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read_at_all(fh, offset, buf, count, datatype, status, ierror)
      import :: MPI_OFFSET_KIND, MPI_STATUS_SIZE
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_read_at_all(fh, offset, buf, count, datatype, status, ierror)
      import :: MPI_OFFSET_KIND, MPI_STATUS_SIZE
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read_at_all_begin(fh, offset, buf, count, datatype, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_read_at_all_begin(fh, offset, buf, count, datatype, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read_at_all_end(fh, buf, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_read_at_all_end(fh, buf, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read_ordered(fh, buf, count, datatype, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_read_ordered(fh, buf, count, datatype, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read_ordered_begin(fh, buf, count, datatype, ierror)
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_read_ordered_begin(fh, buf, count, datatype, ierror)
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read_ordered_end(fh, buf, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_read_ordered_end(fh, buf, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_read_shared(fh, buf, count, datatype, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_read_shared(fh, buf, count, datatype, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_seek(fh, offset, whence, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: whence
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_seek(fh, offset, whence, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: whence
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_seek_shared(fh, offset, whence, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: whence
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_seek_shared(fh, offset, whence, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: whence
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_set_atomicity(fh, flag, ierror)
      integer, intent(in) :: fh
      logical, intent(in) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_set_atomicity(fh, flag, ierror)
      integer, intent(in) :: fh
      logical, intent(in) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_set_errhandler(file, errhandler, ierror)
      integer, intent(in) :: file
      integer, intent(in) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_set_errhandler(file, errhandler, ierror)
      integer, intent(in) :: file
      integer, intent(in) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_set_info(fh, info, ierror)
      integer, intent(in) :: fh
      integer, intent(in) :: info
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_set_info(fh, info, ierror)
      integer, intent(in) :: fh
      integer, intent(in) :: info
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_set_size(fh, size, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_set_size(fh, size, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_set_view(fh, disp, etype, filetype, datarep, info, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: disp
      integer, intent(in) :: etype
      integer, intent(in) :: filetype
      character(len=*), intent(in) :: datarep
      integer, intent(in) :: info
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_set_view(fh, disp, etype, filetype, datarep, info, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: disp
      integer, intent(in) :: etype
      integer, intent(in) :: filetype
      character(len=*), intent(in) :: datarep
      integer, intent(in) :: info
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_sync(fh, ierror)
      integer, intent(in) :: fh
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_sync(fh, ierror)
      integer, intent(in) :: fh
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write(fh, buf, count, datatype, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_write(fh, buf, count, datatype, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write_all(fh, buf, count, datatype, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_write_all(fh, buf, count, datatype, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write_all_begin(fh, buf, count, datatype, ierror)
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_write_all_begin(fh, buf, count, datatype, ierror)
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write_all_end(fh, buf, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_write_all_end(fh, buf, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write_at(fh, offset, buf, count, datatype, status, ierror)
      import :: MPI_OFFSET_KIND, MPI_STATUS_SIZE
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_write_at(fh, offset, buf, count, datatype, status, ierror)
      import :: MPI_OFFSET_KIND, MPI_STATUS_SIZE
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write_at_all(fh, offset, buf, count, datatype, status, ierror)
      import :: MPI_OFFSET_KIND, MPI_STATUS_SIZE
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_write_at_all(fh, offset, buf, count, datatype, status, ierror)
      import :: MPI_OFFSET_KIND, MPI_STATUS_SIZE
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write_at_all_begin(fh, offset, buf, count, datatype, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_write_at_all_begin(fh, offset, buf, count, datatype, ierror)
      import :: MPI_OFFSET_KIND
      integer, intent(in) :: fh
      integer(kind=MPI_OFFSET_KIND), intent(in) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write_at_all_end(fh, buf, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_write_at_all_end(fh, buf, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write_ordered(fh, buf, count, datatype, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_write_ordered(fh, buf, count, datatype, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write_ordered_begin(fh, buf, count, datatype, ierror)
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_write_ordered_begin(fh, buf, count, datatype, ierror)
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write_ordered_end(fh, buf, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_write_ordered_end(fh, buf, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write_shared(fh, buf, count, datatype, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_File_write_shared(fh, buf, count, datatype, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Finalize(ierror)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Finalize(ierror)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Finalized(flag, ierror)
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Finalized(flag, ierror)
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Free_mem(base, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DIR$ IGNORE_TKR base
      type(*), dimension(*) :: base
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Free_mem(base, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DIR$ IGNORE_TKR base
      type(*), dimension(*) :: base
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Gather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Gather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Gatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, &
        info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Gatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, &
        info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
        target_datatype, win, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      type(*), dimension(*) :: origin_addr
      integer, intent(in) :: origin_count
      integer, intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      integer, intent(in) :: target_datatype
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
        target_datatype, win, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      type(*), dimension(*) :: origin_addr
      integer, intent(in) :: origin_count
      integer, intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      integer, intent(in) :: target_datatype
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Get_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count, &
        result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      type(*), dimension(*) :: origin_addr
      integer, intent(in) :: origin_count
      integer, intent(in) :: origin_datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
      !DIR$ IGNORE_TKR result_addr
      type(*), dimension(*) :: result_addr
      integer, intent(in) :: result_count
      integer, intent(in) :: result_datatype
      integer, intent(in) :: target_rank
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      integer, intent(in) :: target_datatype
      integer, intent(in) :: op
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Get_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count, &
        result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      type(*), dimension(*) :: origin_addr
      integer, intent(in) :: origin_count
      integer, intent(in) :: origin_datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
      !DIR$ IGNORE_TKR result_addr
      type(*), dimension(*) :: result_addr
      integer, intent(in) :: result_count
      integer, intent(in) :: result_datatype
      integer, intent(in) :: target_rank
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      integer, intent(in) :: target_datatype
      integer, intent(in) :: op
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Get_address(location, address, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: location
      !DIR$ IGNORE_TKR location
      type(*), dimension(*) :: location
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: address
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Get_address(location, address, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: location
      !DIR$ IGNORE_TKR location
      type(*), dimension(*) :: location
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: address
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Get_count(status, datatype, count, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: datatype
      integer, intent(out) :: count
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Get_count(status, datatype, count, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: datatype
      integer, intent(out) :: count
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Get_elements(status, datatype, count, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: datatype
      integer, intent(out) :: count
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Get_elements(status, datatype, count, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: datatype
      integer, intent(out) :: count
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Get_elements_x(status, datatype, count, ierror)
      import :: MPI_STATUS_SIZE, MPI_COUNT_KIND
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: datatype
      integer(kind=MPI_COUNT_KIND), intent(out) :: count
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Get_elements_x(status, datatype, count, ierror)
      import :: MPI_STATUS_SIZE, MPI_COUNT_KIND
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: datatype
      integer(kind=MPI_COUNT_KIND), intent(out) :: count
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Get_hw_resource_info(hw_info, ierror)
      integer, intent(out) :: hw_info
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Get_hw_resource_info(hw_info, ierror)
      integer, intent(out) :: hw_info
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Get_library_version(version, resultlen, ierror)
      character(len=*), intent(out) :: version
      integer, intent(out) :: resultlen
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Get_library_version(version, resultlen, ierror)
      character(len=*), intent(out) :: version
      integer, intent(out) :: resultlen
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Get_processor_name(name, resultlen, ierror)
      character(len=*), intent(out) :: name
      integer, intent(out) :: resultlen
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Get_processor_name(name, resultlen, ierror)
      character(len=*), intent(out) :: name
      integer, intent(out) :: resultlen
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Get_version(version, subversion, ierror)
      integer, intent(out) :: version
      integer, intent(out) :: subversion
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Get_version(version, subversion, ierror)
      integer, intent(out) :: version
      integer, intent(out) :: subversion
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Graph_create(comm_old, nnodes, index, edges, reorder, comm_graph, ierror)
      integer, intent(in) :: comm_old
      integer, intent(in) :: nnodes
      integer, intent(in) :: index(*)
      integer, intent(in) :: edges(*)
      logical, intent(in) :: reorder
      integer, intent(out) :: comm_graph
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Graph_create(comm_old, nnodes, index, edges, reorder, comm_graph, ierror)
      integer, intent(in) :: comm_old
      integer, intent(in) :: nnodes
      integer, intent(in) :: index(*)
      integer, intent(in) :: edges(*)
      logical, intent(in) :: reorder
      integer, intent(out) :: comm_graph
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Graph_get(comm, maxindex, maxedges, index, edges, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: maxindex
      integer, intent(in) :: maxedges
      integer, intent(out) :: index(*)
      integer, intent(out) :: edges(*)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Graph_get(comm, maxindex, maxedges, index, edges, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: maxindex
      integer, intent(in) :: maxedges
      integer, intent(out) :: index(*)
      integer, intent(out) :: edges(*)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Graph_map(comm, nnodes, index, edges, newrank, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: nnodes
      integer, intent(in) :: index(*)
      integer, intent(in) :: edges(*)
      integer, intent(out) :: newrank
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Graph_map(comm, nnodes, index, edges, newrank, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: nnodes
      integer, intent(in) :: index(*)
      integer, intent(in) :: edges(*)
      integer, intent(out) :: newrank
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Graph_neighbors(comm, rank, maxneighbors, neighbors, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: rank
      integer, intent(in) :: maxneighbors
      integer, intent(out) :: neighbors(*)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Graph_neighbors(comm, rank, maxneighbors, neighbors, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: rank
      integer, intent(in) :: maxneighbors
      integer, intent(out) :: neighbors(*)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Graph_neighbors_count(comm, rank, nneighbors, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: rank
      integer, intent(out) :: nneighbors
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Graph_neighbors_count(comm, rank, nneighbors, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: rank
      integer, intent(out) :: nneighbors
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Graphdims_get(comm, nnodes, nedges, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: nnodes
      integer, intent(out) :: nedges
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Graphdims_get(comm, nnodes, nedges, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: nnodes
      integer, intent(out) :: nedges
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Grequest_complete(request, ierror)
      integer, intent(in) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Grequest_complete(request, ierror)
      integer, intent(in) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Grequest_start(query_fn, free_fn, cancel_fn, extra_state, request, ierror)
      import :: MPI_ADDRESS_KIND
      external :: query_fn
      external :: free_fn
      external :: cancel_fn
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Grequest_start(query_fn, free_fn, cancel_fn, extra_state, request, ierror)
      import :: MPI_ADDRESS_KIND
      external :: query_fn
      external :: free_fn
      external :: cancel_fn
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Group_compare(group1, group2, result, ierror)
      integer, intent(in) :: group1
      integer, intent(in) :: group2
      integer, intent(out) :: result
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Group_compare(group1, group2, result, ierror)
      integer, intent(in) :: group1
      integer, intent(in) :: group2
      integer, intent(out) :: result
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Group_difference(group1, group2, newgroup, ierror)
      integer, intent(in) :: group1
      integer, intent(in) :: group2
      integer, intent(out) :: newgroup
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Group_difference(group1, group2, newgroup, ierror)
      integer, intent(in) :: group1
      integer, intent(in) :: group2
      integer, intent(out) :: newgroup
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Group_excl(group, n, ranks, newgroup, ierror)
      integer, intent(in) :: group
      integer, intent(in) :: n
      integer, intent(in) :: ranks(*)
      integer, intent(out) :: newgroup
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Group_excl(group, n, ranks, newgroup, ierror)
      integer, intent(in) :: group
      integer, intent(in) :: n
      integer, intent(in) :: ranks(*)
      integer, intent(out) :: newgroup
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Group_free(group, ierror)
      integer, intent(inout) :: group
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Group_free(group, ierror)
      integer, intent(inout) :: group
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Group_from_session_pset(session, pset_name, newgroup, ierror)
      integer, intent(in) :: session
      character(len=*), intent(in) :: pset_name
      integer, intent(out) :: newgroup
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Group_from_session_pset(session, pset_name, newgroup, ierror)
      integer, intent(in) :: session
      character(len=*), intent(in) :: pset_name
      integer, intent(out) :: newgroup
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Group_incl(group, n, ranks, newgroup, ierror)
      integer, intent(in) :: group
      integer, intent(in) :: n
      integer, intent(in) :: ranks(*)
      integer, intent(out) :: newgroup
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Group_incl(group, n, ranks, newgroup, ierror)
      integer, intent(in) :: group
      integer, intent(in) :: n
      integer, intent(in) :: ranks(*)
      integer, intent(out) :: newgroup
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Group_intersection(group1, group2, newgroup, ierror)
      integer, intent(in) :: group1
      integer, intent(in) :: group2
      integer, intent(out) :: newgroup
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Group_intersection(group1, group2, newgroup, ierror)
      integer, intent(in) :: group1
      integer, intent(in) :: group2
      integer, intent(out) :: newgroup
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Group_range_excl(group, n, ranges, newgroup, ierror)
      integer, intent(in) :: group
      integer, intent(in) :: n
      integer, intent(in) :: ranges(3, *)
      integer, intent(out) :: newgroup
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Group_range_excl(group, n, ranges, newgroup, ierror)
      integer, intent(in) :: group
      integer, intent(in) :: n
      integer, intent(in) :: ranges(3, *)
      integer, intent(out) :: newgroup
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Group_range_incl(group, n, ranges, newgroup, ierror)
      integer, intent(in) :: group
      integer, intent(in) :: n
      integer, intent(in) :: ranges(3, *)
      integer, intent(out) :: newgroup
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Group_range_incl(group, n, ranges, newgroup, ierror)
      integer, intent(in) :: group
      integer, intent(in) :: n
      integer, intent(in) :: ranges(3, *)
      integer, intent(out) :: newgroup
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Group_rank(group, rank, ierror)
      integer, intent(in) :: group
      integer, intent(out) :: rank
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Group_rank(group, rank, ierror)
      integer, intent(in) :: group
      integer, intent(out) :: rank
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Group_size(group, size, ierror)
      integer, intent(in) :: group
      integer, intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Group_size(group, size, ierror)
      integer, intent(in) :: group
      integer, intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Group_translate_ranks(group1, n, ranks1, group2, ranks2, ierror)
      integer, intent(in) :: group1
      integer, intent(in) :: n
      integer, intent(in) :: ranks1(*)
      integer, intent(in) :: group2
      integer, intent(out) :: ranks2(*)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Group_translate_ranks(group1, n, ranks1, group2, ranks2, ierror)
      integer, intent(in) :: group1
      integer, intent(in) :: n
      integer, intent(in) :: ranks1(*)
      integer, intent(in) :: group2
      integer, intent(out) :: ranks2(*)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Group_union(group1, group2, newgroup, ierror)
      integer, intent(in) :: group1
      integer, intent(in) :: group2
      integer, intent(out) :: newgroup
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Group_union(group1, group2, newgroup, ierror)
      integer, intent(in) :: group1
      integer, intent(in) :: group2
      integer, intent(out) :: newgroup
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: sdispls(*)
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: rdispls(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: sdispls(*)
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: rdispls(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: sdispls(*)
      integer, intent(in) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: rdispls(*)
      integer, intent(in) :: recvtypes(*)
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, &
        comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: sdispls(*)
      integer, intent(in) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: rdispls(*)
      integer, intent(in) :: recvtypes(*)
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ibarrier(comm, request, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Ibarrier(comm, request, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ibcast(buffer, count, datatype, root, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      type(*), dimension(*) :: buffer
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Ibcast(buffer, count, datatype, root, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      type(*), dimension(*) :: buffer
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ibsend(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Ibsend(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Iexscan(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Iexscan(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Improbe(source, tag, comm, flag, message, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      logical, intent(out) :: flag
      integer, intent(out) :: message
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Improbe(source, tag, comm, flag, message, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      logical, intent(out) :: flag
      integer, intent(out) :: message
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Imrecv(buf, count, datatype, message, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(inout) :: message
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Imrecv(buf, count, datatype, message, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(inout) :: message
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ineighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Ineighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ineighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Ineighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ineighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, &
        recvtype, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: sdispls(*)
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: rdispls(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Ineighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, &
        recvtype, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: sdispls(*)
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: rdispls(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ineighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm, request, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: sdispls(*)
      integer, intent(in) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: rdispls(*)
      integer, intent(in) :: recvtypes(*)
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Ineighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm, request, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: sdispls(*)
      integer, intent(in) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: rdispls(*)
      integer, intent(in) :: recvtypes(*)
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Info_create(info, ierror)
      integer, intent(out) :: info
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Info_create(info, ierror)
      integer, intent(out) :: info
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Info_create_env(info, ierror)
      integer, intent(out) :: info
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Info_create_env(info, ierror)
      integer, intent(out) :: info
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Info_delete(info, key, ierror)
      integer, intent(in) :: info
      character(len=*), intent(in) :: key
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Info_delete(info, key, ierror)
      integer, intent(in) :: info
      character(len=*), intent(in) :: key
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Info_dup(info, newinfo, ierror)
      integer, intent(in) :: info
      integer, intent(out) :: newinfo
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Info_dup(info, newinfo, ierror)
      integer, intent(in) :: info
      integer, intent(out) :: newinfo
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Info_free(info, ierror)
      integer, intent(inout) :: info
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Info_free(info, ierror)
      integer, intent(inout) :: info
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Info_get(info, key, valuelen, value, flag, ierror)
      integer, intent(in) :: info
      character(len=*), intent(in) :: key
      integer, intent(in) :: valuelen
      character(len=*), intent(out) :: value
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Info_get(info, key, valuelen, value, flag, ierror)
      integer, intent(in) :: info
      character(len=*), intent(in) :: key
      integer, intent(in) :: valuelen
      character(len=*), intent(out) :: value
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Info_get_nkeys(info, nkeys, ierror)
      integer, intent(in) :: info
      integer, intent(out) :: nkeys
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Info_get_nkeys(info, nkeys, ierror)
      integer, intent(in) :: info
      integer, intent(out) :: nkeys
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Info_get_nthkey(info, n, key, ierror)
      integer, intent(in) :: info
      integer, intent(in) :: n
      character(len=*), intent(out) :: key
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Info_get_nthkey(info, n, key, ierror)
      integer, intent(in) :: info
      integer, intent(in) :: n
      character(len=*), intent(out) :: key
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Info_get_string(info, key, buflen, value, flag, ierror)
      integer, intent(in) :: info
      character(len=*), intent(in) :: key
      integer, intent(inout) :: buflen
      character(len=*), intent(out) :: value
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Info_get_string(info, key, buflen, value, flag, ierror)
      integer, intent(in) :: info
      character(len=*), intent(in) :: key
      integer, intent(inout) :: buflen
      character(len=*), intent(out) :: value
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Info_get_valuelen(info, key, valuelen, flag, ierror)
      integer, intent(in) :: info
      character(len=*), intent(in) :: key
      integer, intent(out) :: valuelen
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Info_get_valuelen(info, key, valuelen, flag, ierror)
      integer, intent(in) :: info
      character(len=*), intent(in) :: key
      integer, intent(out) :: valuelen
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Info_set(info, key, value, ierror)
      integer, intent(in) :: info
      character(len=*), intent(in) :: key
      character(len=*), intent(in) :: value
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Info_set(info, key, value, ierror)
      integer, intent(in) :: info
      character(len=*), intent(in) :: key
      character(len=*), intent(in) :: value
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Init(ierror)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Init(ierror)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Init_thread(required, provided, ierror)
      integer, intent(in) :: required
      integer, intent(out) :: provided
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Init_thread(required, provided, ierror)
      integer, intent(in) :: required
      integer, intent(out) :: provided
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Initialized(flag, ierror)
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Initialized(flag, ierror)
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm, ierror)
      integer, intent(in) :: local_comm
      integer, intent(in) :: local_leader
      integer, intent(in) :: peer_comm
      integer, intent(in) :: remote_leader
      integer, intent(in) :: tag
      integer, intent(out) :: newintercomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm, ierror)
      integer, intent(in) :: local_comm
      integer, intent(in) :: local_leader
      integer, intent(in) :: peer_comm
      integer, intent(in) :: remote_leader
      integer, intent(in) :: tag
      integer, intent(out) :: newintercomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Intercomm_create_from_groups(local_group, local_leader, remote_group, remote_leader, stringtag, &
        info, errhandler, newintercomm, ierror)
      integer, intent(in) :: local_group
      integer, intent(in) :: local_leader
      integer, intent(in) :: remote_group
      integer, intent(in) :: remote_leader
      character(len=*), intent(in) :: stringtag
      integer, intent(in) :: info
      integer, intent(in) :: errhandler
      integer, intent(out) :: newintercomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Intercomm_create_from_groups(local_group, local_leader, remote_group, remote_leader, stringtag, &
        info, errhandler, newintercomm, ierror)
      integer, intent(in) :: local_group
      integer, intent(in) :: local_leader
      integer, intent(in) :: remote_group
      integer, intent(in) :: remote_leader
      character(len=*), intent(in) :: stringtag
      integer, intent(in) :: info
      integer, intent(in) :: errhandler
      integer, intent(out) :: newintercomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Intercomm_merge(intercomm, high, newintracomm, ierror)
      integer, intent(in) :: intercomm
      logical, intent(in) :: high
      integer, intent(out) :: newintracomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Intercomm_merge(intercomm, high, newintracomm, ierror)
      integer, intent(in) :: intercomm
      logical, intent(in) :: high
      integer, intent(out) :: newintracomm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Iprobe(source, tag, comm, flag, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      logical, intent(out) :: flag
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Iprobe(source, tag, comm, flag, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      logical, intent(out) :: flag
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Irecv(buf, count, datatype, source, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Irecv(buf, count, datatype, source, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ireduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Ireduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Irsend(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Irsend(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Is_thread_main(flag, ierror)
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Is_thread_main(flag, ierror)
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Iscan(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Iscan(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Isend(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Isend(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Isendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, &
        recvtag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Isendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, &
        recvtag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Isendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Isendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Issend(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Issend(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Keyval_create(copy_fn, delete_fn, keyval, extra_state, ierror)
      external :: copy_fn
      external :: delete_fn
      integer, intent(out) :: keyval
      integer, intent(in) :: extra_state
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Keyval_create(copy_fn, delete_fn, keyval, extra_state, ierror)
      external :: copy_fn
      external :: delete_fn
      integer, intent(out) :: keyval
      integer, intent(in) :: extra_state
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Keyval_free(keyval, ierror)
      integer, intent(inout) :: keyval
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Keyval_free(keyval, ierror)
      integer, intent(inout) :: keyval
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Lookup_name(service_name, info, port_name, ierror)
      character(len=*), intent(in) :: service_name
      integer, intent(in) :: info
      character(len=*), intent(out) :: port_name
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Lookup_name(service_name, info, port_name, ierror)
      character(len=*), intent(in) :: service_name
      integer, intent(in) :: info
      character(len=*), intent(out) :: port_name
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Mprobe(source, tag, comm, message, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: message
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Mprobe(source, tag, comm, message, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: message
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Mrecv(buf, count, datatype, message, status, ierror)
      import :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(inout) :: message
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Mrecv(buf, count, datatype, message, status, ierror)
      import :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(inout) :: message
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Neighbor_allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Neighbor_allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Neighbor_allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, &
        comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Neighbor_allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, &
        comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Neighbor_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Neighbor_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, &
        comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: sdispls(*)
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: rdispls(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, &
        recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: sdispls(*)
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: rdispls(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Neighbor_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, &
        recvtype, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: sdispls(*)
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: rdispls(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Neighbor_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, &
        recvtype, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: sdispls(*)
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: rdispls(*)
      integer, intent(in) :: recvtype
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: sdispls(*)
      integer, intent(in) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: rdispls(*)
      integer, intent(in) :: recvtypes(*)
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: sdispls(*)
      integer, intent(in) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: rdispls(*)
      integer, intent(in) :: recvtypes(*)
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Neighbor_alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm, info, request, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: sdispls(*)
      integer, intent(in) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: rdispls(*)
      integer, intent(in) :: recvtypes(*)
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Neighbor_alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm, info, request, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: sdispls(*)
      integer, intent(in) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: rdispls(*)
      integer, intent(in) :: recvtypes(*)
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Op_commutative(op, commute, ierror)
      integer, intent(in) :: op
      logical, intent(out) :: commute
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Op_commutative(op, commute, ierror)
      integer, intent(in) :: op
      logical, intent(out) :: commute
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Op_create(user_fn, commute, op, ierror)
      external :: user_fn
      logical, intent(in) :: commute
      integer, intent(out) :: op
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Op_create(user_fn, commute, op, ierror)
      external :: user_fn
      logical, intent(in) :: commute
      integer, intent(out) :: op
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Op_free(op, ierror)
      integer, intent(inout) :: op
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Op_free(op, ierror)
      integer, intent(inout) :: op
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Open_port(info, port_name, ierror)
      integer, intent(in) :: info
      character(len=*), intent(out) :: port_name
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Open_port(info, port_name, ierror)
      integer, intent(in) :: info
      character(len=*), intent(out) :: port_name
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Pack(inbuf, incount, datatype, outbuf, outsize, position, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer, intent(in) :: incount
      integer, intent(in) :: datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer, intent(in) :: outsize
      integer, intent(inout) :: position
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Pack(inbuf, incount, datatype, outbuf, outsize, position, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer, intent(in) :: incount
      integer, intent(in) :: datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer, intent(in) :: outsize
      integer, intent(inout) :: position
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Pack_external(datarep, inbuf, incount, datatype, outbuf, outsize, position, ierror)
      import :: MPI_ADDRESS_KIND
      character(len=*), intent(in) :: datarep
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer, intent(in) :: incount
      integer, intent(in) :: datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: outsize
      integer(kind=MPI_ADDRESS_KIND), intent(inout) :: position
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Pack_external(datarep, inbuf, incount, datatype, outbuf, outsize, position, ierror)
      import :: MPI_ADDRESS_KIND
      character(len=*), intent(in) :: datarep
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer, intent(in) :: incount
      integer, intent(in) :: datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: outsize
      integer(kind=MPI_ADDRESS_KIND), intent(inout) :: position
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Pack_external_size(datarep, incount, datatype, size, ierror)
      import :: MPI_ADDRESS_KIND
      character(len=*), intent(in) :: datarep
      integer, intent(in) :: incount
      integer, intent(in) :: datatype
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Pack_external_size(datarep, incount, datatype, size, ierror)
      import :: MPI_ADDRESS_KIND
      character(len=*), intent(in) :: datarep
      integer, intent(in) :: incount
      integer, intent(in) :: datatype
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Pack_size(incount, datatype, comm, size, ierror)
      integer, intent(in) :: incount
      integer, intent(in) :: datatype
      integer, intent(in) :: comm
      integer, intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Pack_size(incount, datatype, comm, size, ierror)
      integer, intent(in) :: incount
      integer, intent(in) :: datatype
      integer, intent(in) :: comm
      integer, intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Parrived(request, partition, flag, ierror)
      integer, intent(in) :: request
      integer, intent(in) :: partition
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Parrived(request, partition, flag, ierror)
      integer, intent(in) :: request
      integer, intent(in) :: partition
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Pcontrol(level, ierror)
      integer, intent(in) :: level
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Pcontrol(level, ierror)
      integer, intent(in) :: level
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Pready(partition, request, ierror)
      integer, intent(in) :: partition
      integer, intent(in) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Pready(partition, request, ierror)
      integer, intent(in) :: partition
      integer, intent(in) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Pready_list(length, array_of_partitions, request, ierror)
      integer, intent(in) :: length
      integer, intent(in) :: array_of_partitions(*)
      integer, intent(in) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Pready_list(length, array_of_partitions, request, ierror)
      integer, intent(in) :: length
      integer, intent(in) :: array_of_partitions(*)
      integer, intent(in) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Pready_range(partition_low, partition_high, request, ierror)
      integer, intent(in) :: partition_low
      integer, intent(in) :: partition_high
      integer, intent(in) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Pready_range(partition_low, partition_high, request, ierror)
      integer, intent(in) :: partition_low
      integer, intent(in) :: partition_high
      integer, intent(in) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Precv_init(buf, partitions, count, datatype, source, tag, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: partitions
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Precv_init(buf, partitions, count, datatype, source, tag, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: partitions
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Probe(source, tag, comm, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Probe(source, tag, comm, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Psend_init(buf, partitions, count, datatype, dest, tag, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: partitions
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Psend_init(buf, partitions, count, datatype, dest, tag, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: partitions
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Publish_name(service_name, info, port_name, ierror)
      character(len=*), intent(in) :: service_name
      integer, intent(in) :: info
      character(len=*), intent(in) :: port_name
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Publish_name(service_name, info, port_name, ierror)
      character(len=*), intent(in) :: service_name
      integer, intent(in) :: info
      character(len=*), intent(in) :: port_name
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
        target_datatype, win, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      type(*), dimension(*) :: origin_addr
      integer, intent(in) :: origin_count
      integer, intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      integer, intent(in) :: target_datatype
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
        target_datatype, win, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      type(*), dimension(*) :: origin_addr
      integer, intent(in) :: origin_count
      integer, intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      integer, intent(in) :: target_datatype
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Query_thread(provided, ierror)
      integer, intent(out) :: provided
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Query_thread(provided, ierror)
      integer, intent(out) :: provided
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Raccumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
        target_datatype, op, win, request, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      type(*), dimension(*) :: origin_addr
      integer, intent(in) :: origin_count
      integer, intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      integer, intent(in) :: target_datatype
      integer, intent(in) :: op
      integer, intent(in) :: win
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Raccumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
        target_datatype, op, win, request, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      type(*), dimension(*) :: origin_addr
      integer, intent(in) :: origin_count
      integer, intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      integer, intent(in) :: target_datatype
      integer, intent(in) :: op
      integer, intent(in) :: win
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Recv(buf, count, datatype, source, tag, comm, status, ierror)
      import :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Recv(buf, count, datatype, source, tag, comm, status, ierror)
      import :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Recv_init(buf, count, datatype, source, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Recv_init(buf, count, datatype, source, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Reduce_init(sendbuf, recvbuf, count, datatype, op, root, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Reduce_init(sendbuf, recvbuf, count, datatype, op, root, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Reduce_local(inbuf, inoutbuf, count, datatype, op, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inoutbuf
      !DIR$ IGNORE_TKR inoutbuf
      type(*), dimension(*) :: inoutbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Reduce_local(inbuf, inoutbuf, count, datatype, op, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inoutbuf
      !DIR$ IGNORE_TKR inoutbuf
      type(*), dimension(*) :: inoutbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Reduce_scatter_block_init(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Reduce_scatter_block_init(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Reduce_scatter_init(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Reduce_scatter_init(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcounts(*)
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Register_datarep(datarep, read_conversion_fn, write_conversion_fn, dtype_file_extent_fn, &
        extra_state, ierror)
      import :: MPI_ADDRESS_KIND
      character(len=*), intent(in) :: datarep
      external :: read_conversion_fn
      external :: write_conversion_fn
      external :: dtype_file_extent_fn
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Register_datarep(datarep, read_conversion_fn, write_conversion_fn, dtype_file_extent_fn, &
        extra_state, ierror)
      import :: MPI_ADDRESS_KIND
      character(len=*), intent(in) :: datarep
      external :: read_conversion_fn
      external :: write_conversion_fn
      external :: dtype_file_extent_fn
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Remove_error_class(errorclass, ierror)
      integer, intent(in) :: errorclass
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Remove_error_class(errorclass, ierror)
      integer, intent(in) :: errorclass
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Remove_error_code(errorcode, ierror)
      integer, intent(in) :: errorcode
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Remove_error_code(errorcode, ierror)
      integer, intent(in) :: errorcode
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Remove_error_string(errorcode, ierror)
      integer, intent(in) :: errorcode
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Remove_error_string(errorcode, ierror)
      integer, intent(in) :: errorcode
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Request_free(request, ierror)
      integer, intent(inout) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Request_free(request, ierror)
      integer, intent(inout) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Request_get_status(request, flag, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: request
      logical, intent(out) :: flag
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Request_get_status(request, flag, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: request
      logical, intent(out) :: flag
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Request_get_status_all(count, array_of_requests, flag, array_of_statuses, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: count
      integer, intent(in) :: array_of_requests(*)
      logical, intent(out) :: flag
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Request_get_status_all(count, array_of_requests, flag, array_of_statuses, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: count
      integer, intent(in) :: array_of_requests(*)
      logical, intent(out) :: flag
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Request_get_status_any(count, array_of_requests, index, flag, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: count
      integer, intent(in) :: array_of_requests(*)
      integer, intent(out) :: index
      logical, intent(out) :: flag
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Request_get_status_any(count, array_of_requests, index, flag, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: count
      integer, intent(in) :: array_of_requests(*)
      integer, intent(out) :: index
      logical, intent(out) :: flag
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Request_get_status_some(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, &
        ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: incount
      integer, intent(in) :: array_of_requests(*)
      integer, intent(out) :: outcount
      integer, intent(out) :: array_of_indices(*)
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Request_get_status_some(incount, array_of_requests, outcount, array_of_indices, &
        array_of_statuses, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: incount
      integer, intent(in) :: array_of_requests(*)
      integer, intent(out) :: outcount
      integer, intent(out) :: array_of_indices(*)
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Rget(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
        target_datatype, win, request, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      type(*), dimension(*) :: origin_addr
      integer, intent(in) :: origin_count
      integer, intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      integer, intent(in) :: target_datatype
      integer, intent(in) :: win
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Rget(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
        target_datatype, win, request, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      type(*), dimension(*) :: origin_addr
      integer, intent(in) :: origin_count
      integer, intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      integer, intent(in) :: target_datatype
      integer, intent(in) :: win
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Rget_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count, &
        result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      type(*), dimension(*) :: origin_addr
      integer, intent(in) :: origin_count
      integer, intent(in) :: origin_datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
      !DIR$ IGNORE_TKR result_addr
      type(*), dimension(*) :: result_addr
      integer, intent(in) :: result_count
      integer, intent(in) :: result_datatype
      integer, intent(in) :: target_rank
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      integer, intent(in) :: target_datatype
      integer, intent(in) :: op
      integer, intent(in) :: win
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Rget_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count, &
        result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      type(*), dimension(*) :: origin_addr
      integer, intent(in) :: origin_count
      integer, intent(in) :: origin_datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
      !DIR$ IGNORE_TKR result_addr
      type(*), dimension(*) :: result_addr
      integer, intent(in) :: result_count
      integer, intent(in) :: result_datatype
      integer, intent(in) :: target_rank
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      integer, intent(in) :: target_datatype
      integer, intent(in) :: op
      integer, intent(in) :: win
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Rput(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
        target_datatype, win, request, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      type(*), dimension(*) :: origin_addr
      integer, intent(in) :: origin_count
      integer, intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      integer, intent(in) :: target_datatype
      integer, intent(in) :: win
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Rput(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
        target_datatype, win, request, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      type(*), dimension(*) :: origin_addr
      integer, intent(in) :: origin_count
      integer, intent(in) :: origin_datatype
      integer, intent(in) :: target_rank
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: target_disp
      integer, intent(in) :: target_count
      integer, intent(in) :: target_datatype
      integer, intent(in) :: win
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Rsend(buf, count, datatype, dest, tag, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Rsend(buf, count, datatype, dest, tag, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Rsend_init(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Rsend_init(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Scan(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Scan(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Scan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Scan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: op
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Scatter_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Scatter_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Scatterv_init(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, &
        info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Scatterv_init(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, &
        info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcounts(*)
      integer, intent(in) :: displs(*)
      integer, intent(in) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Send(buf, count, datatype, dest, tag, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Send(buf, count, datatype, dest, tag, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Send_init(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Send_init(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, &
        recvtag, comm, status, ierror)
      import :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      integer, intent(in) :: comm
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, &
        recvtag, comm, status, ierror)
      import :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      type(*), dimension(*) :: sendbuf
      integer, intent(in) :: sendcount
      integer, intent(in) :: sendtype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: recvcount
      integer, intent(in) :: recvtype
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      integer, intent(in) :: comm
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, status, ierror)
      import :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      integer, intent(in) :: comm
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, status, ierror)
      import :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      integer, intent(in) :: comm
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Session_attach_buffer(session, buffer, size, ierror)
      integer, intent(in) :: session
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      type(*), dimension(*) :: buffer
      integer, intent(in) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Session_attach_buffer(session, buffer, size, ierror)
      integer, intent(in) :: session
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      type(*), dimension(*) :: buffer
      integer, intent(in) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Session_call_errhandler(session, errorcode, ierror)
      integer, intent(in) :: session
      integer, intent(in) :: errorcode
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Session_call_errhandler(session, errorcode, ierror)
      integer, intent(in) :: session
      integer, intent(in) :: errorcode
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Session_create_errhandler(session_errhandler_fn, errhandler, ierror)
      external :: session_errhandler_fn
      integer, intent(out) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Session_create_errhandler(session_errhandler_fn, errhandler, ierror)
      external :: session_errhandler_fn
      integer, intent(out) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Session_detach_buffer(session, buffer_addr, size, ierror)
      integer, intent(in) :: session
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer_addr
      !DIR$ IGNORE_TKR buffer_addr
      type(*), dimension(*) :: buffer_addr
      integer, intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Session_detach_buffer(session, buffer_addr, size, ierror)
      integer, intent(in) :: session
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer_addr
      !DIR$ IGNORE_TKR buffer_addr
      type(*), dimension(*) :: buffer_addr
      integer, intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Session_finalize(session, ierror)
      integer, intent(inout) :: session
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Session_finalize(session, ierror)
      integer, intent(inout) :: session
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Session_flush_buffer(session, ierror)
      integer, intent(in) :: session
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Session_flush_buffer(session, ierror)
      integer, intent(in) :: session
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Session_get_errhandler(session, errhandler, ierror)
      integer, intent(in) :: session
      integer, intent(out) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Session_get_errhandler(session, errhandler, ierror)
      integer, intent(in) :: session
      integer, intent(out) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Session_get_info(session, info_used, ierror)
      integer, intent(in) :: session
      integer, intent(out) :: info_used
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Session_get_info(session, info_used, ierror)
      integer, intent(in) :: session
      integer, intent(out) :: info_used
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Session_get_nth_pset(session, info, n, pset_len, pset_name, ierror)
      integer, intent(in) :: session
      integer, intent(in) :: info
      integer, intent(in) :: n
      integer, intent(inout) :: pset_len
      character(len=*), intent(out) :: pset_name
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Session_get_nth_pset(session, info, n, pset_len, pset_name, ierror)
      integer, intent(in) :: session
      integer, intent(in) :: info
      integer, intent(in) :: n
      integer, intent(inout) :: pset_len
      character(len=*), intent(out) :: pset_name
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Session_get_num_psets(session, info, npset_names, ierror)
      integer, intent(in) :: session
      integer, intent(in) :: info
      integer, intent(out) :: npset_names
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Session_get_num_psets(session, info, npset_names, ierror)
      integer, intent(in) :: session
      integer, intent(in) :: info
      integer, intent(out) :: npset_names
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Session_get_pset_info(session, pset_name, info, ierror)
      integer, intent(in) :: session
      character(len=*), intent(in) :: pset_name
      integer, intent(out) :: info
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Session_get_pset_info(session, pset_name, info, ierror)
      integer, intent(in) :: session
      character(len=*), intent(in) :: pset_name
      integer, intent(out) :: info
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Session_iflush_buffer(session, request, ierror)
      integer, intent(in) :: session
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Session_iflush_buffer(session, request, ierror)
      integer, intent(in) :: session
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Session_init(info, errhandler, session, ierror)
      integer, intent(in) :: info
      integer, intent(in) :: errhandler
      integer, intent(out) :: session
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Session_init(info, errhandler, session, ierror)
      integer, intent(in) :: info
      integer, intent(in) :: errhandler
      integer, intent(out) :: session
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Session_set_errhandler(session, errhandler, ierror)
      integer, intent(in) :: session
      integer, intent(in) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Session_set_errhandler(session, errhandler, ierror)
      integer, intent(in) :: session
      integer, intent(in) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ssend(buf, count, datatype, dest, tag, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Ssend(buf, count, datatype, dest, tag, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Ssend_init(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Ssend_init(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count
      integer, intent(in) :: datatype
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Start(request, ierror)
      integer, intent(inout) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Start(request, ierror)
      integer, intent(inout) :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Startall(count, array_of_requests, ierror)
      integer, intent(in) :: count
      integer, intent(inout) :: array_of_requests(*)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Startall(count, array_of_requests, ierror)
      integer, intent(in) :: count
      integer, intent(inout) :: array_of_requests(*)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Status_get_error(status, err, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: err
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Status_get_error(status, err, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: err
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Status_get_source(status, source, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: source
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Status_get_source(status, source, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: source
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Status_get_tag(status, tag, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: tag
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Status_get_tag(status, tag, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: tag
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Status_set_cancelled(status, flag, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      logical, intent(in) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Status_set_cancelled(status, flag, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      logical, intent(in) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Status_set_elements(status, datatype, count, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: datatype
      integer, intent(in) :: count
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Status_set_elements(status, datatype, count, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: datatype
      integer, intent(in) :: count
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Status_set_elements_x(status, datatype, count, ierror)
      import :: MPI_STATUS_SIZE, MPI_COUNT_KIND
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: datatype
      integer(kind=MPI_COUNT_KIND), intent(in) :: count
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Status_set_elements_x(status, datatype, count, ierror)
      import :: MPI_STATUS_SIZE, MPI_COUNT_KIND
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: datatype
      integer(kind=MPI_COUNT_KIND), intent(in) :: count
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Status_set_error(status, err, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: err
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Status_set_error(status, err, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: err
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Status_set_source(status, source, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: source
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Status_set_source(status, source, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: source
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Status_set_tag(status, tag, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: tag
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Status_set_tag(status, tag, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: tag
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Test(request, flag, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(inout) :: request
      logical, intent(out) :: flag
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Test(request, flag, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(inout) :: request
      logical, intent(out) :: flag
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Test_cancelled(status, flag, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Test_cancelled(status, flag, ierror)
      import :: MPI_STATUS_SIZE
      integer :: status(MPI_STATUS_SIZE)
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Testall(count, array_of_requests, flag, array_of_statuses, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: count
      integer, intent(inout) :: array_of_requests(*)
      logical, intent(out) :: flag
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Testall(count, array_of_requests, flag, array_of_statuses, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: count
      integer, intent(inout) :: array_of_requests(*)
      logical, intent(out) :: flag
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Testany(count, array_of_requests, index, flag, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: count
      integer, intent(inout) :: array_of_requests(*)
      integer, intent(out) :: index
      logical, intent(out) :: flag
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Testany(count, array_of_requests, index, flag, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: count
      integer, intent(inout) :: array_of_requests(*)
      integer, intent(out) :: index
      logical, intent(out) :: flag
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Testsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: incount
      integer, intent(inout) :: array_of_requests(*)
      integer, intent(out) :: outcount
      integer, intent(out) :: array_of_indices(*)
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Testsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: incount
      integer, intent(inout) :: array_of_requests(*)
      integer, intent(out) :: outcount
      integer, intent(out) :: array_of_indices(*)
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Topo_test(comm, status, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: status
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Topo_test(comm, status, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: status
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_commit(datatype, ierror)
      integer, intent(inout) :: datatype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_commit(datatype, ierror)
      integer, intent(inout) :: datatype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_contiguous(count, oldtype, newtype, ierror)
      integer, intent(in) :: count
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_contiguous(count, oldtype, newtype, ierror)
      integer, intent(in) :: count
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_create_darray(size, rank, ndims, array_of_gsizes, array_of_distribs, array_of_dargs, &
        array_of_psizes, order, oldtype, newtype, ierror)
      integer, intent(in) :: size
      integer, intent(in) :: rank
      integer, intent(in) :: ndims
      integer, intent(in) :: array_of_gsizes(*)
      integer, intent(in) :: array_of_distribs(*)
      integer, intent(in) :: array_of_dargs(*)
      integer, intent(in) :: array_of_psizes(*)
      integer, intent(in) :: order
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_create_darray(size, rank, ndims, array_of_gsizes, array_of_distribs, array_of_dargs, &
        array_of_psizes, order, oldtype, newtype, ierror)
      integer, intent(in) :: size
      integer, intent(in) :: rank
      integer, intent(in) :: ndims
      integer, intent(in) :: array_of_gsizes(*)
      integer, intent(in) :: array_of_distribs(*)
      integer, intent(in) :: array_of_dargs(*)
      integer, intent(in) :: array_of_psizes(*)
      integer, intent(in) :: order
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_create_f90_complex(p, r, newtype, ierror)
      integer, intent(in) :: p
      integer, intent(in) :: r
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_create_f90_complex(p, r, newtype, ierror)
      integer, intent(in) :: p
      integer, intent(in) :: r
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_create_f90_integer(r, newtype, ierror)
      integer, intent(in) :: r
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_create_f90_integer(r, newtype, ierror)
      integer, intent(in) :: r
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_create_f90_real(p, r, newtype, ierror)
      integer, intent(in) :: p
      integer, intent(in) :: r
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_create_f90_real(p, r, newtype, ierror)
      integer, intent(in) :: p
      integer, intent(in) :: r
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype, &
        ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: count
      integer, intent(in) :: array_of_blocklengths(*)
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: array_of_displacements(*)
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype, &
        ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: count
      integer, intent(in) :: array_of_blocklengths(*)
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: array_of_displacements(*)
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_create_hindexed_block(count, blocklength, array_of_displacements, oldtype, newtype, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: array_of_displacements(*)
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_create_hindexed_block(count, blocklength, array_of_displacements, oldtype, newtype, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: array_of_displacements(*)
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: stride
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: stride
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_create_indexed_block(count, blocklength, array_of_displacements, oldtype, newtype, ierror)
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer, intent(in) :: array_of_displacements(*)
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_create_indexed_block(count, blocklength, array_of_displacements, oldtype, newtype, ierror)
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer, intent(in) :: array_of_displacements(*)
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_create_keyval(type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state, ierror)
      import :: MPI_ADDRESS_KIND
      external :: type_copy_attr_fn
      external :: type_delete_attr_fn
      integer, intent(out) :: type_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_create_keyval(type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state, ierror)
      import :: MPI_ADDRESS_KIND
      external :: type_copy_attr_fn
      external :: type_delete_attr_fn
      integer, intent(out) :: type_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_create_resized(oldtype, lb, extent, newtype, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: oldtype
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: lb
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extent
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_create_resized(oldtype, lb, extent, newtype, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: oldtype
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: lb
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extent
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype, &
        ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: count
      integer, intent(in) :: array_of_blocklengths(*)
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: array_of_displacements(*)
      integer, intent(in) :: array_of_types(*)
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype, &
        ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: count
      integer, intent(in) :: array_of_blocklengths(*)
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: array_of_displacements(*)
      integer, intent(in) :: array_of_types(*)
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_create_subarray(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, oldtype, &
        newtype, ierror)
      integer, intent(in) :: ndims
      integer, intent(in) :: array_of_sizes(*)
      integer, intent(in) :: array_of_subsizes(*)
      integer, intent(in) :: array_of_starts(*)
      integer, intent(in) :: order
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_create_subarray(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, oldtype, &
        newtype, ierror)
      integer, intent(in) :: ndims
      integer, intent(in) :: array_of_sizes(*)
      integer, intent(in) :: array_of_subsizes(*)
      integer, intent(in) :: array_of_starts(*)
      integer, intent(in) :: order
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_delete_attr(datatype, type_keyval, ierror)
      integer, intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_delete_attr(datatype, type_keyval, ierror)
      integer, intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_dup(oldtype, newtype, ierror)
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_dup(oldtype, newtype, ierror)
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_free(datatype, ierror)
      integer, intent(inout) :: datatype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_free(datatype, ierror)
      integer, intent(inout) :: datatype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_free_keyval(type_keyval, ierror)
      integer, intent(inout) :: type_keyval
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_free_keyval(type_keyval, ierror)
      integer, intent(inout) :: type_keyval
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_get_attr(datatype, type_keyval, attribute_val, flag, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_get_attr(datatype, type_keyval, attribute_val, flag, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_get_contents(datatype, max_integers, max_addresses, max_datatypes, array_of_integers, &
        array_of_addresses, array_of_datatypes, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: datatype
      integer, intent(in) :: max_integers
      integer, intent(in) :: max_addresses
      integer, intent(in) :: max_datatypes
      integer, intent(out) :: array_of_integers(*)
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: array_of_addresses(*)
      integer, intent(out) :: array_of_datatypes(*)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_get_contents(datatype, max_integers, max_addresses, max_datatypes, array_of_integers, &
        array_of_addresses, array_of_datatypes, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: datatype
      integer, intent(in) :: max_integers
      integer, intent(in) :: max_addresses
      integer, intent(in) :: max_datatypes
      integer, intent(out) :: array_of_integers(*)
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: array_of_addresses(*)
      integer, intent(out) :: array_of_datatypes(*)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_get_envelope(datatype, num_integers, num_addresses, num_datatypes, combiner, ierror)
      integer, intent(in) :: datatype
      integer, intent(out) :: num_integers
      integer, intent(out) :: num_addresses
      integer, intent(out) :: num_datatypes
      integer, intent(out) :: combiner
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_get_envelope(datatype, num_integers, num_addresses, num_datatypes, combiner, ierror)
      integer, intent(in) :: datatype
      integer, intent(out) :: num_integers
      integer, intent(out) :: num_addresses
      integer, intent(out) :: num_datatypes
      integer, intent(out) :: combiner
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_get_extent(datatype, lb, extent, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: datatype
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: lb
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: extent
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_get_extent(datatype, lb, extent, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: datatype
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: lb
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: extent
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_get_extent_x(datatype, lb, extent, ierror)
      import :: MPI_COUNT_KIND
      integer, intent(in) :: datatype
      integer(kind=MPI_COUNT_KIND), intent(out) :: lb
      integer(kind=MPI_COUNT_KIND), intent(out) :: extent
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_get_extent_x(datatype, lb, extent, ierror)
      import :: MPI_COUNT_KIND
      integer, intent(in) :: datatype
      integer(kind=MPI_COUNT_KIND), intent(out) :: lb
      integer(kind=MPI_COUNT_KIND), intent(out) :: extent
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_get_name(datatype, type_name, resultlen, ierror)
      integer, intent(in) :: datatype
      character(len=*), intent(out) :: type_name
      integer, intent(out) :: resultlen
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_get_name(datatype, type_name, resultlen, ierror)
      integer, intent(in) :: datatype
      character(len=*), intent(out) :: type_name
      integer, intent(out) :: resultlen
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_get_true_extent(datatype, true_lb, true_extent, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: datatype
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: true_lb
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: true_extent
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_get_true_extent(datatype, true_lb, true_extent, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: datatype
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: true_lb
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: true_extent
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_get_true_extent_x(datatype, true_lb, true_extent, ierror)
      import :: MPI_COUNT_KIND
      integer, intent(in) :: datatype
      integer(kind=MPI_COUNT_KIND), intent(out) :: true_lb
      integer(kind=MPI_COUNT_KIND), intent(out) :: true_extent
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_get_true_extent_x(datatype, true_lb, true_extent, ierror)
      import :: MPI_COUNT_KIND
      integer, intent(in) :: datatype
      integer(kind=MPI_COUNT_KIND), intent(out) :: true_lb
      integer(kind=MPI_COUNT_KIND), intent(out) :: true_extent
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_get_value_index(value_type, index_type, pair_type, ierror)
      integer, intent(in) :: value_type
      integer, intent(in) :: index_type
      integer, intent(out) :: pair_type
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_get_value_index(value_type, index_type, pair_type, ierror)
      integer, intent(in) :: value_type
      integer, intent(in) :: index_type
      integer, intent(out) :: pair_type
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_indexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype, ierror)
      integer, intent(in) :: count
      integer, intent(in) :: array_of_blocklengths(*)
      integer, intent(in) :: array_of_displacements(*)
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_indexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype, ierror)
      integer, intent(in) :: count
      integer, intent(in) :: array_of_blocklengths(*)
      integer, intent(in) :: array_of_displacements(*)
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_match_size(typeclass, size, datatype, ierror)
      integer, intent(in) :: typeclass
      integer, intent(in) :: size
      integer, intent(out) :: datatype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_match_size(typeclass, size, datatype, ierror)
      integer, intent(in) :: typeclass
      integer, intent(in) :: size
      integer, intent(out) :: datatype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_set_attr(datatype, type_keyval, attribute_val, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_set_attr(datatype, type_keyval, attribute_val, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_set_name(datatype, type_name, ierror)
      integer, intent(in) :: datatype
      character(len=*), intent(in) :: type_name
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_set_name(datatype, type_name, ierror)
      integer, intent(in) :: datatype
      character(len=*), intent(in) :: type_name
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_size(datatype, size, ierror)
      integer, intent(in) :: datatype
      integer, intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_size(datatype, size, ierror)
      integer, intent(in) :: datatype
      integer, intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_size_x(datatype, size, ierror)
      import :: MPI_COUNT_KIND
      integer, intent(in) :: datatype
      integer(kind=MPI_COUNT_KIND), intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_size_x(datatype, size, ierror)
      import :: MPI_COUNT_KIND
      integer, intent(in) :: datatype
      integer(kind=MPI_COUNT_KIND), intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_vector(count, blocklength, stride, oldtype, newtype, ierror)
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer, intent(in) :: stride
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_vector(count, blocklength, stride, oldtype, newtype, ierror)
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer, intent(in) :: stride
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Unpack(inbuf, insize, position, outbuf, outcount, datatype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer, intent(in) :: insize
      integer, intent(inout) :: position
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer, intent(in) :: outcount
      integer, intent(in) :: datatype
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Unpack(inbuf, insize, position, outbuf, outcount, datatype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer, intent(in) :: insize
      integer, intent(inout) :: position
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer, intent(in) :: outcount
      integer, intent(in) :: datatype
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Unpack_external(datarep, inbuf, insize, position, outbuf, outcount, datatype, ierror)
      import :: MPI_ADDRESS_KIND
      character(len=*), intent(in) :: datarep
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: insize
      integer(kind=MPI_ADDRESS_KIND), intent(inout) :: position
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer, intent(in) :: outcount
      integer, intent(in) :: datatype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Unpack_external(datarep, inbuf, insize, position, outbuf, outcount, datatype, ierror)
      import :: MPI_ADDRESS_KIND
      character(len=*), intent(in) :: datarep
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      type(*), dimension(*) :: inbuf
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: insize
      integer(kind=MPI_ADDRESS_KIND), intent(inout) :: position
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      type(*), dimension(*) :: outbuf
      integer, intent(in) :: outcount
      integer, intent(in) :: datatype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Unpublish_name(service_name, info, port_name, ierror)
      character(len=*), intent(in) :: service_name
      integer, intent(in) :: info
      character(len=*), intent(in) :: port_name
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Unpublish_name(service_name, info, port_name, ierror)
      character(len=*), intent(in) :: service_name
      integer, intent(in) :: info
      character(len=*), intent(in) :: port_name
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Wait(request, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(inout) :: request
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Wait(request, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(inout) :: request
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Waitall(count, array_of_requests, array_of_statuses, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: count
      integer, intent(inout) :: array_of_requests(*)
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Waitall(count, array_of_requests, array_of_statuses, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: count
      integer, intent(inout) :: array_of_requests(*)
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Waitany(count, array_of_requests, index, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: count
      integer, intent(inout) :: array_of_requests(*)
      integer, intent(out) :: index
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Waitany(count, array_of_requests, index, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: count
      integer, intent(inout) :: array_of_requests(*)
      integer, intent(out) :: index
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Waitsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: incount
      integer, intent(inout) :: array_of_requests(*)
      integer, intent(out) :: outcount
      integer, intent(out) :: array_of_indices(*)
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Waitsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: incount
      integer, intent(inout) :: array_of_requests(*)
      integer, intent(out) :: outcount
      integer, intent(out) :: array_of_indices(*)
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_allocate(size, disp_unit, info, comm, baseptr, win, ierror)
      import :: MPI_ADDRESS_KIND
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      integer, intent(in) :: info
      integer, intent(in) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer, intent(out) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_allocate(size, disp_unit, info, comm, baseptr, win, ierror)
      import :: MPI_ADDRESS_KIND
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      integer, intent(in) :: info
      integer, intent(in) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer, intent(out) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_allocate_shared(size, disp_unit, info, comm, baseptr, win, ierror)
      import :: MPI_ADDRESS_KIND
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      integer, intent(in) :: info
      integer, intent(in) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer, intent(out) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_allocate_shared(size, disp_unit, info, comm, baseptr, win, ierror)
      import :: MPI_ADDRESS_KIND
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      integer, intent(in) :: info
      integer, intent(in) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer, intent(out) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_attach(win, base, size, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: win
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DIR$ IGNORE_TKR base
      type(*), dimension(*) :: base
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_attach(win, base, size, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: win
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DIR$ IGNORE_TKR base
      type(*), dimension(*) :: base
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_call_errhandler(win, errorcode, ierror)
      integer, intent(in) :: win
      integer, intent(in) :: errorcode
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_call_errhandler(win, errorcode, ierror)
      integer, intent(in) :: win
      integer, intent(in) :: errorcode
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_complete(win, ierror)
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_complete(win, ierror)
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_create(base, size, disp_unit, info, comm, win, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DIR$ IGNORE_TKR base
      type(*), dimension(*) :: base
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      integer, intent(in) :: info
      integer, intent(in) :: comm
      integer, intent(out) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_create(base, size, disp_unit, info, comm, win, ierror)
      import :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DIR$ IGNORE_TKR base
      type(*), dimension(*) :: base
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      integer, intent(in) :: info
      integer, intent(in) :: comm
      integer, intent(out) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_create_dynamic(info, comm, win, ierror)
      integer, intent(in) :: info
      integer, intent(in) :: comm
      integer, intent(out) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_create_dynamic(info, comm, win, ierror)
      integer, intent(in) :: info
      integer, intent(in) :: comm
      integer, intent(out) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_create_errhandler(win_errhandler_fn, errhandler, ierror)
      external :: win_errhandler_fn
      integer, intent(out) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_create_errhandler(win_errhandler_fn, errhandler, ierror)
      external :: win_errhandler_fn
      integer, intent(out) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_create_keyval(win_copy_attr_fn, win_delete_attr_fn, win_keyval, extra_state, ierror)
      import :: MPI_ADDRESS_KIND
      external :: win_copy_attr_fn
      external :: win_delete_attr_fn
      integer, intent(out) :: win_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_create_keyval(win_copy_attr_fn, win_delete_attr_fn, win_keyval, extra_state, ierror)
      import :: MPI_ADDRESS_KIND
      external :: win_copy_attr_fn
      external :: win_delete_attr_fn
      integer, intent(out) :: win_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_delete_attr(win, win_keyval, ierror)
      integer, intent(in) :: win
      integer, intent(in) :: win_keyval
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_delete_attr(win, win_keyval, ierror)
      integer, intent(in) :: win
      integer, intent(in) :: win_keyval
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_detach(win, base, ierror)
      integer, intent(in) :: win
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DIR$ IGNORE_TKR base
      type(*), dimension(*) :: base
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_detach(win, base, ierror)
      integer, intent(in) :: win
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DIR$ IGNORE_TKR base
      type(*), dimension(*) :: base
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_fence(assert, win, ierror)
      integer, intent(in) :: assert
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_fence(assert, win, ierror)
      integer, intent(in) :: assert
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_flush(rank, win, ierror)
      integer, intent(in) :: rank
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_flush(rank, win, ierror)
      integer, intent(in) :: rank
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_flush_all(win, ierror)
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_flush_all(win, ierror)
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_flush_local(rank, win, ierror)
      integer, intent(in) :: rank
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_flush_local(rank, win, ierror)
      integer, intent(in) :: rank
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_flush_local_all(win, ierror)
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_flush_local_all(win, ierror)
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_free(win, ierror)
      integer, intent(inout) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_free(win, ierror)
      integer, intent(inout) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_free_keyval(win_keyval, ierror)
      integer, intent(inout) :: win_keyval
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_free_keyval(win_keyval, ierror)
      integer, intent(inout) :: win_keyval
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_get_attr(win, win_keyval, attribute_val, flag, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_get_attr(win, win_keyval, attribute_val, flag, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_get_errhandler(win, errhandler, ierror)
      integer, intent(in) :: win
      integer, intent(out) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_get_errhandler(win, errhandler, ierror)
      integer, intent(in) :: win
      integer, intent(out) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_get_group(win, group, ierror)
      integer, intent(in) :: win
      integer, intent(out) :: group
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_get_group(win, group, ierror)
      integer, intent(in) :: win
      integer, intent(out) :: group
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_get_info(win, info_used, ierror)
      integer, intent(in) :: win
      integer, intent(out) :: info_used
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_get_info(win, info_used, ierror)
      integer, intent(in) :: win
      integer, intent(out) :: info_used
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_get_name(win, win_name, resultlen, ierror)
      integer, intent(in) :: win
      character(len=*), intent(out) :: win_name
      integer, intent(out) :: resultlen
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_get_name(win, win_name, resultlen, ierror)
      integer, intent(in) :: win
      character(len=*), intent(out) :: win_name
      integer, intent(out) :: resultlen
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_lock(lock_type, rank, assert, win, ierror)
      integer, intent(in) :: lock_type
      integer, intent(in) :: rank
      integer, intent(in) :: assert
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_lock(lock_type, rank, assert, win, ierror)
      integer, intent(in) :: lock_type
      integer, intent(in) :: rank
      integer, intent(in) :: assert
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_lock_all(assert, win, ierror)
      integer, intent(in) :: assert
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_lock_all(assert, win, ierror)
      integer, intent(in) :: assert
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_post(group, assert, win, ierror)
      integer, intent(in) :: group
      integer, intent(in) :: assert
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_post(group, assert, win, ierror)
      integer, intent(in) :: group
      integer, intent(in) :: assert
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_set_attr(win, win_keyval, attribute_val, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_set_attr(win, win_keyval, attribute_val, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_set_errhandler(win, errhandler, ierror)
      integer, intent(in) :: win
      integer, intent(in) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_set_errhandler(win, errhandler, ierror)
      integer, intent(in) :: win
      integer, intent(in) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_set_info(win, info, ierror)
      integer, intent(in) :: win
      integer, intent(in) :: info
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_set_info(win, info, ierror)
      integer, intent(in) :: win
      integer, intent(in) :: info
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_set_name(win, win_name, ierror)
      integer, intent(in) :: win
      character(len=*), intent(in) :: win_name
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_set_name(win, win_name, ierror)
      integer, intent(in) :: win
      character(len=*), intent(in) :: win_name
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_shared_query(win, rank, size, disp_unit, baseptr, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: win
      integer, intent(in) :: rank
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: size
      integer, intent(out) :: disp_unit
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_shared_query(win, rank, size, disp_unit, baseptr, ierror)
      import :: MPI_ADDRESS_KIND
      integer, intent(in) :: win
      integer, intent(in) :: rank
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: size
      integer, intent(out) :: disp_unit
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_start(group, assert, win, ierror)
      integer, intent(in) :: group
      integer, intent(in) :: assert
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_start(group, assert, win, ierror)
      integer, intent(in) :: group
      integer, intent(in) :: assert
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_sync(win, ierror)
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_sync(win, ierror)
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_test(win, flag, ierror)
      integer, intent(in) :: win
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_test(win, flag, ierror)
      integer, intent(in) :: win
      logical, intent(out) :: flag
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_unlock(rank, win, ierror)
      integer, intent(in) :: rank
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_unlock(rank, win, ierror)
      integer, intent(in) :: rank
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_unlock_all(win, ierror)
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_unlock_all(win, ierror)
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_wait(win, ierror)
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Win_wait(win, ierror)
      integer, intent(in) :: win
      integer, intent(out) :: ierror
    end subroutine
    function MPI_Wtick()
      double precision :: MPI_Wtick
    end function
    function PMPI_Wtick()
      double precision :: PMPI_Wtick
    end function
    function MPI_Wtime()
      double precision :: MPI_Wtime
    end function
    function PMPI_Wtime()
      double precision :: PMPI_Wtime
    end function
    subroutine MPI_Status_f082f(f08_status, f_status, ierror)
      integer, intent(in) :: f08_status
      integer, intent(out) :: f_status
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Status_f082f(f08_status, f_status, ierror)
      integer, intent(in) :: f08_status
      integer, intent(out) :: f_status
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Status_f2f08(f_status, f08_status, ierror)
      integer, intent(in) :: f_status
      integer, intent(out) :: f08_status
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Status_f2f08(f_status, f08_status, ierror)
      integer, intent(in) :: f_status
      integer, intent(out) :: f08_status
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Address(location, address, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: location
      !DIR$ IGNORE_TKR location
      type(*), dimension(*) :: location
      integer, intent(out) :: address
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Address(location, address, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: location
      !DIR$ IGNORE_TKR location
      type(*), dimension(*) :: location
      integer, intent(out) :: address
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Errhandler_create(handler_fn, errhandler, ierror)
      external :: handler_fn
      integer, intent(out) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Errhandler_create(handler_fn, errhandler, ierror)
      external :: handler_fn
      integer, intent(out) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Errhandler_get(comm, errhandler, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Errhandler_get(comm, errhandler, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Errhandler_set(comm, errhandler, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Errhandler_set(comm, errhandler, ierror)
      integer, intent(in) :: comm
      integer, intent(in) :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_extent(datatype, extent, ierror)
      integer, intent(in) :: datatype
      integer, intent(out) :: extent
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_extent(datatype, extent, ierror)
      integer, intent(in) :: datatype
      integer, intent(out) :: extent
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype, ierror)
      integer, intent(in) :: count
      integer, intent(in) :: array_of_blocklengths(*)
      integer, intent(in) :: array_of_displacements(*)
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype, ierror)
      integer, intent(in) :: count
      integer, intent(in) :: array_of_blocklengths(*)
      integer, intent(in) :: array_of_displacements(*)
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_hvector(count, blocklength, stride, oldtype, newtype, ierror)
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer, intent(in) :: stride
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_hvector(count, blocklength, stride, oldtype, newtype, ierror)
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer, intent(in) :: stride
      integer, intent(in) :: oldtype
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_lb(datatype, displacement, ierror)
      integer, intent(in) :: datatype
      integer, intent(out) :: displacement
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_lb(datatype, displacement, ierror)
      integer, intent(in) :: datatype
      integer, intent(out) :: displacement
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_struct(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype, ierror)
      integer, intent(in) :: count
      integer, intent(in) :: array_of_blocklengths(*)
      integer, intent(in) :: array_of_displacements(*)
      integer, intent(in) :: array_of_types(*)
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_struct(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype, ierror)
      integer, intent(in) :: count
      integer, intent(in) :: array_of_blocklengths(*)
      integer, intent(in) :: array_of_displacements(*)
      integer, intent(in) :: array_of_types(*)
      integer, intent(out) :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_ub(datatype, displacement, ierror)
      integer, intent(in) :: datatype
      integer, intent(out) :: displacement
      integer, intent(out) :: ierror
    end subroutine
    subroutine PMPI_Type_ub(datatype, displacement, ierror)
      integer, intent(in) :: datatype
      integer, intent(out) :: displacement
      integer, intent(out) :: ierror
    end subroutine
  end interface
end module mpi
