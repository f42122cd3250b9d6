#!/usr/bin/env python3
"""Draws the crates into ARCHITECTURE.md, from `cargo metadata`: tests/house/architecture.py [--write]

Without --write it compares: the exit code is 1 if the drawing is not current, if the table of crates lacks one, or if a crate uses one of a
floor above its own. A floor is a folder below crates/; the order of floors is that of `FLOORS`, the lowest first."""

import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "ARCHITECTURE.md"
FLOORS = ["base", "network", "engine", "ranks", "library", "traces", "views", "scenario", "simulation", "studies", "cli", "bench"]
BEGIN, END = "<!-- drawn by tests/house/architecture.py --write -->\n```text\n", "```\n<!-- end of the drawing -->"
PREFIX = "mpirage-"


def crates():
    """Floor -> crate -> the crates of this project that it uses, apart from its tests."""
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1", "--offline"]
    packages = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)["packages"]
    floors = {floor: {} for floor in FLOORS}
    for package in packages:
        folder = pathlib.Path(package["manifest_path"]).parent.relative_to(ROOT / "crates")
        used = {one["name"].removeprefix(PREFIX) for one in package["dependencies"] if one["kind"] is None and one["name"].startswith(PREFIX)}
        floors[folder.parts[0]][package["name"].removeprefix(PREFIX)] = used
    return floors


def drawing(floors):
    """One line for each crate, the highest floor first; below a crate of its own floor stands what it uses there."""
    lines = []
    for floor in reversed(FLOORS):
        alone = list(floors[floor]) == [floor]
        if not alone:
            lines.append(f"{floor}/")
        for name in sorted(floors[floor], key=lambda name: (depth(floors[floor], name), name), reverse=True):
            indent = "" if alone else "  "
            lines.append(f"{indent + name:18} {', '.join(sorted(floors[floor][name])) or '-'}".rstrip())
    return "\n".join(lines) + "\n"


def depth(floor, name):
    """How many crates of its own floor stand below a crate, one on the other."""
    return max((1 + depth(floor, used) for used in floor[name] if used in floor), default=0)


def problems(floors):
    floor_of = {name: at for at, floor in enumerate(FLOORS) for name in floors[floor]}
    page = PAGE.read_text()
    for name, at in floor_of.items():
        for used in sorted(floors[FLOORS[at]][name]):
            if floor_of[used] > at:
                yield f"{name} ({FLOORS[at]}) uses {used}, which is on a floor above it ({FLOORS[floor_of[used]]})"
        if not re.search(rf"^\|[^|]*`{re.escape(name)}`[^|]*\|", page, re.M):
            yield f"ARCHITECTURE.md: the table of crates lacks `{name}`"
    if BEGIN + drawing(floors) + END not in page:
        yield "ARCHITECTURE.md: the drawing of crates is not current: run tests/house/architecture.py --write"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the drawing into ARCHITECTURE.md")
    floors = crates()
    if parser.parse_args().write:
        page = PAGE.read_text()
        begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
        PAGE.write_text(page[:begin] + drawing(floors) + page[end:])
    found = list(problems(floors))
    for problem in found:
        print(f"FAILED {problem}")
    print(f"architecture: {sum(map(len, floors.values()))} crates, {len(found)} findings")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
