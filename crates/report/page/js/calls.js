// Calls and messages one by one, unpacked rank by rank when they are wanted.

const CATEGORIES = ["idle", "compute", "p2p", "collective", "wait", "other"];
const COMPUTE = 1, WAIT = 4;

/** Reads variable-length integers, one after the other. */
class Varints {
  constructor(data, at) {
    this.data = data;
    this.at = at;
  }

  next() {
    const { data } = this;
    let byte = data[this.at++];
    if (byte < 0x80) return byte;
    let value = byte & 0x7f, place = 128;
    do {
      byte = data[this.at++];
      value += (byte & 0x7f) * place;
      place *= 128;
    } while (byte >= 0x80);
    return value;
  }

  signed() {
    return unzigzag(this.next());
  }
}

/** The shapes of a rank's calls or messages, one after the other: as the one before suggests, unless told otherwise. */
class Sequence {
  constructor(told, next) {
    this.told = told;
    this.nexts = next;
    this.last = 0;
    this.asGuessed = -1;
  }

  next() {
    if (this.asGuessed < 0) this.asGuessed = this.told.next();
    if (this.asGuessed > 0) {
      this.asGuessed -= 1;
      return this.last = this.nexts[this.last];
    }
    this.asGuessed = -1;
    return this.last = this.told.next();
  }
}

/** The section of a run that says it of every rank, from where its part begins. */
class ByRank {
  constructor(run, name) {
    this.data = run.section(name);
    this.index = run.section(`${name}_index`);
    this.known = Boolean(this.data && this.index);
  }

  of(rank) {
    return new Varints(this.data, this.index[rank] ?? 0);
  }
}

function shapesOf(run, name, columns) {
  return Object.fromEntries(columns.map((column) => [column, run.section(`${name}_${column}`)]));
}

/** Numbers of any sign that were made small ones. */
function unzigzag(value) {
  return value % 2 ? -(value + 1) / 2 : value / 2;
}

const SINCE = 1, TOOK = 2, WAITED = 4, BYTES = 8, FROM_ZERO = 16;

/** The calls of a run; times in ns. */
class Calls {
  constructor(run) {
    this.shapes = shapesOf(run, "call_shapes", ["function", "flags", "site", "peer", "tag", "comm", "bytes", "next"]);
    this.sequences = new ByRank(run, "events_shapes");
    this.times = new ByRank(run, "events_times");
    this.count = run.section("events_count");
    this.ranks = [];
    this.known = Boolean(run.events && this.count && this.shapes.next && this.sequences.known && this.times.known);
  }

  /** The columns of a rank. */
  of(rank) {
    return this.ranks[rank] ??= this.unpack(rank);
  }

  has(rank) {
    return this.ranks[rank] !== undefined;
  }

  /** Unpacks what is missing while the page has nothing else to do. */
  unpackWhenIdle() {
    let rank = 0;
    const idle = self.requestIdleCallback ?? ((work) => setTimeout(work, 20));
    const slice = () => {
      const until = performance.now() + 5;
      while (rank < this.count.length && performance.now() < until) this.of(rank++);
      if (rank < this.count.length) idle(slice);
    };
    if (this.known) idle(slice);
  }

  unpack(rank) {
    const count = this.count[rank] ?? 0, { shapes } = this;
    const calls = {
      count, start: new Float64Array(count), end: new Float64Array(count), late: new Float64Array(count), what: new Uint16Array(count), site: new Uint32Array(count),
      peer: new Int32Array(count), bytes: new Float64Array(count), tag: new Int32Array(count), comm: new Uint32Array(count),
    };
    if (count === 0) return calls;
    const sequence = new Sequence(this.sequences.of(rank), shapes.next), times = this.times.of(rank);
    let start = 0;
    for (let at = 0; at < count; at += 1) {
      const shape = sequence.next(), flags = shapes.flags[shape], peer = shapes.peer[shape];
      if (flags & SINCE) start += times.next();
      calls.start[at] = start;
      calls.end[at] = start + (flags & TOOK ? times.next() : 0);
      calls.late[at] = start + (flags & WAITED ? times.next() : 0);
      calls.bytes[at] = flags & BYTES ? times.next() : shapes.bytes[shape];
      calls.what[at] = shapes.function[shape];
      calls.site[at] = shapes.site[shape];
      calls.peer[at] = peer === 0 ? -1 : (peer - 1 + (flags & FROM_ZERO ? 0 : rank)) % this.count.length;
      calls.tag[at] = unzigzag(shapes.tag[shape]);
      calls.comm[at] = shapes.comm[shape];
    }
    return calls;
  }
}

/** The messages of a run by sender; times in ns. */
class Messages {
  constructor(run) {
    this.shapes = shapesOf(run, "message_shapes", ["to", "bytes", "tag", "scope", "next"]);
    this.sequences = new ByRank(run, "messages_shapes");
    this.times = new ByRank(run, "messages_times");
    this.count = run.section("messages_count");
    this.ranks = [];
    this.known = Boolean(run.messages && this.count && this.shapes.next && this.sequences.known && this.times.known);
  }

  of(rank) {
    return this.ranks[rank] ??= this.unpack(rank);
  }

  unpack(rank) {
    const count = this.count[rank] ?? 0, { shapes } = this;
    const messages = {
      count, start: new Float64Array(count), end: new Float64Array(count), to: new Uint32Array(count),
      bytes: new Float64Array(count), tag: new Int32Array(count), scope: new Uint8Array(count), longest: 0,
    };
    if (count === 0) return messages;
    const sequence = new Sequence(this.sequences.of(rank), shapes.next), times = this.times.of(rank);
    let start = 0;
    for (let at = 0; at < count; at += 1) {
      const shape = sequence.next();
      start += times.next();
      const duration = times.next();
      messages.start[at] = start;
      messages.end[at] = start + duration;
      messages.longest = Math.max(messages.longest, duration);
      messages.to[at] = (rank + shapes.to[shape]) % this.count.length;
      messages.bytes[at] = shapes.bytes[shape];
      messages.tag[at] = unzigzag(shapes.tag[shape]);
      messages.scope[at] = shapes.scope[shape];
    }
    return messages;
  }
}

/** The critical path: ranks, and times in ns; null if there is none. */
function criticalSegments(run) {
  const rank = run.section("critical_rank"), told = run.section("critical_times");
  if (!rank?.length || !told) return null;
  const start = new Float64Array(rank.length), end = new Float64Array(rank.length), times = new Varints(told, 0);
  let now = 0;
  for (let at = 0; at < rank.length; at += 1) {
    now += times.signed();
    start[at] = now / 1e3;
    now += times.next();
    end[at] = now / 1e3;
  }
  return { rank, start, end };
}

/** The first position whose value is above `wanted`. */
function firstAbove(values, wanted) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > wanted) high = middle; else low = middle + 1;
  }
  return low;
}

/** The category of each function: as the data says, or as its name suggests. */
function functionCategories(run) {
  const names = run.functions ?? [];
  return names.map((name, at) => run.function_categories?.[at] ?? categoryOfName(name));
}

const COLLECTIVE_NAME = /_I?(Barrier|Bcast|Gather|Scatter|Allgather|Alltoall|Reduce|Allreduce|Scan|Exscan|Neighbor)/;
const WAIT_NAME = /_(Wait|M?Probe|Recv$|Mrecv$)/;
const SEND_NAME = /_(I?[bsr]?send|Irecv|Imrecv|Start|Test|I?M?Iprobe|Improbe|Sendrecv)/i;

function categoryOfName(name) {
  if (/Reduce_local/.test(name)) return 5;
  if (COLLECTIVE_NAME.test(name)) return 3;
  if (WAIT_NAME.test(name)) return 4;
  return SEND_NAME.test(name) ? 2 : 5;
}
