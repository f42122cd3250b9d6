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

/** Reads what happened to a rank: shapes one after the other, each with its times, told one by one or known by the shape. */
class Told {
  constructor(run, name, shapes) {
    this.shapes = shapes;
    this.sequences = new ByRank(run, `${name}_shapes`);
    this.times = new ByRank(run, `${name}_times`);
    this.lengths = run.section(`${name}_length`);
    this.known = Boolean(this.lengths && shapes.next && this.sequences.known && this.times.known);
  }

  get ranks() {
    return this.lengths.length;
  }

  /** The shapes of a rank. */
  sequence(rank) {
    const sequence = new Sequence(this.sequences.of(rank), this.shapes.next), numbers = new Uint32Array(this.lengths[rank] ?? 0);
    for (let at = 0; at < numbers.length; at += 1) numbers[at] = sequence.next();
    return numbers;
  }
}

const TOLD = 1, GAP = 2, TOOK = 4, WAITED = 8, SIZE = 16;
const FROM_ZERO = 16;

/** The calls of a run; times in ns. */
class Calls {
  constructor(run) {
    this.kinds = shapesOf(run, "call_kinds", ["function", "flags", "site", "peer", "tag", "comm", "bytes"]);
    this.deeds = new Told(run, "events", shapesOf(run, "deed_shapes", ["phrase", "flags", "gap", "took", "waited", "next"]));
    this.phraseEnds = run.section("phrases_end");
    this.phraseCalls = run.section("phrases_calls");
    this.ranks = [];
    this.known = Boolean(run.events && this.deeds.known && this.kinds.function && this.phraseEnds && this.phraseCalls);
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
      while (rank < this.deeds.ranks && performance.now() < until) this.of(rank++);
      if (rank < this.deeds.ranks) idle(slice);
    };
    if (this.known) idle(slice);
  }

  /** Where the calls of a phrase begin; they end where the next one's begin. */
  begin(phrase) {
    return phrase === 0 ? 0 : this.phraseEnds[phrase - 1];
  }

  unpack(rank) {
    const { shapes } = this.deeds, sequence = this.deeds.sequence(rank), times = this.deeds.times.of(rank);
    let count = 0;
    for (const shape of sequence) count += this.phraseEnds[shapes.phrase[shape]] - this.begin(shapes.phrase[shape]);
    const calls = {
      count, start: new Float64Array(count), end: new Float64Array(count), late: new Float64Array(count), what: new Uint16Array(count), site: new Uint32Array(count),
      peer: new Int32Array(count), bytes: new Float64Array(count), tag: new Int32Array(count), comm: new Uint32Array(count),
    };
    // In picoseconds, which are whole numbers.
    let now = 0, at = 0, before = 0;
    for (const shape of sequence) {
      const flags = shapes.flags[shape], told = flags & TOLD;
      if (flags & SIZE) {
        calls.bytes[at - 1] = told ? times.next() : shapes.gap[shape];
        continue;
      }
      const start = now + (told ? (flags & GAP ? 1e3 * times.signed() : 0) : shapes.gap[shape]);
      now = start + (told ? (flags & TOOK ? 1e3 * times.next() : 0) : shapes.took[shape]);
      const late = start + (told ? (flags & WAITED ? 1e3 * times.next() : 0) : shapes.waited[shape]);
      const phrase = shapes.phrase[shape];
      for (let call = this.begin(phrase); call < this.phraseEnds[phrase]; call += 1, at += 1) {
        // Calls that overlap begin one after the other.
        before = calls.start[at] = Math.max(start / 1e3, before);
        calls.end[at] = Math.max(now / 1e3, before);
        calls.late[at] = late / 1e3;
        this.describe(calls, at, this.phraseCalls[call], rank);
      }
    }
    return calls;
  }

  describe(calls, at, kind, rank) {
    const { kinds } = this, peer = kinds.peer[kind];
    calls.bytes[at] = kinds.bytes[kind];
    calls.what[at] = kinds.function[kind];
    calls.site[at] = kinds.site[kind];
    calls.peer[at] = peer === 0 ? -1 : (peer - 1 + (kinds.flags[kind] & FROM_ZERO ? 0 : rank)) % this.deeds.ranks;
    calls.tag[at] = unzigzag(kinds.tag[kind]);
    calls.comm[at] = kinds.comm[kind];
  }
}

const INNER = 1, TIMES_TOLD = 2, MIRRORED = 4, OUTGOING = 8;

/** The messages of a run by receiver; times in ns. */
class Messages {
  constructor(run) {
    this.told = new Told(run, "messages", shapesOf(run, "message_shapes", ["from", "bytes", "tag", "flags", "since", "took", "next"]));
    this.ranks = [];
    this.known = Boolean(run.messages && this.told.known);
  }

  of(rank) {
    return this.ranks[rank] ??= this.unpack(rank);
  }

  unpack(rank) {
    const { shapes } = this.told, sequence = this.told.sequence(rank), times = this.told.times.of(rank);
    const count = sequence.filter((shape) => !(shapes.flags[shape] & OUTGOING)).length;
    const messages = {
      count, start: new Float64Array(count), end: new Float64Array(count), from: new Uint32Array(count),
      bytes: new Float64Array(count), tag: new Int32Array(count), scope: new Uint8Array(count), longest: 0,
    };
    let now = 0, at = 0;
    for (const shape of sequence) {
      const flags = shapes.flags[shape], told = flags & TIMES_TOLD;
      now += told ? 1e3 * times.next() : shapes.since[shape];
      const took = told ? 1e3 * times.next() : shapes.took[shape];
      // Of what a rank sent, its receiver tells.
      if (flags & OUTGOING) continue;
      messages.start[at] = (now - took) / 1e3;
      messages.end[at] = now / 1e3;
      messages.longest = Math.max(messages.longest, took / 1e3);
      messages.from[at] = flags & MIRRORED ? rank ^ shapes.from[shape] : (rank + shapes.from[shape]) % this.told.ranks;
      messages.bytes[at] = shapes.bytes[shape];
      messages.tag[at] = unzigzag(shapes.tag[shape]);
      messages.scope[at] = flags & INNER;
      at += 1;
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
