/* An emulated link between two network namespaces: what `tc netem` does, for kernels without it.
 *
 *   link NAME-A NAME-B NAMESPACE-A NAMESPACE-B < paths
 *
 * Creates a TUN device in each namespace and carries IPv4 packets between them. Line k of the input describes the path of TCP
 * port FIRST_PORT + k: bits per second, delay in nanoseconds, probability of loss, bytes of queue, seed. Paths share nothing.
 *
 * From A to B a frame is lost at random, or dropped if it does not fit into the queue; otherwise it leaves when the frames
 * before it have left, and arrives after the delay. From B to A there is the same queue and delay, without random loss.
 * A frame has 14 bytes more than its IP packet. Instants are computed, not measured: a late wake-up delays one packet, and
 * not those after it.
 *
 * Prints "ready" when packets can flow; at SIGTERM, per path: frames carried, lost, dropped, and the mean and the largest lateness in
 * microseconds. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "packets.h"

enum { FIRST_PORT = 20000, MOST_PATHS = 4000, MOST_PACKETS = 1 << 17 };

struct direction { int64_t free_at; };
struct path {
    double rate, loss; int64_t delay, queue; uint64_t random;
    struct direction direction[2];
    long carried, lost, dropped, delivered; double late; int64_t latest;
};

static struct path paths[MOST_PATHS];
static int count_paths;

static double uniform(uint64_t *state)                     /* splitmix64 */
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static int path_of(const uint8_t *ip, int length, int from)  /* by the port of end B */
{
    if (length < 40 || ip[0] >> 4 != 4 || ip[9] != 6) return -1;
    const uint8_t *tcp = ip + 4 * (ip[0] & 15) + (from == 0 ? 2 : 0);
    int path = (tcp[0] << 8 | tcp[1]) - FIRST_PORT;
    return path < 0 || path >= count_paths ? -1 : path;
}

static int accept_packet(struct packet *p, int from)         /* whether it will arrive, and when */
{
    p->path = path_of(p->bytes, p->length, from);
    if (p->path < 0) return 0;
    struct path *path = &paths[p->path];
    struct direction *link = &path->direction[from];
    int64_t instant = now(), start = link->free_at > instant ? link->free_at : instant;
    int frame = p->length + ETHERNET;
    if (!from && uniform(&path->random) < path->loss) { path->lost++; return 0; }
    if ((start - instant) * path->rate / 8e9 + frame > path->queue) { path->dropped += !from; return 0; }
    link->free_at = start + (int64_t)(frame * 8e9 / path->rate);
    p->due = link->free_at + path->delay, p->to = 1 - from, p->number = numbers++;
    path->carried += !from;
    return 1;
}

static void receive(int fd, int from)
{
    while (unused >= 0) {
        struct packet *p = &packets[unused];
        p->length = read(fd, p->bytes, MTU);
        if (p->length <= 0) return;
        int taken = unused;
        if (accept_packet(p, from)) { unused = p->next; push(taken); }
    }
    fprintf(stderr, "too many packets in flight\n");
    exit(1);
}

static void deliver(const int *fd)
{
    while (heap_size && packets[heap[0]].due <= now()) {
        int taken = pop();
        struct path *path = &paths[packets[taken].path];
        int64_t late = hand_over(taken, fd);
        path->late += late / 1e3, path->delivered++;
        if (late > path->latest) path->latest = late;
    }
}

static int tun(const char *name)
{
    struct ifreq request = { .ifr_flags = IFF_TUN | IFF_NO_PI };
    int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
    strncpy(request.ifr_name, name, IFNAMSIZ - 1);
    if (fd < 0 || ioctl(fd, TUNSETIFF, &request)) { perror(name); exit(1); }
    return fd;
}

static int end(const char *device, const char *namespace, const char *address)
{
    int fd = tun(device);
    char line[1024];
    snprintf(line, sizeof line,
             "set -e; n=%s d=%s; ip link set $d netns $n; ip -n $n address add %s/24 dev $d; ip -n $n link set $d mtu %d txqueuelen 20000 up; "
             "ip netns exec $n ethtool -K $d tso off gso off gro off >/dev/null", namespace, device, address, MTU);
    if (system(line)) { fprintf(stderr, "failed: %s\n", line); exit(1); }
    return fd;
}

static void read_paths(void)
{
    struct path p = { 0 };
    long long delay, queue; unsigned long long seed;
    while (scanf("%lf %lld %lf %lld %llu", &p.rate, &delay, &p.loss, &queue, &seed) == 5) {
        p.delay = delay, p.queue = queue, p.random = seed;
        if (count_paths == MOST_PATHS) { fprintf(stderr, "too many paths\n"); exit(1); }
        paths[count_paths++] = p;
    }
}

static void report(void)
{
    for (int k = 0; k < count_paths; k++) {
        struct path *p = &paths[k];
        printf("%d %ld %ld %ld %.1f %.1f\n", k, p->carried, p->lost, p->dropped, p->delivered ? p->late / p->delivered : 0, p->latest / 1e3);
    }
}

int main(int count, char **words)
{
    if (count != 5) { fprintf(stderr, "usage: link DEVICE-A DEVICE-B NAMESPACE-A NAMESPACE-B < paths\n"); return 2; }
    read_paths();
    make_packets(MOST_PACKETS);
    int fd[2] = { end(words[1], words[3], "10.77.0.1"), end(words[2], words[4], "10.77.0.2") };
    struct sched_param priority = { .sched_priority = 10 };   /* packets wait for no other process */
    if (sched_setscheduler(0, SCHED_FIFO, &priority)) perror("real-time priority");
    signal(SIGTERM, on_signal), signal(SIGINT, on_signal);
    printf("ready\n"), fflush(stdout);
    while (!stop) {
        deliver(fd);
        int64_t wait = heap_size ? packets[heap[0]].due - now() : 1000000000;
        struct timespec timeout = { wait > 0 ? wait / 1000000000 : 0, wait > 0 ? wait % 1000000000 : 0 };
        struct pollfd polls[2] = { { fd[0], POLLIN, 0 }, { fd[1], POLLIN, 0 } };
        if (ppoll(polls, 2, &timeout, NULL) < 0 && errno != EINTR) { perror("ppoll"); return 1; }
        for (int from = 0; from < 2; from++) if (polls[from].revents & POLLIN) receive(fd[from], from);
    }
    report();
    return 0;
}
