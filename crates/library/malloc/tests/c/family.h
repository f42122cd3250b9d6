/* A stand-in for the MPI library's mpirage_share_* functions, and checks. Shared blocks are mappings of their own. Nothing here
 * allocates. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CHECK(condition)                                                                                                                 \
    do {                                                                                                                                 \
        if (!(condition)) {                                                                                                              \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                                                      \
            _exit(1);                                                                                                                    \
        }                                                                                                                                \
    } while (0)

void _exit(int) __attribute__((noreturn));

/* The smallest size that is shared, as the tests set it. */
enum { LIMIT = 1 << 20, PAGE = 4096 };

#ifdef WITH_MPI_LIBRARY
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static struct {
    char *start;
    size_t length;
} blocks[64];
/* Shared blocks that were ever made. */
static int made;

size_t mpirage_share_length(void *data) {
    for (int i = 0; i < 64; i++)
        if (data && blocks[i].start == data) return blocks[i].length;
    return 0;
}

void *mpirage_share_memalign(size_t alignment, size_t size) {
    if (size < LIMIT) return __libc_memalign(alignment, size);
    size_t length = (size + PAGE - 1) / PAGE * PAGE;
    char *room = mmap(NULL, length + alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) {
        errno = ENOMEM;
        return NULL;
    }
    char *start = (char *)(((uintptr_t)room + alignment - 1) / alignment * alignment);
    for (int i = 0; i < 64; i++)
        if (!blocks[i].start) {
            blocks[i].start = start;
            blocks[i].length = length;
            made++;
            return start;
        }
    _exit(3);
}

void *mpirage_share_malloc(size_t size) { return size < LIMIT ? __libc_malloc(size) : mpirage_share_memalign(1, size); }

void *mpirage_share_calloc(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes < LIMIT) return __libc_calloc(count, size);
    return mpirage_share_memalign(1, bytes);
}

void mpirage_share_free(void *data) {
    for (int i = 0; i < 64; i++)
        if (data && blocks[i].start == data) {
            munmap(data, blocks[i].length);
            blocks[i].start = NULL;
            return;
        }
    __libc_free(data);
}

void *mpirage_share_realloc(void *old, size_t size) {
    size_t before = mpirage_share_length(old);
    if (!before && size < LIMIT) return __libc_realloc(old, size);
    void *new = mpirage_share_malloc(size);
    if (new && old) {
        size_t had = before ? before : malloc_usable_size(old);
        memcpy(new, old, had < size ? had : size);
        mpirage_share_free(old);
    }
    return new;
}

static int is_shared(void *data) { return mpirage_share_length(data) > 0; }
#else
static int is_shared(void *data) { return data == NULL; }
#endif

static int is_aligned(void *data, size_t alignment) { return (uintptr_t)data % alignment == 0; }

/* Fills memory so that every byte shows its place. */
static void fill(unsigned char *data, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) data[i] = (unsigned char)(i * 7 + i / 251);
}

static int is_filled(const unsigned char *data, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        if (data[i] != (unsigned char)(i * 7 + i / 251)) return 0;
    return 1;
}
