/* A process that shares nothing: without the MPI library, or without the variable. All memory is the C library's. */
#include "family.h"
#include <pthread.h>

static void *work(void *seed) {
    unsigned state = (unsigned)(uintptr_t)seed;
    unsigned char *kept[16] = {0};
    size_t sizes[16] = {0};
    for (int i = 0; i < 1500; i++) {
        state = state * 1664525 + 1013904223;
        int at = state >> 8 & 15;
        if (kept[at]) CHECK(is_filled(kept[at], sizes[at]));
        /* Mostly small, now and then above the limit. */
        size_t size = state % 97 == 0 ? 2 * LIMIT : state % 5000;
        if (state % 3 == 0) {
            free(kept[at]);
            kept[at] = NULL;
        } else {
            kept[at] = realloc(kept[at], size);
            CHECK(kept[at] || size == 0);
            sizes[at] = kept[at] ? size : 0;
            fill(kept[at], sizes[at]);
        }
    }
    for (int i = 0; i < 16; i++) free(kept[i]);
    return NULL;
}

int main(void) {
    unsigned char *large = malloc(8 * LIMIT);
    CHECK(large);
    fill(large, 8 * LIMIT);
    large = realloc(large, 16 * LIMIT);
    CHECK(is_filled(large, 8 * LIMIT));
    CHECK(malloc_usable_size(large) >= 16 * LIMIT);
    free(large);
    unsigned char *zero = calloc(4, LIMIT);
    for (size_t i = 0; i < 4 * LIMIT; i++) CHECK(zero[i] == 0);
    free(zero);
    void *page = valloc(2 * LIMIT);
    CHECK(is_aligned(page, PAGE) && malloc_usable_size(page) >= 2 * LIMIT);
    free(page);
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, work, (void *)(i + 1)) == 0);
    for (int i = 0; i < 4; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    printf("all the C library's\n");
    return 0;
}
