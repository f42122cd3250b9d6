/* MPI libraries poll their sockets again and again, which needs a processor for each rank. Preloaded, this lets a poll that finds nothing sleep for a
 * while; it wakes up when something arrives. A library may poll several sets of sockets in turn, so a message can be late by that while. */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/epoll.h>
#include <time.h>

static const struct timespec WHILE = { 0, 100000 };

int epoll_wait(int epoll, struct epoll_event *events, int most, int timeout)
{
    if (timeout) return epoll_pwait(epoll, events, most, timeout, NULL);
    return epoll_pwait2(epoll, events, most, &WHILE, NULL);
}

int poll(struct pollfd *files, nfds_t count, int timeout)
{
    struct timespec given = { timeout / 1000, timeout % 1000 * 1000000L };
    return ppoll(files, count, timeout < 0 ? NULL : timeout ? &given : &WHILE, NULL);
}
