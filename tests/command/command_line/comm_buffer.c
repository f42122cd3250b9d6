/* Buffers of communicators: a buffered send uses the one of its communicator, or that of the process. */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int major, minor, size, value = 7, got = 0, class, done;
    MPI_Count large;
    void *back;
    MPI_Comm dup;
    MPI_Request request;
    static char room[4096], small[MPI_BSEND_OVERHEAD];
    MPI_Abi_get_version(&major, &minor);
    printf("abi %d.%d\n", major, minor);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Bsend(&value, 1, MPI_INT, 0, 0, dup), &class);
    printf("without a buffer: %d\n", class == MPI_ERR_BUFFER);
    MPI_Comm_attach_buffer(dup, room, sizeof room);
    MPI_Error_class(MPI_Comm_attach_buffer_c(dup, room, sizeof room), &class);
    printf("twice: %d\n", class == MPI_ERR_BUFFER);
    MPI_Bsend(&value, 1, MPI_INT, 0, 0, dup);
    MPI_Error_class(MPI_Bsend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), &class);
    printf("on another communicator: %d\n", class == MPI_ERR_BUFFER);
    MPI_Comm_flush_buffer(dup);
    MPI_Comm_iflush_buffer(dup, &request);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    MPI_Recv(&got, 1, MPI_INT, 0, 0, dup, MPI_STATUS_IGNORE);
    printf("flushed %d, got %d\n", done, got);
    MPI_Comm_detach_buffer_c(dup, &back, &large);
    printf("detached %d\n", back == room && large == sizeof room);
    MPI_Comm_attach_buffer(dup, small, sizeof small);
    MPI_Buffer_attach(room, sizeof room);
    MPI_Error_class(MPI_Bsend(&value, 1, MPI_INT, 0, 0, dup), &class);
    printf("too small: %d\n", class == MPI_ERR_BUFFER);
    MPI_Comm_detach_buffer(dup, &back, &size);
    MPI_Bsend(&value, 1, MPI_INT, 0, 0, dup);
    MPI_Recv(&got, 1, MPI_INT, 0, 0, dup, MPI_STATUS_IGNORE);
    printf("of the process: %d\n", got);
    MPI_Buffer_detach(&back, &size);
    MPI_Comm_free(&dup);
    MPI_Finalize();
    return 0;
}
