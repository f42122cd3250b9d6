#!/usr/bin/env python3
"""Runs the commands that the documents show: every ```console block of README.md, docs/tutorial.md, docs/folded-ranks.md, docs/sampling.md,
docs/memory-folding.md and docs/howto/traces-out.md that starts with `$ mpirage …`.

All blocks of one document run in one temporary folder, in order, with the files of examples/ and platforms/ in it and
target/release/bin on PATH. ```c and ```toml blocks whose first line is a comment that begins with a file name
(`/* skewed.c: … */`, `# fast.toml`) are written to that file first. A command must exit with 0, or with the N of
`# exit N` at the end of its line. Where there is no jq, pipes into it are cut off. The last line printed is `N passed, N failed`.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
DOCUMENTS = ["README.md", "docs/tutorial.md", "docs/folded-ranks.md", "docs/sampling.md", "docs/memory-folding.md",
             "docs/howto/traces-out.md"]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"(?:/\*|//|#) ([\w.-]+\.(?:c|cpp|toml))\b")
EXIT = re.compile(r"\s+# exit (\d+)$")
LIMIT = 60


def steps(text):
    """`("file", name, contents)` and `("command", line, exit code)`, in the order of the document."""
    for match in BLOCK.finditer(text):
        language, body = match.groups()
        name = FILE_NAME.match(body)
        if language in ("c", "toml") and name:
            yield "file", name.group(1), body
        elif language == "console" and body.startswith("$ mpirage"):
            yield from commands(body)


def commands(body):
    for line in body.replace("\\\n", " ").splitlines():
        if line.startswith("$ "):
            code = EXIT.search(line)
            yield "command", EXIT.sub("", line[2:]), int(code.group(1)) if code else 0


def prepare(folder):
    for source in (ROOT / "examples", ROOT / "platforms"):
        shutil.copytree(source, folder, dirs_exist_ok=True)


def check(line, expected, folder, environment):
    if "| jq" in line and not shutil.which("jq"):
        line = line.split(" | ")[0]
    try:
        done = subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=folder, env=environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"takes more than {LIMIT} s"
    return None if done.returncode == expected else f"exit {done.returncode}, not {expected}\n{done.stdout}"


def check_document(document, environment):
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="test-docs-") as folder:
        prepare(folder)
        for kind, what, more in steps((ROOT / document).read_text()):
            if kind == "file":
                pathlib.Path(folder, what).write_text(more)
                continue
            problem = check(what, more, folder, environment)
            if problem:
                failed += 1
                print(f"{document}: $ {what}\n  {problem}", file=sys.stderr)
            else:
                passed += 1
    return passed, failed


def main():
    commands_here = ROOT / "target/release/bin"
    if not (commands_here / "mpirage").exists():
        sys.exit("docs/check.py: there is no target/release/bin/mpirage; `make build` makes it")
    environment = dict(os.environ, PATH=f"{commands_here}:{os.environ['PATH']}")
    results = [check_document(document, environment) for document in DOCUMENTS]
    passed, failed = (sum(column) for column in zip(*results))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
