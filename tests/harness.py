"""Common parts of the tests: running commands, finding processes and files that they leave behind, counting checks.

Processes are recognised by a variable in their environment, so tests of several checkouts may run side by side."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass

import prepare

TESTS = pathlib.Path(__file__).resolve().parent
ROOT = TESTS.parent
BUILD = pathlib.Path(os.environ.get("MPIRAGE_BUILD", ROOT / "target" / "release"))
MPIRAGE = BUILD / "mpirage"
MARK = "MPIRAGE_TEST"
# Fields of a result that differ between runs that are otherwise equal: measured figures, and the command line.
MEASURED = ("wall_seconds", "cpu_seconds", "switches", "peak_rss_bytes", "largest_rank_rss_bytes", "command")


@dataclass
class Result:
    """How a command ended."""

    code: int  # the exit code of a shell: 128 + signal; None after a timeout
    out: str
    err: str
    seconds: float
    left: list  # processes it left behind


class Suite:
    """Checks of a file of tests, and a folder that is deleted at the end. A check that fails does not end its test: see conftest.py."""

    def __init__(self, name, needs_build=True, variables=None):
        self.name, self.variables = name, variables or {}
        self.passed, self.failures, self.skips, self.began = 0, [], [], time.time()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"test-{name}-"))
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.compiled = {}
        # A shell starts commands in the background with interruptions ignored, which programs of a test would inherit.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if needs_build and not MPIRAGE.exists():
            sys.exit(f"{MPIRAGE} is not there; run `make build` first")

    def check(self, what, holds, detail=""):
        """Counts a check, and prints it if it failed."""
        if holds:
            self.passed += 1
        else:
            self.failures.append(what)
            print(f"FAILED {what}" + (f"\n{indent(str(detail))}" if detail != "" else ""), flush=True)
        return bool(holds)

    def skip(self, what, reason):
        """Notes a part of a test that cannot run here. The summary of pytest lists it."""
        self.skips.append(f"{what}: {reason}")
        print(f"skipped: {what}: {reason}", flush=True)

    def has(self, command, what):
        """True if a command is there; otherwise the tests that need it are skipped."""
        if not shutil.which(command):
            self.skip(what, f"there is no {command}")
        return shutil.which(command) is not None

    def taken(self):
        """What was counted since the last call: checks that passed, those that failed, skipped parts."""
        counted = self.passed, self.failures, self.skips
        self.passed, self.failures, self.skips = 0, [], []
        return counted

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def end(self):
        """Ends a script that is no test of pytest: the closing line, and the exit code."""
        self.close()
        print(f"{self.name}: {time.time() - self.began:.0f} s")
        print(f"{self.passed} passed, {len(self.failures)} failed" + (f", {len(self.skips)} skipped" if self.skips else ""))
        sys.exit(1 if self.failures else 0)

    def compile(self, source, name=None, language="cc", flags=()):
        """The program made from a file, or from C text; compiled once."""
        if isinstance(source, str):
            path = self.folder / f"{name}.c"
            path.write_text(source)
        else:
            path = source
        program = self.folder / (name or path.stem)
        if language == "cxx":
            prepare.debian({"g++": "g++"})
        if program not in self.compiled:
            made = self.run([MPIRAGE, language, "-O1", *flags, path, "-o", program, "-lm"], timeout=60)
            self.compiled[program] = self.check(f"{path.name} compiles", made.code == 0, made.err)
        return program

    def start(self, command, mark, env=None, **more):
        """Starts a command in a session of its own."""
        # Workers of pytest-xdist have COLUMNS=80, at which help texts would be broken.
        inherited = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        variables = {**inherited, "TMPDIR": str(self.temporary), MARK: mark, **self.variables, **(env or {})}
        more.setdefault("stdin", subprocess.DEVNULL)
        more.setdefault("stdout", subprocess.PIPE)
        more.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen([str(word) for word in command], env=variables, start_new_session=True, **more)

    def run(self, command, timeout=20, env=None, cwd=None, input=None):
        """Runs a command to its end. Notes the processes that it leaves behind, then ends them."""
        mark, began = uuid.uuid4().hex, time.time()
        stdin = subprocess.PIPE if input is not None else subprocess.DEVNULL
        process = self.start(command, mark, env, cwd=cwd, stdin=stdin)
        code, out, err = None, b"", b""
        try:
            out, err = process.communicate(input, timeout=timeout)
            code = shell_code(process.returncode)
        except subprocess.TimeoutExpired:
            end_marked(mark)
            out, err = process.communicate()
            err += b"\n(did not end in time)"
        left = marked(mark)
        end_marked(mark)
        text = [stream.decode("utf-8", "replace") for stream in (out, err)]
        return Result(code, *text, time.time() - began, left)

    def simulate(self, *arguments, **more):
        """`mpirage run` with these arguments."""
        return self.run([MPIRAGE, "run", *arguments], **more)


def shell_code(code):
    return 128 - code if code < 0 else code


def indent(text, limit=4000):
    return "\n".join("    " + line for line in text[:limit].splitlines())


def processes():
    """Living processes of this user as number, environment, command line."""
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            environment = pathlib.Path("/proc", entry, "environ").read_bytes()
            state = pathlib.Path("/proc", entry, "stat").read_text().rsplit(")", 1)[1].split()[0]
            line = pathlib.Path("/proc", entry, "cmdline").read_bytes()
        except OSError:
            continue
        if state not in "ZX":
            yield int(entry), environment, line.replace(b"\0", b" ").decode("utf-8", "replace").strip()


def marked(mark):
    """Processes that carry the mark: the command's own and what it started."""
    needle = f"{MARK}={mark}".encode()
    return [(pid, line) for pid, environment, line in processes() if needle in environment and pid != os.getpid()]


def end_marked(mark):
    for pid, _ in marked(mark):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def gone_within(mark, seconds):
    """The marked processes that are still there after so many seconds; none if all ended earlier."""
    until = time.time() + seconds
    while (alive := marked(mark)) and time.time() < until:
        time.sleep(0.02)
    return alive


def shared_files():
    """Names in /dev/shm, and those in /tmp that could be ours; not the folders of other tests."""
    memory = set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()
    return {f"/dev/shm/{name}" for name in memory} | {f"/tmp/{name}" for name in os.listdir("/tmp") if "mpi" in name and not name.startswith("test-")}


def new_files(before):
    """What is there that was not there before. Other tests may be at work, so only what stays counts."""
    fresh = shared_files() - before
    for _ in range(10):
        if not fresh:
            break
        time.sleep(0.2)
        fresh &= shared_files()
    return fresh


def find(pattern, text):
    return re.search(pattern, text, re.MULTILINE)
