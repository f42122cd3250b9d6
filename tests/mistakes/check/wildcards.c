/* Correct programs with wildcard receives: masters and workers, pipelines, trees. Whichever messages their receives get, they end, and
 * nothing is wrong with them, with 3 or more ranks. They abort if a message has other contents than it should. */
#include "cases.h"

enum { WORK = 1, RESULT = 2, STOP = 3, LATE = 4 };

static void must(int holds) { if (!holds) MPI_Abort(W, 9); }

/* Both messages of each rank have the same tag: the second is there only when the first has been received. */
RIGHT(two_of_each) {
    if (rank == 0) for (int i = 0; i < 2 * (size - 1); i++) MPI_Recv(ints, 1, MPI_INT, MPI_ANY_SOURCE, 1, W, NOWHERE);
    else for (int i = 0; i < 2; i++) MPI_Send(&rank, 1, MPI_INT, 0, 1, W);
}
/* Work is handed out to whoever is free; the tag says whether there is more. */
RIGHT(dynamic_work) {
    int items = 7, sum = 0, open = size - 1;
    if (rank == 0) {
        for (int next = 0; open > 0;) {
            MPI_Recv(ints, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &status);
            if (status.MPI_TAG == RESULT) sum += ints[0];
            int more_work = next < items;
            MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, more_work ? WORK : STOP, W);
            if (more_work) next++; else open--;
        }
        must(sum == 42);
    } else {
        MPI_Send(NULL, 0, MPI_INT, 0, WORK, W);
        for (;;) {
            MPI_Recv(ints, 1, MPI_INT, 0, MPI_ANY_TAG, W, &status);
            if (status.MPI_TAG == STOP) break;
            ints[0] *= 2;
            MPI_Send(ints, 1, MPI_INT, 0, RESULT, W);
        }
    }
}
/* Messages of different lengths: a probe says how long the next one is. */
RIGHT(probe_then_receive) {
    if (rank == 0) {
        for (int i = 0, n; i < 2 * (size - 1); i++) {
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, W, &status);
            MPI_Get_count(&status, MPI_INT, &n);
            must(n == status.MPI_SOURCE);
            MPI_Recv(ints, n, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, W, NOWHERE);
        }
    } else for (int i = 0; i < 2; i++) MPI_Send(ints, rank, MPI_INT, 0, i, W);
}
/* The master looks whether there is a message, and answers it before the next. */
RIGHT(poll_then_receive) {
    if (rank == 0) {
        for (int left = 2 * (size - 1), flag; left > 0;) {
            MPI_Iprobe(MPI_ANY_SOURCE, WORK, W, &flag, &status);
            if (!flag) continue;
            int from = status.MPI_SOURCE;
            MPI_Recv(ints, 1, MPI_INT, from, WORK, W, NOWHERE);
            must(ints[0] == from);
            MPI_Send(&left, 1, MPI_INT, from, RESULT, W);
            left--;
        }
    } else for (int i = 0; i < 2; i++) {
        MPI_Send(&rank, 1, MPI_INT, 0, WORK, W);
        MPI_Recv(more, 1, MPI_INT, 0, RESULT, W, NOWHERE);
    }
}
/* A matched probe takes the message; others come meanwhile. */
RIGHT(matched_probes) {
    if (rank == 0) {
        MPI_Message first, second;
        for (int i = 0; i < size - 1; i++) {
            MPI_Status other;
            MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, W, &first, &status);
            MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, W, &second, &other);
            MPI_Mrecv(ints, 1, MPI_INT, &second, NOWHERE);
            MPI_Mrecv(more, 1, MPI_INT, &first, NOWHERE);
            must(ints[0] == other.MPI_SOURCE && more[0] == status.MPI_SOURCE);
        }
    } else {
        for (int i = 0; i < 2; i++) MPI_Isend(&rank, 1, MPI_INT, 0, rank, W, &requests[i]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}
/* Several wildcard receives wait at the same time; each that is complete is posted again. */
RIGHT(waitany) {
    int open = 3, index, expected = 3 * (size - 1);
    if (rank == 0) {
        for (int i = 0; i < open; i++) MPI_Irecv(&ints[i], 1, MPI_INT, MPI_ANY_SOURCE, WORK, W, &requests[i]);
        for (int got = 0, posted = open; got < expected; got++) {
            MPI_Waitany(open, requests, &index, &status);
            must(ints[index] == status.MPI_SOURCE);
            if (posted++ < expected) MPI_Irecv(&ints[index], 1, MPI_INT, MPI_ANY_SOURCE, WORK, W, &requests[index]);
        }
    } else for (int i = 0; i < 3; i++) MPI_Send(&rank, 1, MPI_INT, 0, WORK, W);
}
/* The same with answers: what a worker sends next depends on its answer. A spare receive is cancelled. */
RIGHT(waitsome_and_answer) {
    int rounds = 2, done, indices[3];
    MPI_Status found[3];
    if (rank == 0) {
        for (int i = 0; i < 3; i++) MPI_Irecv(&ints[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &requests[i]);
        for (int left = rounds * (size - 1); left > 0; left -= done) {
            MPI_Waitsome(3, requests, &done, indices, found);
            for (int i = 0; i < done; i++) {
                MPI_Irecv(&ints[indices[i]], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &requests[indices[i]]);
                MPI_Send(&left, 1, MPI_INT, found[i].MPI_SOURCE, RESULT, W);
            }
        }
        for (int i = 0; i < 3; i++) MPI_Cancel(&requests[i]);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    } else for (int i = 0; i < rounds; i++) {
        MPI_Send(&rank, 1, MPI_INT, 0, rank, W);
        MPI_Recv(more, 1, MPI_INT, 0, RESULT, W, NOWHERE);
    }
}
/* The receive is asked whether it is complete; named receives of another tag come between. */
RIGHT(test_and_tags) {
    if (rank == 0) {
        for (int i = 0, flag = 0; i < 2 * (size - 1); i++, flag = 0) {
            MPI_Irecv(ints, 1, MPI_INT, MPI_ANY_SOURCE, WORK, W, &request);
            while (!flag) MPI_Test(&request, &flag, &status);
            MPI_Recv(more, 1, MPI_INT, status.MPI_SOURCE, LATE, W, NOWHERE);
            must(ints[0] == more[0]);
        }
    } else for (int i = 0; i < 2; i++) {
        MPI_Send(&rank, 1, MPI_INT, 0, WORK, W);
        MPI_Send(&rank, 1, MPI_INT, 0, LATE, W);
    }
}
/* Two groups of ranks, each with a master of its own, which report to rank 0. */
RIGHT(two_masters) {
    MPI_Comm half;
    int mine, members, sum = 0;
    MPI_Comm_split(W, rank % 2, -rank, &half);
    MPI_Comm_rank(half, &mine);
    MPI_Comm_size(half, &members);
    if (mine == 0) {
        for (int i = 1; i < members; i++) {
            MPI_Recv(ints, 1, MPI_INT, MPI_ANY_SOURCE, RESULT, half, &status);
            must(ints[0] == status.MPI_SOURCE);
            sum += ints[0];
        }
        MPI_Ssend(&sum, 1, MPI_INT, 0, RESULT, W);
    } else {
        if (rank) MPI_Ssend(&mine, 1, MPI_INT, 0, RESULT, half);
        else MPI_Isend(&mine, 1, MPI_INT, 0, RESULT, half, &request);
    }
    if (rank == 0) {
        for (int i = 0; i < 2; i++) MPI_Recv(more, 1, MPI_INT, MPI_ANY_SOURCE, RESULT, W, NOWHERE);
        MPI_Wait(&request, NOWHERE);
    }
    MPI_Comm_free(&half);
}
/* Each stage takes from whoever comes and passes on to the next; the end passes through, too. */
RIGHT(pipeline) {
    int sources = 2, ended = 0, passed = 0;
    if (rank < sources) {
        for (int i = 0; i < 2; i++) MPI_Send(&i, 1, MPI_INT, sources, WORK, W);
        MPI_Send(NULL, 0, MPI_INT, sources, STOP, W);
        return;
    }
    for (int waiting = rank == sources ? sources : 1; ended < waiting;) {
        MPI_Recv(ints, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &status);
        if (status.MPI_TAG == STOP) ended++;
        else if (rank + 1 < size) MPI_Send(ints, 1, MPI_INT, rank + 1, WORK, W);
        passed += status.MPI_TAG == WORK;
    }
    must(passed == 2 * sources);
    if (rank + 1 < size) MPI_Send(NULL, 0, MPI_INT, rank + 1, STOP, W);
}
/* A tree: each rank waits for its children in any order, and for the answer of its parent. */
RIGHT(tree) {
    int sum = rank, parent = (rank - 1) / 2;
    for (int child = 2 * rank + 1; child <= 2 * rank + 2 && child < size; child++) {
        MPI_Recv(ints, 1, MPI_INT, MPI_ANY_SOURCE, RESULT, W, &status);
        sum += ints[0];
    }
    if (rank) {
        MPI_Send(&sum, 1, MPI_INT, parent, RESULT, W);
        MPI_Recv(&sum, 1, MPI_INT, MPI_ANY_SOURCE, WORK, W, &status);
        must(status.MPI_SOURCE == parent);
    }
    for (int child = 2 * rank + 1; child <= 2 * rank + 2 && child < size; child++) MPI_Send(&sum, 1, MPI_INT, child, WORK, W);
    must(sum == size * (size - 1) / 2);
}
/* Synchronous sends, and collectives between rounds. */
RIGHT(rounds_of_ssends) {
    for (int round = 0; round < 2; round++) {
        if (rank == 0) for (int i = 1; i < size; i++) {
            MPI_Recv(ints, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &status);
            must(ints[0] == round && status.MPI_TAG == round);
        }
        else MPI_Ssend(&round, 1, MPI_INT, 0, round, W);
        MPI_Allreduce(MPI_IN_PLACE, more, 1, MPI_INT, MPI_SUM, W);
    }
}
/* A message that a probe has seen decides who sends next, and to whom. */
RIGHT(probe_starts_another) {
    if (rank == 0) {
        MPI_Recv(ints, 1, MPI_INT, MPI_ANY_SOURCE, WORK, W, &status);
        must(status.MPI_SOURCE == 1);
        MPI_Send(ints, 1, MPI_INT, 1, RESULT, W);
        MPI_Recv(ints, 1, MPI_INT, 2, WORK, W, NOWHERE);
    } else if (rank == 1) {
        MPI_Send(ints, 1, MPI_INT, 0, WORK, W);
        MPI_Probe(0, RESULT, W, NOWHERE);
        MPI_Send(ints, 1, MPI_INT, 2, LATE, W);
        MPI_Recv(ints, 1, MPI_INT, 0, RESULT, W, NOWHERE);
    } else if (rank == 2) {
        MPI_Recv(ints, 1, MPI_INT, 1, LATE, W, NOWHERE);
        MPI_Send(ints, 1, MPI_INT, 0, WORK, W);
    }
}
/* The receive of the end is posted first; its message depends on what all later receives have got. */
RIGHT(end_is_posted_first) {
    if (rank == 0) {
        MPI_Irecv(more, 1, MPI_INT, MPI_ANY_SOURCE, STOP, W, &request);
        for (int i = 1; i < size; i++) {
            MPI_Recv(ints, 1, MPI_INT, MPI_ANY_SOURCE, WORK, W, &status);
            MPI_Send(&i, 1, MPI_INT, status.MPI_SOURCE, RESULT, W);
        }
        MPI_Wait(&request, NOWHERE);
    } else {
        MPI_Send(ints, 1, MPI_INT, 0, WORK, W);
        MPI_Recv(ints, 1, MPI_INT, 0, RESULT, W, NOWHERE);
        if (ints[0] == size - 1) MPI_Send(ints, 1, MPI_INT, 0, STOP, W);
    }
}
