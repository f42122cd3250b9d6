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
    const value = this.next();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
}

/** The calls of a run; times in ns. */
class Calls {
  constructor(run) {
    this.data = run.section("events_data");
    this.index = run.section("events_index");
    this.count = run.section("events_count");
    this.ranks = [];
    this.waits = Boolean(run.events?.waits);
    this.known = Boolean(run.events && this.data && this.index && this.count);
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
    const count = this.count[rank] ?? 0, reader = new Varints(this.data, this.index[rank] ?? 0);
    const calls = {
      count, start: new Float64Array(count), end: new Float64Array(count), late: new Float64Array(count), what: new Uint16Array(count), site: new Uint32Array(count),
      peer: new Int32Array(count), bytes: new Float64Array(count), tag: new Int32Array(count), comm: new Uint32Array(count),
    };
    let start = 0;
    for (let at = 0; at < count; at += 1) {
      start += reader.next();
      calls.start[at] = start;
      calls.end[at] = start + reader.next();
      calls.late[at] = start + (this.waits ? reader.next() : 0);
      calls.what[at] = reader.next();
      calls.site[at] = reader.next();
      calls.peer[at] = reader.signed() - 1;
      calls.bytes[at] = reader.next();
      calls.tag[at] = reader.signed();
      calls.comm[at] = reader.next();
    }
    return calls;
  }
}

/** The messages of a run by sender; times in ns. */
class Messages {
  constructor(run) {
    this.data = run.section("messages_data");
    this.index = run.section("messages_index");
    this.count = run.section("messages_count");
    this.ranks = [];
    this.known = Boolean(run.messages && this.data && this.index && this.count);
  }

  of(rank) {
    return this.ranks[rank] ??= this.unpack(rank);
  }

  unpack(rank) {
    const count = this.count[rank] ?? 0, reader = new Varints(this.data, this.index[rank] ?? 0);
    const messages = {
      count, start: new Float64Array(count), end: new Float64Array(count), to: new Uint32Array(count),
      bytes: new Float64Array(count), tag: new Int32Array(count), scope: new Uint8Array(count), longest: 0,
    };
    let start = 0;
    for (let at = 0; at < count; at += 1) {
      start += reader.next();
      const duration = reader.next();
      messages.start[at] = start;
      messages.end[at] = start + duration;
      messages.longest = Math.max(messages.longest, duration);
      messages.to[at] = reader.next();
      messages.bytes[at] = reader.next();
      messages.tag[at] = reader.signed();
      messages.scope[at] = reader.next();
    }
    return messages;
  }
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
