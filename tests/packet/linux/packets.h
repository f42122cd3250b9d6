/* Packets in flight between namespaces: their memory, and a heap by the instant at which each is due. For link.c and switch.c. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MTU = 1500, ETHERNET = 14 };

struct packet { int64_t due; uint64_t number; int length, from, to, path, hop, next; uint8_t bytes[MTU]; };

static struct packet *packets;
static int unused, *heap, heap_size;
static uint64_t numbers;
static volatile sig_atomic_t stop;

static void on_signal(int number) { (void)number; stop = 1; }

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void make_packets(int most)
{
    packets = calloc(most, sizeof *packets), heap = calloc(most, sizeof *heap);
    for (int i = 0; i < most; i++) packets[i].next = i + 1 < most ? i + 1 : -1;
}

static void release(int packet)
{
    packets[packet].next = unused;
    unused = packet;
}

static int before(int a, int b)
{
    if (packets[a].due != packets[b].due) return packets[a].due < packets[b].due;
    return packets[a].number < packets[b].number;
}

static void push(int packet)
{
    int at = heap_size++;
    for (; at && before(packet, heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = packet;
}

static int pop(void)
{
    int first = heap[0], last = heap[--heap_size], at = 0;
    for (int child; (child = 2 * at + 1) < heap_size; at = child) {
        if (child + 1 < heap_size && before(heap[child + 1], heap[child])) child++;
        if (!before(heap[child], last)) break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

static int64_t hand_over(int packet, const int *fd)          /* to its receiver; gives how late it is */
{
    struct packet *p = &packets[packet];
    int64_t late = now() - p->due;
    if (write(fd[p->to], p->bytes, p->length) != p->length) perror("write");
    release(packet);
    return late;
}
