"""Compares what the ranks of a collective do in an MPI library with the schedules of crates/collectives.

Both sides give a list of tokens per case and rank (crates/engine/collectives/examples/messages.rs explains them). Three questions, each one
stricter than the one before:

- messages: does each rank send the same number of messages and bytes to each other one?
- order: does each rank post the same sends and receives, in the same order, and in the same mode?
- style: does it wait for them at the same points? A blocking operation equals a non-blocking one and a wait that follows it.

A non-blocking collective waits inside of the library's progress, where nobody sees it. So its order is that of its sends and that of its
receives, each by itself, and its style is not asked for.

Where a library shows that a rank waits, but not for what, `waits` takes the place of `style`: does the rank wait at the same points? That
can be asked for non-blocking collectives too."""

import pathlib
import re
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field

QUESTIONS = ("messages", "order", "style")
TOKEN = re.compile(r"([a-zA-Z])(-?\d+):(\d+)")


@dataclass
class Trace:
    """What all ranks do in one case."""

    algorithm: str = ""
    ranks: dict = field(default_factory=dict)


def read(lines):
    """Traces by the numbers of their cases."""
    traces = defaultdict(Trace)
    for line in lines:
        number, rank, *tokens = line.split()
        if rank in "=?":
            traces[int(number)].algorithm = " ".join(tokens) if rank == "=" else ""
        else:
            traces[int(number)].ranks[int(rank)] = tokens
    return traces


def schedules(program, choice, cases):
    """The schedules of crates/engine/collectives for these cases, which the user's CHOICE selects."""
    text = "\n".join(case.line(number) for number, case in cases.items())
    made = subprocess.run([program, choice], input=text, stdout=subprocess.PIPE, text=True, check=False)
    if made.returncode:
        sys.exit(f"{program} {choice} failed")
    return read(made.stdout.splitlines())


def messages(rank, tokens):
    """Messages and bytes per receiver, but those to itself."""
    sent = Counter()
    for token in tokens:
        kind, peer, size = parts(token)
        if kind in "sy" and peer != rank:
            sent[peer] += 1
            sent[peer, "bytes"] += size
    return sent


def parts(token):
    """Kind in lower case, peer, bytes; a wait has no peer."""
    match = TOKEN.fullmatch(token)
    return (match[1].lower(), int(match[2]), int(match[3])) if match else ("w", None, None)


def order(rank, tokens):
    """Sends and receives in order. Receives say from whom only: their sizes are those of the sends."""
    operations = (parts(token) for token in tokens)
    return [(kind, peer, size if kind != "r" else None) for kind, peer, size in operations if kind != "w" and peer != rank]


def named_sources(theirs, ours):
    """Their tokens with receives from any rank (-1) named as ours at the same places: which rank comes first is left to chance."""
    if not any(token.startswith(("r-1:", "R-1:")) for token in theirs):
        return theirs
    return [mine if token[1:].startswith("-1:") and token[0] == mine[0] else token for token, mine in zip(theirs, [*ours, *theirs[len(ours):]])]


def style(rank, tokens):
    """Operations and waits. A blocking operation is followed by a wait for itself; waits next to each other are one."""
    steps, number = [], 0
    for token in tokens:
        kind, peer, size = parts(token)
        if kind == "w":
            wait(steps, [int(word) for word in token[1:].split(",") if word])
            continue
        steps.append((kind, peer, size if kind != "r" else None))
        if token[0].isupper():
            wait(steps, [number])
        number += 1
    return [step if isinstance(step, tuple) else sorted(step) for step in steps if step]


def wait(steps, numbers):
    if steps and isinstance(steps[-1], list):
        steps[-1].extend(numbers)
    else:
        steps.append(list(numbers))


def waits(rank, tokens):
    """Sends and receives between two waits, each in order. Waits do not say for what."""
    steps, batch = [], ([], [])
    for token in tokens:
        kind, peer, size = parts(token)
        if kind != "w" and peer != rank:
            batch[kind == "r"].append((kind, peer, size if kind != "r" else None))
        if (kind == "w" or token[0].isupper()) and any(batch):
            steps.append(batch)
            batch = ([], [])
    return [*steps, batch] if any(batch) else steps


def sorted_order(rank, tokens):
    """Sends in order, and receives in order, each by themselves."""
    operations = order(rank, tokens)
    return [step for step in operations if step[0] != "r"], [step for step in operations if step[0] == "r"]


def agrees(theirs, ours, question, blocking=True):
    """Whether the answer to a question is the same on all ranks."""
    answer = {"messages": messages, "order": order if blocking else sorted_order, "style": style, "waits": waits}[question]

    def same(rank, tokens):
        mine = ours.ranks.get(rank, [])
        return answer(rank, named_sources(tokens, mine)) == answer(rank, mine)

    return all(same(rank, tokens) for rank, tokens in theirs.ranks.items())


@dataclass
class Table:
    """Cases and agreements per collective."""

    # What the last column asks: style or waits.
    last: str = "style"
    asked: Counter = field(default_factory=Counter)
    total: Counter = field(default_factory=Counter)
    agreed: Counter = field(default_factory=Counter)
    missing: Counter = field(default_factory=Counter)
    failures: list = field(default_factory=list)

    def add(self, case, theirs, ours, ask_last=True):
        """Counts one case."""
        self.total[case.collective] += 1
        blocking = case.collective == case.blocking_name
        ask_last &= blocking or self.last == "waits"
        questions = (*QUESTIONS[:2], self.last) if ask_last else QUESTIONS[:2]
        self.asked[case.collective] += ask_last
        if not ours or not ours.algorithm:
            self.missing[case.collective] += 1
            self.failures.append((case, "has no schedule", theirs, ours))
            return
        for question in questions:
            if agrees(theirs, ours, question, blocking):
                self.agreed[case.collective, question] += 1
            else:
                self.failures.append((case, f"other {question} with {ours.algorithm}", theirs, ours))
                break

    def report(self, options, known_difference):
        """Prints failures and the table, and ends the script: with 1 if messages differ in a case that is not known to."""
        for failure in self.failures[: options.show]:
            print(explain(failure))
        print(self.markdown())
        if options.table:
            pathlib.Path(options.table).write_text(self.markdown() + "\n")
        others = [failure for failure in self.failures if "messages" in failure[1] or "no schedule" in failure[1]]
        wrong = [failure for failure in others if not known_difference(failure[0])]
        print(f"conformance: {self.all_agreed('messages')} passed, {len(others) - len(wrong)} known to differ, {len(wrong)} failed")
        sys.exit(1 if wrong else 0)

    def merge(self, other, name):
        """Adds another table as one row."""
        self.total[name] = other.total.total()
        self.missing[name] = other.missing.total()
        self.failures += other.failures
        for question in QUESTIONS:
            self.agreed[name, question] = other.all_agreed(question)

    def markdown(self):
        """One row per collective."""
        rows = ["| collective | calls | messages per pair equal | and their order | and their waits |", "|---|---|---|---|---|"]
        for collective, total in self.total.items():
            counts = [self.agreed[collective, question] for question in (*QUESTIONS[:2], self.last)]
            rows.append(row(collective, total, *counts, self.asked[collective]))
        counts = [self.all_agreed(question) for question in (*QUESTIONS[:2], self.last)]
        rows.append(row("**all**", self.total.total(), *counts, self.asked.total()))
        return "\n".join(rows)

    def all_agreed(self, question):
        return sum(count for (_, asked), count in self.agreed.items() if asked == question)


def row(name, total, messages, order, last, asked):
    """A row of the table. The last question is not asked of all cases."""
    last = "–" if not asked else str(last) if asked == total else f"{last} of {asked}"
    return f"| {name} | {total} | {messages} | {order} | {last} |"


def explain(failure, ranks=4):
    """A failure in words, with the tokens of a few ranks that differ."""
    case, what, theirs, ours = failure
    lines = [f"{case}: {what}"]
    for rank, tokens in sorted(theirs.ranks.items()):
        mine = ours.ranks.get(rank, []) if ours else []
        if waits(rank, tokens) != waits(rank, mine) and len(lines) < 2 * ranks:
            lines += [f"    rank {rank} library {shortened(tokens)}", f"    rank {rank} ours    {shortened(mine)}"]
    return "\n".join(lines)


def shortened(tokens, limit=30):
    return " ".join(tokens[:limit]) + (" …" if len(tokens) > limit else "")
