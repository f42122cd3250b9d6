/* Arguments arrive unchanged on every rank: spaces, quotes, empty ones, dashes. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    say("%d:", rank);
    for (int i = 1; i < argc; i++) say(" [%s]", argv[i]);
    say("\n");
    CHECK(argc == 6 && argv[argc] == NULL);
    CHECK(argc == 6 && strcmp(argv[2], "two words") == 0 && argv[3][0] == 0 && strcmp(argv[5], "--n=3") == 0);
    return finish();
}
