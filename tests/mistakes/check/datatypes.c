/* Type signatures of messages and collectives. */
#include "cases.h"

static MPI_Datatype contiguous(int n, MPI_Datatype of) {
    MPI_Datatype type;
    MPI_Type_contiguous(n, of, &type);
    MPI_Type_commit(&type);
    return type;
}

static MPI_Datatype pair_of(MPI_Datatype first, MPI_Datatype second) {
    MPI_Datatype type, types[] = {first, second};
    int lengths[] = {1, 1};
    MPI_Aint places[] = {0, 8};
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    return type;
}

/* Sends with one type from rank 0, and receives with another on rank 1. */
static void pass(int sent, MPI_Datatype as, int received, MPI_Datatype into) {
    if (rank == 0) MPI_Send(reals, sent, as, 1, 7, W);
    if (rank == 1) MPI_Recv(reals, received, into, 0, 7, W, NOWHERE);
}

CASE("datatype-mismatch", int_as_float, 2) { pass(4, MPI_INT, 4, wrong ? MPI_FLOAT : MPI_INT); }
CASE("datatype-mismatch", double_as_long, 2) { pass(4, MPI_DOUBLE, 4, wrong ? MPI_LONG : MPI_DOUBLE); }
CASE("datatype-mismatch", int_as_unsigned, 2) { pass(1, MPI_INT, 1, wrong ? MPI_UNSIGNED : MPI_INT); }
CASE("datatype-mismatch", two_ints_as_double, 2) { pass(2, MPI_INT, wrong ? 1 : 2, wrong ? MPI_DOUBLE : MPI_INT); }
CASE("datatype-mismatch", char_as_int, 2) { pass(4, MPI_CHAR, wrong ? 1 : 4, wrong ? MPI_INT : MPI_CHAR); }
CASE("datatype-mismatch", shorter_message_of_another_type, 2) { pass(2, wrong ? MPI_FLOAT : MPI_INT, 8, MPI_INT); }
CASE("datatype-mismatch", bytes_in_a_derived_type, 2) {
    MPI_Datatype type = contiguous(4, wrong ? MPI_FLOAT : MPI_BYTE);
    pass(16 / (wrong ? 4 : 1), wrong ? MPI_INT : MPI_BYTE, wrong ? 1 : 4, type);
    MPI_Type_free(&type);
}
CASE("datatype-mismatch", contiguous_of_another_type, 2) {
    MPI_Datatype type = contiguous(4, wrong ? MPI_FLOAT : MPI_INT);
    pass(4, MPI_INT, 1, type);
    MPI_Type_free(&type);
}
CASE("datatype-mismatch", vector_of_another_type, 2) {
    MPI_Datatype type;
    MPI_Type_vector(3, 2, 4, wrong ? MPI_LONG : MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    pass(6, MPI_DOUBLE, 1, type);
    MPI_Type_free(&type);
}
CASE("datatype-mismatch", structs_in_another_order, 2) {
    MPI_Datatype one = pair_of(MPI_INT, MPI_DOUBLE), two = pair_of(wrong ? MPI_DOUBLE : MPI_INT, wrong ? MPI_INT : MPI_DOUBLE);
    pass(2, one, 2, two);
    MPI_Type_free(&one);
    MPI_Type_free(&two);
}
CASE("datatype-mismatch", struct_as_its_first_part, 2) {
    MPI_Datatype type = pair_of(MPI_INT, MPI_FLOAT);
    pass(1, type, wrong ? 2 : 1, wrong ? MPI_INT : type);
    MPI_Type_free(&type);
}
CASE("datatype-mismatch", pair_type_as_ints, 2) { pass(2, MPI_2INT, wrong ? 4 : 4, wrong ? MPI_FLOAT : MPI_INT); }
CASE("datatype-mismatch", nonblocking_receive, 2) {
    if (rank == 0) MPI_Send(ints, 8, MPI_INT, 1, 0, W);
    if (rank == 1) {
        MPI_Irecv(reals, 8, wrong ? MPI_FLOAT : MPI_INT, 0, 0, W, &request);
        MPI_Wait(&request, NOWHERE);
    }
}
CASE("datatype-mismatch", nonblocking_send, 2) {
    if (rank == 0) {
        MPI_Isend(ints, 8, MPI_INT, 1, 0, W, &request);
        MPI_Wait(&request, NOWHERE);
    }
    if (rank == 1) MPI_Recv(reals, 8, wrong ? MPI_FLOAT : MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, NOWHERE);
}
CASE("datatype-mismatch", persistent, 2) {
    if (rank == 0) MPI_Send_init(ints, 8, MPI_INT, 1, 0, W, &request);
    if (rank == 1) MPI_Recv_init(reals, 8, wrong ? MPI_FLOAT : MPI_INT, 0, 0, W, &request);
    MPI_Start(&request);
    MPI_Wait(&request, NOWHERE);
    MPI_Request_free(&request);
}
CASE("datatype-mismatch", exchange, 2) {
    MPI_Sendrecv(ints, 4, MPI_INT, 1 - rank, 0, more, 4, wrong ? MPI_FLOAT : MPI_INT, 1 - rank, 0, W, NOWHERE);
}
CASE("datatype-mismatch", second_of_two_messages, 2) {
    if (rank == 0) {
        MPI_Send(ints, 4, MPI_INT, 1, 0, W);
        MPI_Send(reals, 4, MPI_DOUBLE, 1, 0, W);
    }
    if (rank == 1) {
        MPI_Irecv(ints, 4, MPI_INT, 0, 0, W, &requests[0]);
        MPI_Irecv(reals, 4, wrong ? MPI_LONG : MPI_DOUBLE, 0, 0, W, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}
CASE("datatype-mismatch", matched_probe, 2) {
    MPI_Message message;
    if (rank == 0) MPI_Send(ints, 4, MPI_INT, 1, 0, W);
    if (rank == 1) {
        MPI_Mprobe(0, 0, W, &message, &status);
        MPI_Mrecv(reals, 4, wrong ? MPI_FLOAT : MPI_INT, &message, NOWHERE);
    }
}
CASE("datatype-mismatch", subarray, 2) {
    MPI_Datatype type;
    int sizes[] = {8, 8}, part[] = {2, 3}, start[] = {1, 1};
    MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, wrong ? MPI_FLOAT : MPI_INT, &type);
    MPI_Type_commit(&type);
    pass(6, MPI_INT, 1, type);
    MPI_Type_free(&type);
}
CASE("datatype-mismatch", in_a_duplicate, 2) {
    MPI_Comm comm;
    MPI_Comm_dup(W, &comm);
    if (rank == 0) MPI_Send(ints, 4, MPI_INT, 1, 0, comm);
    if (rank == 1) MPI_Recv(ints, 4, wrong ? MPI_FLOAT : MPI_INT, 0, 0, comm, NOWHERE);
    MPI_Comm_free(&comm);
}
CASE("datatype-mismatch", synchronous, 2) {
    if (rank == 0) MPI_Ssend(ints, 4, MPI_INT, 1, 0, W);
    if (rank == 1) MPI_Recv(ints, 4, wrong ? MPI_FLOAT : MPI_INT, 0, 0, W, NOWHERE);
}
CASE("datatype-mismatch", large_message, 2) {
    static double data[1 << 17];
    if (rank == 0) MPI_Send(data, 1 << 17, MPI_DOUBLE, 1, 0, W);
    if (rank == 1) MPI_Recv(data, 1 << 17, wrong ? MPI_LONG : MPI_DOUBLE, 0, 0, W, NOWHERE);
}
CASE("datatype-mismatch", bcast, 3) { MPI_Bcast(ints, 4, wrong && rank == 2 ? MPI_FLOAT : MPI_INT, 0, W); }
CASE("datatype-mismatch", bcast_derived, 3) {
    MPI_Datatype type = contiguous(4, wrong ? MPI_FLOAT : MPI_INT);
    MPI_Bcast(ints, rank == 1 ? 1 : 4, rank == 1 ? type : MPI_INT, 0, W);
    MPI_Type_free(&type);
}
CASE("datatype-mismatch", ibcast, 3) {
    MPI_Ibcast(ints, 4, wrong && rank == 2 ? MPI_FLOAT : MPI_INT, 0, W, &request);
    MPI_Wait(&request, NOWHERE);
}
CASE("datatype-mismatch", gather, 3) { MPI_Gather(ints, 2, wrong && rank == 1 ? MPI_FLOAT : MPI_INT, more, 2, MPI_INT, 0, W); }
CASE("datatype-mismatch", gatherv, 3) {
    int counts[] = {1, 2, 3}, places[] = {0, 4, 8};
    MPI_Gatherv(ints, rank + 1, wrong && rank == 2 ? MPI_FLOAT : MPI_INT, more, counts, places, MPI_INT, 0, W);
}
CASE("datatype-mismatch", scatter, 3) { MPI_Scatter(ints, 2, MPI_INT, more, 2, wrong && rank == 1 ? MPI_FLOAT : MPI_INT, 0, W); }
CASE("datatype-mismatch", allgather, 3) { MPI_Allgather(ints, 2, MPI_INT, more, 2, wrong && rank == 1 ? MPI_FLOAT : MPI_INT, W); }
CASE("datatype-mismatch", alltoall, 3) { MPI_Alltoall(ints, 2, wrong && rank == 1 ? MPI_FLOAT : MPI_INT, more, 2, MPI_INT, W); }
CASE("datatype-mismatch", alltoallw, 2) {
    int counts[] = {1, 1}, places[] = {0, 8};
    MPI_Datatype out[] = {MPI_INT, MPI_FLOAT}, in[] = {MPI_INT, MPI_FLOAT};
    out[1 - rank] = MPI_FLOAT;
    in[1 - rank] = wrong && rank == 0 ? MPI_INT : MPI_FLOAT;
    in[rank] = out[rank];
    MPI_Alltoallw(ints, counts, places, out, more, counts, places, in, W);
}
CASE("datatype-mismatch", allreduce, 3) { MPI_Allreduce(ints, more, 4, wrong && rank == 2 ? MPI_FLOAT : MPI_INT, MPI_SUM, W); }
CASE("datatype-mismatch", reduce, 3) { MPI_Reduce(ints, more, 4, wrong && rank == 1 ? MPI_UNSIGNED : MPI_INT, MPI_SUM, 0, W); }
CASE("datatype-mismatch", scan, 3) { MPI_Scan(ints, more, 4, wrong && rank == 1 ? MPI_FLOAT : MPI_INT, MPI_SUM, W); }
CASE("datatype-mismatch", reduce_in_place, 3) {
    MPI_Allreduce(MPI_IN_PLACE, ints, 4, wrong && rank == 1 ? MPI_FLOAT : MPI_INT, MPI_SUM, W);
}
CASE("truncation", longer_than_the_receive, 2) { pass(wrong ? 5 : 4, MPI_INT, 4, MPI_INT); }
CASE("truncation", longer_nonblocking, 2) {
    if (rank == 0) MPI_Send(ints, wrong ? 9 : 8, MPI_INT, 1, 0, W);
    if (rank == 1) {
        MPI_Irecv(more, 8, MPI_INT, 0, 0, W, &request);
        MPI_Wait(&request, NOWHERE);
    }
}
CASE("truncation", longer_than_a_derived_type, 2) {
    MPI_Datatype type = contiguous(3, MPI_INT);
    pass(wrong ? 4 : 3, MPI_INT, 1, type);
    MPI_Type_free(&type);
}
CASE("truncation", longer_exchange, 2) {
    MPI_Sendrecv(ints, wrong ? 5 : 4, MPI_INT, 1 - rank, 0, more, 4, MPI_INT, 1 - rank, 0, W, NOWHERE);
}
