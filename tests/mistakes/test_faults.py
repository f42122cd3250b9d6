"""Programs with one mistake each, and runs that are ended from outside: message, exit code, and that
no files or processes remain.

The first comment of each C file describes the expected result:

    ranks: 2                     how many ranks
    options: --rank-timeout 1    further options of `mpirage run`
    exit: 80                     the exit code
    stdout: ^text$               regular expressions that must be found; {here} in one of them is the file and line
    stderr: rank 0 .* at {here}  that carries the comment `here`
"""

import os
import re
import signal
import subprocess
import time
import uuid

import pytest
from harness import MPIRAGE, TESTS, end_marked, find, gone_within, marked, new_files, shared_files, shell_code

LIMIT = 20

# Rank 1 computes, or all wait for it; sleeping for real, as the simulated clock would let the sleep pass at once.
BUSY = """#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) fprintf(stderr, "ready\\n");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 && argc > 1 && !strcmp(argv[1], "loop"))
        for (volatile unsigned long spins = 0;; spins++) ;
    struct timespec minute = {60, 0};
    if (rank == 1) syscall(SYS_nanosleep, &minute, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""

# Many short messages: the simulator itself is busy.
CHATTER = """#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, v = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) fprintf(stderr, "ready\\n");
    for (;;) {
        MPI_Sendrecv_replace(&v, 1, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}
"""

# The rank's number of its process, for whoever wants to kill it, and then a large message to it.
VICTIM = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int rank, large = argc > 1 ? atoi(argv[1]) : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *room = calloc(large, 1);
    if (rank == 1) fprintf(stderr, "victim %d\\n", (int)getpid());
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(room, large, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) {
        struct timespec second = {1, 0};
        fprintf(stderr, "ready\\n");
        syscall(SYS_nanosleep, &second, 0);
        MPI_Send(room, large, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""

SILENT_WRITER = """#include <stdio.h>
int main(int argc, char **argv) {
    (void)argv;
    for (int i = 0; i < 10 * 1024 * 1024 / 64; i++) printf("%062d%c\\n", i, 'a' + argc % 2);
    return 0;
}
"""

WRITER = """#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 2000; i++) {
        printf("line %d\\n", i);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"""

MISSING = """#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("before\\n");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) MPI_T_init_thread(0, 0); /* MISSING */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""


class Expectation:
    """What a C file says about itself."""

    def __init__(self, path):
        text = path.read_text()
        comment = re.match(r"/\*(.*?)\*/", text, re.DOTALL).group(1)
        entries = re.findall(r"^ \* (ranks|options|exit|stdout|stderr): (.*)$", comment, re.MULTILINE)
        self.marks = {}
        for number, line in enumerate(text.splitlines(), 1):
            if mark := re.search(r"[;{}] /\* (\w+) \*/$", line):
                self.marks[mark.group(1)] = re.escape(path.name) + f":{number}\\b"
        values = {key: value for key, value in entries}
        self.ranks, self.exit = int(values["ranks"]), int(values["exit"])
        self.options = values.get("options", "").split()
        self.patterns = {stream: [self.placed(value) for key, value in entries if key == stream] for stream in ("stdout", "stderr")}

    def placed(self, pattern):
        return re.sub(r"\{([a-z]\w*)\}", lambda mark: r"\S*" + self.marks[mark.group(1)], pattern)


def clean(suite, what, result, files):
    """Nothing is left behind, and nothing of ours panicked."""
    suite.check(f"{what}: no process is left", not result.left, result.left)
    suite.check(f"{what}: no panic", "panicked" not in result.err, result.err)
    fresh = new_files(files)
    suite.check(f"{what}: no file is left", not fresh and not os.listdir(suite.temporary), (fresh, os.listdir(suite.temporary)))


def pytest_generate_tests(metafunc):
    """Everything runs with ranks that live as mpirage chooses, then with processes."""
    metafunc.parametrize("suite", ["default", "processes"], indirect=True, scope="module")


@pytest.mark.parametrize("path", sorted((TESTS / "mistakes" / "faults").glob("*.c")), ids=lambda path: path.stem)
def test_fault(suite, path):
    expected = Expectation(path)
    program = suite.compile(path)
    variants = [[], ["--compute", "none"], ["--ranks-as", "processes", "--run-ahead", "always"],
                ["--data-plane", "mailbox", "--compute", "none"]]
    for extra in variants[: 3 if "--data-plane" in expected.options else 4]:
        what, files = " ".join([path.stem, *extra]), shared_files()
        result = suite.simulate("-q", "-n", expected.ranks, *expected.options, *extra, program, timeout=LIMIT)
        suite.check(f"{what}: exit code {expected.exit}", result.code == expected.exit, f"{result.code}\n{result.err}")
        for stream, text in (("stdout", result.out), ("stderr", result.err)):
            for pattern in expected.patterns[stream]:
                suite.check(f"{what}: {stream} has /{pattern}/", find(pattern, text), text)
        speaks = len(re.findall("^mpirage: ", result.err, re.MULTILINE))
        suite.check(f"{what}: one report, no noise", speaks == bool(expected.patterns["stderr"]), result.err)
        clean(suite, what, result, files)


def test_blocked_calls(suite):
    """Every kind of call that can block for ever: the message names rank, call, source line, what is awaited and from whom."""
    source = TESTS / "mistakes" / "faults" / "blocked" / "calls.c"
    program, lines = suite.compile(source), source.read_text().splitlines()
    cases = {}
    for number, line in enumerate(lines, 1):
        if wanted := re.match(r"/\* (rank 0 in .*) \*/$", line):
            name = re.match(r"static void (\w+)\(void\)", lines[number]).group(1)
            here = next(place for place in range(number, len(lines)) if lines[place].endswith("/* here */")) + 1
            cases[name] = wanted.group(1).replace("{here}", rf"\S*calls\.c:{here}")
    listed = re.findall(r"CASE\((\w+)\)[,}]", source.read_text())
    suite.check("all cases are listed", len(cases) > 30 and sorted(cases) == sorted(listed), (sorted(cases), sorted(listed)))
    for name, pattern in cases.items():
        room = ["--universe-size", 3] if name == "spawn" else []
        result = suite.simulate("-q", "-n", 2, *room, "--compute", "none", program, name, timeout=LIMIT, cwd=suite.folder)
        suite.check(f"blocked in {name}: exit code 80", result.code == 80, f"{result.code}\n{result.err}")
        suite.check(f"blocked in {name}: is explained", find(rf"^  {pattern}$", result.err), (pattern, result.err))
        suite.check(f"blocked in {name}: nothing is left open", not find(r"waits for *$", result.err) and not result.left, result)


def started(suite, command, **more):
    """Starts a command and waits until its program says `ready`. Gives process, mark and what it has said."""
    mark = uuid.uuid4().hex
    process = suite.start(command, mark, stdout=subprocess.DEVNULL, **more)
    said = b""
    while b"ready" not in said:
        line = process.stderr.readline()
        if not line:
            break
        said += line
    time.sleep(0.1)
    return process, mark, said.decode()


def ended(process):
    try:
        _, err = process.communicate(timeout=LIMIT)
        return shell_code(process.returncode), err.decode()
    except subprocess.TimeoutExpired:
        return None, "(did not end)"


def interrupted(suite, what, command, how, code, patience):
    """Ends a run from outside with `how(process)`."""
    files = shared_files()
    process, mark, said = started(suite, command)
    if not suite.check(f"{what}: starts", "ready" in said, said):
        return end_marked(mark)
    began = time.time()
    how(process)
    got, err = ended(process)
    took = time.time() - began
    suite.check(f"{what}: exit code {code}", got == code, f"{got}\n{err}")
    suite.check(f"{what}: ends within {patience} s", took < patience, f"{took:.1f} s")
    alive = gone_within(mark, 2)
    suite.check(f"{what}: no process is left", not alive, alive)
    end_marked(mark)
    suite.check(f"{what}: no panic", "panicked" not in err, err)
    fresh = new_files(files)
    suite.check(f"{what}: no file is left", not fresh, fresh)


def test_ends_from_outside(suite):
    busy, chatter = suite.compile(BUSY, "busy"), suite.compile(CHATTER, "chatter")
    group = lambda number: lambda process: os.killpg(process.pid, number)
    alone = lambda number: lambda process: os.kill(process.pid, number)
    run = [MPIRAGE, "run", "-q", "-n"]
    wrapped = ["sh", "-c", f"{busy} loop; true"]
    twice = ["sh", "-c", f"sh -c '{busy} loop; true'; true"]
    for name, program in (("a loop", [busy, "loop"]), ("a sleep", [busy, "sleep"]), ("a loop behind a shell", wrapped),
                          ("a loop behind two shells", twice)):
        interrupted(suite, f"Ctrl-C during {name}", [*run, 4, *program], group(signal.SIGINT), 130, 3)
        interrupted(suite, f"SIGTERM during {name}", [*run, 4, *program], alone(signal.SIGTERM), 143, 3)
        # Of a loop without MPI behind two shells that die by SIGKILL nobody is told.
        if program is not twice:
            interrupted(suite, f"SIGKILL during {name}", [*run, 4, *program], alone(signal.SIGKILL), 137, 3)
    interrupted(suite, "Ctrl-C during messages", [*run, 2, chatter], group(signal.SIGINT), 130, 3)
    interrupted(suite, "SIGTERM during messages", [*run, 2, chatter], alone(signal.SIGTERM), 143, 3)
    interrupted(suite, "SIGKILL during messages", [*run, 2, chatter], alone(signal.SIGKILL), 137, 3)
    stranger = ["sh", "-c", "echo ready >&2; exec sleep 50"]
    interrupted(suite, "SIGKILL during a program without MPI", [*run, 1, *stranger], alone(signal.SIGKILL), 137, 3)
    interrupted(suite, "SIGINT during a program without MPI", [*run, 1, *stranger], alone(signal.SIGINT), 130, 3)


def test_rank_killed_from_outside(suite):
    victim = suite.compile(VICTIM, "victim")
    for size in (1, 4 << 20):
        what, files = f"a rank killed before {size} bytes arrive", shared_files()
        process, mark, said = started(suite, [MPIRAGE, "run", "-q", "-n", 3, victim, size])
        os.kill(int(re.search(r"victim (\d+)", said).group(1)), signal.SIGKILL)
        code, err = ended(process)
        suite.check(f"{what}: exit code 137", code == 137, f"{code}\n{err}")
        suite.check(f"{what}: is said", find(r"^mpirage: rank 1 was killed by SIGKILL .* before it called MPI_Finalize", err), err)
        suite.check(f"{what}: no process is left", not gone_within(mark, 2), marked(mark))
        suite.check(f"{what}: no file is left", not new_files(files))


def test_programs_without_mpi(suite):
    files = shared_files()
    result = suite.simulate("-q", "-n", 3, "/bin/echo", "hi")
    suite.check("echo says hi three times", (result.code, result.out) == (0, "hi\n" * 3), result)
    result = suite.simulate("-q", "-n", 3, "echo", "hi")
    suite.check("echo is found as the shell finds it", (result.code, result.out) == (0, "hi\n" * 3), result)
    result = suite.simulate("-q", "-n", 3, "/bin/false")
    suite.check("false fails with its own code", result.code == 1, result)
    result = suite.simulate("-q", "-n", 2, "sh", "-c", "exit $PMI_RANK")
    suite.check("one rank's exit code counts", result.code == 1, result)
    result = suite.simulate("-n", 2, "./no-such-program")
    suite.check("a missing program: 84", result.code == 84 and "no-such-program" in result.err, result)
    result = suite.simulate("-n", 2, "no-such-program")
    suite.check("a missing bare name: 84", result.code == 84 and "no-such-program" in result.err, result)
    note = suite.folder / "note.txt"
    note.write_text("not a program\n")
    result = suite.simulate("-n", 2, note)
    suite.check("a file that cannot be executed: 84", result.code == 84 and "note.txt" in result.err, result)
    result = suite.simulate("-n", 2, suite.folder)
    suite.check("a folder is no program: 84", result.code == 84, result)
    source = suite.folder / "writer.c"
    source.write_text(SILENT_WRITER)
    subprocess.run(["cc", source, "-o", suite.folder / "writer"], check=True)
    result = suite.simulate("-q", "-n", 2, suite.folder / "writer")
    right = len(result.out) == 2 * 10 * 1024 * 1024 and result.out[: len(result.out) // 2] == result.out[len(result.out) // 2 :]
    suite.check("10 MB of output without MPI arrive", result.code == 0 and right, (result.code, len(result.out), result.err))
    clean(suite, "programs without MPI", result, files)


def test_closed_output(suite):
    writer = suite.compile(WRITER, "barriers")
    for what, command in {
        "a closed stdout": f"{MPIRAGE} run -q -n 3 {writer}",
        "a closed stdout with --json": f"{MPIRAGE} run --json -q -n 3 {writer}",
        "a list nobody reads": f"{{ sleep 0.3; {MPIRAGE} info functions; }}",
    }.items():
        files = shared_files()
        # A short list fits into the pipe while its reader still lives, so that reader is gone before.
        reader = "true" if "info" in command else "head -1"
        result = suite.run(["bash", "-c", f"{command} | {reader}; echo ${{PIPESTATUS[0]}}"])
        suite.check(f"{what} ends the run with 141", result.code == 0 and result.out.splitlines()[-1:] == ["141"], result)
        suite.check(f"{what} is no news", result.err == "", result.err)
        clean(suite, what, result, files)
    result = suite.run(["bash", "-c", f"{MPIRAGE} run -q --json -n 2 {writer} >/dev/full"])
    suite.check("a full disk is said", result.code not in (0, None) and "standard output" in result.err, result)


def test_missing_functions(suite):
    names = suite.run([MPIRAGE, "info", "functions"]).out
    missing = re.findall(r"^(MPI_\w+) +not implemented yet$", names, re.MULTILINE)
    if not missing:
        return
    call = {"MPI_T_init_thread": "MPI_T_init_thread(0, 0)"}.get(missing[0], f"((void (*)(void))PMPI_{missing[0][4:]})()")
    source = MISSING.replace("MPI_T_init_thread(0, 0)", call)
    line = next(number for number, text in enumerate(source.splitlines(), 1) if "/* MISSING */" in text)
    program, files = suite.compile(source, "missing"), shared_files()
    result = suite.simulate("-q", "-n", 3, program)
    pattern = rf"^mpirage: rank 1 was stopped in {missing[0]} at \S*missing\.c:{line} in main: {missing[0]} is not there yet$"
    suite.check("a missing function is named", find(pattern, result.err), result.err)
    suite.check("a missing function: 81, no noise", result.code == 81 and result.err.count("\n") == 1, result)
    suite.check("a missing function: output is kept", result.out == "before\n" * 3, result.out)
    clean(suite, "a missing function", result, files)
