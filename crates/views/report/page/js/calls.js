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

/** The symbols of a rank's list: each is the successor of the one before, or given by its number. */
class Sequence {
  constructor(numbers, next) {
    this.numbers = numbers;
    this.successors = next;
    this.last = 0;
    this.predicted = -1;
  }

  next() {
    if (this.predicted < 0) this.predicted = this.numbers.next();
    if (this.predicted > 0) {
      this.predicted -= 1;
      return this.last = this.successors[this.last];
    }
    this.predicted = -1;
    return this.last = this.numbers.next();
  }
}

/** A section with the numbers of all ranks, rank by rank. */
class ByRank {
  constructor(run, name) {
    this.data = run.section(name);
    let offset = 0;
    this.offsets = run.section(`${name}_bytes`)?.map((bytes) => (offset += bytes) - bytes);
    this.known = Boolean(this.data && this.offsets);
  }

  of(rank) {
    return new Varints(this.data, this.offsets[rank] ?? 0);
  }
}

function columnsOf(run, table, columns) {
  return Object.fromEntries(columns.map((column) => [column, run.section(`${table}_${column}`)]));
}

/** The inverse of the zigzag encoding of signed numbers. */
function unzigzag(value) {
  return value % 2 ? -(value + 1) / 2 : value / 2;
}

/** The log of all ranks: symbols, and the times of those that are literals. */
class EncodedLog {
  constructor(run, name, symbols) {
    this.symbols = symbols;
    this.sequences = new ByRank(run, `${name}_symbols`);
    this.times = new ByRank(run, `${name}_times`);
    this.lengths = run.section(`${name}_length`);
    this.known = Boolean(this.lengths && symbols.next && this.sequences.known && this.times.known);
  }

  get ranks() {
    return this.lengths.length;
  }

  /** The symbols of a rank. */
  sequence(rank) {
    const sequence = new Sequence(this.sequences.of(rank), this.symbols.next), numbers = new Uint32Array(this.lengths[rank] ?? 0);
    for (let at = 0; at < numbers.length; at += 1) numbers[at] = sequence.next();
    return numbers;
  }
}

const LITERAL = 1, GAP = 2, DURATION = 4, WAITED = 8, BYTES = 16;

/** The calls of a run; times in ns. */
class Calls {
  constructor(run) {
    this.kinds = columnsOf(run, "call_kinds", ["function", "site", "path", "peer", "rooted", "tag", "comm"]);
    this.log = new EncodedLog(run, "events", columnsOf(run, "activity_symbols", ["call", "bytes", "flags", "gap", "duration", "waited", "next"]));
    this.ranks = [];
    this.known = Boolean(run.events && this.log.known && this.kinds.function);
  }

  /** The columns of a rank. */
  of(rank) {
    return this.ranks[rank] ??= this.unpack(rank);
  }

  has(rank) {
    return this.ranks[rank] !== undefined;
  }

  /** Unpacks the other ranks while the page is idle. */
  unpackWhenIdle() {
    let rank = 0;
    const idle = self.requestIdleCallback ?? ((work) => setTimeout(work, 20));
    const slice = () => {
      const until = performance.now() + 5;
      while (rank < this.log.ranks && performance.now() < until) this.of(rank++);
      if (rank < this.log.ranks) idle(slice);
    };
    if (this.known) idle(slice);
  }

  unpack(rank) {
    const { symbols } = this.log, sequence = this.log.sequence(rank), numbers = this.log.times.of(rank);
    let count = 0;
    for (const symbol of sequence) if (symbols.call[symbol]) count += 1;
    const calls = {
      count, start: new Float64Array(count), end: new Float64Array(count), late: new Float64Array(count), what: new Uint16Array(count), site: new Uint32Array(count), path: new Uint32Array(count),
      peer: new Int32Array(count), bytes: new Float64Array(count), tag: new Int32Array(count), comm: new Uint32Array(count),
    };
    // In picoseconds, which are whole numbers.
    let now = 0, at = 0, before = 0;
    for (const symbol of sequence) {
      const flags = symbols.flags[symbol], literal = flags & LITERAL;
      const start = now + (literal ? (flags & GAP ? 1e3 * numbers.signed() : 0) : symbols.gap[symbol]);
      now = start + (literal ? (flags & DURATION ? 1e3 * numbers.next() : 0) : symbols.duration[symbol]);
      const late = start + (literal ? (flags & WAITED ? 1e3 * numbers.next() : 0) : symbols.waited[symbol]);
      const bytes = flags & BYTES ? numbers.next() : symbols.bytes[symbol];
      if (!symbols.call[symbol]) continue;
      // Calls that overlap begin one after the other.
      before = calls.start[at] = Math.max(start / 1e3, before);
      calls.end[at] = Math.max(now / 1e3, before);
      calls.late[at] = late / 1e3;
      calls.bytes[at] = bytes;
      this.describe(calls, at, symbols.call[symbol], rank);
      at += 1;
    }
    return calls;
  }

  describe(calls, at, kind, rank) {
    const { kinds } = this, peer = kinds.peer[kind];
    calls.what[at] = kinds.function[kind];
    calls.site[at] = kinds.site[kind];
    calls.path[at] = kinds.path?.[kind] ?? 0;
    calls.peer[at] = peer === 0 ? -1 : (peer - 1 + (kinds.rooted[kind] ? 0 : rank)) % this.log.ranks;
    calls.tag[at] = unzigzag(kinds.tag[kind]);
    calls.comm[at] = kinds.comm[kind];
  }
}

const IN_COLLECTIVE = 1, LITERAL_MESSAGE = 2, PEER_IS_MASK = 4, IS_SEND = 8;

/** The messages of a run by receiver; times in ns. */
class Messages {
  constructor(run) {
    this.log = new EncodedLog(run, "messages", columnsOf(run, "message_symbols", ["peer", "bytes", "tag", "flags", "since_previous", "duration", "next"]));
    this.ranks = [];
    this.known = Boolean(run.messages && this.log.known);
  }

  of(rank) {
    return this.ranks[rank] ??= this.unpack(rank);
  }

  unpack(rank) {
    const { symbols } = this.log, sequence = this.log.sequence(rank), times = this.log.times.of(rank);
    const count = sequence.filter((symbol) => !(symbols.flags[symbol] & IS_SEND)).length;
    const messages = {
      count, start: new Float64Array(count), end: new Float64Array(count), from: new Uint32Array(count),
      bytes: new Float64Array(count), tag: new Int32Array(count), scope: new Uint8Array(count), longest: 0,
    };
    let now = 0, at = 0;
    for (const symbol of sequence) {
      const flags = symbols.flags[symbol], literal = flags & LITERAL_MESSAGE;
      now += literal ? 1e3 * times.next() : symbols.since_previous[symbol];
      const duration = literal ? 1e3 * times.next() : symbols.duration[symbol];
      // Messages that the rank sent are shown at their receivers.
      if (flags & IS_SEND) continue;
      messages.start[at] = (now - duration) / 1e3;
      messages.end[at] = now / 1e3;
      messages.longest = Math.max(messages.longest, duration / 1e3);
      messages.from[at] = flags & PEER_IS_MASK ? rank ^ symbols.peer[symbol] : (rank + symbols.peer[symbol]) % this.log.ranks;
      messages.bytes[at] = symbols.bytes[symbol];
      messages.tag[at] = unzigzag(symbols.tag[symbol]);
      messages.scope[at] = flags & IN_COLLECTIVE;
      at += 1;
    }
    return messages;
  }
}

/** The critical path: ranks, and times in ns; null if there is none. */
function criticalSegments(run) {
  const rank = run.section("critical_rank"), data = run.section("critical_times");
  if (!rank?.length || !data) return null;
  const start = new Float64Array(rank.length), end = new Float64Array(rank.length), times = new Varints(data, 0);
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
