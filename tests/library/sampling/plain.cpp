// C and C++, with and without mpirage: the same text, and without it the plain program.
#include <smpi/smpi.h>
#include <stdio.h>

#define COUNT 6

static void *make(const char *input, int n) {
    (void)input;
    return malloc(n);
}

int main(void) {
    int i, executed = 0;
    unsigned long long twice = 2;
    for (i = 0; i < COUNT; i++) SMPI_SAMPLE_LOCAL(twice) { executed++; }
    for (i = 0; i < COUNT; i++)
        if (i % 2) SMPI_SAMPLE_GLOBAL(1) { executed++; }
        else executed++;
    SMPI_SAMPLE_LOCAL(i = 0, i < COUNT, i++, 2, 0.1) executed++;
    SMPI_SAMPLE_GLOBAL(int j = 0, j < COUNT, j++, 2, 0.1) { executed++; }
    SMPI_SAMPLE_LOCAL_TAG(i = 0, i < COUNT, i++, 2, 0.1, "tag") { executed++; }
    SMPI_SAMPLE_GLOBAL_TAG(i = 0, i < COUNT, i++, 2, 0.1, "tag") { executed++; }
    for (i = 0; i < COUNT; i++) MPIRAGE_SAMPLE(0.1) { executed++; }
    for (i = 0; i < COUNT; i++) MPIRAGE_SAMPLE_GLOBAL(0.1) { executed++; }
    SMPI_SAMPLE_DELAY(1e6) { executed++; }
    SMPI_SAMPLE_FLOPS(1e6) { executed++; }
    smpi_execute(1e-3);
    smpi_execute_flops(1e3);
    smpi_execute_benched(1e-3);
    smpi_execute_flops_benched(1e3);
    size_t offsets[] = {0, 4096};
    char *a = (char *)SMPI_SHARED_MALLOC(10000), *b = (char *)SMPI_PARTIAL_SHARED_MALLOC(10000, offsets, 1);
    char *c = (char *)SMPI_SHARED_CALL(make, "input", "input", 10);
    a[9999] = b[9999] = c[9] = 1;
    SMPI_SHARED_FREE(a);
    SMPI_FREE(b);
    free(c);
    printf("executed %d\n", executed);
    return 0;
}
