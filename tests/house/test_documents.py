"""Runs every command in the documents, and compares its output with that in the document.

The documents are README.md and all Markdown files below docs/, examples/ and crates/. Commands are

    ```console   each line that starts with `$ `; lines that follow are its output
    ```sh        the whole block, as one script
    ```python    the whole block, as one script
    ```yaml      lines of `run:`
    ```text      a block whose first line starts with `$ `

A command must exit with 0, or with the N of `# exit N` at the end of its line. Each line of output in a document must appear, in that order, in
what the command prints; `…` stands for anything. Where nothing is measured, every digit must be the same: in commands that replay a trace or a pattern, or have
`--compute none`, except for lines about this computer (wall time, memory). Elsewhere numbers and units may differ, but not numbers of messages and of MPI calls, nor how far to trust the network.

All blocks of one document run in one temporary folder, in order, with the files of examples/ and platforms/ in it and target/release/bin on
PATH. ```c and ```toml blocks whose first line is a comment that begins with a file name (`/* skewed.c: … */`, `# fast.toml`) are written to
that file first. Comments in a document give commands that a reader has run before, and blocks that are not run, with the reason:

    <!-- check: use shift.c -->                        a file that another document shows
    <!-- check: run mpirage cc heat1d.c -o heat1d -->   a command
    <!-- check: skip needs a checkout of its own -->   the next block is not run
    <!-- check: numbers take the speed of this machine -->   numbers of the next block may differ
    <!-- check: exact nothing is measured -->        numbers of the next block are the same everywhere

The summary of pytest has the commands that were not run, and the reasons.
"""

import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import prepare
import pytest
from harness import ROOT

PIECE = re.compile(r"^<!-- check: (use|run|skip|numbers|exact) (.+?) -->$|^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"(?:/\*|//|#) ([\w.-]+\.(?:c|cpp|toml|goal))\b")
EXIT = re.compile(r"\s+# exit (\d+)$")
# The first group does not depend on what was measured.
NUMBER = re.compile(r"(network ± \d+ %|[\d,]+ messages? \([^)]*\)|[\d,]+ MPI calls)|\d[\d,]*(\.\d+)?(e[+-]?\d+)?")
UNIT = re.compile(r"# ?(ps|ns|µs|us|ms|s|B|KiB|MiB|GiB|%)(?!\w)")
LIMIT = 120
# Commands whose results are the same on every computer, and lines in them that are not.
EXACT = re.compile(r"--compute none|mpirage (replay|tune|balance|compare|platform|info)\b")
OF_THIS_COMPUTER = re.compile(r"wall|memory|processor|cpu_|rss|measured|computation  |Gf/s")


class Block:
    """A command or a script of a document."""

    def __init__(self, line, code=0, shown=(), python=False):
        self.line, self.code, self.shown, self.python = line, code, list(shown), python
        self.exact = bool(EXACT.search(line))


def documents():
    found = [ROOT / "README.md", *(path for folder in ("docs", "examples", "crates") for path in sorted((ROOT / folder).rglob("*.md")))]
    return [path.relative_to(ROOT) for path in found]


def is_command(language, body):
    return (language in ("console", "sh", "bash", "python") or language == "text" and body.startswith("$ ")
            or language == "yaml" and "run:" in body)


def blocks(language, body):
    """The commands of a block."""
    if language in ("sh", "bash", "yaml"):
        yield Block(body)
    elif language == "python":
        yield Block(body, python=True)
    else:
        command = None
        for line in body.replace("\\\n", " ").splitlines():
            if line.startswith("$ "):
                if command:
                    yield command
                code = EXIT.search(line)
                command = Block(EXIT.sub("", line[2:]), int(code.group(1)) if code else 0)
            elif command:
                command.shown.append(line)
        if command:
            yield command


def shown_files():
    """The files that documents show, by name."""
    files = {}
    for document in documents():
        for match in PIECE.finditer((ROOT / document).read_text()):
            name = match.group(4) and FILE_NAME.match(match.group(4))
            if name and match.group(3) in ("c", "cpp", "toml"):
                files.setdefault(name.group(1), match.group(4))
    return files


def shape(line, folder, exact=False):
    """A line without what differs from run to run and from machine to machine."""
    line = line.replace(f"{folder}/", "")
    if exact and not OF_THIS_COMPUTER.search(line):
        return re.sub(r"\s+", " ", line).strip()
    line = UNIT.sub("# unit", NUMBER.sub(lambda found: found[1] or "#", line))
    # `216 to 508 µs`, `237 µs to 1.02 ms`.
    return re.sub(r"\s+", " ", line.replace("# unit to #", "# to #")).strip()


def missing_line(shown, printed, folder, exact=False):
    """The first line of a document that a command does not print."""
    lines = iter([shape(line, folder, exact) for line in printed.splitlines()])
    for line in shown:
        wanted = shape(line, folder, exact)
        pattern = re.compile(".*".join(re.escape(part) for part in wanted.split("…")))
        if wanted.strip("… ") and not any(pattern.fullmatch(line) for line in lines):
            return line
    return None


def execute(block, folder, environment):
    """What is wrong with a command; none if all is well."""
    command = [sys.executable, "-c", block.line] if block.python else ["bash", "-eo", "pipefail", "-c", block.line]
    try:
        done = subprocess.run(command, cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"takes more than {LIMIT} s"
    if done.returncode != block.code:
        return f"exit {done.returncode}, not {block.code}\n{done.stdout}"
    absent = missing_line(block.shown, done.stdout, folder, block.exact)
    return f"does not print what the document shows: {absent}\n{done.stdout}" if absent is not None else None


def check_document(suite, document, files, environment):
    skipped = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="test-docs-") as folder:
        for source in (ROOT / "examples", ROOT / "platforms"):
            shutil.copytree(source, folder, dirs_exist_ok=True)
        skip, exact = None, None
        for match in PIECE.finditer((ROOT / document).read_text()):
            word, rest, language, body = match.groups()
            name = body and FILE_NAME.match(body)
            if word == "use":
                for file in rest.split():
                    pathlib.Path(folder, file).write_text(files[file])
            elif word == "run":
                problem = execute(Block(rest), folder, environment)
                if problem:
                    suite.check(f"{document}: before a command: {rest}", False, problem)
            elif word == "skip":
                skip = rest
            elif word in ("numbers", "exact"):
                exact = word == "exact"
            elif name and language in ("c", "cpp", "toml"):
                pathlib.Path(folder, name.group(1)).write_text(body)
            elif is_command(language, body):
                for block in blocks(language, body):
                    if skip:
                        skipped[skip] += 1
                        continue
                    block.exact = block.exact if exact is None else exact
                    problem = execute(block, folder, environment)
                    suite.check(f"{document}: $ {block.line}", not problem, problem)
                skip, exact = None, None
    for reason, count in skipped.items():
        suite.skip(f"{count} commands", reason)


@pytest.fixture(scope="module")
def environment():
    prepare.debian({"jq": "jq", "cmake": "cmake", "tshark": "tshark", "gfortran": "gfortran", "g++": "g++"})
    prepare.python(prepare.TIMELINES)
    return dict(os.environ, PATH=f"{ROOT}/target/release/bin:{os.environ['PATH']}", PYTHONPATH=str(prepare.PLACE), ROOT=str(ROOT))


@pytest.mark.parametrize("document", documents(), ids=str)
def test_document(suite, document, environment):
    check_document(suite, document, shown_files(), environment)
