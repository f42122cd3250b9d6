/* An emulated network of links between network namespaces: exact rates and delays, first in, first out, drop-tail.
 *
 *   switch PREFIX < network
 *
 *   hosts N                        namespaces PREFIX0 … , each with a TUN device `net0` and the address 10.9.0.(host + 1)
 *   link RATE DELAY QUEUE          bits per second, nanoseconds, bytes; links are numbered from 0
 *   route FROM TO LINK…            the links of a packet, in order
 *
 * A frame has 14 bytes more than its IP packet. Each link stores and forwards. Instants are computed, not measured: a late wake-up delays
 * one packet, and not those after it. Prints "ready" when packets can flow; at SIGTERM, on the standard error, what was dropped and how late packets were. */
#define _GNU_SOURCE
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
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "packets.h"

enum { MOST_HOSTS = 64, MOST_LINKS = 512, MOST_HOPS = 8, MOST_PACKETS = 1 << 16 };

struct link { double rate; long delay, queue; int64_t free_at; long carried, dropped; };
struct route { int hops, links[MOST_HOPS]; };

static struct link links[MOST_LINKS];
static struct route routes[MOST_HOSTS][MOST_HOSTS];
static int count_links, count_hosts;
static double late;
static long delivered;
static int64_t latest;

static void enter_next_link(int number, int64_t instant)
{
    struct packet *p = &packets[number];
    struct link *link = &links[routes[p->from][p->to].links[p->hop++]];
    int64_t start = link->free_at > instant ? link->free_at : instant;
    int frame = p->length + ETHERNET;
    if ((start - instant) * link->rate / 8e9 + frame > link->queue) {
        link->dropped++;
        release(number);
        return;
    }
    link->free_at = start + (int64_t)(frame * 8e9 / link->rate);
    p->due = link->free_at + link->delay, p->number = numbers++, link->carried++;
    push(number);
}

static int receiver(const uint8_t *ip, int length)           /* of an IPv4 packet; -1 if it is not for this network */
{
    if (length < 20 || ip[0] >> 4 != 4 || ip[16] != 10 || ip[17] != 9) return -1;
    int host = ip[19] - 1;
    return host < count_hosts ? host : -1;
}

static void receive(int fd, int from)
{
    while (unused >= 0) {
        int taken = unused;
        struct packet *p = &packets[taken];
        p->length = read(fd, p->bytes, MTU);
        if (p->length <= 0) return;
        int to = receiver(p->bytes, p->length);
        if (to < 0 || !routes[from][to].hops) continue;
        unused = p->next;
        p->from = from, p->to = to, p->hop = 0;
        enter_next_link(taken, now());
    }
    fprintf(stderr, "too many packets in flight\n");
    exit(1);
}

static void deliver(const int *fd)
{
    while (heap_size && packets[heap[0]].due <= now()) {
        int taken = pop();
        struct packet *p = &packets[taken];
        if (p->hop < routes[p->from][p->to].hops) {
            enter_next_link(taken, p->due);
            continue;
        }
        int64_t lateness = hand_over(taken, fd);
        late += lateness / 1e3, delivered++;
        if (lateness > latest) latest = lateness;
    }
}

static int tun(const char *prefix, int host)
{
    char path[256], command[256];
    snprintf(path, sizeof path, "/var/run/netns/%s%d", prefix, host);
    int namespace = open(path, O_RDONLY), own = open("/proc/self/ns/net", O_RDONLY);
    if (namespace < 0 || setns(namespace, CLONE_NEWNET)) { perror(path); exit(1); }
    struct ifreq request = { .ifr_flags = IFF_TUN | IFF_NO_PI };
    strcpy(request.ifr_name, "net0");
    int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
    if (fd < 0 || ioctl(fd, TUNSETIFF, &request)) { perror("/dev/net/tun"); exit(1); }
    snprintf(command, sizeof command, "ip addr add 10.9.0.%d/24 dev net0 && ip link set net0 up && ip link set lo up", host + 1);
    if (system(command) || setns(own, CLONE_NEWNET)) exit(1);
    close(namespace), close(own);
    return fd;
}

static void read_network(void)
{
    char line[512], word[16];
    for (int used; fgets(line, sizeof line, stdin);) {
        if (sscanf(line, "%15s%n", word, &used) != 1) continue;
        char *rest = line + used;
        if (!strcmp(word, "hosts")) count_hosts = atoi(rest);
        if (!strcmp(word, "link") && count_links < MOST_LINKS) {
            struct link *link = &links[count_links++];
            sscanf(rest, "%lf %ld %ld", &link->rate, &link->delay, &link->queue);
        }
        if (!strcmp(word, "route")) {
            int from = strtol(rest, &rest, 10), to = strtol(rest, &rest, 10), number;
            struct route *route = &routes[from % MOST_HOSTS][to % MOST_HOSTS];
            for (; sscanf(rest, "%d%n", &number, &used) == 1 && route->hops < MOST_HOPS; rest += used) route->links[route->hops++] = number;
        }
    }
}

int main(int argc, char **argv)
{
    int fd[MOST_HOSTS];
    struct pollfd polled[MOST_HOSTS];
    struct sched_param priority = { .sched_priority = 50 };
    if (argc != 2) return fprintf(stderr, "switch PREFIX < network\n"), 2;
    read_network();
    make_packets(MOST_PACKETS);
    mlockall(MCL_CURRENT);
    for (int host = 0; host < count_hosts; host++) polled[host] = (struct pollfd){ .fd = fd[host] = tun(argv[1], host), .events = POLLIN };
    if (sched_setscheduler(0, SCHED_FIFO, &priority)) perror("real-time priority");
    signal(SIGTERM, on_signal);
    puts("ready"), fflush(stdout);
    while (!stop) {
        int64_t wait = heap_size ? packets[heap[0]].due - now() : 100000000;
        struct timespec timeout = { wait > 0 ? wait / 1000000000 : 0, wait > 0 ? wait % 1000000000 : 0 };
        ppoll(polled, count_hosts, &timeout, NULL);
        for (int host = 0; host < count_hosts; host++) if (polled[host].revents) receive(fd[host], host);
        deliver(fd);
    }
    for (int i = 0; i < count_links; i++) if (links[i].dropped) fprintf(stderr, "link %d carried %ld frames and dropped %ld\n", i, links[i].carried, links[i].dropped);
    fprintf(stderr, "packets were late by %.1f us in the mean, %.1f us at the worst\n", delivered ? late / delivered : 0.0, latest / 1e3);
    return 0;
}
