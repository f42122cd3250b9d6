// The call tree: time of functions and their calls, from the paths on which the program called MPI.

const CALLED_FROM = " ← ";
/** Ranks with fewer samples keep their computation between calls: so few say nothing. */
const LEAST_SAMPLES = 20;
/** What a node may count: time is in seconds. */
const METRICS = [
  ["time", "Time", formatTime], ["compute", "Computation", formatTime], ["mpi", "In MPI", formatTime], ["waiting", "Waiting", formatTime],
  ["calls", "Calls", formatCount], ["bytes", "Bytes", formatBytes],
];

/** A function, a call of MPI, or computation between calls. */
class CallNode {
  constructor(name, line, kind, parent) {
    Object.assign(this, { name, line, kind, parent, children: new Map(), own: null, sums: null });
    this.depth = parent ? parent.depth + 1 : 0;
  }

  child(name, line, kind) {
    const key = `${kind} ${name} ${line}`;
    let child = this.children.get(key);
    if (!child) this.children.set(key, child = new CallNode(name, line, kind, this));
    return child;
  }

  /** Counts for a rank what the node itself takes. */
  count(rank, ranks, values) {
    this.own ??= Object.fromEntries(METRICS.map(([metric]) => [metric, new Float64Array(ranks)]));
    for (const metric in values) this.own[metric][rank] += values[metric];
  }

  /** Sums of each metric over the node and those below it, by rank; made once, when the tree is complete. */
  close(ranks) {
    this.byRank = Object.fromEntries(METRICS.map(([metric]) => [metric, this.own?.[metric].slice() ?? new Float64Array(ranks)]));
    for (const child of this.children.values()) {
      child.close(ranks);
      for (const [metric] of METRICS) child.byRank[metric].forEach((value, rank) => { this.byRank[metric][rank] += value; });
    }
    this.sums = Object.fromEntries(METRICS.map(([metric]) => [metric, sumOf(this.byRank[metric])]));
  }

  /** Children, those with most of a metric first. */
  sorted(metric) {
    return [...this.children.values()].filter((child) => child.sums[metric] > 0).sort((a, b) => b.sums[metric] - a.sums[metric]);
  }

  get path() {
    return this.parent?.parent ? [...this.parent.path, this] : this.parent ? [this] : [];
  }
}

function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

/** By rank, how often samples found it on each path: `paths` as pairs of path and count, and `all`. Ranks with few samples are left out. */
function samplesOf(run) {
  const [path, rank, count] = ["path", "rank", "count"].map((column) => run.section(`samples_${column}`) ?? []), found = new Map();
  path.forEach((number, at) => {
    if (!found.has(rank[at])) found.set(rank[at], { paths: [], all: 0 });
    const of = found.get(rank[at]);
    of.paths.push([number, count[at]]);
    of.all += count[at];
  });
  return new Map([...found].filter(([, { all }]) => all >= LEAST_SAMPLES));
}

class CallTree {
  /** The tree of a run; from all calls if they are on the page, else from sums over all ranks. */
  constructor(run) {
    this.run = run;
    this.root = new CallNode("all", "", "root", null);
    this.paths = run.paths.map((path) => this.functions(path));
    this.common = new Map();
    this.samples = samplesOf(run);
    const calls = new Calls(run);
    this.ranks = calls.known ? calls.log.ranks : 1;
    this.hasRanks = calls.known;
    if (calls.known) for (let rank = 0; rank < this.ranks; rank += 1) this.countRank(rank, calls);
    else this.countSums(run.paths_table);
    this.root.close(this.ranks);
  }

  /** The nodes of the functions of a path, the outermost first, and the line that calls MPI. */
  functions(path) {
    const places = path.split(CALLED_FROM).map((place) => place.match(/^(?:.*\/)?(.*?:\d+)(?: in (.*))?$/) ?? [, place, undefined]).reverse();
    let node = this.root, line = "";
    const nodes = places.map(([, here, name]) => {
      node = node.child(name ?? here, line, "function");
      line = here;
      return node;
    });
    return { nodes, line };
  }

  countRank(rank, calls) {
    const { start, end, late, what, path, bytes, count } = calls.of(rank), samples = this.samples.get(rank);
    let last = null, free = 0, computed = 0;
    for (let at = 0; at < count; at += 1) {
      if (start[at] > free) {
        if (samples) computed += start[at] - free;
        else this.compute(rank, last, path[at], start[at] - free);
      }
      const seconds = (end[at] - start[at]) / 1e9;
      this.leaf(path[at], what[at]).count(rank, this.ranks, { time: seconds, mpi: seconds, waiting: Math.max(0, late[at] - start[at]) / 1e9, calls: 1, bytes: bytes[at] });
      free = Math.max(free, end[at]);
      last = path[at];
    }
    if (samples) this.spread(rank, samples, computed / 1e9);
  }

  /** The computation of a rank counts for the lines where samples found it. */
  spread(rank, { paths, all }, seconds) {
    for (const [path, count] of paths) {
      const { nodes, line } = this.paths[path], time = seconds * count / all;
      (nodes.at(-1) ?? this.root).child("computation", line, "compute").count(rank, this.ranks, { time, compute: time });
    }
  }

  leaf(path, what) {
    const { nodes, line } = this.paths[path];
    return (nodes.at(-1) ?? this.root).child(this.run.functions[what], line, "mpi");
  }

  /** Computation between two calls counts for the innermost function from which both were made. */
  compute(rank, last, path, nanoseconds) {
    const key = (last ?? -1) * 2 ** 26 + path;
    let node = this.common.get(key);
    if (!node) {
      const { nodes } = this.paths[path], before = last == null ? nodes.slice(0, 1) : this.paths[last].nodes;
      let same = 0;
      while (same < nodes.length && nodes[same] === before[same]) same += 1;
      this.common.set(key, node = (nodes[same - 1] ?? this.root).child("computation between calls", "", "compute"));
    }
    const seconds = nanoseconds / 1e9;
    node.count(rank, this.ranks, { time: seconds, compute: seconds });
  }

  countSums({ function: functions, path, seconds, calls, bytes }) {
    functions.forEach((what, at) => this.leaf(path[at], what).count(0, 1, { time: seconds[at], mpi: seconds[at], calls: calls[at], bytes: bytes[at] }));
  }

  /** How computation was divided among functions, in words. */
  get divided() {
    const between = "Computation between two calls counts for the innermost function from which both were made.";
    if (this.samples.size === 0) return between;
    const all = [...this.samples.values()].reduce((sum, samples) => sum + samples.all, 0);
    const few = this.samples.size < this.ranks ? ` ${plural(this.ranks - this.samples.size, "rank")} had fewer than ${LEAST_SAMPLES} samples: there, computation counts for the innermost function from which the calls around it were made.` : "";
    return `Computation is divided by ${plural(all, "sample")} of the program's stack.${few}`;
  }

  /** All nodes with something of a metric, each after its parent. */
  rows(metric, node = this.root) {
    return node.sorted(metric).flatMap((child) => [child, ...this.rows(metric, child)]);
  }

  /** The metrics that occur. */
  get metrics() {
    return METRICS.filter(([metric]) => this.root.sums[metric] > 0);
  }

  /** Node by rank, all metrics: the whole tree as a table. */
  csv() {
    const names = METRICS.map(([metric]) => metric), rows = [["path", "line", "rank", ...names.map((name) => `own_${name}`)]];
    for (const node of this.rows("time")) {
      if (!node.own) continue;
      const path = node.path.map(({ name }) => name).join(";");
      for (let rank = 0; rank < this.ranks; rank += 1) {
        if (node.own.time[rank] > 0 || node.own.calls[rank] > 0) rows.push([path, node.line, this.hasRanks ? rank : "all", ...names.map((name) => node.own[name][rank])]);
      }
    }
    return rows;
  }

  /** The tree in the file format of speedscope (https://www.speedscope.app): all ranks, then each one. */
  speedscope() {
    const nodes = this.rows("time"), frames = [], numbers = new Map();
    for (const { name, line } of nodes) {
      const shown = line ? `${name} (called at ${line})` : name;
      if (!numbers.has(shown)) numbers.set(shown, frames.push({ name: shown }) - 1);
    }
    const stack = (node) => node.path.map(({ name, line }) => numbers.get(line ? `${name} (called at ${line})` : name));
    const leaves = nodes.filter((node) => node.own), stacks = leaves.map(stack);
    const profile = (name, weightOf) => {
      const used = leaves.map((node, at) => [stacks[at], weightOf(node.own.time)]).filter(([, weight]) => weight > 0);
      const weights = used.map(([, weight]) => weight);
      return { type: "sampled", name, unit: "seconds", startValue: 0, endValue: sumOf(weights), samples: used.map(([stack]) => stack), weights };
    };
    const each = this.hasRanks ? Array.from({ length: this.ranks }, (_, rank) => profile(`rank ${rank}`, (time) => time[rank])) : [];
    return { $schema: "https://www.speedscope.app/file-format-schema.json", exporter: "mpirage", name: this.run.run?.program ?? "mpirage", activeProfileIndex: 0, shared: { frames }, profiles: [profile("all ranks", sumOf), ...each] };
  }
}
