/* Primes by a segmented sieve: rank 0 finds the small primes and broadcasts them, each rank sieves its segment. */
#include <mpi.h>
#include <algorithm>
#include <cstdio>
#include <vector>

static std::vector<int> small_primes(int limit)
{
    std::vector<bool> crossed(limit + 1);
    std::vector<int> primes;
    for (int n = 2; n <= limit; n++) {
        if (crossed[n]) continue;
        primes.push_back(n);
        for (int m = 2 * n; m <= limit; m += n) crossed[m] = true;
    }
    return primes;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    const long limit = 10000;
    std::vector<int> primes;
    if (rank == 0) primes = small_primes(100);
    int count = static_cast<int>(primes.size());
    MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    primes.resize(count);
    MPI_Bcast(primes.data(), count, MPI_INT, 0, MPI_COMM_WORLD);

    const long begin = 2 + (limit - 1) * rank / size, end = 2 + (limit - 1) * (rank + 1) / size;
    std::vector<bool> crossed(end - begin);
    for (long p : primes)
        for (long m = std::max(p * p, (begin + p - 1) / p * p); m < end; m += p) crossed[m - begin] = true;

    long found[2] = {0, 0}, all[2];                  /* how many, and their sum */
    for (long n = begin; n < end; n++)
        if (!crossed[n - begin]) found[0]++, found[1] += n;
    MPI_Allreduce(found, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) std::printf("%ld primes up to %ld, their sum is %ld\n", all[0], limit, all[1]);
    MPI_Finalize();
    return all[0] == 1229 ? 0 : 1;
}
