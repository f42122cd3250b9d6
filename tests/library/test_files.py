"""Files and storage: an IOR-like and an mpi-io-test-like program on a parallel file system against formulas, what a crash leaves in a
file, results in the summary and in JSON, and bad [storage] tables."""

import json
import struct

from harness import MPIRAGE

PLATFORM = """[cluster]
hosts = {hosts}
speed = "10Gf"
bandwidth = "12.5GBps"
latency = "1us"
[storage.scratch]
kind = "parallel"
mount = "{mount}"
servers = {servers}
stripe-size = "1MiB"
write-bandwidth = "500MBps"
read-bandwidth = "1GBps"
latency = "100us"
metadata-latency = "50us"
"""
# One shared file, as IOR writes it: each rank has a block of its own, moved in transfers.
IOR = r"""#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const size_t block = 16 << 20, transfer = 8 << 20;
    char *data = malloc(transfer);
    memset(data, rank, transfer);
    MPI_File fh;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &fh);
    for (int write = 1; write >= 0; write--) {
        MPI_Barrier(MPI_COMM_WORLD);
        double began = MPI_Wtime();
        for (size_t at = 0; at < block; at += transfer) {
            MPI_Offset place = rank * (MPI_Offset)block + at;
            if (write) MPI_File_write_at(fh, place, data, transfer, MPI_BYTE, MPI_STATUS_IGNORE);
            else MPI_File_read_at(fh, place, data, transfer, MPI_BYTE, MPI_STATUS_IGNORE);
            if (data[0] != (char)rank || data[transfer - 1] != (char)rank) MPI_Abort(MPI_COMM_WORLD, 3);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) printf("%s %.9f\n", write ? "write" : "read", (double)block * size / (MPI_Wtime() - began));
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
"""
# Records of all ranks in turn, through a view, all together.
STRIDED = r"""#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    enum { RECORDS = 256, INTS = 16384 };
    int *data = malloc(RECORDS * INTS * sizeof(int)), *back = malloc(RECORDS * INTS * sizeof(int)), wrong = 0;
    for (int i = 0; i < RECORDS * INTS; i++) data[i] = rank + i;
    MPI_Datatype record;
    MPI_Type_vector(RECORDS, INTS, INTS * size, MPI_INT, &record);
    MPI_Type_commit(&record);
    MPI_File fh;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &fh);
    MPI_File_set_view(fh, (MPI_Offset)rank * INTS * sizeof(int), MPI_INT, record, "native", MPI_INFO_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    double began = MPI_Wtime();
    MPI_File_write_all(fh, data, RECORDS * INTS, MPI_INT, MPI_STATUS_IGNORE);
    double took = MPI_Wtime() - began;
    MPI_File_read_at_all(fh, 0, back, RECORDS * INTS, MPI_INT, MPI_STATUS_IGNORE);
    for (int i = 0; i < RECORDS * INTS; i++) wrong += back[i] != data[i];
    if (rank == 0) printf("%.9f\n", (double)RECORDS * INTS * sizeof(int) * size / took);
    MPI_File_close(&fh);
    MPI_Finalize();
    return wrong != 0;
}
"""
CRASH = r"""#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File fh;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &fh);
    for (int i = 0; i < 10; i++) {
        int value = 100 * rank + i;
        MPI_File_write_at(fh, 40 * rank + 4 * i, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        if (i == 6 && rank == 1) {
            if (argc > 2) MPI_Abort(MPI_COMM_WORLD, 7);
            *(volatile int *)0 = 1;
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
"""


def platform(suite, hosts, servers):
    path = suite.folder / f"storage-{hosts}-{servers}.toml"
    path.write_text(PLATFORM.format(hosts=hosts, servers=servers, mount=suite.folder))
    return path


def test_ior(suite):
    """The bandwidth of all ranks together is that of the servers, or of the ranks' cables: min(ranks × 12.5, servers × disk) GB/s."""
    binary = suite.compile(IOR, "ior")
    for ranks, servers in ((1, 2), (4, 2), (8, 2), (8, 4)):
        for mode in ("processes", "folded"):
            result = suite.simulate("-q", "--compute", "none", "--ranks-as", mode, "-n", ranks, "-p", platform(suite, ranks + servers, servers), binary,
                                    suite.folder / f"shared.{ranks}.{mode}")
            found = dict(line.split() for line in result.out.splitlines() if " " in line)
            for what, disk in (("write", 500e6), ("read", 1e9)):
                # Per transfer of 8 MiB: the latencies of disk and network come on top.
                share = (8 << 20) * ranks / (servers * disk)
                expected = min(ranks * 12.5e9, (8 << 20) * ranks / (share + 100e-6))
                right = what in found and abs(float(found[what]) / expected - 1) < 0.05
                suite.check(f"IOR-like {what} of {ranks} ranks on {servers} servers, {mode}", right, (found, expected, result))


POSIX = r"""#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    char name[32], *data = calloc(1, 8 << 20);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sprintf(name, "posix.%d", rank);
    for (int write = 1; write >= 0; write--) {
        MPI_Barrier(MPI_COMM_WORLD);
        double began = MPI_Wtime();
        FILE *file = fopen(name, write ? "w" : "r");
        for (int i = 0; i < 4; i++)
            if ((write ? fwrite(data, 1, 8 << 20, file) : fread(data, 1, 8 << 20, file)) != 8 << 20) return 1;
        fclose(file);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) printf("%s %.9f\n", write ? "write" : "read", MPI_Wtime() - began);
    }
    /* What goes to standard output is no access to a file. */
    double before = MPI_Wtime();
    for (int i = 0; i < 1000; i++) printf("a line of output\n");
    fflush(stdout);
    if (MPI_Wtime() - before > 1e-4) printf("printing takes %g s\n", MPI_Wtime() - before);
    remove(name);
    MPI_Finalize();
    return 0;
}
"""


def test_posix(suite):
    """Files without MPI take the time of their bytes on the servers if the user says so, and none otherwise; accesses of MPI-IO count once."""
    binary = suite.compile(POSIX, "posix")
    for ranks, servers in ((1, 2), (4, 2)):
        options = ["-q", "--compute", "none", "-n", ranks, "-p", platform(suite, ranks + servers, servers), "--wdir", suite.folder]
        charged, free = (suite.simulate(*options, *more, binary) for more in (["--io", "posix"], []))
        found, without = (dict(line.split() for line in result.out.splitlines() if line.split()[0] in ("write", "read")) for result in (charged, free))
        for what, disk in (("write", 500e6), ("read", 1e9)):
            expected = ranks * (32 << 20) / (servers * disk)
            right = abs(float(found.get(what, 0)) / expected - 1) < 0.05
            suite.check(f"POSIX {what} of {ranks} ranks on {servers} servers", right, (found, expected, charged.err))
            suite.check(f"POSIX {what} of {ranks} ranks, not charged", 0 < float(without.get(what, 0)) < 0.01 * expected, without)
        suite.check("output is free", charged.code == 0 and "printing" not in charged.out, charged.err)
    shared_file = suite.compile(IOR, "ior")
    both = [suite.simulate("-q", "--compute", "none", "-n", 4, "--ranks-as", "processes", "-p", platform(suite, 6, 2), *more, shared_file, suite.folder / "once").out
            for more in (["--io", "posix"], [])]
    suite.check("accesses of MPI-IO count once", both[0] == both[1] and "write" in both[0], both)
    folded = suite.simulate("-n", 2, "--io", "posix", "--ranks-as", "folded", binary)
    suite.check("folded ranks are refused", folded.code == 84 and "--io posix" in folded.err, folded)
    wrong = suite.simulate("-n", 2, "--io", "all", binary)
    suite.check("an unknown kind of access", wrong.code == 84 and "posix" in wrong.err, wrong)


def test_strided(suite):
    """Aggregators write at the rate of the servers: rounds of 16 MiB, each after the bytes have travelled."""
    binary = suite.compile(STRIDED, "strided")
    found = {}
    for mode in ("processes", "folded"):
        result = suite.simulate("-q", "--compute", "none", "--ranks-as", mode, "-n", 4, "-p", platform(suite, 6, 2), binary, suite.folder / f"strided.{mode}")
        found[mode] = result.out
        rate = float(result.out.split()[0]) if result.code == 0 and result.out.split() else 0
        suite.check(f"mpi-io-test-like rate, {mode}", 0.9 * 2 * 500e6 < rate < 2 * 500e6, (rate, result))
    suite.check("both rank modes take the same time", found["processes"] == found["folded"], found)


def test_crash(suite):
    """What was written before a crash, or before MPI_Abort, is in the file, and nothing else."""
    binary = suite.compile(CRASH, "crash")
    for mode in ("processes", "folded"):
        for how in ([], ["abort"]):
            file = suite.folder / f"crash.{mode}{len(how)}"
            result = suite.simulate("-q", "--ranks-as", mode, "-n", 2, binary, file, *how)
            values = struct.unpack("20i", file.read_bytes().ljust(80, b"\0")) if file.exists() else ()
            expected = tuple(list(range(7)) + [0] * 3 + [100 + i for i in range(7)] + [0] * 3)
            suite.check(f"after {'MPI_Abort' if how else 'a crash'}, {mode}", result.code != 0 and values == expected, (values, result))


def test_shown(suite):
    """Summary, JSON, calls in tables, and `platform show`."""
    binary = suite.compile(IOR, "ior")
    description = platform(suite, 4, 2)
    result = suite.simulate("--json", "--compute", "none", "--trace", suite.folder / "calls.csv", "-n", 2, "-p", description, binary, suite.folder / "shown")
    files = json.loads(result.out.splitlines()[-1]).get("files") or {}
    moved = [files.get(key) for key in ("opened", "reads", "writes", "bytes_read", "bytes_written", "on_default_storage")]
    suite.check("JSON", moved == [1, 4, 4, 32 << 20, 32 << 20, False] and files["seconds"] > 0, files)
    suite.check("summary", "files           1 opened; 32.0 MiB in 4 reads, 32.0 MiB in 4 writes" in result.err, result.err)
    tables = "".join(path.read_text() for path in suite.folder.glob("calls*csv*") if path.is_file())
    tables += "".join(path.read_text() for folder in suite.folder.glob("calls*") if folder.is_dir() for path in folder.rglob("*.csv"))
    suite.check("tables name the calls", "MPI_File_write_at" in tables and "MPI_File_open" in tables, tables[:500])
    plain = suite.simulate("-n", 1, "-p", "cluster:2", binary, suite.folder / "plain")
    suite.check("a default disk is mentioned", "describes no [storage]" in plain.err, plain.err)
    show = suite.run([MPIRAGE, "platform", "show", description])
    suite.check("platform show", "scratch: " in show.out and "2 servers" in show.out and "default" in show.out, show)


WRONG = {
    'write-bandwidth = "1GBps"\nkind = "tape"': "`kind` cannot be `tape`",
    'kind = "local"': "needs `write-bandwidth`",
    'write-bandwidth = "1GBps"\nservers = 2': "a local storage has no `servers`",
    'write-bandwidth = "1GBps"\nkind = "nfs"\nservers = 2': "an `nfs` storage has one server",
    'write-bandwidth = "1GBps"\nkind = "nfs"': "needs `servers`",
    'write-bandwidth = "1GBps"\nkind = "parallel"\nservers = 9': "but there are 4 hosts",
    'write-bandwidth = "1GBps"\nkind = "parallel"\nservers = ["nobody"]': "there is no host `nobody`",
    'write-bandwidth = "1GBps"\nkind = "parallel"\nservers = 2\nstripe-count = 3': "but there are 2 servers",
    'write-bandwidth = "1GBps"\nkind = "parallel"\nservers = 2\nstripe-size = 0': "at least 1 byte",
    'write-bandwidth = "1GBps"\nmount = "scratch"': "not an absolute path",
    'write-bandwidth = "1GBps"\nspeed = 3': "has no `speed`",
    'write-bandwidth = "1GBps"\n[storage.b]\nwrite-bandwidth = "1GBps"': "mount point `/` already",
}


def test_wrong(suite):
    """Bad tables are refused with the line and the reason."""
    for number, (text, reason) in enumerate(WRONG.items()):
        path = suite.folder / f"wrong{number}.toml"
        path.write_text(f'[cluster]\nhosts = 4\nspeed = "1Gf"\nbandwidth = "1GBps"\nlatency = "1us"\n[storage.a]\n{text}\n')
        result = suite.run([MPIRAGE, "platform", "check", path])
        suite.check(reason, result.code != 0 and reason in result.err and f"{path.name}" in result.err, result)
