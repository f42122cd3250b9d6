/* Calls that block for ever, one function each. The comment before a function has the lines that the message must have, as regular
 * expressions; {here} is the line of the function that carries the comment `here`. Rank 0 makes the call, rank 1 sleeps in MPI_Finalize or
 * does what the case needs. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, value, values[8];

/* rank 0 in MPI_Recv at {here} in receive waits for a message from rank 1 \(tag 3, MPI_COMM_WORLD\) */
static void receive(void)
{
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* here */
}

/* rank 0 in MPI_Recv at {here} in receive_any waits for a message from any rank \(any tag, MPI_COMM_WORLD\) */
static void receive_any(void)
{
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* here */
}

/* rank 0 in MPI_Ssend at {here} in synchronous waits for rank 1 to receive \(tag 4, MPI_COMM_WORLD\) */
static void synchronous(void)
{
    if (rank == 0)
        MPI_Ssend(&value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD); /* here */
}

/* rank 0 in MPI_Sendrecv at {here} in exchange waits for .*a message from rank 1 \(tag 6, MPI_COMM_WORLD\) */
static void exchange(void)
{
    if (rank == 0)
        MPI_Sendrecv(&value, 1, MPI_INT, 1, 5, values, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* here */
}

/* rank 0 in MPI_Probe at {here} in probe waits for a message from rank 1 \(tag 7, MPI_COMM_WORLD\) */
static void probe(void)
{
    MPI_Status status;
    if (rank == 0)
        MPI_Probe(1, 7, MPI_COMM_WORLD, &status); /* here */
}

/* rank 0 in MPI_Mprobe at {here} in mprobe waits for a message from any rank \(tag 7, MPI_COMM_WORLD\) */
static void mprobe(void)
{
    MPI_Status status;
    MPI_Message message;
    if (rank == 0)
        MPI_Mprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &message, &status); /* here */
}

/* rank 0 in MPI_Waitany at {here} in any waits for rank 1 to receive \(tag 8, MPI_COMM_WORLD\), a message from rank 1 \(tag 9, MPI_COMM_WORLD\) */
static void any(void)
{
    MPI_Request requests[2];
    int index;
    if (rank == 0) {
        MPI_Issend(&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(values, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE); /* here */
    }
}

/* rank 0 in MPI_Wait at {here} in persistent waits for a message from rank 1 \(tag 2, MPI_COMM_WORLD\) */
static void persistent(void)
{
    MPI_Request request;
    if (rank == 0) {
        MPI_Recv_init(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* here */
    }
}

/* rank 0 in MPI_Wait at {here} in sendrecv_request waits for .*a message from rank 1 \(tag 2, MPI_COMM_WORLD\) */
static void sendrecv_request(void)
{
    MPI_Request request;
    if (rank == 0) {
        MPI_Isendrecv(&value, 1, MPI_INT, 1, 1, values, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* here */
    }
}

/* rank 0 in MPI_Wait at {here} in partitioned waits for rank 1 to receive \(a partition, MPI_COMM_WORLD\), rank 1 to receive \(a partition, MPI_COMM_WORLD\) */
static void partitioned(void)
{
    MPI_Request request;
    int *data = calloc(2 << 20, sizeof *data);
    if (rank == 0) {
        MPI_Psend_init(data, 2, 1 << 20, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, 1, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* here */
    }
}

/* rank 0 in MPI_Buffer_detach at {here} in buffered waits for rank 1 to receive \(tag 3, MPI_COMM_WORLD\) */
static void buffered(void)
{
    int size = 1 << 22;
    char *buffer = malloc(size + MPI_BSEND_OVERHEAD), *data = calloc(size, 1);
    if (rank == 0) {
        MPI_Buffer_attach(buffer, size + MPI_BSEND_OVERHEAD);
        MPI_Bsend(data, size, MPI_CHAR, 1, 3, MPI_COMM_WORLD);
        MPI_Buffer_detach(&buffer, &size); /* here */
    }
}

/* rank 0 in MPI_Barrier at {here} in barrier waits for rank 1 to enter MPI_Barrier \(MPI_COMM_WORLD\) */
static void barrier(void)
{
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD); /* here */
}

/* rank 0 in MPI_Wait at {here} in nonblocking waits for rank 1 to enter MPI_Iallreduce \(MPI_COMM_WORLD\) */
static void nonblocking(void)
{
    MPI_Request request;
    if (rank == 0) {
        MPI_Iallreduce(&value, values, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* here */
    }
}

/* rank 0 in MPI_Wait at {here} in persistent_bcast waits for rank 1 to enter MPI_Start \(MPI_COMM_WORLD\) */
static void persistent_bcast(void)
{
    MPI_Request request;
    MPI_Bcast_init(&value, 1, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (rank == 0) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* here */
    }
}

/* rank 0 in MPI_Neighbor_allgather at {here} in neighbours waits for rank 1 to enter MPI_Neighbor_allgather \(communicator \d+ of 2 ranks\) */
static void neighbours(void)
{
    int sizes[1] = {2}, periodic[1] = {0};
    MPI_Comm line;
    MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periodic, 0, &line);
    if (rank == 0)
        MPI_Neighbor_allgather(&value, 1, MPI_INT, values, 1, MPI_INT, line); /* here */
}

/* rank 0 in MPI_Comm_dup at {here} in duplicate waits for rank 1 to enter MPI_Comm_dup \(MPI_COMM_WORLD\) */
static void duplicate(void)
{
    MPI_Comm copy;
    if (rank == 0)
        MPI_Comm_dup(MPI_COMM_WORLD, &copy); /* here */
}

/* rank 0 in MPI_Intercomm_create at {here} in intercomm waits for rank 1 to call MPI_Intercomm_create \(MPI_COMM_WORLD\) */
static void intercomm(void)
{
    MPI_Comm both;
    if (rank == 0)
        MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1, 12, &both); /* here */
}

/* rank 0 in MPI_Comm_create_group at {here} in create_group waits for rank 1 to enter MPI_Comm_create_group \(MPI_COMM_WORLD\) */
static void create_group(void)
{
    MPI_Group world;
    MPI_Comm made;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (rank == 0)
        MPI_Comm_create_group(MPI_COMM_WORLD, world, 5, &made); /* here */
}

static MPI_Win window(void)
{
    MPI_Win win;
    MPI_Win_create(values, sizeof values, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    return win;
}

static MPI_Group of(int member)
{
    MPI_Group world, group;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &member, &group);
    return group;
}

/* rank 0 in MPI_Win_create at {here} in win_create waits for rank 1 to enter MPI_Win_create \(MPI_COMM_WORLD\) */
static void win_create(void)
{
    MPI_Win win;
    if (rank == 0)
        MPI_Win_create(values, sizeof values, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win); /* here */
}

/* rank 0 in MPI_Win_fence at {here} in fence waits for rank 1 to enter MPI_Win_fence \(window \d+ of 2 ranks\) */
static void fence(void)
{
    MPI_Win win = window();
    if (rank == 0)
        MPI_Win_fence(0, win); /* here */
}

/* rank 0 in MPI_Win_(start|complete) at {here} in start waits for rank 1 to call MPI_Win_post \(window \d+ of 2 ranks\) */
static void start(void)
{
    MPI_Win win = window();
    if (rank == 0) {
        MPI_Win_start(of(1), 0, win); MPI_Win_complete(win); /* here */
    }
}

/* rank 0 in MPI_Win_wait at {here} in exposed waits for rank 1 to call MPI_Win_complete \(window \d+ of 2 ranks\) */
static void exposed(void)
{
    MPI_Win win = window();
    if (rank == 0) {
        MPI_Win_post(of(1), 0, win);
        MPI_Win_wait(win); /* here */
    }
}

/* rank 0 in MPI_Win_lock at {here} in lock waits for the lock of rank 1, which rank 1 holds \(window \d+ of 2 ranks\) */
static void lock(void)
{
    MPI_Win win = window();
    if (rank == 1)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win); /* here */
    MPI_Barrier(MPI_COMM_WORLD);
}

/* rank 0 in MPI_Win_lock_all at {here} in lock_all waits for the locks of all ranks, of which rank 1 holds some \(window \d+ of 2 ranks\) */
static void lock_all(void)
{
    MPI_Win win = window();
    if (rank == 1)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Win_lock_all(0, win); /* here */
    MPI_Barrier(MPI_COMM_WORLD);
}

/* rank 0 in MPI_Win_free at {here} in win_free waits for rank 1 to enter MPI_Win_free \(window \d+ of 2 ranks\) */
static void win_free(void)
{
    MPI_Win win = window();
    if (rank == 0)
        MPI_Win_free(&win); /* here */
}

/* rank 0 in MPI_File_open at {here} in file_open waits for rank 1 to enter MPI_File_open \(MPI_COMM_WORLD\) */
static void file_open(void)
{
    MPI_File file;
    if (rank == 0)
        MPI_File_open(MPI_COMM_WORLD, "blocked.bin", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file); /* here */
}

static MPI_File file(void)
{
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, "blocked.bin", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_delete("blocked.bin", MPI_INFO_NULL);
    return file;
}

/* rank 0 in MPI_File_write_all at {here} in file_write waits for rank 1 to enter a collective access to a file \(file \d+ of 2 ranks\) */
static void file_write(void)
{
    MPI_File it = file();
    if (rank == 0)
        MPI_File_write_all(it, &value, 1, MPI_INT, MPI_STATUS_IGNORE); /* here */
}

/* rank 0 in MPI_Wait at {here} in file_iwrite waits for rank 1 to enter a collective access to a file \(file \d+ of 2 ranks\) */
static void file_iwrite(void)
{
    MPI_File it = file();
    MPI_Request request;
    if (rank == 0) {
        MPI_File_iwrite_all(it, &value, 1, MPI_INT, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* here */
    }
}

/* rank 0 in MPI_File_write_all_end at {here} in file_split waits for rank 1 to enter a collective access to a file \(file \d+ of 2 ranks\) */
static void file_split(void)
{
    MPI_File it = file();
    if (rank == 0) {
        MPI_File_write_all_begin(it, &value, 1, MPI_INT);
        MPI_File_write_all_end(it, &value, MPI_STATUS_IGNORE); /* here */
    }
}

/* rank 0 in MPI_File_write_ordered at {here} in file_ordered waits for rank 1 to enter MPI_File_write_ordered \(file \d+ of 2 ranks\) */
static void file_ordered(void)
{
    MPI_File it = file();
    if (rank == 0)
        MPI_File_write_ordered(it, &value, 1, MPI_INT, MPI_STATUS_IGNORE); /* here */
}

/* rank 0 in MPI_File_set_view at {here} in file_view waits for rank 1 to enter MPI_File_set_view \(file \d+ of 2 ranks\) */
static void file_view(void)
{
    MPI_File it = file();
    if (rank == 0)
        MPI_File_set_view(it, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL); /* here */
}

/* rank 0 in MPI_File_close at {here} in file_close waits for rank 1 to enter MPI_File_close \(file \d+ of 2 ranks\) */
static void file_close(void)
{
    MPI_File it = file();
    if (rank == 0)
        MPI_File_close(&it); /* here */
}

/* rank 0 in MPI_File_sync at {here} in file_sync waits for rank 1 to enter MPI_File_sync \(file \d+ of 2 ranks\) */
static void file_sync(void)
{
    MPI_File it = file();
    if (rank == 0)
        MPI_File_sync(it); /* here */
}

/* rank 0 in MPI_Comm_accept at {here} in accept waits for a rank to connect to its port with MPI_Comm_connect */
static void accept(void)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm other;
    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other); /* here */
    }
}

/* rank 0 in MPI_Comm_connect at {here} in connect waits for rank 1 to call MPI_Comm_accept with the same port */
static void connect(void)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm other;
    if (rank == 1)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, sizeof port, MPI_CHAR, 1, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other); /* here */
}

/* rank 0 in MPI_Comm_spawn at {here} in spawn waits for the processes it starts, such as rank 2, to call MPI_Init */
static void spawn(void)
{
    MPI_Comm other;
    if (rank == 0)
        MPI_Comm_spawn("/bin/true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE); /* here */
}

/* rank 0 in MPI_Comm_create_from_group at {here} in session waits for rank 1 to enter MPI_Comm_create_from_group \(MPI_COMM_WORLD\) */
static void session(void)
{
    MPI_Session mine;
    MPI_Group all;
    MPI_Comm comm;
    if (rank == 0) {
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &mine);
        MPI_Group_from_session_pset(mine, "mpi://WORLD", &all);
        MPI_Comm_create_from_group(all, "tag", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm); /* here */
    }
}

#define CASE(name) {#name, name}
static const struct {
    const char *name;
    void (*call)(void);
} cases[] = {
    CASE(receive), CASE(receive_any), CASE(synchronous), CASE(exchange), CASE(probe), CASE(mprobe), CASE(any), CASE(persistent),
    CASE(sendrecv_request), CASE(partitioned), CASE(buffered), CASE(barrier), CASE(nonblocking), CASE(persistent_bcast), CASE(neighbours),
    CASE(duplicate), CASE(intercomm), CASE(create_group), CASE(win_create), CASE(fence), CASE(start), CASE(exposed), CASE(lock),
    CASE(lock_all), CASE(win_free), CASE(file_open), CASE(file_write), CASE(file_iwrite), CASE(file_split), CASE(file_ordered),
    CASE(file_view), CASE(file_close), CASE(file_sync), CASE(accept), CASE(connect), CASE(spawn), CASE(session),
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && !strcmp(argv[1], cases[i].name))
            cases[i].call();
    MPI_Finalize();
    return 0;
}
