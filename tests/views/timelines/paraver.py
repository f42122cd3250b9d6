"""Validates Paraver traces. Written from the description of the format, not from the writer. Gives a list of errors, and counts."""

import re

STATE, EVENT, COMM = "1", "2", "3"
FUNCTIONS = range(50000001, 50000006)
LINE = 80000001


class Trace:
    """A .prv with its .pcf and .row, checked line by line."""

    def __init__(self, path):
        self.wrong, self.states, self.calls, self.messages, self.bytes = [], 0, 0, 0, 0
        self.types, self.values = read_pcf(path.with_suffix(".pcf").read_text(), self.say)
        self.last_time = 0
        self.state_ends, self.open = {}, {}
        with open(path) as lines:
            self.header(next(lines).rstrip("\n"))
            self.rows(read_row(path.with_suffix(".row").read_text(), self.say))
            comms = 0
            for number, line in enumerate(lines, 2):
                line = line.rstrip("\n")
                if line.startswith("c:"):
                    comms += 1
                    self.communicator(line, comms)
                else:
                    self.record(number, line)
            self.expect(comms == self.comms, f"the header promises {self.comms} communicators, there are {comms}")
        for (task, kind), value in self.open.items():
            self.expect(value == 0, f"task {task} is left in event {kind}:{value}")

    def say(self, problem):
        if len(self.wrong) < 20:
            self.wrong.append(problem)

    def expect(self, holds, problem):
        if not holds:
            self.say(problem)
        return holds

    def header(self, line):
        form = r"#Paraver \((\d\d)/(\d\d)/(\d+) at (\d\d):(\d\d)\):(\d+)_ns:(\d+)\(([\d,]*)\):(\d+):(\d+)\(([\d:,]*)\),(\d+)"
        match = re.fullmatch(form, line)
        if not self.expect(match, f"bad header: {line[:200]}"):
            raise ValueError(self.wrong)
        self.end, nodes, self.apps = int(match[6]), int(match[7]), int(match[9])
        self.cpus = [int(count) for count in match[8].split(",")]
        self.expect(len(self.cpus) == nodes, f"{nodes} nodes, but processors of {len(self.cpus)}")
        tasks = [tuple(map(int, task.split(":"))) for task in match[11].split(",")]
        self.expect(len(tasks) == int(match[10]), f"{match[10]} tasks, but threads of {len(tasks)}")
        self.threads = [threads for threads, _ in tasks]
        self.nodes = [node for _, node in tasks]
        self.expect(all(1 <= node <= nodes for node in self.nodes), "a task is on a node that is not there")
        self.comms = int(match[12])
        ends = [sum(self.cpus[: node + 1]) for node in range(nodes)]
        self.cpu_range = [range(end - count + 1, end + 1) for end, count in zip(ends, self.cpus)]

    def rows(self, rows):
        sizes = {"CPU": sum(self.cpus), "NODE": len(self.cpus), "TASK": len(self.threads), "THREAD": sum(self.threads)}
        for level, size in sizes.items():
            self.expect(len(rows.get(level, [])) == size, f"{level} has {len(rows.get(level, []))} names instead of {size}")

    def communicator(self, line, expected):
        app, number, count, *members = map(int, line.split(":")[1:])
        self.expect((app, number) == (1, expected), f"communicator {expected} is called {app}:{number}")
        self.expect(len(members) == count, f"communicator {number} has {len(members)} members instead of {count}")
        self.expect(len(set(members)) == count, f"communicator {number} has a member twice")
        self.expect(all(1 <= member <= len(self.threads) for member in members), f"communicator {number} has a stranger")

    def who(self, number, fields):
        cpu, app, task, thread = fields
        if not self.expect(app == 1 and 1 <= task <= len(self.threads), f"line {number}: no such task"):
            return task, thread
        self.expect(1 <= thread <= self.threads[task - 1], f"line {number}: no such thread")
        self.expect(cpu in self.cpu_range[self.nodes[task - 1] - 1], f"line {number}: the processor is of another node")
        return task, thread

    def record(self, number, line):
        kind, *fields = line.split(":")
        try:
            fields = [int(field) for field in fields]
        except ValueError:
            return self.say(f"line {number}: not numbers: {line[:100]}")
        time = fields[4]
        self.expect(time >= self.last_time, f"line {number}: out of order")
        self.last_time = time
        if kind == STATE and len(fields) == 7:
            self.state(number, fields)
        elif kind == EVENT and len(fields) >= 7 and len(fields) % 2 == 1:
            self.event(number, fields)
        elif kind == COMM and len(fields) == 14:
            self.message(number, fields)
        else:
            self.say(f"line {number}: neither state nor event nor communication: {line[:100]}")

    def state(self, number, fields):
        thread = self.who(number, fields[:4])
        begin, end, state = fields[4:]
        self.states += 1
        self.expect(begin < end <= self.end, f"line {number}: from {begin} to {end} of {self.end}")
        self.expect(self.state_ends.get(thread, 0) <= begin, f"line {number}: overlaps with the state before")
        self.state_ends[thread] = end
        self.expect(state in self.values.get("states", {}), f"line {number}: state {state} is not declared")

    def event(self, number, fields):
        task, thread = self.who(number, fields[:4])
        self.expect(thread == 1, f"line {number}: only ranks call")
        self.expect(fields[4] <= self.end, f"line {number}: after the end")
        for kind, value in zip(fields[5::2], fields[6::2]):
            if not self.expect(kind in self.types, f"line {number}: type {kind} is not declared"):
                continue
            declared = self.values.get(kind)
            self.expect(not declared or value in declared, f"line {number}: value {value} of {kind} is not declared")
            if kind in FUNCTIONS or kind == LINE:
                self.pair(number, task, kind, value)

    def pair(self, number, task, kind, value):
        """A rank is in one function at a time; each beginning has its end."""
        inside = self.open.get((task, kind), 0)
        self.expect((inside == 0) != (value == 0), f"line {number}: event {kind}:{value} of task {task} inside {inside}")
        if kind in FUNCTIONS and value:
            others = [other for other in FUNCTIONS if self.open.get((task, other), 0)]
            self.expect(not others, f"line {number}: task {task} is in {others} already")
            self.calls += 1
        self.open[task, kind] = value

    def message(self, number, fields):
        self.who(number, fields[:4])
        self.who(number, fields[6:10])
        sent, departed, received, arrived = fields[4], fields[5], fields[10], fields[11]
        self.expect(sent <= departed <= arrived <= received <= self.end, f"line {number}: times out of order")
        self.expect(fields[12] >= 0, f"line {number}: negative size")
        self.messages += 1
        self.bytes += fields[12]


def read_pcf(text, say):
    """Types of events that are declared, and the values of those that have values; `states` has the states."""
    types, values, section, current = set(), {}, None, []
    for line in text.splitlines():
        words = line.split(None, 2)
        if not words:
            continue
        if words[0] in ("STATES", "STATES_COLOR", "EVENT_TYPE", "VALUES", "DEFAULT_OPTIONS", "DEFAULT_SEMANTIC"):
            section = words[0]
            if section == "EVENT_TYPE":
                current = []
        elif section == "STATES":
            values.setdefault("states", {})[int(words[0])] = line.split(None, 1)[1]
        elif section == "EVENT_TYPE":
            if len(words) != 3:
                say(f".pcf: {line}")
            types.add(int(words[1]))
            current.append(int(words[1]))
        elif section == "VALUES":
            value, label = line.split(None, 1)
            for kind in current:
                if int(value) in values.setdefault(kind, {}):
                    say(f".pcf: value {value} of {kind} is declared twice")
                values[kind][int(value)] = label
    return types, values


def read_row(text, say):
    """Names by level."""
    rows, level, promised = {}, None, {}
    for line in text.splitlines():
        match = re.fullmatch(r"LEVEL (\w+) SIZE (\d+)", line)
        if match:
            level = match[1]
            rows[level], promised[level] = [], int(match[2])
        elif line:
            rows[level].append(line)
    for level, names in rows.items():
        if len(names) != promised[level]:
            say(f".row: {level} has {len(names)} names instead of {promised[level]}")
    return rows
