#!/usr/bin/env python3
"""Synthetic runs in the container that the report's page reads (crates/views/report/README.md), for the tests of the page alone.

    tests/views/page_data.py KIND FILE.html        KIND: demo, imbalanced, large, large_ranks, huge, deadlock, two, none, torus, fat_tree, dragonfly, dragonfly_plus, cabinets

A run is a ring of ranks that compute, exchange halos, wait and reduce, step after step. Everything the page shows is
derived from the same calls, so that tests can compare.
"""

import array
import base64
import gzip
import json
import pathlib
import random
import struct
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "crates/views/report/page/bundle.html"
CATEGORIES = ["idle", "compute", "p2p", "collective", "wait", "other"]
FUNCTIONS = ["MPI_Init", "MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Allreduce", "MPI_Finalize", "MPI_Recv"]
FUNCTION_CATEGORIES = [5, 2, 2, 4, 3, 5, 4]
SITES = ["", "halo.c:38 in exchange", "halo.c:40 in exchange", "halo.c:42 in exchange", "halo.c:61 in main"]
TYPES = {"u8": "B", "u16": "H", "u32": "I", "f32": "f", "f64": "d"}


class Container:
    """The JSON and the sections of one run."""

    def __init__(self):
        self.json = {"version": 3, "sections": {}}
        self.body = bytearray()

    def add(self, name, kind, values):
        data = bytes(values) if kind == "u8" else array.array(TYPES[kind], values).tobytes()
        self.json["sections"][name] = {"offset": len(self.body), "bytes": len(data), "type": kind}
        self.body += data + bytes(-len(data) % 8)

    def packed(self):
        text = json.dumps(self.json, separators=(",", ":")).encode()
        head = struct.pack("<I", len(text)) + text
        head += bytes(-len(head) % 8)
        return base64.b64encode(gzip.compress(head + bytes(self.body), 6, mtime=0)).decode()


def varint(out, value):
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def zigzag(value):
    return value * 2 if value >= 0 else -value * 2 - 1


class Ring:
    """The calls and messages of a made-up run; times in ns."""

    def __init__(self, ranks, steps, seed, late=None, stop_at=None):
        self.ranks, self.random = ranks, random.Random(seed)
        self.calls = [[] for _ in range(ranks)]
        self.messages = [[] for _ in range(ranks)]
        self.path = []
        self.blocked = []
        self.clock = [0] * ranks
        self.late = late
        for rank in range(ranks):
            self.call(rank, 0, 0, 40_000)
        for step in range(steps):
            if step == stop_at:
                self.deadlock()
                break
            self.step(step)
        else:
            for rank in range(ranks):
                self.call(rank, 5, 0, 20_000)
        self.end = max(self.clock)

    def call(self, rank, function, site, duration, peer=-1, size=0, tag=0):
        self.calls[rank].append((self.clock[rank], duration, function, site, peer, size, tag, 0))
        self.clock[rank] += duration

    def step(self, step):
        start = max(self.clock)
        ranks, draw = self.ranks, self.random.random
        sent = []
        for rank in range(ranks):
            work = 1_500_000 + int(draw() * 500_000)
            if self.late is not None and rank % 8 == self.late:
                work += 1_200_000
            self.clock[rank] += work
            around = [(rank - 1) % ranks, (rank + 1) % ranks]
            for peer in around:
                self.call(rank, 1, 1, 900, peer, 65536, step)
            for peer in around:
                self.call(rank, 2, 2, 2_100, peer, 65536, step)
            sent.append(self.clock[rank])
        slowest = max(range(ranks), key=sent.__getitem__)
        for rank in range(ranks):
            arrive = max(sent[(rank - 1) % ranks], sent[(rank + 1) % ranks]) + 560_000
            for peer in ((rank - 1) % ranks, (rank + 1) % ranks):
                self.messages[rank].append((sent[rank], 540_000 + int(draw() * 9_000), peer, 65536, step, 0))
            self.call(rank, 3, 3, max(arrive - self.clock[rank], 1_000))
        together = max(self.clock) + 300_000
        for rank in range(ranks):
            self.call(rank, 4, 4, together - self.clock[rank], -1, 8)
        # The path of the step: the slowest rank computes, its message travels, all reduce.
        self.path += [(slowest, start, sent[slowest], 0, 65535),
                      (slowest, sent[slowest], sent[slowest] + 560_000, 1, 2),
                      ((slowest + 1) % ranks, sent[slowest] + 560_000, together, 2, 4)]

    def deadlock(self):
        for rank in range(self.ranks):
            self.clock[rank] += 800_000 + int(self.random.random() * 400_000)
            if rank == 3:
                continue
            peer = (rank + 1) % self.ranks
            self.blocked.append({"rank": rank, "function": "MPI_Recv", "site": "halo.c:42 in exchange",
                                 "since": self.clock[rank] / 1e9, "detail": f"from rank {peer}, tag 7, MPI_COMM_WORLD"})
        end = max(self.clock) + 1_000_000
        for rank in range(self.ranks):
            if rank != 3:
                self.call(rank, 6, 3, end - self.clock[rank], (rank + 1) % self.ranks, 65536, 7)
            self.clock[rank] = max(self.clock[rank], end)


def tiles(ring, bins, rows, per_row):
    """Time per category in each tile of the finest level."""
    width = ring.end / bins
    spent = [array.array("d", bytes(8 * bins * 6)) for _ in range(rows)]

    def spend(row, category, start, end):
        first, last = int(start / width), min(int(end / width), bins - 1)
        for bin in range(first, last + 1):
            part = min(end, (bin + 1) * width) - max(start, bin * width)
            row[bin * 6 + category] += max(part, 0)

    for rank, calls in enumerate(ring.calls):
        row, at = spent[rank // per_row], 0
        for start, duration, function, *_ in calls:
            spend(row, 1, at, start)
            at = start + duration
            spend(row, FUNCTION_CATEGORIES[function], start, at)
        spend(row, 0, at, ring.end)
    return spent


def levels(container, spent, bins):
    """The finest level and its halvings, coarsest first."""
    pyramid = [(bins, spent)]
    while pyramid[0][0] > 64:
        bins, finer = pyramid[0]
        half = []
        for row in finer:
            coarse = array.array("d", bytes(8 * (bins // 2) * 6))
            for at in range(bins // 2):
                for c in range(6):
                    coarse[at * 6 + c] = row[2 * at * 6 + c] + row[(2 * at + 1) * 6 + c]
            half.append(coarse)
        pyramid.insert(0, (bins // 2, half))
    named = []
    for number, (bins, rows) in enumerate(pyramid):
        dominant, share = bytearray(), bytearray()
        for row in rows:
            for at in range(bins):
                cell = row[at * 6:at * 6 + 6]
                top, total = max(cell), sum(cell)
                dominant.append(cell.index(top))
                share.append(round(255 * top / total) if total else 0)
        container.add(f"tiles_{number}", "u8", dominant)
        container.add(f"tiles_{number}_share", "u8", share)
        named.append({"bins": bins, "section": f"tiles_{number}", "share": f"tiles_{number}_share"})
    return named


def table(ring):
    """Calls, bytes, seconds per function and site; seconds per rank and category."""
    sums, split = {}, [[0.0] * 6 for _ in range(ring.ranks)]
    for rank, calls in enumerate(ring.calls):
        at = 0
        for start, duration, function, site, _, size, *_ in calls:
            split[rank][1] += (start - at) / 1e9
            split[rank][FUNCTION_CATEGORIES[function]] += duration / 1e9
            at = start + duration
            row = sums.setdefault((function, site), [0, 0, 0.0, 0.0])
            row[0] += 1
            row[1] += size
            row[2] += duration / 1e9
            row[3] = max(row[3], duration / 1e9)
    return sums, split


def topology(kind, hosts):
    """Nodes and edges of a machine with about so many hosts, edges with made-up bandwidth."""
    nodes = {"name": [], "level": [], "group": []}
    edges = {"from": [], "to": [], "links": [], "bandwidth": []}
    dimensions = None

    def node(name, level, group):
        nodes["name"].append(name), nodes["level"].append(level), nodes["group"].append(group)
        return len(nodes["name"]) - 1

    def edge(a, b, links=1):
        edges["from"].append(a), edges["to"].append(b), edges["links"].append(links)
        edges["bandwidth"].append(125e6 * links)

    if kind == "cluster":
        switch = node("switch", 1, 0)
        for host in range(hosts):
            edge(node(f"node-{host + 1}", 0, 0), switch)
    elif kind == "cabinets":
        core = node("core", 2, 0)
        for cabinet in range(4):
            switch = node(f"cabinet-{cabinet}", 1, cabinet)
            edge(switch, core, 10)
            for host in range(max(hosts // 4, 1)):
                edge(node(f"c{cabinet}-{host}", 0, cabinet), switch)
    elif kind == "fat_tree":
        core = [node(f"core-{i}", 3, 0) for i in range(4)]
        for pod in range(4):
            upper = [node(f"aggregation-{pod}.{i}", 2, pod) for i in range(2)]
            lower = [node(f"edge-{pod}.{i}", 1, pod) for i in range(2)]
            for i, switch in enumerate(upper):
                [edge(switch, top) for top in core[2 * i:2 * i + 2]]
                [edge(below, switch) for below in lower]
            for i, switch in enumerate(lower):
                [edge(node(f"node-{pod}.{i}.{h}", 0, pod), switch) for h in range(max(hosts // 8, 2))]
    elif kind == "torus":
        dimensions = [4, 4, 4]
        ids = [node(f"node-{x}.{y}.{z}", 0, (x * 4 + y) * 4 + z) for x in range(4) for y in range(4) for z in range(4)]
        for at in range(64):
            x, y, z = at // 16, at // 4 % 4, at % 4
            for other in (((x + 1) % 4 * 4 + y) * 4 + z, (x * 4 + (y + 1) % 4) * 4 + z, (x * 4 + y) * 4 + (z + 1) % 4):
                edge(ids[at], ids[other])
    elif kind == "dragonfly":
        routers = [[node(f"router-{g}.{r}", 1, g) for r in range(4)] for g in range(9)]
        for g, group in enumerate(routers):
            for r, router in enumerate(group):
                [edge(router, other) for other in group[r + 1:]]
                [edge(node(f"node-{g}.{r}.{h}", 0, g), router) for h in range(2)]
            for h in range(g + 1, 9):
                edge(group[(h - g - 1) % 4], routers[h][(8 - h + g) % 4], 2)
    elif kind == "dragonfly_plus":
        leaves = [[node(f"leaf-{g}.{s}", 1, g) for s in range(3)] for g in range(5)]
        spines = [[node(f"spine-{g}.{s}", 2, g) for s in range(4)] for g in range(5)]
        for g, group in enumerate(leaves):
            for s, leaf in enumerate(group):
                [edge(leaf, spine) for spine in spines[g]]
                [edge(node(f"node-{g}.{s}.{h}", 0, g), leaf) for h in range(4)]
            for h in range(g + 1, 5):
                [edge(here, there) for here, there in zip(spines[g], spines[h])]
    return {"kind": kind, "nodes": nodes, "edges": edges, **({"dimensions": dimensions} if dimensions else {})}


def network(container, ring, kind, hosts, seed):
    """Links with bursts of load that follow the steps."""
    draw, bins = random.Random(seed).random, 200
    shape = topology(kind, hosts)
    seconds = ring.end / 1e9 / bins
    count = len(shape["edges"]["from"])

    def load(bandwidth, heat):
        return [bandwidth * seconds * heat * max(0.0, min(1.0, (0.2 + draw()) if bin % 10 < 4 else draw() * 0.05))
                for bin in range(bins)]

    rows = [load(shape["edges"]["bandwidth"][e], 0.2 + 0.75 * draw()) for e in range(count)]
    container.add("edges_bytes", "f32", [value for row in rows for value in row])
    order = sorted(range(count), key=lambda e: -sum(rows[e]))[:24]
    name = shape["nodes"]["name"]
    container.add("links_bytes", "f32", [value for e in order for value in rows[e]])
    container.add("class_bytes", "f32", [sum(row[bin] for row in rows) for bin in range(bins)])
    container.json["topology"] = shape
    container.json["links"] = {
        "names": [f"{name[shape['edges']['from'][e]]} – {name[shape['edges']['to'][e]]}" for e in order],
        "class": [0] * len(order), "bandwidth": [shape["edges"]["bandwidth"][e] for e in order],
        "bytes": [sum(rows[e]) for e in order], "bins": bins, "bin_seconds": seconds,
        "classes": [{"name": "host link", "links": count, "bandwidth": 125e6, "bytes": sum(map(sum, rows))}]}


def communication(container, ring):
    cells = min(ring.ranks, 256)
    per_cell = -(-ring.ranks // cells)
    cells = -(-ring.ranks // per_cell)
    volume, number = [0.0] * (cells * cells), [0.0] * (cells * cells)
    for rank, messages in enumerate(ring.messages):
        for _, _, to, size, _, _ in messages:
            at = rank // per_cell * cells + to // per_cell
            volume[at] += size
            number[at] += 1
    container.add("matrix_bytes", "f64", volume)
    container.add("matrix_messages", "f64", number)
    container.json["matrix"] = {"cells": cells, "ranks_per_cell": per_cell}
    total = sum(map(len, ring.messages))
    classes = [0] + [1 << i for i in range(20)]
    container.json["sizes"] = {
        "from": classes,
        "messages": [total if c == 65536 else total // 3 if c == 8 else 0 for c in classes],
        "bytes": [total * 65536 if c == 65536 else total // 3 * 8 if c == 8 else 0 for c in classes],
        "collective_messages": [total // 3 if c == 8 else 0 for c in classes],
        "collective_bytes": [total // 3 * 8 if c == 8 else 0 for c in classes]}


def critical(container, ring):
    kinds = ["compute", "transfer", "collective"]
    path = ring.path[:20_000]
    for name, kind, at in (("rank", "u32", 0), ("kind", "u8", 3), ("function", "u16", 4)):
        container.add(f"critical_{name}", kind, [segment[at] for segment in path])
    times, before = bytearray(), 0
    for _, start, end, _, _ in path:
        start, end = round(start * 1000), round(end * 1000)
        varint(times, zigzag(start - before))
        varint(times, end - start)
        before = end
    container.add("critical_times", "u8", times)
    sums, ranks = [0.0] * 3, {}
    for rank, start, end, kind, _ in path:
        sums[kind] += (end - start) / 1e9
        ranks[rank] = ranks.get(rank, 0) + (end - start) / 1e9
    container.json["critical"] = {
        "seconds": ring.end / 1e9, "kinds": kinds, "by_kind": dict(zip(kinds, sums)),
        "by_function": [{"name": "computation", "seconds": sums[0]}, {"name": "MPI_Isend", "seconds": sums[1]},
                        {"name": "MPI_Allreduce", "seconds": sums[2]}],
        "by_rank": [{"rank": rank, "seconds": value} for rank, value in sorted(ranks.items(), key=lambda r: -r[1])[:20]],
        "by_link_class": [{"name": "host link", "seconds": sums[1]}],
        "gain_if_free": [{"what": "computation", "seconds": sums[0] * 0.8}, {"what": "MPI_Allreduce", "seconds": sums[2]},
                         {"what": "host links", "seconds": sums[1]}]}


def made(ranks, steps, *, kind="cluster", hosts=None, bins=1024, late=None, stop_at=None, seed=1, rows=None, events=True,
         program="halo"):
    """The container of a run."""
    ring, c = Ring(ranks, steps, seed, late, stop_at), Container()
    hosts = hosts or max(ranks // 4, 1)
    sums, split = table(ring)
    total = [sum(rank[category] for rank in split) for category in range(6)]
    seconds = ring.end / 1e9
    mean, most = total[1] / ranks, max(rank[1] for rank in split)
    c.json.update(
        run={"outcome": "deadlock" if ring.blocked else "finished", "simulated_seconds": seconds, "wall_seconds": 0.412,
             "cpu_seconds": 0.77, "ranks": ranks, "messages": sum(map(len, ring.messages)),
             "bytes": sum(m[3] for row in ring.messages for m in row), "calls": sum(map(len, ring.calls)),
             "switches": 12345, "peak_rss_bytes": 25 << 20, "largest_rank_rss_bytes": 6 << 20,
             "per_rank_seconds": [clock / 1e9 for clock in ring.clock[:4096]], "model": "flow", "platform": f"{kind}:{hosts}",
             "ranks_as": "processes", "ranks_as_because": "the default", "compute": "measured here, on a host of 3.2 Gflop/s",
             "host_speed_flops": 3.2e9, "warnings": [], "program": program, "mpirage_version": "0.1.0"},
        outcome="deadlock: 15 ranks are blocked and nothing can wake them" if ring.blocked else "finished",
        time=dict(zip(CATEGORIES[1:], total[1:])),
        efficiency={"parallel": mean / seconds, "load_balance": mean / most, "communication": most / seconds,
                    "serialisation": 0.97, "transfer": most / seconds / 0.97, "ideal_seconds": seconds * 0.97},
        warnings=[{"text": "no calibration: the network's parameters are those of the platform file", "severity": "note"},
                  {"text": "the speed of this host was guessed (3.2 Gflop/s)", "severity": "warning"}],
        hosts=[f"node-{host + 1}" for host in range(hosts)], functions=FUNCTIONS,
        function_categories=FUNCTION_CATEGORIES, sites=SITES, comms=[{"id": 0, "size": ranks, "name": "MPI_COMM_WORLD"}])
    for at, name in enumerate(CATEGORIES[1:], 1):
        c.add(f"rank_{name}", "f64", [rank[at] for rank in split])
    c.add("rank_end", "f64", [clock / 1e9 for clock in ring.clock])
    c.add("rank_host", "u32", [rank * hosts // ranks for rank in range(ranks)])
    keys = sorted(sums)
    c.json["calls_table"] = {"function": [k[0] for k in keys], "site": [k[1] for k in keys],
                             **{name: [sums[k][at] for k in keys]
                                for at, name in enumerate(("calls", "bytes", "seconds", "max_seconds"))}}
    reduce = sums.get((4, 4), [0, 0, 0])
    c.json["collectives_table"] = {"function": [4], "algorithm": ["recursive doubling"], "comm": [0],
                                   "calls": [reduce[0] // ranks], "bytes": [reduce[1]], "seconds": [reduce[2]]}
    communication(c, ring)
    network(c, ring, kind, min(hosts, 64), seed)
    critical(c, ring)
    per_row = -(-ranks // (rows or ranks))
    rows = -(-ranks // per_row)
    named = levels(c, tiles(ring, bins, rows, per_row), bins)
    c.json["timeline"] = {"rows": rows, "ranks_per_row": per_row, "seconds": seconds, "categories": CATEGORIES,
                          "levels": named}
    c.json["blocked"] = ring.blocked or None
    if events:
        store_calls(c, ring.calls)
        store_messages(c, ring.messages)
    return c


def store_calls(container, calls):
    """Every call is a literal: its times follow one by one."""
    kinds, rows = {}, []
    for rank, row in enumerate(calls):
        rows.append([])
        end = 0
        for start, duration, what, site, peer, size, tag, comm in row:
            kind = what, site, 0 if peer < 0 else 1 + (peer - rank) % len(calls), 0, zigzag(tag), comm
            # Kind 0 is that of activities that are no calls.
            gap, call = start - end, kinds.setdefault(kind, len(kinds) + 1)
            flags = 1 | (2 if gap else 0) | (4 if duration else 0)
            rows[-1].append(((call, size, flags), [value for value in (zigzag(gap), duration) if value]))
            end = start + duration
    names = (("function", "u16"), ("site", "u32"), ("peer", "u32"), ("rooted", "u8"), ("tag", "u32"), ("comm", "u32"))
    for at, (column, kind) in enumerate(names):
        container.add(f"call_kinds_{column}", kind, [0, *(values[at] for values in kinds)])
    columns = (("call", "u32"), ("bytes", "f64"), ("flags", "u8"))
    store(container, "events", "activity_symbols", columns, ("gap", "duration", "waited"), rows)


def store_messages(container, messages):
    """By receiver, in order of delivery."""
    came = [[] for _ in messages]
    for rank, row in enumerate(messages):
        for sent, took, to, size, tag, scope in row:
            came[to].append((sent + took, took, rank, size, tag, scope))
    rows = []
    for rank, row in enumerate(came):
        rows.append([])
        before = 0
        for delivered, took, sender, size, tag, scope in sorted(row):
            rows[-1].append((((sender - rank) % len(messages), size, zigzag(tag), scope | 2), (delivered - before, took)))
            before = delivered
    columns = (("peer", "u32"), ("bytes", "f64"), ("tag", "u32"), ("flags", "u8"))
    store(container, "messages", "message_symbols", columns, ("since_previous", "duration"), rows)


def store(container, name, table, columns, fixed, ranks):
    """The table of symbols, all of them literals without successors; and for each rank the number of its events, their symbols and their times."""
    symbols, numbers, times, numbers_bytes, times_bytes = {}, bytearray(), bytearray(), [], []
    for rows in ranks:
        before = len(numbers), len(times)
        for symbol, values in rows:
            varint(numbers, 0)
            varint(numbers, symbols.setdefault(symbol, len(symbols) + 1))
            for value in values:
                varint(times, value)
        numbers_bytes.append(len(numbers) - before[0])
        times_bytes.append(len(times) - before[1])
    for at, (column, kind) in enumerate(columns):
        container.add(f"{table}_{column}", kind, [0, *(values[at] for values in symbols)])
    for column in fixed:
        container.add(f"{table}_{column}", "f64", [0] * (len(symbols) + 1))
    container.add(f"{table}_next", "u32", [0] * (len(symbols) + 1))
    container.add(f"{name}_symbols", "u8", numbers)
    container.add(f"{name}_symbols_bytes", "u32", numbers_bytes)
    container.add(f"{name}_times", "u8", times)
    container.add(f"{name}_times_bytes", "u32", times_bytes)
    container.add(f"{name}_length", "u32", [len(rows) for rows in ranks])
    container.json[name] = {"count": sum(map(len, ranks))}


def page(*containers):
    """The page with these runs in it."""
    scripts = [f'<script id="{name}" type="text/plain">{container.packed()}</script>'
               for name, container in zip(("data", "data-b", "data-c"), containers)]
    return PAGE.read_text().replace("<!--data-->", "\n".join(scripts), 1)


# A torus of 32 × 32 ranks that compute, exchange halos and reduce. These ranks compute so many times as much as the others.
SIDE, STEPS, SLOW = 32, 4, {33: 1.5, 900: 0.3}


def trace_with_slow_ranks():
    """A time-independent trace of 1,024 ranks."""
    lines = []
    for rank in range(SIDE * SIDE):
        x, y = rank % SIDE, rank // SIDE
        peers = [(x + 1) % SIDE + SIDE * y, (x - 1) % SIDE + SIDE * y, x + SIDE * ((y + 1) % SIDE), x + SIDE * ((y - 1) % SIDE)]
        step = [f"compute {1_000_000 * SLOW.get(rank, 1):.0f}", *(f"irecv {peer} 0 8192 6" for peer in peers), *(f"isend {peer} 0 8192 6" for peer in peers), "waitall", "allreduce 8 0 6 6"]
        lines += [f"{rank} {action}" for action in ["init", *step * STEPS, "finalize"]]
    return "\n".join(lines) + "\n"


def trace_with_two_functions():
    """64 ranks exchange messages in pairs. Those of one half wait for them in MPI_Send, the others in MPI_Waitall."""
    lines = []
    for rank in range(64):
        message = f"{rank ^ 1} 0 1048576 6"
        send = [f"send {message}"] if rank < 32 else [f"isend {message}", "waitall"]
        step = ["compute 1000000", *(send + [f"recv {message}"] if rank % 2 == 0 else [f"recv {message}"] + send)]
        lines += [f"{rank} {action}" for action in ["init", *step * 20, "finalize"]]
    return "\n".join(lines) + "\n"


def trace_of_halves(ranks, slow):
    """The upper half of the ranks computes twice as long; `slow` says how many times as long some of the others compute."""
    lines = []
    for rank in range(ranks):
        work = 1_000_000 * (2 if rank >= ranks // 2 else slow.get(rank, 1))
        lines += [f"{rank} {action}" for action in ["init", *[f"compute {work:.0f}"] * 2, "barrier", "finalize"]]
    return "\n".join(lines) + "\n"


def write(path, text):
    """Writes a file; gives its path."""
    path.write_text(text)
    return path


KINDS = {
    "demo": lambda: [made(16, 30, late=5)],
    "imbalanced": lambda: [made(16, 30, late=5, seed=4, program="imbalanced")],
    "large": lambda: [made(1024, 163, hosts=256, bins=1024, kind="fat_tree")],
    "huge": lambda: [made(100_000, 4, hosts=1000, bins=512, rows=512, events=False)],
    "deadlock": lambda: [made(16, 10, stop_at=8)],
    "two": lambda: [made(16, 30, late=5), made(16, 30)],
    "large_ranks": lambda: [made(256, 6, hosts=64)],
    "none": lambda: [],
    "torus": lambda: [made(64, 20, kind="torus", hosts=64)],
    "fat_tree": lambda: [made(64, 20, kind="fat_tree", hosts=32)],
    "dragonfly": lambda: [made(72, 20, kind="dragonfly", hosts=72)],
    "dragonfly_plus": lambda: [made(60, 20, kind="dragonfly_plus", hosts=60)],
    "cabinets": lambda: [made(32, 20, kind="cabinets", hosts=32)],
}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[2]).write_text(page(*KINDS[sys.argv[1]]()))
