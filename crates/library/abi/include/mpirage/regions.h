/* mpirage/regions.h: regions of a program, with names.
 *
 *     mpirage_region_begin("halo exchange");
 *     ...
 *     mpirage_region_end("halo exchange");
 *
 * The report of a run shows them in its timeline and in a table. In C++, `mpirage::region halo("halo exchange");` is a region until the
 * end of its scope. Regions may be nested. Names may have up to 255 bytes.
 *
 * This file needs nothing but MPI_Pcontrol, which MPI libraries and most tools ignore: the program runs with any MPI. A name is told once, as
 * numbers (three characters in each); then MPI_Pcontrol(number) begins the region and MPI_Pcontrol(-number) ends it. Call these functions between
 * MPI_Init and MPI_Finalize, from one thread at a time.
 */
#ifndef MPIRAGE_REGIONS_H
#define MPIRAGE_REGIONS_H

#include <mpi.h>

/* How many regions a source file remembers that it has named. The names of others are told each time. */
#ifndef MPIRAGE_MOST_REGIONS
#define MPIRAGE_MOST_REGIONS 64
#endif

/* The first level of a name, and of its characters. */
#define MPIRAGE_REGION_NAME_ 0x6d700000
#define MPIRAGE_REGION_TEXT_ 0x6e000000

#if defined(__GNUC__)
#define MPIRAGE_REGION_UNUSED_ __attribute__((unused))
#else
#define MPIRAGE_REGION_UNUSED_
#endif

/* The number of a name: at least 65536, so that programs can use smaller ones themselves. */
static MPIRAGE_REGION_UNUSED_ int mpirage_region_number(const char *name)
{
    unsigned hash = 2166136261u;
    int at;
    for (at = 0; name[at] != 0 && at < 255; at++)
        hash = (hash ^ (unsigned char)name[at]) * 16777619u;
    hash &= 0x3fffffffu;
    return (int)(hash < 65536u ? hash + 65536u : hash);
}

static MPIRAGE_REGION_UNUSED_ void mpirage_region_tell(int number, const char *name)
{
    int length = 0, at, part, character;
    while (name[length] != 0 && length < 255)
        length++;
    MPI_Pcontrol(MPIRAGE_REGION_NAME_ | length);
    MPI_Pcontrol(number);
    for (at = 0; at < length; at += 3) {
        part = 0;
        for (character = 0; character < 3; character++)
            part = part << 8 | (at + character < length ? (unsigned char)name[at + character] : 0);
        MPI_Pcontrol(MPIRAGE_REGION_TEXT_ | part);
    }
}

static MPIRAGE_REGION_UNUSED_ void mpirage_region_begin(const char *name)
{
    static int named[MPIRAGE_MOST_REGIONS], count = 0;
    int number = mpirage_region_number(name), at = 0;
    while (at < count && named[at] != number)
        at++;
    if (at == count) {
        mpirage_region_tell(number, name);
        if (count < MPIRAGE_MOST_REGIONS)
            named[count++] = number;
    }
    MPI_Pcontrol(number);
}

static MPIRAGE_REGION_UNUSED_ void mpirage_region_end(const char *name)
{
    MPI_Pcontrol(-mpirage_region_number(name));
}

#ifdef __cplusplus
namespace mpirage {
/* A region from here to the end of the scope. */
class region {
  public:
    explicit region(const char *name) : name_(name) { mpirage_region_begin(name_); }
    ~region() { mpirage_region_end(name_); }

  private:
    region(const region &);
    region &operator=(const region &);
    const char *name_;
};
} // namespace mpirage
#endif

#endif
