/* What programs leave behind. */
#include "cases.h"

static void nothing(void *in, void *inout, int *n, MPI_Datatype *type) { (void)in; (void)inout; (void)n; (void)type; }
static void on_error(MPI_Comm *comm, int *code, ...) { (void)comm; (void)code; }

CASE("request-leak", isend, 2) {
    if (rank == 0) MPI_Isend(ints, 1, MPI_INT, 1, 0, W, &request);
    if (rank == 1) MPI_Recv(ints, 1, MPI_INT, 0, 0, W, NOWHERE);
    if (rank == 0 && !wrong) MPI_Wait(&request, NOWHERE);
}
CASE("request-leak", irecv, 2) {
    if (rank == 0) MPI_Irecv(ints, 1, MPI_INT, 1, 0, W, &request);
    if (rank == 1) MPI_Send(more, 1, MPI_INT, 0, 0, W);
    if (rank == 0 && !wrong) MPI_Wait(&request, NOWHERE);
}
CASE("request-leak", overwritten, 2) {
    for (int i = 0; i < 2; i++) {
        if (rank == 0) MPI_Isend(ints, 1, MPI_INT, 1, 0, W, wrong ? &request : &requests[i]);
        if (rank == 1) MPI_Recv(ints, 1, MPI_INT, 0, 0, W, NOWHERE);
    }
    if (rank == 0) MPI_Waitall(wrong ? 1 : 2, wrong ? &request : requests, MPI_STATUSES_IGNORE);
}
CASE("request-leak", persistent, 2) {
    MPI_Send_init(ints, 1, MPI_INT, 1 - rank, 0, W, &request);
    if (!wrong) MPI_Request_free(&request);
}
CASE("request-leak", persistent_used, 2) {
    if (rank == 0) {
        MPI_Send_init(ints, 1, MPI_INT, 1, 0, W, &request);
        MPI_Start(&request);
        MPI_Wait(&request, NOWHERE);
        if (!wrong) MPI_Request_free(&request);
    } else MPI_Recv(ints, 1, MPI_INT, 0, 0, W, NOWHERE);
}
CASE("request-leak", ibarrier, 2) {
    MPI_Ibarrier(W, &request);
    if (!wrong) MPI_Wait(&request, NOWHERE);
}
CASE("request-leak", waitany_once, 2) {
    int which;
    if (rank == 0) {
        MPI_Irecv(ints, 1, MPI_INT, 1, 0, W, &requests[0]);
        MPI_Irecv(more, 1, MPI_INT, 1, 1, W, &requests[1]);
        MPI_Waitany(2, requests, &which, NOWHERE);
        if (!wrong) MPI_Waitany(2, requests, &which, NOWHERE);
    } else {
        MPI_Send(ints, 1, MPI_INT, 0, 0, W);
        MPI_Send(ints, 1, MPI_INT, 0, 1, W);
    }
}
CASE("lost-message", never_received, 2) {
    if (rank == 0) MPI_Send(ints, 1, MPI_INT, 1, 0, W);
    if (rank == 1 && !wrong) MPI_Recv(ints, 1, MPI_INT, 0, 0, W, NOWHERE);
}
CASE("lost-message", one_too_many, 2) {
    for (int i = 0; i < (wrong ? 3 : 2); i++) if (rank == 0) MPI_Send(ints, 1, MPI_INT, 1, 0, W);
    for (int i = 0; i < 2; i++) if (rank == 1) MPI_Recv(ints, 1, MPI_INT, 0, 0, W, NOWHERE);
}
CASE("lost-message", other_tag, 2) {
    if (rank == 0) {
        MPI_Send(ints, 1, MPI_INT, 1, 0, W);
        MPI_Send(ints, 1, MPI_INT, 1, wrong ? 9 : 1, W);
        if (wrong) MPI_Send(ints, 1, MPI_INT, 1, 1, W);
    } else {
        MPI_Recv(ints, 1, MPI_INT, 0, 0, W, NOWHERE);
        MPI_Recv(ints, 1, MPI_INT, 0, 1, W, NOWHERE);
    }
}
CASE("lost-message", only_probed, 2) {
    if (rank == 0) MPI_Send(ints, 1, MPI_INT, 1, 0, W);
    if (rank == 1) {
        MPI_Probe(0, 0, W, &status);
        if (!wrong) MPI_Recv(ints, 1, MPI_INT, 0, 0, W, NOWHERE);
    }
}
CASE("datatype-leak", contiguous, 2) {
    MPI_Datatype type;
    MPI_Type_contiguous(4, MPI_INT, &type);
    if (!wrong) MPI_Type_free(&type);
}
CASE("datatype-leak", committed, 2) {
    MPI_Datatype type;
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    if (!wrong) MPI_Type_free(&type);
}
CASE("datatype-leak", inner_type, 2) {
    MPI_Datatype inner, outer;
    MPI_Type_contiguous(4, MPI_INT, &inner);
    MPI_Type_vector(2, 1, 2, inner, &outer);
    if (!wrong) MPI_Type_free(&inner);
    MPI_Type_free(&outer);
}
CASE("datatype-leak", duplicate, 2) {
    MPI_Datatype type;
    MPI_Type_dup(MPI_INT, &type);
    if (!wrong) MPI_Type_free(&type);
}
CASE("datatype-leak", in_a_loop, 2) {
    MPI_Datatype type;
    for (int i = 1; i < 5; i++) {
        MPI_Type_contiguous(i, MPI_INT, &type);
        if (!wrong || i > 2) MPI_Type_free(&type);
    }
}
CASE("communicator-leak", duplicate_of_the_world, 2) {
    MPI_Comm comm;
    MPI_Comm_dup(W, &comm);
    if (!wrong) MPI_Comm_free(&comm);
}
CASE("communicator-leak", split, 4) {
    MPI_Comm comm;
    MPI_Comm_split(W, rank % 2, rank, &comm);
    if (!wrong) MPI_Comm_free(&comm);
}
CASE("communicator-leak", topology, 4) {
    MPI_Comm comm;
    int dims[] = {2, 2}, periods[] = {0, 0};
    MPI_Cart_create(W, 2, dims, periods, 0, &comm);
    if (!wrong) MPI_Comm_free(&comm);
}
CASE("communicator-leak", freed_by_some, 2) {
    MPI_Comm comm;
    MPI_Comm_dup(W, &comm);
    if (!wrong || rank == 0) MPI_Comm_free(&comm);
}
CASE("window-leak", created, 2) {
    MPI_Win win;
    MPI_Win_create(ints, 16, 4, MPI_INFO_NULL, W, &win);
    if (!wrong) MPI_Win_free(&win);
}
CASE("window-leak", allocated, 2) {
    MPI_Win win;
    int *base;
    MPI_Win_allocate(16, 4, MPI_INFO_NULL, W, &base, &win);
    MPI_Win_fence(0, win);
    if (!wrong) MPI_Win_free(&win);
}
CASE("file-leak", opened, 2) {
    char name[64];
    MPI_File file;
    sprintf(name, "/tmp/mpirage-check-%d", (int)getppid());
    MPI_File_open(W, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    if (rank == 0) unlink(name);
    if (!wrong) MPI_File_close(&file);
}
CASE("handle-leak", group, 2) {
    MPI_Group group;
    MPI_Comm_group(W, &group);
    if (!wrong) MPI_Group_free(&group);
}
CASE("handle-leak", group_of_a_group, 2) {
    MPI_Group all, part;
    MPI_Comm_group(W, &all);
    MPI_Group_incl(all, 1, (int[]){1}, &part);
    MPI_Group_free(&all);
    if (!wrong) MPI_Group_free(&part);
}
CASE("handle-leak", operator, 2) {
    MPI_Op op;
    MPI_Op_create(nothing, 1, &op);
    if (!wrong) MPI_Op_free(&op);
}
CASE("handle-leak", info, 2) {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "value");
    if (!wrong) MPI_Info_free(&info);
}
CASE("handle-leak", info_duplicate, 2) {
    MPI_Info info, copy;
    MPI_Info_create(&info);
    MPI_Info_dup(info, &copy);
    MPI_Info_free(&info);
    if (!wrong) MPI_Info_free(&copy);
}
CASE("handle-leak", error_handler, 2) {
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(W, handler);
    if (!wrong) MPI_Errhandler_free(&handler);
}
CASE("handle-leak", attribute_key, 2) {
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(W, key, ints);
    if (!wrong) MPI_Comm_free_keyval(&key);
}
