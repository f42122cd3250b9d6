/* Buffers of operations under way: changed by the program, or used twice. */
#include "cases.h"

/* The other rank's side: receives or sends late. */
static void receive(int n) { if (rank == 1) MPI_Recv(more, n, MPI_INT, 0, 0, W, NOWHERE); }
static void send(int n) { if (rank == 1) MPI_Send(more, n, MPI_INT, 0, 0, W); }

CASE("buffer-changed", isend, 2) {
    if (rank == 0) {
        MPI_Isend(ints, 8, MPI_INT, 1, 0, W, &request);
        if (wrong) ints[3] = 7;
        MPI_Wait(&request, NOWHERE);
        ints[3] = 9;
    }
    receive(8);
}
CASE("buffer-changed", isend_large, 2) {
    static int data[1 << 18];
    if (rank == 0) {
        MPI_Isend(data, 1 << 18, MPI_INT, 1, 0, W, &request);
        if (wrong) data[1 << 17] = 7;
        MPI_Wait(&request, NOWHERE);
    }
    if (rank == 1) MPI_Recv(data, 1 << 18, MPI_INT, 0, 0, W, NOWHERE);
}
CASE("buffer-changed", issend, 2) {
    if (rank == 0) {
        MPI_Issend(ints, 8, MPI_INT, 1, 0, W, &request);
        if (wrong) ints[0]++;
        MPI_Wait(&request, NOWHERE);
    }
    receive(8);
}
CASE("buffer-changed", irecv, 2) {
    if (rank == 0) {
        MPI_Irecv(ints, 8, MPI_INT, 1, 0, W, &request);
        if (wrong) ints[3] = 7;
        MPI_Wait(&request, NOWHERE);
        ints[3] = 9;
    }
    send(8);
}
CASE("buffer-changed", irecv_tested, 2) {
    int done = 0;
    if (rank == 0) {
        MPI_Irecv(ints, 8, MPI_INT, 1, 0, W, &request);
        while (!done) {
            if (wrong) ints[3]++;
            MPI_Test(&request, &done, NOWHERE);
        }
    }
    send(8);
}
CASE("buffer-changed", waitall_in_between, 2) {
    if (rank == 0) {
        MPI_Isend(ints, 8, MPI_INT, 1, 0, W, &requests[0]);
        MPI_Isend(more, 8, MPI_INT, 1, 0, W, &requests[1]);
        if (wrong) more[1] = 5;
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    receive(8);
    receive(8);
}
CASE("buffer-changed", strided, 2) {
    MPI_Datatype column;
    MPI_Type_vector(4, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    if (rank == 0) {
        MPI_Isend(ints, 1, column, 1, 0, W, &request);
        ints[wrong ? 4 : 5] = 1;
        MPI_Wait(&request, NOWHERE);
    }
    receive(4);
    MPI_Type_free(&column);
}
CASE("buffer-changed", persistent_send, 2) {
    if (rank == 0) {
        MPI_Send_init(ints, 8, MPI_INT, 1, 0, W, &request);
        for (int i = 1; i < 3; i++) {
            if (!wrong) ints[0] = i;
            MPI_Start(&request);
            if (wrong) ints[0] = i;
            MPI_Wait(&request, NOWHERE);
        }
        MPI_Request_free(&request);
    }
    receive(8);
    receive(8);
}
CASE("buffer-changed", persistent_receive, 2) {
    if (rank == 0) {
        MPI_Recv_init(ints, 8, MPI_INT, 1, 0, W, &request);
        if (!wrong) ints[0] = 4;
        MPI_Start(&request);
        if (wrong) ints[0] = 4;
        MPI_Wait(&request, NOWHERE);
        MPI_Request_free(&request);
    }
    send(8);
}
CASE("buffer-changed", ibcast_root, 2) {
    MPI_Ibcast(ints, 8, MPI_INT, 0, W, &request);
    if (wrong && rank == 0) ints[2] = 3;
    MPI_Wait(&request, NOWHERE);
}
CASE("buffer-changed", iallreduce_input, 2) {
    MPI_Iallreduce(ints, more, 8, MPI_INT, MPI_SUM, W, &request);
    if (wrong) ints[2] = 3;
    MPI_Wait(&request, NOWHERE);
}
CASE("buffer-changed", iallreduce_result, 2) {
    MPI_Iallreduce(ints, more, 8, MPI_INT, MPI_SUM, W, &request);
    if (wrong) more[2] = 3;
    MPI_Wait(&request, NOWHERE);
}
CASE("buffer-changed", igather, 3) {
    MPI_Igather(ints, 2, MPI_INT, more, 2, MPI_INT, 0, W, &request);
    if (wrong && rank == 2) ints[0] = 1;
    MPI_Wait(&request, NOWHERE);
}
CASE("buffer-changed", receive_into_a_send, 2) {
    if (rank == 0) {
        MPI_Isend(ints, 8, MPI_INT, 1, 0, W, &request);
        MPI_Recv(wrong ? ints : more, 8, MPI_INT, 1, 0, W, NOWHERE);
        MPI_Wait(&request, NOWHERE);
    } else {
        memset(more, 1, sizeof more);
        MPI_Irecv(ints, 8, MPI_INT, 0, 0, W, &request);
        MPI_Send(more, 8, MPI_INT, 0, 0, W);
        MPI_Wait(&request, NOWHERE);
    }
}
CASE("buffer-overlap", two_receives, 2) {
    if (rank == 0) {
        MPI_Irecv(ints, 8, MPI_INT, 1, 0, W, &requests[0]);
        MPI_Irecv(wrong ? ints + 4 : ints + 8, 8, MPI_INT, 1, 0, W, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    send(8);
    send(8);
}
CASE("buffer-overlap", send_and_receive, 2) {
    MPI_Irecv(wrong ? ints : more, 8, MPI_INT, 1 - rank, 0, W, &requests[0]);
    MPI_Isend(ints, 8, MPI_INT, 1 - rank, 0, W, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
CASE("buffer-overlap", the_same_buffer_twice, 2) {
    if (rank == 0) {
        for (int i = 0; i < 4; i++) MPI_Irecv(wrong ? ints : ints + i, 1, MPI_INT, 1, i, W, &requests[i]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    } else for (int i = 0; i < 4; i++) MPI_Send(more, 1, MPI_INT, 0, i, W);
}
CASE("buffer-overlap", columns, 2) {
    MPI_Datatype column;
    MPI_Type_vector(4, 2, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    if (rank == 0) {
        MPI_Irecv(ints, 1, column, 1, 0, W, &requests[0]);
        MPI_Irecv(ints + (wrong ? 1 : 2), 1, column, 1, 0, W, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    send(8);
    send(8);
    MPI_Type_free(&column);
}
CASE("buffer-overlap", sends_may_share, 2) {
    if (rank == 0) {
        MPI_Isend(ints, 8, MPI_INT, 1, 0, W, &requests[0]);
        if (wrong) MPI_Irecv(ints + 7, 1, MPI_INT, 1, 0, W, &requests[1]);
        else MPI_Isend(ints + 7, 1, MPI_INT, 1, 0, W, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Recv(more, 8, MPI_INT, 0, 0, W, NOWHERE);
        if (wrong) MPI_Send(more, 1, MPI_INT, 0, 0, W); else MPI_Recv(more, 8, MPI_INT, 0, 0, W, NOWHERE);
    }
}
CASE("buffer-overlap", collective_and_receive, 2) {
    MPI_Ibcast(ints, 8, MPI_INT, 0, W, &requests[0]);
    if (rank == 1) MPI_Irecv(wrong ? ints + 2 : more, 2, MPI_INT, 0, 0, W, &requests[1]);
    else MPI_Isend(more, 2, MPI_INT, 1, 0, W, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
CASE("buffer-overlap", two_collectives, 2) {
    MPI_Iallreduce(ints, more, 8, MPI_INT, MPI_SUM, W, &requests[0]);
    MPI_Iallreduce(ints, more + (wrong ? 4 : 8), 8, MPI_INT, MPI_SUM, W, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
CASE("buffer-overlap", persistent_receives, 2) {
    if (rank == 0) {
        MPI_Recv_init(ints, 8, MPI_INT, 1, 0, W, &requests[0]);
        MPI_Recv_init(ints + (wrong ? 7 : 8), 8, MPI_INT, 1, 0, W, &requests[1]);
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
    }
    send(8);
    send(8);
}
CASE("buffer-overlap", sends_what_it_receives, 2) {
    if (rank == 0) {
        MPI_Irecv(ints, 8, MPI_INT, 1, 0, W, &request);
        MPI_Send(wrong ? ints + 7 : ints + 8, 1, MPI_INT, 1, 0, W);
        MPI_Wait(&request, NOWHERE);
    } else {
        MPI_Recv(more, 1, MPI_INT, 0, 0, W, NOWHERE);
        MPI_Send(ints, 8, MPI_INT, 0, 0, W);
    }
}
