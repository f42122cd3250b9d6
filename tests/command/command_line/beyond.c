/* What MPICH 4.0 does not have, or gets wrong: each check names itself. Run with 3 ranks, --ppn 2. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, failures;

#define CHECK(condition)                                                                             \
    do {                                                                                             \
        if (!(condition)) {                                                                          \
            failures++;                                                                              \
            fprintf(stderr, "%s:%d: rank %d: not true: %s\n", __FILE__, __LINE__, rank, #condition); \
        }                                                                                            \
    } while (0)

/* MPI is used, not used, and used again. */
static void sessions(void)
{
    for (int round = 0; round < 3; round++) {
        MPI_Session session;
        MPI_Group group;
        MPI_Comm comm;
        MPI_Request request;
        int sum, value = 1, got = 0, bytes = 4096;
        char buffer[4096];
        void *address;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
        CHECK(MPI_Group_from_session_pset(session, "mpi://nothing", &group) == MPI_ERR_ARG);
        CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 2, &value, NULL) == MPI_ERR_ARG);
        MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
        MPI_Comm_create_from_group(group, "beyond", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
        MPI_Group_free(&group);
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        value = 1;
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
        CHECK(sum == size);
        /* A buffered send takes the buffer of the session. */
        CHECK(MPI_Bsend(&rank, 1, MPI_INT, rank, 0, comm) == MPI_ERR_BUFFER);
        CHECK(MPI_Session_attach_buffer(session, buffer, bytes) == MPI_SUCCESS);
        CHECK(MPI_Session_attach_buffer(session, buffer, bytes) == MPI_ERR_BUFFER);
        CHECK(MPI_Bsend(&rank, 1, MPI_INT, rank, 0, comm) == MPI_SUCCESS);
        MPI_Recv(&got, 1, MPI_INT, rank, 0, comm, MPI_STATUS_IGNORE);
        CHECK(got == rank);
        MPI_Session_flush_buffer(session);
        MPI_Session_iflush_buffer(session, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(MPI_Session_detach_buffer(session, &address, &bytes) == MPI_SUCCESS && address == buffer && bytes == 4096);
        MPI_Comm_free(&comm);
        MPI_Session_finalize(&session);
    }
}

/* Partitioned messages from and to nobody, and requests that are not active. */
static void partitioned(void)
{
    int out[4] = {1, 2, 3, 4}, in[4] = {0}, flag = 0;
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Psend_init(out, 2, 2, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, 2, 2, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Parrived(requests[1], 0, &flag);
    CHECK(flag);
    for (int round = 0; round < 2; round++) {
        MPI_Startall(2, requests);
        MPI_Pready_range(0, 1, requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], &status);
        CHECK(status.MPI_SOURCE == MPI_PROC_NULL && in[0] == 0);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    /* The status of a receive; errors. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Psend_init(out, 0, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]) == MPI_ERR_ARG);
    CHECK(MPI_Precv_init(in, 1, 4, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]) == MPI_ERR_RANK);
    MPI_Psend_init(out, 4, 1, MPI_INT, (rank + 1) % size, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, 2, 2, MPI_INT, (rank + size - 1) % size, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    CHECK(MPI_Pready(0, requests[0]) == MPI_ERR_REQUEST);
    MPI_Startall(2, requests);
    CHECK(MPI_Start(&requests[0]) == MPI_ERR_REQUEST);
    CHECK(MPI_Pready(4, requests[0]) == MPI_ERR_ARG);
    CHECK(MPI_Pready(0, requests[1]) == MPI_ERR_REQUEST);
    CHECK(MPI_Cancel(&requests[1]) == MPI_ERR_REQUEST);
    CHECK(MPI_Parrived(requests[0], 0, &flag) == MPI_ERR_REQUEST);
    MPI_Parrived(requests[1], 1, &flag);
    CHECK(!flag);
    MPI_Pready_range(0, 3, requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], &status);
    int count;
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == 4 && status.MPI_TAG == 6 && status.MPI_SOURCE == (rank + size - 1) % size);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static unsigned long long value_of(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    unsigned long long value = 0;
    CHECK(MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS);
    return value;
}

static MPI_T_pvar_handle variable(MPI_T_pvar_session session, const char *name, int class)
{
    MPI_T_pvar_handle handle;
    int index, count;
    CHECK(MPI_T_pvar_get_index(name, class, &index) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count) == MPI_SUCCESS && count == 1);
    return handle;
}

/* What the simulator knows is what happened. */
static void tools(void)
{
    int provided, index, count, level, left = (rank + size - 1) % size, right = (rank + 1) % size;
    char text[64], data[1000] = {0};
    double began, ended;
    MPI_T_pvar_session session;
    MPI_T_cvar_handle cvar;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_handle sent = variable(session, "messages_sent", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_handle bytes = variable(session, "bytes_received", MPI_T_PVAR_CLASS_AGGREGATE);
    MPI_T_pvar_handle waiting = variable(session, "unexpected_messages", MPI_T_PVAR_CLASS_LEVEL);
    MPI_T_pvar_handle posted = variable(session, "posted_receives", MPI_T_PVAR_CLASS_LEVEL);
    MPI_T_pvar_handle time = variable(session, "simulated_time", MPI_T_PVAR_CLASS_TIMER);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(MPI_T_pvar_start(session, waiting) == MPI_T_ERR_PVAR_NO_STARTSTOP);
    CHECK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
    CHECK(value_of(session, sent) == 0 && value_of(session, waiting) == 0 && value_of(session, posted) == 0);
    MPI_T_pvar_read(session, time, &began);
    for (int i = 0; i < 5; i++)
        MPI_Sendrecv(data, 1000, MPI_CHAR, right, i, data, 1000, MPI_CHAR, left, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(value_of(session, bytes) == 5000);
    MPI_T_pvar_read(session, time, &ended);
    CHECK(ended > began);
    MPI_Request request;
    MPI_Irecv(data, 10, MPI_CHAR, left, 77, MPI_COMM_WORLD, &request);
    CHECK(value_of(session, posted) == 1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(data, 10, MPI_CHAR, right, 77, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send(data, 4, MPI_CHAR, rank, 78, MPI_COMM_WORLD);
    MPI_Probe(rank, 78, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    /* Other ranks may be in the next barrier already. */
    CHECK(value_of(session, waiting) >= 1);
    MPI_Recv(data, 4, MPI_CHAR, rank, 78, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(value_of(session, sent) >= 7);
    MPI_T_pvar_stop(session, bytes);
    unsigned long long before = value_of(session, bytes);
    MPI_Sendrecv(data, 9, MPI_CHAR, right, 0, data, 9, MPI_CHAR, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(value_of(session, bytes) == before && before >= 5014);
    CHECK(MPI_T_pvar_reset(session, bytes) == MPI_SUCCESS && value_of(session, bytes) == 0);
    CHECK(MPI_T_pvar_reset(session, time) == MPI_T_ERR_PVAR_NO_WRITE);
    MPI_T_pvar_session_free(&session);

    CHECK(MPI_T_cvar_get_index("model", &index) == MPI_SUCCESS);
    MPI_T_cvar_handle_alloc(index, NULL, &cvar, &count);
    CHECK(count == (int)sizeof text);
    MPI_T_cvar_read(cvar, text);
    CHECK(!strcmp(text, "flow:factors"));
    CHECK(MPI_T_cvar_write(cvar, text) == MPI_T_ERR_CVAR_SET_NEVER);
    MPI_T_cvar_handle_free(&cvar);
    MPI_T_cvar_get_index("pcontrol_level", &index);
    MPI_T_cvar_handle_alloc(index, NULL, &cvar, &count);
    MPI_Pcontrol(2);
    MPI_T_cvar_read(cvar, &level);
    CHECK(level == 2);
    level = 0;
    CHECK(MPI_T_cvar_write(cvar, &level) == MPI_SUCCESS);
    MPI_T_cvar_handle_free(&cvar);
    CHECK(MPI_T_event_get_num(&count) == MPI_SUCCESS && count == 0);
    CHECK(MPI_T_source_get_num(&count) == MPI_SUCCESS && count == 1);
    MPI_Count stamp;
    CHECK(MPI_T_source_get_timestamp(0, &stamp) == MPI_SUCCESS && stamp > 0);
    MPI_T_finalize();
}

/* Two hosts: ranks 0 and 1, and rank 2. */
static void hardware(void)
{
    MPI_Info info;
    MPI_Comm comm, again;
    int flag, part, length = 64, is_set, yes = 0, no = 7;
    char value[64];
    MPI_Get_hw_resource_info(&info);
    MPI_Info_get_string(info, "mpi_shared_memory", &length, value, &flag);
    CHECK(flag && !strcmp(value, "true"));
    MPI_Info_free(&info);
    MPI_Info_create(&info);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, rank, info, &comm);
    CHECK(comm != MPI_COMM_NULL);
    MPI_Comm_size(comm, &part);
    CHECK(part == (rank < 2 ? 2 : 1));
    length = 64;
    MPI_Info_get_string(info, "mpi_hw_resource_type", &length, value, &flag);
    CHECK(flag && !strcmp(value, "mpi_shared_memory"));
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_HW_UNGUIDED, rank, MPI_INFO_NULL, &again);
    CHECK(again == MPI_COMM_NULL);
    MPI_Comm_free(&comm);
    MPI_Info_set(info, "mpi_hw_resource_type", "host");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, rank, info, &comm);
    CHECK(comm != MPI_COMM_NULL);
    MPI_Comm_free(&comm);
    MPI_Info_free(&info);
    MPI_Abi_get_info(&info);
    length = 64;
    MPI_Info_get_string(info, "mpi_aint_size", &length, value, &flag);
    CHECK(flag && atoi(value) == (int)sizeof(MPI_Aint));
    MPI_Info_free(&info);
    MPI_Abi_get_fortran_info(&info);
    MPI_Info_free(&info);
    CHECK(MPI_Abi_get_fortran_booleans(4, &yes, &no, &is_set) == MPI_SUCCESS && is_set && yes == 1 && no == 0);
}

int main(int argc, char **argv)
{
    sessions();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    partitioned();
    tools();
    hardware();
    int all;
    MPI_Reduce(&failures, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d mistakes\n", all);
    MPI_Finalize();
    return failures ? 1 : 0;
}
