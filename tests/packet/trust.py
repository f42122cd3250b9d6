#!/usr/bin/env python3
"""What the errors of `make validate` say about other runs: tests/packet/trust.py ERRORS…

Reads the errors of series that testbed.py, network.py and nodes/fat_nodes.py have written, and writes them by kind of traffic: the file that mpirage takes the
intervals of its results from (crates/simulation/src/trust/validated.csv), and the table of docs/trust.md. The interval holds nine of ten series. Rows of
models that ERRORS has nothing about stay as they are."""

import collections
import csv
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
VALIDATED = ROOT / "crates" / "simulation" / "src" / "trust" / "validated.csv"
PAGE = ROOT / "docs" / "trust.md"
START, END = "<!-- validated -->\n", "<!-- /validated -->\n"
COVERED = 0.9
# Models of mpirage; the table of the page has others beside them.
OWN = ("flow", "no-options", "packet", "factors", "fat-nodes", "alone", "beside")


def quantile(values, share):
    """The least value that so many do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def read(paths):
    """{(model, kind, size): errors}"""
    found = collections.defaultdict(list)
    for path in paths:
        for row in csv.DictReader(open(path)):
            found[row["model"], row["kind"], row["size"]].append(float(row["error"]))
    return found


def rows(found):
    yield "model", "kind", "size", "series", "mean", "nine_in_ten", "worst"
    for key, errors in sorted(found.items()):
        mean = sum(errors) / len(errors)
        yield *key, str(len(errors)), *(f"{value:.4f}" for value in (mean, quantile(errors, COVERED), max(errors)))


def table(found, before):
    """Lines of the page's table; `before` are those that it had."""
    yield "| model | kind of traffic | messages | series | mean, % | nine of ten within, % | worst, % |"
    yield "|---|---|---|---|---|---|---|"
    known = {f"| `{model}` |" for model, *_ in found}
    kept = [line for line in before if line.startswith("| `") and not line.startswith(tuple(known))]
    yield from sorted([*kept, *lines(found)])


def lines(found):
    for (model, kind, size, series, *errors) in list(rows(found))[1:]:
        yield f"| `{model}` | {kind} | {size} | {series} | " + " | ".join(f"{100 * float(error):.1f}" for error in errors) + " |"


def main():
    found = read(sys.argv[1:])
    if not found:
        sys.exit("trust: no errors; testbed.py --errors FILE writes them")
    own = {key: errors for key, errors in found.items() if key[0] in OWN}
    measured = {model for model, *_ in own}
    kept = [row for row in list(csv.reader(open(VALIDATED)))[1:] if row[0] not in measured]
    head, *new = rows(own)
    with open(VALIDATED, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *sorted([*map(list, kept), *map(list, new)])])
    before, rest = PAGE.read_text().split(START)
    old, after = rest.split(END)
    PAGE.write_text(before + START + "\n".join(table(found, old.splitlines())) + "\n" + END + after)


if __name__ == "__main__":
    main()
