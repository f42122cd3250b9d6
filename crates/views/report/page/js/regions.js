// Regions of the program: MPI_Pcontrol(n) begins region n, MPI_Pcontrol(-n) ends it, MPI_Pcontrol(0) ends all. Names come from mpirage/regions.h.

const REGION_CALL = "MPI_Pcontrol";
const REGION_COLOURS = ["accent", "wait", "collective", "compute", "p2p", "error"];

/** The regions of all ranks, found rank by rank when they are wanted. */
class Regions {
  constructor(timeline) {
    this.timeline = timeline;
    this.call = (timeline.run.functions ?? []).indexOf(REGION_CALL);
    this.known = this.call >= 0 && timeline.calls.known;
    this.ranks = [];
    this.names = new Map((timeline.run.regions ?? []).map(({ number, name }) => [number, name]));
  }

  /** The name of a region, or its number. */
  nameOf(number) {
    return this.names.get(number) ?? String(number);
  }

  /** Named regions have one colour after the other. */
  colourOf(number) {
    const at = this.names.has(number) ? [...this.names.keys()].indexOf(number) : number - 1;
    return REGION_COLOURS[at % REGION_COLOURS.length];
  }

  /** A line for tooltips: the regions in which a time lies, the innermost last. */
  linesAt(rank, time) {
    const names = this.of(rank).filter(({ start, end }) => start <= time && time <= end).map(({ number }) => this.nameOf(number));
    return names.length ? [[names.length > 1 ? "regions" : "region", names.join(" › ")]] : [];
  }

  /** The regions of a rank `{ number, site, start, end }`, by their beginnings; times in ns. */
  of(rank) {
    return this.known ? this.ranks[rank] ??= this.find(rank) : [];
  }

  find(rank) {
    const { calls, raster, whole } = this.timeline, known = calls.of(rank), open = [], found = [];
    const close = (at, end) => { open[at].end = end; open.splice(at, 1); };
    for (let at = 0; at < known.count; at += 1) {
      if (known.what[at] !== this.call) continue;
      const number = known.tag[at], start = known.start[at];
      if (number > 0) {
        open.push({ number, site: known.site[at], start, end: start });
        found.push(open.at(-1));
      } else if (number < 0) {
        const last = open.findLastIndex((region) => region.number === -number);
        if (last >= 0) close(last, start);
      } else while (open.length) close(open.length - 1, start);
    }
    const end = (raster.ends?.[rank] ?? whole / 1e9) * 1e9;
    while (open.length) close(open.length - 1, end);
    return found;
  }
}

/** Sums over the regions in a part of a timeline, by number: times inside the part, in ns. */
function regionStatistics(timeline, part, isWanted) {
  const rows = new Map();
  for (const rank of timeline.ranksIn(part)) {
    for (const region of isWanted(rank) ? timeline.regions.of(rank) : []) {
      if (region.end < part.from || region.start > part.to) continue;
      let row = rows.get(region.number);
      if (!row) rows.set(region.number, row = { number: region.number, site: region.site, times: 0, time: 0, inCalls: 0, waiting: 0, longest: 0 });
      addRegion(row, region, timeline.calls.of(rank), part);
    }
  }
  return [...rows.values()].sort((a, b) => a.number - b.number);
}

function addRegion(row, region, calls, part) {
  const from = Math.max(region.start, part.from), to = Math.min(region.end, part.to), inside = (a, b) => Math.max(0, Math.min(b, to) - Math.max(a, from));
  row.times += 1;
  row.time += to - from;
  row.longest = Math.max(row.longest, region.end - region.start);
  for (let at = firstAbove(calls.end, from); at < calls.count && calls.start[at] < to; at += 1) {
    row.inCalls += inside(calls.start[at], calls.end[at]);
    row.waiting += inside(calls.start[at], calls.late[at]);
  }
}

/** A test of times, in ascending order, of a rank: whether they are in a region with this number, or with this in its name. */
function regionTest(regions, rank, text) {
  const wanted = text.trim().toLowerCase();
  const isWanted = (number) => String(number) === wanted || Boolean(regions.names.get(number)?.toLowerCase().includes(wanted));
  const spans = regions.of(rank).filter((region) => isWanted(region.number));
  // Regions may be nested: one that began earlier may end later.
  let at = 0, end = -Infinity;
  return (time) => {
    while (at < spans.length && spans[at].start <= time) end = Math.max(end, spans[at++].end);
    return time <= end;
  };
}

function regionTable(timeline, rows) {
  if (!rows.length) return null;
  const { run } = timeline, shown = rows.map((row) => ({
    number: row.number, name: timeline.regions.nameOf(row.number), place: timeline.regions.names.has(row.number) ? "" : run.sites?.[row.site] || "", times: row.times, seconds: row.time / 1e9, outside: (row.time - row.inCalls) / 1e9, mpi: row.inCalls / 1e9,
    waiting: row.waiting / 1e9, longest: row.longest / 1e9,
  }));
  const columns = [
    { key: "name", title: "Region", show: (name, row) => [swatch(`var(--${timeline.regions.colourOf(row.number)})`), name] }, { key: "place", title: "Begins at", code: true, show: siteName },
    { key: "times", title: "Times", number: true, show: formatCount }, { key: "seconds", title: "Time, all ranks", number: true, show: formatTime },
    { key: "outside", title: "Outside MPI", number: true, show: formatTime }, { key: "mpi", title: "In MPI", number: true, show: formatTime },
    { key: "waiting", title: "Waiting", number: true, show: formatTime }, { key: "longest", title: "Longest", number: true, show: formatTime },
  ];
  return figure("Regions", {
    name: "regions", note: "MPI_Pcontrol(n) begins region n, MPI_Pcontrol(-n) ends it. mpirage/regions.h gives regions names.",
    csv: () => [["number", ...columns.map(({ key }) => key)], ...shown.map((row) => [row.number, ...columns.map(({ key }) => row[key])])],
  }, sortableTable("Regions of the program", columns, shown, "seconds"));
}

/** A strip above each row that is high enough, in the colour of the innermost region. */
function drawRegions(context, timeline, place) {
  const { view, rows, regions } = timeline, rankHeight = rows / (view.bottom - view.top);
  if (!regions.known || rankHeight < 12) return;
  for (let row = Math.max(0, Math.floor(view.top)); row < Math.min(timeline.lines, view.bottom); row += 1) {
    const rank = timeline.rankAt(row);
    if (!timeline.calls.has(rank)) continue;
    for (const { number, start, end } of regions.of(rank)) {
      if (end < view.from || start > view.to) continue;
      context.fillStyle = colour(regions.colourOf(number));
      context.fillRect(place(start), AXIS + (row - view.top) * rankHeight, Math.max(1, place(end) - place(start)), 3);
    }
  }
}
