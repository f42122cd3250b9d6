/* Every function of the family, below and above the limit. */
#include "family.h"

static void sizes(void) {
    void *small = malloc(LIMIT - 1), *large = malloc(LIMIT);
    CHECK(small && large && !is_shared(small) && is_shared(large));
    CHECK(is_aligned(small, 16) && is_aligned(large, 16));
    CHECK(malloc_usable_size(small) >= LIMIT - 1 && malloc_usable_size(large) >= LIMIT);
    fill(large, LIMIT);
    fill(small, LIMIT - 1);
    CHECK(is_filled(large, LIMIT) && is_filled(small, LIMIT - 1));
    free(small);
    free(large);
    CHECK(!is_shared(large));
    free(NULL);
    CHECK(malloc_usable_size(NULL) == 0);
}

static void alignments(void) {
    for (size_t alignment = 16; alignment <= 1 << 20; alignment *= 4) {
        void *small = memalign(alignment, 100), *large = memalign(alignment, 3 * LIMIT);
        CHECK(is_aligned(small, alignment) && is_aligned(large, alignment));
        CHECK(!is_shared(small) && is_shared(large));
        free(small);
        free(large);
        void *one = aligned_alloc(alignment, alignment * 2), *other = NULL;
        CHECK(one && is_aligned(one, alignment) && is_shared(one) == (alignment * 2 >= LIMIT));
        CHECK(posix_memalign(&other, alignment, 3 * LIMIT) == 0 && is_aligned(other, alignment) && is_shared(other));
        free(one);
        free(other);
    }
    /* A small block that begins with a page is still the C library's. */
    void *page = memalign(PAGE, 100);
    CHECK(is_aligned(page, PAGE) && !is_shared(page));
    CHECK(malloc_usable_size(page) >= 100 && malloc_usable_size(page) < LIMIT);
    page = realloc(page, 200);
    CHECK(page && !is_shared(page));
    free(page);
}

static void wrong_alignments(void) {
    void *place = &place;
    CHECK(posix_memalign(&place, 3, 100) == EINVAL && posix_memalign(&place, 4, 2 * LIMIT) == EINVAL);
    CHECK(posix_memalign(&place, 0, 100) == EINVAL && posix_memalign(&place, 24, 2 * LIMIT) == EINVAL);
    CHECK(place == &place);
}

static void pages(void) {
    void *one = valloc(10), *two = pvalloc(10), *large = valloc(LIMIT), *rounded = pvalloc(LIMIT - 1);
    CHECK(is_aligned(one, PAGE) && is_aligned(two, PAGE) && is_aligned(large, PAGE) && is_aligned(rounded, PAGE));
    CHECK(malloc_usable_size(two) >= PAGE);
    CHECK(!is_shared(one) && !is_shared(two) && is_shared(large) && is_shared(rounded));
    free(one);
    free(two);
    free(large);
    free(rounded);
}

static void reallocations(void) {
    unsigned char *data = realloc(NULL, 1000);
    CHECK(data && !is_shared(data));
    fill(data, 1000);
    /* Up within the C library, across the limit, further up, down within shared memory, back across the limit, down. */
    size_t had = 1000;
    size_t steps[] = {5000, LIMIT - 1, LIMIT, 5 * LIMIT, 2 * LIMIT, LIMIT - 1, 700};
    for (int i = 0; i < 7; i++) {
        data = realloc(data, steps[i]);
        CHECK(data && is_shared(data) == (steps[i] >= LIMIT));
        CHECK(is_filled(data, had < steps[i] ? had : steps[i]));
        fill(data, steps[i]);
        had = steps[i];
    }
    free(data);
    unsigned char *at_once = realloc(NULL, 2 * LIMIT);
    CHECK(is_shared(at_once));
    free(at_once);
}

static void products(void) {
    unsigned char *small = calloc(300, 7);
    for (int i = 0; i < 2100; i++) CHECK(small[i] == 0);
    fill(small, 2100);
    unsigned char *grown = reallocarray(small, 3, LIMIT);
    CHECK(is_shared(grown) && is_filled(grown, 2100));
    fill(grown, 3 * LIMIT);
    grown = reallocarray(grown, 10, 7);
    CHECK(!is_shared(grown) && is_filled(grown, 70));
    unsigned char *large = calloc(LIMIT, 2);
    CHECK(is_shared(large) && malloc_usable_size(large) >= 2 * LIMIT);
    free(large);
    /* Products that overflow are refused, and the old memory stays. */
    size_t volatile half = SIZE_MAX / 2 + 1;
    errno = 0;
    CHECK(calloc(half, 2) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(calloc(half, 3) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(reallocarray(grown, half, 2) == NULL && errno == ENOMEM);
    CHECK(is_filled(grown, 70));
    errno = 0;
    CHECK(malloc(half) == NULL && errno == ENOMEM);
    free(grown);
}

/* Freed memory is used again: freshly allocated memory is zero even where other contents were. */
static void cleared_again(void) {
    for (int i = 0; i < 100; i++) {
        unsigned char *data = calloc(1, 4000);
        for (int j = 0; j < 4000; j++) CHECK(data[j] == 0);
        memset(data, 255, 4000);
        free(data);
    }
}

int main(void) {
    sizes();
    alignments();
    wrong_alignments();
    pages();
    reallocations();
    products();
    cleared_again();
    printf("%d shared\n", made);
    return 0;
}
