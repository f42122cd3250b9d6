/* Invalid arguments and handles, the life of MPI, and programs that fail. */
#include "cases.h"
#include <pthread.h>

static void *call_barrier(void *unused) {
    (void)unused;
    MPI_Barrier(MPI_COMM_SELF);
    return NULL;
}

static void in_a_thread(int level) {
    int granted;
    pthread_t thread;
    MPI_Init_thread(NULL, NULL, level, &granted);
    pthread_create(&thread, NULL, call_barrier, NULL);
    pthread_join(thread, NULL);
    MPI_Finalize();
}

CASE("invalid-argument", negative_count, 2) {
    if (rank == 0) MPI_Send(ints, wrong ? -1 : 1, MPI_INT, 1, 0, W);
    if (rank == 1) MPI_Recv(ints, 1, MPI_INT, 0, 0, W, NOWHERE);
}
CASE("invalid-argument", rank_beyond_the_end, 2) {
    if (rank == 0) MPI_Send(ints, 1, MPI_INT, wrong ? 2 : 1, 0, W);
    if (rank == 1) MPI_Recv(ints, 1, MPI_INT, 0, 0, W, NOWHERE);
}
CASE("invalid-argument", negative_rank, 2) {
    if (rank == 0) MPI_Send(ints, 1, MPI_INT, 1, 0, W);
    if (rank == 1) MPI_Recv(ints, 1, MPI_INT, wrong ? -17 : 0, 0, W, NOWHERE);
}
CASE("invalid-argument", negative_tag, 2) {
    if (rank == 0) MPI_Send(ints, 1, MPI_INT, 1, wrong ? -9 : 9, W);
    if (rank == 1) MPI_Recv(ints, 1, MPI_INT, 0, 9, W, NOWHERE);
}
CASE("invalid-argument", any_tag_to_send, 2) {
    if (rank == 0) MPI_Send(ints, 1, MPI_INT, 1, wrong ? MPI_ANY_TAG : 9, W);
    if (rank == 1) MPI_Recv(ints, 1, MPI_INT, 0, MPI_ANY_TAG, W, NOWHERE);
}
CASE("invalid-argument", root_beyond_the_end, 2) { MPI_Bcast(ints, 1, MPI_INT, wrong ? 5 : 1, W); }
CASE("invalid-argument", null_buffer, 2) {
    if (rank == 0) MPI_Send(wrong ? NULL : ints, 1, MPI_INT, 1, 0, W);
    if (rank == 1) MPI_Recv(ints, 1, MPI_INT, 0, 0, W, NOWHERE);
}
CASE("invalid-argument", dimensions_too_many, 2) {
    MPI_Comm comm;
    int dims[] = {wrong ? 3 : 2}, periods[] = {0};
    MPI_Cart_create(W, 1, dims, periods, 0, &comm);
    MPI_Comm_free(&comm);
}
CASE("invalid-argument", negative_block, 2) {
    MPI_Datatype type;
    MPI_Type_vector(2, wrong ? -1 : 1, 2, MPI_INT, &type);
    MPI_Type_free(&type);
}
CASE("invalid-argument", aliased_buffers, 2) { MPI_Allreduce(wrong ? more : ints, more, 1, MPI_INT, MPI_SUM, W); }
CASE("invalid-argument", negative_color, 2) {
    MPI_Comm comm;
    MPI_Comm_split(W, wrong ? -5 : 5, 0, &comm);
    MPI_Comm_free(&comm);
}
CASE("invalid-handle", null_communicator, 2) { MPI_Barrier(wrong ? MPI_COMM_NULL : W); }
CASE("invalid-handle", freed_communicator, 2) {
    MPI_Comm comm, kept;
    MPI_Comm_dup(W, &comm);
    kept = comm;
    if (!wrong) MPI_Barrier(kept);
    MPI_Comm_free(&comm);
    if (wrong) MPI_Barrier(kept);
}
CASE("invalid-handle", null_type, 2) { MPI_Bcast(ints, 1, wrong ? MPI_DATATYPE_NULL : MPI_INT, 0, W); }
CASE("invalid-handle", not_committed, 2) {
    MPI_Datatype type;
    MPI_Type_contiguous(2, MPI_INT, &type);
    if (!wrong) MPI_Type_commit(&type);
    MPI_Bcast(ints, 1, type, 0, W);
    MPI_Type_free(&type);
}
CASE("invalid-handle", freed_type, 2) {
    MPI_Datatype type, kept;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    kept = type;
    if (wrong) MPI_Type_free(&type);
    MPI_Bcast(ints, 1, kept, 0, W);
    if (!wrong) MPI_Type_free(&type);
}
CASE("invalid-handle", predefined_type_freed, 2) {
    MPI_Datatype type = MPI_INT;
    if (!wrong) MPI_Type_dup(MPI_INT, &type);
    MPI_Type_free(&type);
}
CASE("invalid-handle", operator_not_for_the_type, 2) { MPI_Allreduce(reals, bytes, 1, MPI_DOUBLE, wrong ? MPI_BAND : MPI_SUM, W); }
CASE("invalid-handle", null_operator, 2) { MPI_Allreduce(ints, more, 1, MPI_INT, wrong ? MPI_OP_NULL : MPI_SUM, W); }
CASE("invalid-handle", request_started_twice, 2) {
    if (rank == 0) {
        MPI_Send_init(ints, 1, MPI_INT, 1, 0, W, &request);
        MPI_Start(&request);
        if (wrong) MPI_Start(&request);
        MPI_Wait(&request, NOWHERE);
        MPI_Request_free(&request);
    } else MPI_Recv(ints, 1, MPI_INT, 0, 0, W, NOWHERE);
}
CASE("invalid-handle", request_used_again, 2) {
    MPI_Ibarrier(W, &request);
    MPI_Request kept = request;
    MPI_Wait(&request, NOWHERE);
    MPI_Wait(wrong ? &kept : &request, NOWHERE);
}
CASE("invalid-handle", group_freed, 2) {
    MPI_Group group, kept;
    int n;
    MPI_Comm_group(W, &group);
    kept = group;
    if (!wrong) MPI_Group_size(kept, &n);
    MPI_Group_free(&group);
    if (wrong) MPI_Group_size(kept, &n);
}
RAW("lifecycle", before_init, 2) {
    if (wrong) MPI_Barrier(W);
    MPI_Init(NULL, NULL);
    MPI_Barrier(W);
    MPI_Finalize();
}
RAW("lifecycle", after_finalize, 2) {
    MPI_Init(NULL, NULL);
    if (!wrong) MPI_Barrier(W);
    MPI_Finalize();
    if (wrong) MPI_Barrier(W);
}
RAW("lifecycle", never_finalized, 2) {
    MPI_Init(NULL, NULL);
    MPI_Barrier(W);
    if (!wrong) MPI_Finalize();
}
RAW("lifecycle", one_returns_early, 3) {
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(W, &rank);
    if (wrong && rank == 1) exit(0);
    MPI_Finalize();
}
CASE("failure", abort_by_one, 2) { if (wrong && rank == 1) MPI_Abort(W, 3); }
RAW("failure", exit_code, 2) {
    MPI_Init(NULL, NULL);
    MPI_Finalize();
    exit(wrong ? 3 : 0);
}
CASE("crash", null_pointer, 2) { *(volatile int *)(wrong && rank == 1 ? NULL : ints) = 1; }
CASE("crash", assertion, 2) { if (wrong && rank == 0) abort(); }

RAW("thread-level", call_below_serialized, 2) { in_a_thread(wrong ? MPI_THREAD_FUNNELED : MPI_THREAD_SERIALIZED); }
RAW("thread-level", call_of_a_single_thread, 2) { in_a_thread(wrong ? MPI_THREAD_SINGLE : MPI_THREAD_SERIALIZED); }
