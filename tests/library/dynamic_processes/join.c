/* Two ranks connect by a socket of the file system, and make an inter-communicator of it. */
#include "../../programs/check.h"
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    learn_rank();
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    snprintf(address.sun_path, sizeof address.sun_path, "%s", argv[1]);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0), fd = -1;
    if (rank == 0) {
        CHECK(bind(listener, (struct sockaddr *)&address, sizeof address) == 0);
        CHECK(listen(listener, 1) == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        fd = socket(AF_UNIX, SOCK_STREAM, 0);
        CHECK(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        fd = accept(listener, NULL, NULL);
    if (rank < 2) {
        MPI_Comm other;
        int got = -1, mine = 10 + rank;
        MPI_Comm_join(fd, &other);
        MPI_Sendrecv(&mine, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE);
        say("rank %d got %d\n", rank, got);
        MPI_Comm_disconnect(&other);
    }
    return finish();
}
